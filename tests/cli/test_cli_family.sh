#!/bin/sh
# accord family, and accord check with a family, from outside: test_cli_family.sh ACCORD SUMS, a
# library of functions (tests/support/boxes/sums.c). Speaks TAP: tap.sh.
set -u
accord=$1 sums=$2
. "$(dirname "$0")/tap.sh"
sums=$(absolute "$sums")
cd "$dir" || exit 1

t 'one rule' 0 '^  1..900 +A ' - "$accord" family synthetic:numpy -n 1..900 -q
is 'its form' grep -qF '  A  split to 128 by 8 ((lanes 8; pairs) of 8s; chain)' out
is 'in words' grep -q 'cut in halves down to 128 at multiples of 8, each' out
is 'where it changes' grep -qx 'The pattern changes at n = 8, 16, 129' out
is 'nothing is unknown' grep -q ' 0 are unknown. 200 predictions were checked and were right.' out
t 'no rule' 0 'No rule was found that says more than what was asked, so all n were asked' - "$accord" family "so:$sums:by_bits" -n 1..400 -q
t 'a short range' 0 '^70 n were asked .*, 0 are predicted, 0 are unknown' - "$accord" family synthetic:sequential -n 31..100 -q
t 'as JSON' 0 '"verb": "family"' - "$accord" family synthetic:lanes:8 -n 1..1100 --json -q
t 'saved' 0 - - "$accord" family synthetic:lanes:8 -n 1..1100 --json -o lanes.json -q
t 'the same with the same seed' 0 - - "$accord" family synthetic:lanes:8 -n 1..1100 --json -o again.json -q
is 'but for the time' sh -c 'sed /seconds/d lanes.json >a && sed /seconds/d again.json | cmp -s - a'
is 'every n is asked or in a rule' python3 -c '
import json
family = json.load(open("lanes.json"))
account = family["account"]
assert account["asked"] + account["predicted"] == 1100 and account["unknown"] == 0, account
assert account["complete"] and account["checks"] == 200
assert sum(rule["asked"] for rule in family["rules"]) == account["asked"]
asked = [part.split("..") for part in family["asked"].split(",")]
assert sum(int(part[-1]) - int(part[0]) + 1 for part in asked) == account["asked"]'
t 'a picture' 0 - - "$accord" family synthetic:numpy -n 1..900 -O svg -o numpy.svg -q
is 'which is SVG' python3 -c '
import xml.etree.ElementTree as tree
root = tree.parse("numpy.svg").getroot()
text = [part.text for part in root.iter("{http://www.w3.org/2000/svg}text")]
assert "split to 128 by 8" in text and "129" in text, text'

t 'it holds' 0 'adds as the family in lanes.json says: 200 n' - "$accord" check synthetic:lanes:8 lanes.json -q
t 'with fewer checks' 0 ': 20 n from 1 to 1100 were asked' - "$accord" check synthetic:lanes:8 lanes.json --checks 20 -q
t 'the target of the file' 0 'adds as the family' - "$accord" check --from-file lanes.json --checks 20 -q
t 'another target' 1 'differs from the family in lanes.json at n = ' - "$accord" check synthetic:lanes:4 lanes.json -q
is 'in the words of the notation' grep -q '^Changed: .*8 lanes became 4' out
t 'as JSON' 1 '"verdict": "changed"' - "$accord" check synthetic:lanes:4 lanes.json --json -q
t 'a budget that lasts' 0 ': 20 n from 1 to 1100' - "$accord" check synthetic:lanes:8 lanes.json --checks 20 --budget 99999calls -q
t 'a budget that does not' 3 - 'budget' "$accord" check synthetic:lanes:8 lanes.json --budget 500calls -q
t 'a record with a budget' 3 'cannot be determined' 'cannot be determined' sh -c '"$1" reveal synthetic:numpy -n 300 --json -o record.json -q; exec "$1" check synthetic:numpy record.json --budget 300calls -q' - "$accord"
t 'a change within the budget' 1 'The order of 300 terms changed' - "$accord" check synthetic:pairwise record.json --budget 300calls -q
t 'a target that fails' 4 - 'nonexistent' "$accord" check so:/nonexistent.so:f lanes.json -q

t 'a product of matrices' 0 '^blas:sgemm@reference 16x16xn: orders of n = 1 to 40' - "$accord" family blas:sgemm@reference -n 1..40 -q
t 'of another shape' 0 - - "$accord" family blas:dgemv@reference -n 1..40 --shape 3xn --element 2 --alpha 2 --json -o gemv.json -q
t 'which is asked again' 0 'adds as the family' - "$accord" check --from-file gemv.json -q
is 'with its shape and its factor' sh -c 'grep -q "\"shape\": \"3xn\"" gemv.json && grep -q "\"alpha\": 2" gemv.json'
t 'whose rows are as long as there are terms' 0 - - "$accord" family blas:dgemv@reference -n 1..400 --shape 3xn --incx 2 --json -o rows.json -q
t 'at every n' 0 'adds as the family' - "$accord" check --from-file rows.json -q
is 'with the stride that was asked for alone' grep -q '"strides": "incx=2"' rows.json
t 'with a start value' 0 '^blas:dgemv@reference 16xn: orders of n = 2' - "$accord" family blas:dgemv@reference --beta 1 -n 2..30 -q
t 'of one number of terms' 2 - 'write n in its place' "$accord" family blas:dgemv@reference -n 1..40 --shape 3x40
t 'n in another place' 2 - 'the number behind the last x' "$accord" family blas:sgemm@reference -n 1..40 --shape nx9x7
t 'n in two places' 0 '^  1\.\.9 +A' - "$accord" family blas:sgemm@reference -n 1..9 --shape nx9xn -q
t 'no order at most n' 0 '^     n = 5: the notation of this target is one of 9 terms' - "$accord" family 'synthetic:9: chain' -n 5..12 -q

t 'no range' 2 - 'the range of numbers of terms is missing' "$accord" family synthetic:numpy
t 'one count' 2 - 'a family has a range from A to B' "$accord" family synthetic:numpy -n 8
t 'a list' 2 - 'a family has a range from A to B' "$accord" family synthetic:numpy -n 8,9
t 'no target' 2 - 'KIND:NAME|is not a target|notation' "$accord" family numpy -n 1..8
t 'no order at all' 3 - 'compensat' "$accord" family synthetic:kahan -n 100..400 -q
t 'a budget' 3 'are unknown. No prediction was checked with these rules' 'raise --budget' "$accord" family synthetic:pairwise -n 1..900 --budget 5000calls -q
t 'interrupted' 130 '^  1\.\.' '^accord: interrupted: [0-9]+ n up to [0-9]+ were asked, [0-9]+ are predicted' timeout --preserve-status -s INT 2 "$accord" family synthetic:lanes:8 -n 1..100000 -q
t 'without a file' 130 - '^accord: interrupted: ' timeout --preserve-status -s INT 2 "$accord" family synthetic:lanes:8 -n 1..100000 --json -o half.json -q
# Beside other programs the second signal may come late, or the answer: then once more.
two_signals='for try in 1 2 3 4 5; do
    "$1" family synthetic:lanes:8 -n 1..100000 --json -o half.json -q 2>said &
    sleep 1; kill -TERM $!; sleep 0.02; kill -TERM $!; wait $!; status=$?
    ! grep -q "interrupted: " said || break
done; cat said >&2; exit $status'
t 'by two signals at once' 143 - '^accord: interrupted: ' sh -c "$two_signals" - "$accord"
is 'that is half written' sh -c '! ls half.json* 2>/dev/null'
printf '{"accord": 1, "verb": "family", "from": 1, "to": 9, "rules": [{}]}\n' >bad.json
t 'a bad file' 2 - 'rule 1 of the family needs' "$accord" check synthetic:numpy bad.json -q
t 'a form that is none' 2 - 'rule 1 of the family: ' sh -c 'sed "s/\[n/[m/; s/lanes 8/lanes [m]/" lanes.json >worse.json; "$1" check synthetic:numpy worse.json -q' - "$accord"
sed 's/"form": "[^"]*"/"form": "lanes 8; halves; chain of [n \/ 500]"/' lanes.json >some.json
t 'a form that gives no order at some n' 1 '^  then  no order' - "$accord" check synthetic:lanes:8 some.json -q
t 'few numbers of terms' 0 '^  1\.\.4 +A +4 +0' - "$accord" family synthetic:sequential -n 1..4 -q
is 'between which nothing changes' sh -c '! grep "pattern changes" out'
t 'more n than can be asked' 2 - 'give a shorter range' "$accord" family synthetic:sequential -n 1..2147483647

t 'a crash at one n' 4 - '^accord: n = [0-9]+: .*crashed' "$accord" family "so:$sums:crash_at_seven" -n 1..40 -q
t 'an order that depends on the data' 0 - - "$accord" family "so:$sums:from_the_larger" -n 1..250 --json -o larger.json -q
is 'is none from the first proof on' python3 -c '
import json
rules = json.load(open("larger.json"))["rules"]
assert all(rule["form"] is None for rule in rules if rule["to"] > 34), rules'
t 'one n out of line' 0 - - "$accord" family "so:$sums:single_chain" -n 1..2000 --json -o single.json -q
is 'is not said to be asked, or has its order' python3 -c '
import json
family = json.load(open("single.json"))
rule = [r for r in family["rules"] if r["from"] <= 777 <= r["to"]]
asked = any(int(p[0]) <= 777 <= int(p[-1]) for p in (p.split("..") for p in family["asked"].split(",")))
assert asked == (rule[0]["from"] == rule[0]["to"] == 777 and rule[0]["form"] == "chain"), rule'

t 'a routine with strides' 0 - - "$accord" family blas:sdot@reference -n 1..40 --json -o sdot.json -q
t 'a target without' 0 'adds as the family in sdot.json' - "$accord" check synthetic:sequential sdot.json -q
t 'a record with strides' 0 - - "$accord" reveal blas:sdot@reference -n 9 --json -o nine.json -q
t 'a target without strides' 1 'same order as recorded, but the arithmetic' - "$accord" check synthetic:sequential nine.json -q
t 'of another format' 3 - 'leave the format out' "$accord" check blas:ddot@reference sdot.json -q
is 'as the file has it' grep -q 'asked as sdot.json records it; options such as --format' err
t 'and as an option has it' 0 'adds as the family' - "$accord" check blas:ddot@reference sdot.json --format f64 -q

echo "1..$number"
