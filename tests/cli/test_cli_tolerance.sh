#!/bin/sh
# accord tolerance from outside: test_cli_tolerance.sh ACCORD. Speaks TAP: tap.sh.
set -u
accord=$1
. "$(dirname "$0")/tap.sh"
cd "$dir" || exit 1
quick="--samples 512 -q"

# What is printed for pasting is what JSON says.
same_pairs() {
    python3 - "$1" "$2" <<'END'
import json, re, sys
found = json.load(open(sys.argv[2]))
lines = [line for line in open(sys.argv[1]) if line.startswith(("numpy.", "torch."))]
pairs = [(float(r), float(a)) for r, a in
         (re.search(r"rtol=(\S+), atol=(\S+)\)$", line).groups() for line in lines)]
wanted = [(each[kind]["rtol"], each[kind]["atol"]) for each in found["tolerances"]
          for kind in ("proven", "statistical") for _ in range(2)]
assert pairs == wanted, (pairs, wanted)
for each in found["tolerances"]:
    assert each["statistical"]["atol"] <= each["proven"]["atol"]
END
}

# ---- questions ----
# shellcheck disable=SC2086 # words on purpose
{
    t 'a question alone' 0 'no array \(proven\) .*9.78e-05' - "$accord" tolerance sum -n 40 -f f32 $quick --accumulator f32
    cp out report
    t 'as JSON' 0 '"verb": "tolerance"' - "$accord" tolerance sum -n 40 -f f32 $quick --accumulator f32 --json
    cp out json
    is 'the same pairs' same_pairs report json
    t 'rtol of the rounding alone' 0 'rtol the rounding of the result to bf16 alone' - "$accord" tolerance dot -n 40 -f f32 --result bf16 $quick
    t 'rtol where nothing cancels' 0 'do not cancel, so errors are relative' - "$accord" tolerance dot -n 40 -f f32 --nonnegative $quick
    t 'rtol that is useless' 0 'rtol would be useless' - "$accord" tolerance dot -n 40 -f f32 $quick
    t 'a level that samples reach' 0 'read from the samples' - "$accord" tolerance dot -n 40 -f f32 --level .1 $quick
    t 'normal inputs' 0 '\|a\| <= 6' - "$accord" tolerance dot -n 40 -f f32 --a-max 6 --b-max 6 --distribution normal $quick
    t 'a target' 0 'any order, in f32 or a wider' - "$accord" tolerance synthetic:pairwise,products -n 24 $quick
    t 'a machine' 0 'any order, in the machine that was found' - "$accord" tolerance synthetic:hopper-f16 -n 64 $quick
    t 'a start value' 0 '\|c\| <= 3' - "$accord" tolerance blas:sgemm@reference --shape 2x3x20 --beta .5 --c-max 3 $quick
    is 'as many elements as results' grep -q '^arrays: 6 elements' out

    # ---- inputs ----
    echo '1 2 3 4  .5 .25 .125 -8' >x.txt
    echo '1 1 1 1  2 2 2 2' >y.txt
    t 'rows' 0 '2 rows of inputs' - "$accord" tolerance dot -n 4 -f f32 --inputs x.txt --second y.txt $quick
    is 'cancellation in them' grep -q 'hardly cancel' out
    t 'rows of another length' 2 - '8 numbers' "$accord" tolerance dot -n 3 -f f32 --inputs x.txt $quick
    t 'rows and limits' 2 - 'leave one of them out' "$accord" tolerance sum -n 4 -f f32 --inputs x.txt --a-max 2 $quick
    t 'other rows' 2 - 'contains 8 rows' "$accord" tolerance dot -n 8 -f f32 --inputs x.txt --second y.txt --start y.txt $quick
    t 'second factors alone' 2 - 'go with --inputs' "$accord" tolerance dot -n 4 -f f32 --second y.txt $quick

    # ---- edges ----
    t 'one term' 0 'sums of 1 term' - "$accord" tolerance sum -n 1 -f f32 $quick
    for n in 3 1023 4097; do
        t "an odd number, $n" 0 "\"n\": $n," - "$accord" tolerance dot -n $n -f f32 $quick --json
        cp out json
        t "the same as a report, $n" 0 "dot products of $n terms" - "$accord" tolerance dot -n $n -f f32 $quick
        is "the same pairs, $n" same_pairs out json
    done
    printf '0 0 0\n0 0 0\n' >zeros.txt
    t 'sums of 0' 0 '2 rows of inputs' - "$accord" tolerance sum -n 3 -f f32 --inputs zeros.txt $quick
    printf '1 2 3\n' >row.txt
    t 'one row' 0 ', 1 row of inputs' - "$accord" tolerance sum -n 3 -f f32 --inputs row.txt $quick
    printf '1 2 3\n4 nan 6\n' >nan.txt
    t 'NaN' 2 - 'input 1: a term is nan, which is not a finite number of f32; leave this row out' "$accord" tolerance sum -n 3 -f f32 --inputs nan.txt $quick
    printf '1 2 3\n4 5 1e39\n' >large.txt
    t 'a number beyond the format' 2 - 'input 1: a first factor is 1e[+]39, which is not a finite number of f32' "$accord" tolerance dot -n 3 -f f32 --inputs large.txt --second large.txt $quick
    printf '1 2 3\n4 5\n' >uneven.txt
    t 'rows of other lengths' 2 - 'uneven.txt holds 3 numbers in its first line and 2 in line 2; give as many in each row' "$accord" tolerance sum -n 3 -f f32 --inputs uneven.txt $quick
    : >empty.txt
    t 'an empty file' 2 - 'empty.txt is empty; numbers were expected' "$accord" tolerance sum -n 3 -f f32 --inputs empty.txt $quick
    t 'no terms' 2 - 'n 0: less than 1' "$accord" tolerance sum -n 0 -f f32 $quick
    t 'an infinite limit' 2 - 'a-max inf: give a number' "$accord" tolerance sum -n 3 -f f32 --a-max inf $quick
    # shellcheck disable=SC2016 # its own shell
    t 'a closed output' 2 - 'cannot write to standard output' sh -c '"$@" >&-' - "$accord" tolerance sum -n 3 -f f32 $quick

    # ---- wrong use ----
    t 'no target' 2 - 'give one, such as .* or sum or dot' "$accord" tolerance product -n 4 $quick
    t 'no count' 2 - 'number of terms is missing' "$accord" tolerance dot -f f32 $quick
    t 'a shape of a question' 2 - 'number of terms is missing' "$accord" tolerance dot --shape 2x2x2 $quick
    t 'a limit of 0' 2 - 'a positive number' "$accord" tolerance dot -n 4 --a-max 0 $quick
    t 'a level of 1' 2 - 'not a fraction of arrays' "$accord" tolerance dot -n 4 --level 1 $quick
    t 'few samples' 2 - 'give 256 to' "$accord" tolerance dot -n 4 --samples 5 -q
    t 'overflow' 3 - 'overflow f16; give smaller inputs' "$accord" tolerance dot -n 4 -f f16 --a-max 60000 --b-max 2 $quick
    t 'too many terms' 3 - 'too many for bf16' "$accord" tolerance sum -n 1000 -f bf16 --accumulator bf16 $quick
    t 'no such accumulator' 2 - 'there is no accumulator f31' "$accord" tolerance dot -n 4 --accumulator f31 $quick
}

echo "1..$number"
