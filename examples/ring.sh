#!/bin/sh
# A program with a grid of results: every element has an order of its own. Usage: ring.sh ACCORD
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
${CC:-cc} -O2 -ffp-contract=off -o "$dir/ring" ring.c
"$1" map "command:$dir/ring 12" -n 4 | tee "$dir/map"
grep -q '4: turn 3; chain' "$dir/map"
