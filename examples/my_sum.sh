#!/bin/sh
# Compiles my_sum.c as a library and checks that accord finds the order that it is written in.
#     my_sum.sh ACCORD
set -eu
accord=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
${CC:-cc} -O2 -shared -fPIC -o "$folder/my_sum.so" my_sum.c
found=$("$accord" reveal "so:$folder/my_sum.so:my_sum" -n 10 --output text)
[ "$found" = '(((((0+4)+8)+9)+(1+5))+((2+6)+(3+7)))' ] || {
    printf 'another order was found: %s\n' "$found" >&2
    exit 1
}
echo "found as it was written"
