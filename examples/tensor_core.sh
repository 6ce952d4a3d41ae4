#!/bin/sh
# Compiles the emulation of a tensor core beside it and has accord find its parameters.
#     tensor_core.sh ACCORD
set -eu
accord=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
${CC:-cc} -O2 -shared -fPIC -o "$folder/tensor_core.so" tensor_core.c -lm

finds() { # SYMBOL SIGNATURE
    found=$("$accord" features "so:$folder/tensor_core.so:$1" --signature "$2" \
        --format f16 --result f32 -n 18)
    for line in 'terms  *6 ' 'fraction  *22 ' 'alignment  *toward zero' 'rounding  *toward zero'; do
        printf '%s\n' "$found" | grep -q "^$line" || {
            printf '%s\n' "no line \"$line\" for $1 in:" "$found" >&2
            exit 1
        }
    done
}
finds dot dot
finds dot_encoded dot:encoded

# What was revealed is recorded with its formats, and checked with them.
"$accord" reveal "so:$folder/tensor_core.so:dot_encoded" --signature dot:encoded --format f16 \
    --result f32 -n 18 --json --to "$folder/order.json" 2>/dev/null
"$accord" check "so:$folder/tensor_core.so:dot_encoded" "$folder/order.json" >/dev/null
echo "found as it was written"
