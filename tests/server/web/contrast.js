// Of each text the contrast to what is behind it, the least first.
() => {
  const parts = c => { const n = c.match(/[\d.]+/g).map(Number); return n.length === 3 ? [...n, 1] : n; };
  const light = c => { const [r, g, b] = c.map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
    return .2126 * r + .7152 * g + .0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) { const c = parts(getComputedStyle(e).backgroundColor);
    if (c[3] === 1) return c; if (c[3] > 0) throw new Error('half transparent'); } throw new Error('nothing behind'); };
  const ratio = (a, b) => { const [x, y] = [light(a.slice(0, 3)), light(b.slice(0, 3))].sort((p, q) => q - p); return (x + .05) / (y + .05); };
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) { const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !e.getClientRects().length) continue;
    found.push([ratio(parts(getComputedStyle(e).color), behind(e)), walker.currentNode.textContent.trim().slice(0, 40)]); }
  for (const e of document.querySelectorAll('input:not([type=hidden]), select, textarea')) {
    const s = getComputedStyle(e);
    found.push([ratio(parts(s.color), parts(s.backgroundColor)[3] === 1 ? parts(s.backgroundColor) : behind(e)), e.name]); }
  return found.sort((a, b) => a[0] - b[0]); }
