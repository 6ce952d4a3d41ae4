#!/bin/sh
# Products whose blocks share scales: a function of one's own and a program. Usage: scaled.sh ACCORD
set -eu
accord=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# expect NOTATION TARGET OPTIONS…: the order, whose record replays the sum of ones times scales
expect() {
    notation=$1
    shift
    "$accord" reveal "$@" -n 128 --json --to "$dir/order.json" --quiet
    grep -qF "$notation" "$dir/order.json" || {
        printf 'another order than %s was found\n' "$notation" >&2
        exit 1
    }
    awk 'BEGIN { for (i = 0; i < 128; i++) print 1 }' >"$dir/ones"
    printf '1 2 4 8\n' >"$dir/scales"
    sum=$("$accord" replay "$dir/order.json" --input "$dir/ones" --scales "$dir/scales" --second-scales "$dir/scales")
    [ "${sum%% *}" = 2720 ] || { # 32 (1 + 4 + 16 + 64)
        printf 'the record replays %s\n' "$sum" >&2
        exit 1
    }
}

${CC:-cc} -O2 -ffp-contract=off -shared -fPIC -o "$dir/scaled_dot.so" scaled_dot.c -lm
expect '128: fuse in 32s; halves' "so:$dir/scaled_dot.so:scaled_dot" \
    --signature scaled-dot:encoded --format e4m3 --scale-block 32 --scale e8m0
echo "found as the function is written"
python3 -c 'import numpy' 2>/dev/null || exit 0
expect '128: fuse in 32s; chain' 'command:python3 scaled.py' --format e2m1
echo "found as the program is written"
