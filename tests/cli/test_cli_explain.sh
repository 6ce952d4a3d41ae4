#!/bin/sh
# accord explain from outside: test_cli_explain.sh ACCORD FAULTY, a library of dot products with
# faults (tests/support/boxes/faulty.c). Speaks TAP: tap.sh.
set -u
accord=$1
faulty=$2
here=$(cd "$(dirname "$0")" && pwd)
case $accord in /*) ;; *) accord=$PWD/$accord ;; esac
case $faulty in /*) ;; *) faulty=$PWD/$faulty ;; esac
[ -x "$accord" ] || { echo "Bail out! there is no $accord"; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
unset NO_COLOR CLICOLOR_FORCE COLUMNS FAULT
. "$here/tap.sh"
cd "$dir" || exit 1
box=so:$faulty:faulty_dot
ask="-n 200 --signature dot --budget 3000calls --samples 400 -q"

# ---- verdicts ----
# shellcheck disable=SC2086 # words on purpose
{
    t 'orders' 0 '^order: both results follow' - "$accord" explain synthetic:sequential,products synthetic:pairwise,products -n 100 -q
    is 'where they part' grep -q '^only [AB] has a partial sum of these' out
    t 'one target' 0 '^order: the result follows' - "$accord" explain synthetic:lanes:8 -n 100 -q
    t 'noise' 0 '^noise: ' - "$accord" explain $box $ask
    t 'noise beside an order' 0 '^noise: ' - "$accord" explain $box synthetic:sequential,products $ask
    t 'the last term' 1 '^bug: A: term 199 is missing' - env FAULT=last "$accord" explain $box synthetic:sequential,products $ask
    is 'a small input' grep -Eq '^    x\[199\] = ' out
    t 'a factor' 1 '(bug|suspect): .*scaled by 1.001' - env FAULT=factor "$accord" explain $box $ask
    t 'zeros' 1 '^bug: every result is 0' - env FAULT=zero "$accord" explain $box $ask
    t 'infinite' 1 '^bug: 400 of 400 results are infinite or NaN' - env FAULT=infinite "$accord" explain $box $ask
    t 'random' 1 '^(bug|suspect): ' - env FAULT=random "$accord" explain $box $ask
    t 'truncated to bf16' 1 'truncated, not rounded' - env FAULT=truncated "$accord" explain $box $ask --result bf16
    t 'JSON' 1 '"verdict": "bug"' - env FAULT=last "$accord" explain $box $ask --json
    is 'valid JSON' valid_json out
    t 'too few inputs' 3 '^cannot-tell: .*--samples' - "$accord" explain $box -n 200 --signature dot --budget 3000calls --samples 5 -q
}

# ---- accumulators ----
t 'bf16 inside' 1 '^suspect: partial sums are rounded to bf16' - "$accord" explain synthetic:sequential,acc=bf16 -n 40 -q
t 'bf16 allowed' 0 '^order: ' - "$accord" explain synthetic:sequential,acc=bf16 -n 40 -q --accumulator bf16
t 'a machine' 0 '^order: ' - "$accord" explain synthetic:hopper-f16 -n 64 -q
t 'a machine that is named' 0 '^noise: ' - "$accord" explain synthetic:hopper-f16 -n 64 -q --budget 1calls --accumulator fused:hopper-f16
t 'a machine that is not' 1 '^(bug|suspect): ' - "$accord" explain synthetic:hopper-f16 -n 64 -q --budget 1calls

if "$accord" reveal blas:sdot@openblas -n 2 -q >/dev/null 2>&1; then
    for n in 7 10 33; do # some kernels add the last terms, rounded to f32, in double
        t "a library's tail, n = $n" 0 '^order: ' - "$accord" explain blas:sdot@openblas -n $n -q
        t "the same on Haswell, n = $n" 0 '^order: ' - env OPENBLAS_CORETYPE=Haswell "$accord" explain blas:sdot@openblas -n $n -q
    done
else
    skip 'tails of a library' 'there is no OpenBLAS'
fi

# ---- wrong use ----
t 'no such accumulator' 2 - 'there is no accumulator f31; give a format' "$accord" explain synthetic:pairwise -n 8 --accumulator f31
t 'no such machine' 2 - 'there is no machine nothing' "$accord" explain synthetic:pairwise -n 8 --accumulator fused:nothing
t 'too many inputs' 2 - 'at most 10000000 inputs' "$accord" explain synthetic:pairwise -n 8 --samples 1000000000000000000
t 'no such kind' 2 - 'there is no kind of inputs odd' "$accord" explain synthetic:pairwise -n 8 --kinds normal,odd
t 'a file' 2 - 'is not a target' "$accord" explain a.json -n 8
t 'other questions' 2 - 'compute different things' "$accord" explain synthetic:pairwise blas:sdot -n 8 -q
t 'a root' 3 - 'gives a root' "$accord" explain blas:snrm2@reference -n 8 -q
t 'nothing' 2 - '*' "$accord" explain

# ---- edges ----
t 'one term' 0 '^order: ' - "$accord" explain synthetic:sequential -n 1 -q
t 'two terms' 0 '^order: ' - "$accord" explain synthetic:sequential -n 2 -q
t 'a missing library' 4 - '*' "$accord" explain blas:sdot@nothing -n 8 -q

echo "1..$number"
