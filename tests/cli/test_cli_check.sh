#!/bin/sh
# accord check on folders of records, from outside: test_cli_check.sh ACCORD. Speaks TAP: tap.sh.
set -u
accord=$1
. "$(dirname "$0")/tap.sh"
cd "$dir" || exit 1
reports=$here/check_reports.py

# edit OLD NEW FILE...: in place, of all that match.
edit() {
    old=$1 new=$2
    shift 2
    sed -i "s/$old/$new/" "$@"
}

# ---- recording ----
t 'record' 0 'recorded: pairwise by halves; f32' - "$accord" check orders --record synthetic:pairwise -n 8,20 -q
t 'record another' 0 '^recorded .*1 term' - "$accord" check orders --record synthetic:reverse -n 1 -q
t 'record an answer without an order' 0 'no fixed order: compensated' - "$accord" check orders --record synthetic:kahan -n 8 -q
t 'record a matrix product' 0 '4x4x9' - "$accord" check orders --record blas:sgemm@reference --shape 4x4x9 --element 1,2 --name product -q
is 'one file for each name' sh -c '[ "$(ls orders | tr "\n" " ")" = "product synthetic-kahan synthetic-pairwise synthetic-reverse " ]'
is 'with the key of what it says' python3 "$reports" keys orders
is 'nothing else was written' sh -c '[ "$(find orders -type f | wc -l)" = 4 ] && ! find orders -type f ! -name "*.json" | grep .'
t 'a record is shown' 0 'pairwise|0' - sh -c '"$1" show -O text orders/synthetic-pairwise/*.json' - "$accord"
t 'a target that is none' 2 - 'KIND:NAME' "$accord" check orders --record sum -n 8
t 'a name that is none' 2 - 'letters, digits' "$accord" check orders --record synthetic:pairwise -n 8 --name ../up
t 'no count' 2 - 'the number of terms is missing' "$accord" check orders --record synthetic:pairwise
t 'a target that is not there' 4 - 'nonexistent' "$accord" check other --record blas:sdot@/nonexistent/x.so -n 8
is 'leaves no folder' test ! -e other
t 'record and update' 2 - 'contradict' "$accord" check orders --record synthetic:pairwise -n 8 --update

# ---- checking ----
t 'all as recorded' 0 '5 orders: 5 as recorded' - "$accord" check orders -q
t 'with --from-file' 0 '5 as recorded' - "$accord" check --from-file orders -q
t 'with a slash' 0 '5 as recorded' - "$accord" check orders/ -q
t 'as JSON' 0 '"status": 0' - "$accord" check orders --json -q
is 'valid JSON' valid_json "$dir/out"
find orders -type f -exec cksum {} + >before
t 'update of what holds' 0 '5 as recorded' - "$accord" check orders --update -q
is 'writes nothing' sh -c 'find orders -type f -exec cksum {} + | cmp - before'

# ---- a change ----
cp -r orders held
edit '"synthetic:pairwise"' '"synthetic:sequential"' orders/synthetic-pairwise/*.json
t 'a change' 1 '^CHANGED .*was pairwise by halves.*is sequential' - "$accord" check orders -q
t 'the first differing node' 1 'computes the sum of the 2 terms 2, 3\.' - "$accord" check orders -q
t 'a witness' 1 'B gives .*a run just now gave the same result' - "$accord" check orders -q
t 'reports' 1 '2 changed' - "$accord" check orders --junit j.xml --sarif s.json -q
is 'JUnit' python3 "$reports" junit j.xml 5 2 0 0
is 'SARIF' python3 "$reports" sarif s.json changed 2
t 'annotations' 1 '^::error file=orders/synthetic-pairwise/[0-9a-f]{12}\.json,line=1,title=synthetic%3Asequential%2C 8 terms.*%0A.*x\[0\]' - "$accord" check orders --github -q
t 'JSON and annotations' 2 - 'standard output' "$accord" check orders --github --json -q
t 'JSON into a file' 1 '^::error ' - "$accord" check orders --github --json -o all.json -q
is 'whole' python3 "$reports" json all.json 3 changed=2
t 'a report that cannot be written' 2 - 'another path with --junit' "$accord" check orders --junit /nonexistent/j.xml -q
steer=$(printf 'x\n  ::error::y')
cp -r orders "$steer"
t 'a folder of two lines' 1 '^    \| A is x$' - "$accord" check "$steer" -q
is 'no line of foreign text is a command' sh -c '! grep -q "^ *::" "$1/out"' - "$dir"
rm -r "$steer"
t 'update' 0 'recorded anew: sequential' - "$accord" check orders --update -q
t 'holds then' 0 '5 as recorded' - "$accord" check orders -q
t 'the reason has changed' 1 'no fixed order: compensated, is .*sequential' - sh -c 'sed -i s/synthetic:kahan/synthetic:sequential/ held/synthetic-kahan/*.json; "$1" check held -q' - "$accord"

# ---- other machines ----
python3 "$reports" elsewhere orders/synthetic-pairwise
t 'not recorded here' 3 '^MISSING .*now sequential' - "$accord" check orders -q
t 'says the key' 3 'Key of this machine: [0-9a-f]{12}' - "$accord" check orders -q
t 'may be missing' 0 '^missing' - "$accord" check orders --allow-missing --junit j.xml --sarif s.json --github -q
is 'skipped in JUnit' python3 "$reports" junit j.xml 5 0 0 2
is 'no result in SARIF' python3 "$reports" sarif s.json changed 0
t 'missing, in reports' 3 '^::error ' - "$accord" check orders --junit j.xml --sarif s.json --github -q
is 'a failure in JUnit' python3 "$reports" junit j.xml 5 2 0 0
is 'a result in SARIF' python3 "$reports" sarif s.json not-recorded-here 2
t 'update adds a file' 0 '2 recorded' - "$accord" check orders --update -q
is 'beside the other' sh -c '[ "$(ls orders/synthetic-pairwise | wc -l)" = 2 ]'
is 'of its key' python3 "$reports" keys orders
t 'each its own' 0 '5 as recorded' - "$accord" check orders -q
edit '"cpu": "[^"]*"' '"cpu": "Z80"' orders/synthetic-reverse/*.json
edit 'synthetic:reverse' 'synthetic:kahan' orders/synthetic-reverse/*.json
t 'another CPU of the same features' 0 - - sh -c '"$1" check orders -q | grep -q "another CPU" && exit 1; exit 0' - "$accord"

# ---- targets that fail ----
cp -r orders broken
edit 'synthetic:kahan' 'blas:sdot@\/nonexistent\/x.so' broken/synthetic-kahan/*.json
t 'a target that is gone' 4 '^FAILED .*nonexistent' '1 of 5 targets failed; blas' "$accord" check broken -q --junit j.xml
is 'an error in JUnit' python3 "$reports" junit j.xml 5 0 1 0
t 'the others are looked at' 4 '4 as recorded, 1 failed' '1 of 5 targets failed' "$accord" check broken -q
t 'update keeps what cannot be asked' 4 '1 failed' '1 of 5 targets failed' "$accord" check broken -q --update
is 'as it was' grep -q nonexistent broken/synthetic-kahan/*.json

cp -r orders worse
edit 'synthetic:kahan' 'blas:sbdot@reference' worse/synthetic-kahan/*.json
t 'a routine that the library lacks' 4 '^FAILED ' '1 of 5 targets failed; ' "$accord" check worse -q
edit 'blas:sbdot@reference' 'synthetic:kahaan' worse/synthetic-kahan/*.json
t 'a target that is no longer known' 4 '^FAILED .*did you mean kahan' '1 of 5 targets failed; ' "$accord" check worse -q
edit '"target": "synthetic:[a-z]*"' '"target": "synthetic:lanes"' worse/synthetic-pairwise/*.json
t 'a failure goes before a change' 4 '^CHANGED ' '1 of 6 targets failed' "$accord" check worse -q

# ---- hostile words ----
cp -r orders clean
python3 "$reports" hostile orders/synthetic-kahan
mv orders 'a,b:%<&"'"'"'>]]>
c'
bad=$(printf 'a,b:%%<&"%s>]]>\nc' "'")
t 'hostile names' 4 '^::error file=' '1 of 5 targets failed' "$accord" check "$bad" -q --junit j.xml --sarif s.json --github -o report
is 'a report for terminals' grep -q '^FAILED' report
is 'no control character but newlines' python3 "$reports" plain report
is 'well-formed JUnit' python3 "$reports" junit j.xml 5 0 1 0
is 'well-formed SARIF' python3 "$reports" sarif s.json failed 1
is 'an annotation is a line' sh -c '[ "$(wc -l <"$1/out")" = 1 ] && grep -q "^::error file=a%2Cb%3A%25<" "$1/out"' - "$dir"
t 'hostile names as JSON' 4 '"failed"' 'targets? failed' "$accord" check "$bad" -q --json
is 'valid then' valid_json "$dir/out"
rm -r "$bad" && mv clean orders

# ---- the workflow to copy ----
sed -n 's/^ *\(run: \)\{0,1\}accord check //p' "$here/../../examples/ci-workflow.yml" >lines
is 'it checks and records' sh -c 'grep -q junit lines && grep -q update lines'
while read -r line; do
    # shellcheck disable=SC2086 # words on purpose
    t "accord check $line" 0 '5 as recorded' - "$accord" check $line
done <lines

# ---- bad folders ----
mkdir empty
t 'an empty folder' 2 - 'holds no records; make one' "$accord" check empty
t 'no folder' 2 - 'TARGET FILE, or FOLDER' "$accord" check nonexistent
cp held/product/*.json empty/x.json
t 'a file in the wrong place' 2 - 'FOLDER/NAME/KEY.json|empty/NAME/KEY.json' "$accord" check empty
mkdir empty/x && mv empty/x.json empty/x/
t 'a file of another name' 2 - 'not have the name of a record' "$accord" check empty
mv empty/x/x.json empty/x/0123456789ab.json
t 'a file of another key' 2 - 'rename the file to [0-9a-f]{12}.json' "$accord" check empty
echo '[{' >empty/x/0123456789ab.json
t 'half a file' 2 - 'line 2|line 1' "$accord" check empty
rm empty/x/0123456789ab.json
for file in held/product/*.json; do
    python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); json.dump(r + r, open(sys.argv[2], "w"))' "$file" "empty/x/${file##*/}"
done
t 'two answers to one question' 2 - 'two orders, 1 and 2, that answer the same question' "$accord" check empty
t 'options of questions' 2 - 'requires --record' "$accord" check held -n 8
t 'options of questions, long' 2 - '^accord: --shape requires --record' "$accord" check held --shape 2x2x2
t 'options of folders' 2 - '--junit is for a folder' "$accord" check synthetic:pairwise held/product/x.json --junit j.xml
t 'record beside a file' 2 - '--record is for a folder' "$accord" check synthetic:pairwise x.json --record synthetic:pairwise
t 'a folder without a name' 2 - 'is for a folder' "$accord" check '' --record synthetic:pairwise -n 8
mkfifo pipe
timeout 20 cat pipe >piped &
t 'a report into a pipe' 0 '^recorded  synthetic-kahan' - timeout 20 "$accord" check held/ --junit pipe -q --update
wait
is 'comes whole' python3 "$reports" junit piped 5 0 0 0
: >file
t 'a file for a folder' 2 - 'cannot' "$accord" check file --record synthetic:pairwise -n 8 -q
chmod 500 empty
if [ "$(id -u)" != 0 ]; then
    t 'a folder that cannot be written' 2 - 'cannot make the folder' "$accord" check empty/new --record synthetic:pairwise -n 8 -q
fi
chmod 700 empty
echo "1..$number"
