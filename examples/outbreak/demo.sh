#!/usr/bin/env bash
# From a table of people in households to answers with a certificate. Run by `make demo`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

out=${1:-../../out}
mkdir -p "$out"
ledger=$(mktemp -d) # a demonstration may be repeated; real releases keep their ledger
service=""
trap '[ -z "$service" ] || kill "$service" 2>/dev/null || true; rm -rf "$ledger"' EXIT

echo "people.csv: $(($(wc -l <people.csv) - 1)) people in households, ill or not"
head -4 people.csv
echo
echo "1. Count the ill per district and add noise as if people were islands (epsilon = 1)."
echo "   What does that tell about one of them?"
dalenius audit plain.toml
echo
echo "2. The least noise that really keeps every chance of being ill within a factor e of what it was,"
echo "   beside what the known methods would add."
dalenius compare outbreak.toml
dalenius calibrate outbreak.toml --plot "$out/leakage.png"
echo
echo "3. How many are ill, per district, with the certificate."
dalenius release outbreak.toml --ledger "$ledger/ledger.sqlite"
echo
echo "Leakage by household size is drawn in out/leakage.png, its numbers are in out/leakage.csv."

echo
echo "4. The same people behind a service: policy.toml says who may ask what, and the ledger what is left."
if python -c 'import fastapi, uvicorn' 2>/dev/null; then
    cp policy.toml people.csv "$ledger"
    token=$(dalenius token make "$ledger/policy.toml" --analyst ana --days 1 2>/dev/null)
    dalenius serve "$ledger/policy.toml" --port 0 >"$ledger/said" 2>"$ledger/log" &
    service=$!
    until grep -q '^listening' "$ledger/said"; do
        kill -0 "$service" 2>/dev/null || { cat "$ledger/log" >&2; exit 1; }
        sleep 0.1
    done
    python ask.py "$(sed 's/^listening on //' "$ledger/said")" "$token"
    kill -TERM "$service" # it ends what it is doing, and then itself
    wait "$service"
    service=""
    dalenius ledger verify "$ledger/outbreak.ledger.sqlite"
    echo
    echo "To open it: make a token, start the service, and sign in with the token at http://127.0.0.1:8750"
    echo "    .venv/bin/dalenius token make examples/outbreak/policy.toml --analyst ana"
    echo "    .venv/bin/dalenius serve examples/outbreak/policy.toml"
else
    echo "Left out: the service is an extra, pip install 'dalenius[server]'."
fi
