#!/usr/bin/env bash
# From a table of people in households to answers with a certificate. Run by `make demo`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

out=${1:-../../out}
mkdir -p "$out"
ledger=$(mktemp -d) # a demonstration may be repeated; real releases keep their ledger
trap 'rm -rf "$ledger"' EXIT

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
