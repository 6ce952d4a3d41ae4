#!/bin/sh
# What no model explains, compared by its answers, from outside: test_cli_answers.sh ACCORD ODD, a
# library of odd boxes (tests/support/boxes/odd.c). Speaks TAP: tap.sh.
set -u
accord=$1 odd=$2
. "$(dirname "$0")/tap.sh"
odd=$(absolute "$odd")
unset ODD
cd "$dir" || exit 1
box=so:$odd:odd

record() { # FILE TARGET ARGS...: whatever its status
    file=$1
    shift
    "$accord" reveal "$@" --json -q -o "$file" 2>/dev/null
}

# ---- two of them ----
t 'the same' 0 '^The same on 1000 inputs' - "$accord" diff "$box" "$box" -n 40 -q
t 'its twin' 0 '^The same on 1000 inputs' - "$accord" diff "$box" "so:$odd:odd_twin" -n 40 -q
t 'as JSON' 0 '"verdict": "same-on-inputs"' - "$accord" diff "$box" "so:$odd:odd_twin" -n 40 -q --json
t 'results in f32 where f16 was said' 3 'are not numbers of f16.*--result f32' 'see --result' \
    "$accord" reveal "$box" -n 12 -f f16 --json -q
cat >doubles.py <<'END'
import sys

sys.stdin.readline()
print("accord 1 text", flush=True)
for line in sys.stdin:
    total = 0.0
    for word in line.split():
        total += float(word)
    print(repr(total), flush=True)
END
t 'a program whose results are doubles' 0 'proven": true' - \
    "$accord" reveal 'command:python3 doubles.py' -n 12 --result f64 --json -q
t 'and where f32 was said' 3 'are not numbers of f32.*--result f64' 'see --result' \
    "$accord" reveal 'command:python3 doubles.py' -n 12 --json -q
record here.json "$box" -n 40
ODD=other record other.json "$box" -n 40
ODD=random record random.json "$box" -n 40
ODD=rarely record rarely.json "$box" -n 40
record long.json "$box" -n 41
record aligned.json "$box" -n 40 --align 16
record double.json synthetic:kahan -n 40 --format f64
record kahan.json synthetic:kahan -n 40
t 'another box' 1 '^Different answers' - "$accord" diff here.json other.json
is 'an input shows it' grep -q '^  (This is recorded input [0-9]*' out
t 'another box, as JSON' 1 '"input": ' - "$accord" diff here.json other.json --json
t 'a run just now' 1 '^B gives .*, and a run just now gave the same result$' - "$accord" diff other.json "$box" -q
t 'another alignment' 3 'cannot be determined .*the alignment differs' 'cannot be determined' "$accord" diff here.json aligned.json
t 'another format' 3 'cannot be determined .*the terms' 'cannot be determined' "$accord" diff double.json kahan.json
t 'other counts' 1 'adds 40 terms' - "$accord" diff here.json long.json

t 'counts whose order no replay bears out' 3 '^Same order on the 40 terms' 'cannot be determined .*the order of A( and B)? is not proven' env ODD=narrow "$accord" diff "$box" "$box" -n 40,41 -q

# ---- what varies ----
t 'random' 3 'answers of A and B vary from run to run' 'cannot be determined' "$accord" diff random.json random.json
t 'rarely' 3 'answers of A and B vary' 'cannot be determined' "$accord" diff rarely.json random.json
t 'fixed, then random' 1 'Results that vary from run to run' - "$accord" diff here.json random.json
t 'random, then fixed' 3 'answers of A vary' 'cannot be determined' "$accord" diff random.json here.json

# ---- held against a record ----
t 'holds' 0 'same as recorded on 1000 inputs' - "$accord" check "$box" here.json -q
t 'has changed' 1 'The results changed|arithmetic changed|order .*changed|is gone' - env ODD=other "$accord" check "$box" here.json -q
t 'varies now' 1 'no longer the same from run to run' - env ODD=rarely "$accord" check "$box" here.json -q
t 'varied then' 3 'cannot be determined' 'cannot be determined' "$accord" check "$box" random.json -q
t 'varied then, and does now' 3 'cannot be determined' 'cannot be determined' env ODD=random "$accord" check "$box" random.json -q
t 'as JSON' 3 '"verdict": "cannot-tell"' 'cannot be determined' env ODD=random "$accord" check "$box" random.json -q --json
is 'valid JSON' valid_json out
python3 -c 'import json
for name in ("here", "kahan"):
    record = json.load(open(name + ".json"))
    del record["answers"]
    json.dump(record, open(name + "-old.json", "w"))'
t 'an old record' 3 'A has no answers; record it again' 'cannot be determined' "$accord" check "$box" here-old.json -q
t 'an old record of no order' 3 'record it again' 'cannot be determined' "$accord" check synthetic:kahan kahan-old.json -q
t 'diff with it' 3 'B has no answers; record it again' 'cannot be determined' "$accord" diff kahan.json kahan-old.json
t 'and as a target' 3 'A has no answers; record it again' 'cannot be determined' "$accord" diff kahan-old.json synthetic:kahan
t 'of an explained order it is as it was' 0 'Same order' - sh -c '"$1" reveal synthetic:pairwise -n 9 --json |
    python3 -c "import json, sys; r = json.load(sys.stdin); del r[\"answers\"]; json.dump(r, sys.stdout)" |
    "$1" check synthetic:pairwise - -q' - "$accord"
t 'answers that are none' 2 - 'answers.bits has to be' sh -c 'sed "s/\"bits\": \[/\"bits\": [\"0\", /" here.json | "$1" show -' - "$accord"

# ---- folders ----
t 'record' 0 'recorded' - "$accord" check orders --record "$box" -n 20,40 -q
t 'all hold' 0 '2 as recorded' - "$accord" check orders -q
is 'with words' grep -q 'the same on 1000 inputs' out
t 'changed' 1 '^CHANGED ' - env ODD=other "$accord" check orders -q
t 'varies now, in a folder' 1 '2 changed' - env ODD=random "$accord" check orders -q
t 'record what varies' 0 'recorded' - env ODD=random "$accord" check moody --record "$box" -n 20 -q
t 'cannot be determined' 3 '^UNKNOWN ' '-' env ODD=random "$accord" check moody -q --junit j.xml --sarif s.json
is 'in SARIF' grep -q '"ruleId": "cannot-tell"' s.json
t 'an update does not help' 3 '^UNKNOWN ' '-' env ODD=random "$accord" check moody -q --update
t 'until it is fixed' 0 'recorded anew' - "$accord" check moody -q --update
t 'and holds' 0 '1 as recorded' - "$accord" check moody -q

# ---- surveys ----
t 'an environment' 1 '^2 groups' - "$accord" sweep "$box" -n 40 --env ODD=,twin,other -q
t 'one that changes nothing' 0 'the same bits on 1000 inputs' - "$accord" sweep "$box" -n 40 --env ODD=,twin,again -q
t 'alignments' 0 '^One group' - "$accord" sweep "$box" -n 40 --align 0..12 -q
t 'random results' 3 'cannot be determined' 'cannot be determined' env ODD=random "$accord" sweep "$box" -n 40 --threads 1,2 -q
t 'random results, as JSON' 3 '"verdict": "cannot-tell"' 'cannot be determined' env ODD=random "$accord" sweep "$box" -n 40 --threads 1,2 -q --json
t 'random under one setting' 1 '^2 groups' - "$accord" sweep "$box" -n 40 --env ODD=random, -q
rows="so:$odd:odd_rows --signature rows --shape 1x20"
# shellcheck disable=SC2086 # words on purpose
t 'a batch' 1 '^1-3: ' - "$accord" batch $rows --batch 1..8 -q
is 'the others' grep -q '^4-8: ' out
# shellcheck disable=SC2086
t 'an invariant one' 0 'batch-invariant on 1000 inputs' - env ODD=invariant "$accord" batch $rows --batch 1..8 -q
# shellcheck disable=SC2086
t 'a random one' 3 'cannot be determined whether it is batch-invariant' 'cannot be determined' env ODD=random "$accord" batch $rows --batch 1..3 -q
echo "1..$number"
