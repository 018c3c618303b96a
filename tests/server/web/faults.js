// What is wrong with a page for whoever does not see it, or has a small window.
() => {
  const found = [], all = s => [...document.querySelectorAll(s)], say = (e, what) => found.push(what + ': ' + e.outerHTML.slice(0, 120));
  if (!document.documentElement.lang || !document.title) found.push('no language or title');
  for (const s of ['header', 'main', 'footer']) if (all(s).length !== 1) found.push('not one ' + s);
  for (const e of all('nav, section')) if (!e.getAttribute('aria-label') && !e.getAttribute('aria-labelledby')) say(e, 'no name');
  for (const e of all('[aria-labelledby], [aria-describedby]'))
    for (const id of ((e.getAttribute('aria-labelledby') || '') + ' ' + (e.getAttribute('aria-describedby') || '')).trim().split(/\s+/))
      if (!document.getElementById(id)) say(e, 'names ' + id + ', which is not there');
  for (const e of all('input:not([type=hidden]), select, textarea')) if (!e.labels.length) say(e, 'no label');
  for (const e of all('[aria-invalid=true]')) if (!/-fault/.test(e.getAttribute('aria-describedby'))) say(e, 'no fault');
  for (const e of all('fieldset')) if (!e.querySelector('legend')) say(e, 'no legend');
  for (const e of all('table')) if (!e.caption || [...e.querySelectorAll('th')].some(h => !h.scope)) say(e, 'no caption or scope');
  for (const e of all('a, button, summary')) if (!e.innerText.trim()) say(e, 'no text');
  for (const e of all('svg:not([aria-hidden=true])')) if (!e.getAttribute('aria-label')) say(e, 'no words');
  for (const e of all('script, [style]:not([style=""]), [onclick], iframe, img')) say(e, 'not wanted');
  const ids = all('[id]').map(e => e.id);
  if (new Set(ids).size !== ids.length) found.push('an id twice');
  const levels = all('h1, h2, h3, h4').map(e => Number(e.tagName[1]));
  if (levels[0] !== 1 || levels.filter(l => l === 1).length !== 1) found.push('not one h1, or not first: ' + levels);
  levels.forEach((l, i) => { if (i && l > levels[i - 1] + 1) found.push('a heading left out: ' + levels); });
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) found.push('wider than the window');
  return found; }
