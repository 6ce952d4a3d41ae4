#!/bin/sh
# accord vary from outside: test_cli_vary.sh ACCORD ODD, a library of functions that vary
# (tests/support/boxes/odd.c). Speaks TAP: tap.sh.
set -u
accord=$1 odd=$2
. "$(dirname "$0")/tap.sh"
odd=$(absolute "$odd")
unset ODD
cd "$dir" || exit 1

cat >"<b>&sum.sh" <<'END'
#!/bin/sh
awk -W interactive 'BEGIN { exit }' </dev/null >/dev/null 2>&1 && set -- -W interactive
exec awk "$@" '
    NR == 1 { print "accord 1 text" }
    NR > 1  { print $1 + $2 + $3 }
            { fflush() }'
END
sed 's/print \$1.*/print NR == 2 ? "inf" : NR == 3 ? "nan" : "1" }/' "<b>&sum.sh" >infinite.sh
sed 's/"nan"/"-nan"/' infinite.sh >minus-nan.sh

# ---- from run to run ----
t 'the same bits' 0 'the same bits in all 50 runs; its order is proven and gives these bits: pairwise' - \
    "$accord" vary synthetic:pairwise -n 100 --runs 50 -q
is 'one result' grep -q '1 distinct result in 50 runs' out
t 'products' 0 'the same bits in all 5 runs; its order is proven' - \
    "$accord" vary synthetic:sequential,products -n 30 --runs 5 -q
t 'several results' 1 ': 2 distinct results in 200 runs' - env ODD=random "$accord" vary so:$odd:odd -n 40 --runs 200 -q
is 'how often' grep -Eq '  runs     200   2        .* A \([0-9]+\), B \([0-9]+\)' out
is 'the order of a function that varies is not told' sh -c '! grep -q "the same bits" out'
t 'JSON' 1 '"distinct": 2' - env ODD=random "$accord" vary so:$odd:odd -n 40 --runs 200 -q --json
is 'valid JSON' valid_json out
t 'CSV' 1 '^,B,[0-9]+,' - env ODD=random "$accord" vary so:$odd:odd -n 40 --runs 200 -q -O csv
t 'a budget' 0 'no order is known: the budget was spent' - "$accord" vary synthetic:yule -n 100 --runs 5 --budget 3calls -q
t 'load' 0 'the same bits in all 20 runs' - "$accord" vary synthetic:pairwise -n 100 --runs 20 --load -q

# ---- settings ----
cat >threads.sh <<'END'
#!/bin/sh
# A "sum" that is the number of threads.
awk -W interactive 'BEGIN { exit }' </dev/null >/dev/null 2>&1 && set -- -W interactive
exec awk "$@" '
    NR == 1 { print "accord 1 text" }
    NR > 1  { print ENVIRON["OMP_NUM_THREADS"] + 0 }
            { fflush() }'
END
t 'threads' 1 ': 3 distinct results in 9 runs' - "$accord" vary "command:sh threads.sh" -n 2 --threads 1,2,4 --runs 3 -q --budget 1calls
is 'each its own' grep -Eq '^  2 threads  3     1 .* B$' out

# ---- batches ----
if "$accord" reveal blas:sgemm -n 2 -q >/dev/null 2>&1; then
    t 'batches of a library' 0 'batch of 2  6 ' - "$accord" vary blas:sgemm --shape 1x4x1 --batch 1,2 --runs 3 -q --budget 1calls
else
    skip 'batches of a library' 'there is no BLAS'
fi
t 'rows that depend on the batch' 1 'batch of 9 .* B$' - "$accord" vary so:$odd:odd_rows --signature rows -n 2 --batch 1,2,9 --kinds unit-interval --seed 3 -q --budget 1calls
t 'rows that do not' 0 'batch of 9 .* A$' - env ODD=invariant "$accord" vary so:$odd:odd_rows --signature rows -n 2 --batch 1,2,9 --kinds unit-interval --seed 3 -q --budget 1calls

# ---- inputs ----
printf '1\n1e16\n-1e16\n' >three.txt
t 'numbers of a file' 0 '^  A +0 +-4.5e[+]15 ulp' - "$accord" vary synthetic:sequential -n 3 -f f64 --inputs three.txt --runs 2 -q
t 'the exact sum' 0 '^exact: 1;' - "$accord" vary synthetic:sequential -n 3 -f f64 --inputs three.txt --runs 2 -q
t 'too few numbers' 2 - 'holds 3 numbers' "$accord" vary synthetic:sequential -n 4 -f f64 --inputs three.txt -q
t 'one term, one run' 0 '^runs: one run cannot show whether results vary; its order is proven and gives these bits: one term$' - "$accord" vary synthetic:pairwise -n 1 --runs 1 -q
printf '1 2\n3 4\n' >rows.txt
t 'rows' 0 'a run gives 2 results, of which 0 vary' - "$accord" vary synthetic:pairwise -n 2 --inputs rows.txt --runs 2 -q
printf '1 2\n3 4 5\n6\n' >uneven.txt
t 'rows of other lengths' 2 - 'uneven.txt holds 2 numbers in its first line and 3 in line 2; give as many in each row' "$accord" vary synthetic:pairwise -n 2 --inputs uneven.txt --runs 2 -q
printf '1 2 3\n4 5\n6\n' >list.txt
t 'a list in lines' 0 '^  A  *21 ' - "$accord" vary synthetic:pairwise -n 6 --inputs list.txt --runs 2 -q
: >empty.txt
t 'an empty file' 2 - 'empty.txt is empty; numbers were expected' "$accord" vary synthetic:pairwise -n 2 --inputs empty.txt -q
printf 'nan 1\n2 3\n' >nan.txt
t 'a row with NaN' 0 '^  runs  *2  *1  *-  ' - "$accord" vary synthetic:pairwise -n 2 --inputs nan.txt --runs 2 -q
t 'its JSON' 0 '"spread_ulp": null' - "$accord" vary synthetic:pairwise -n 2 --inputs nan.txt --runs 2 -q --json
is 'valid JSON of NaN' valid_json out
printf 'inf 1\n' >inf.txt
t 'an infinite sum' 0 '^  A  *inf ' - "$accord" vary synthetic:pairwise -n 2 --inputs inf.txt --runs 2 -q
printf '1 -1\n' >zero.txt
t 'a sum of 0' 0 '^  A  *0  *[+]0 ulp' - "$accord" vary synthetic:pairwise -n 2 --inputs zero.txt --runs 2 -q
t 'kinds' 0 'a run gives 2 results, of which 0 vary' - "$accord" vary synthetic:pairwise -n 9 --kinds positive,wide --runs 3 -q

# ---- pictures ----
valid_xml() { python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"; }
t 'a picture' 1 '^<svg class="plot"' - env ODD=random "$accord" vary so:$odd:odd -n 40 --runs 200 -q -O svg
is 'valid XML' valid_xml out
for word in 'normal, KL' 'exact sum' 'predicted deviation' 'proven bound of all orders' 'Results by run'; do
    is "it shows: $word" grep -q "$word" out
done
t 'a page' 0 '^<!DOCTYPE html>' - "$accord" vary "command:sh './<b>&sum.sh'" -n 3 --runs 2 -q -O html --budget 1calls
is 'what others wrote is text' sh -c 'grep -q "&lt;b&gt;&amp;sum.sh" out && ! grep -q "<b>" out'
is 'without scripts' sh -c '! grep -qi "<script\|http-equiv=.refresh\|src=" out'
t 'infinities' 1 '^<svg' - "$accord" vary "command:sh infinite.sh" -n 2 --runs 5 -q -O svg
t 'NaN' 1 '^  [A-D]  *nan  *[0-9]' - "$accord" vary "command:sh minus-nan.sh" -n 2 --runs 5 -q

# ---- wrong use ----
t 'no target' 2 - 'vary asks an implementation' "$accord" vary
t 'a file' 2 - 'is not a target' "$accord" vary three.txt -n 3
t 'no such kind' 2 - 'there is no kind of inputs odd' "$accord" vary synthetic:pairwise -n 8 --kinds normal,odd -q
t 'no batch' 2 - 'has no batch' "$accord" vary synthetic:pairwise -n 8 --batch 1..3 -q
t 'no threads' 2 - '--threads' "$accord" vary synthetic:pairwise -n 8 --threads 0 -q
t 'threads in this process' 2 - 'leave --no-fork out' "$accord" vary synthetic:pairwise -n 8 --threads 1,2 --no-fork -q
t 'no runs' 2 - '--runs' "$accord" vary synthetic:pairwise -n 8 --runs 0 -q
t 'several counts' 2 - 'takes one number of terms' "$accord" vary synthetic:pairwise -n 8,9 -q
t 'second factors alone' 2 - '--second gives' "$accord" vary synthetic:pairwise -n 8 --second three.txt -q
t 'second factors of sums' 2 - 'does not add products' "$accord" vary synthetic:pairwise -n 3 --inputs three.txt --second three.txt -q
t 'a missing library' 4 - '.' "$accord" vary so:./none.so:f -n 8 -q
t 'rows of a batch from a file' 2 - 'leave --inputs out' "$accord" vary blas:sgemm --shape 1x4x40 --batch 1..3 --inputs three.txt -q
t 'a crash' 4 - '.' "$accord" vary "command:false" -n 8 -q
# shellcheck disable=SC2016 # its own shell
t 'a closed output' 2 - 'cannot write to standard output' sh -c '"$@" >&-' - "$accord" vary synthetic:pairwise -n 8 --runs 2 -q
t 'nowhere to write' 2 - '.' "$accord" vary synthetic:pairwise -n 8 -o none/file -q
echo "1..$number"
