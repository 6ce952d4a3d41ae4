#!/bin/sh
# The command from outside: test_cli.sh ACCORD LIBRARY, which has the functions of odd.c. Speaks TAP, a
# case per line: tap.sh.
set -u
accord=$1 odd=$2
. "$(dirname "$0")/tap.sh"
odd=$(absolute "$odd")

# ---- words about itself ----
t 'no verb' 2 - 'see accord help' "$accord"
t 'version' 0 '^accord [0-9]+\.[0-9]+\.[0-9]+$' - "$accord" --version
t 'help' 0 '^Exit status' - "$accord" --help
t 'help, the verb' 0 '^Exit status' - "$accord" help
t 'wrong verb' 2 - 'did you mean accord reveal' "$accord" revel
t 'help of a wrong verb' 2 - 'no verb "frob"' "$accord" help frob
for verb in reveal show diff map emit features check sweep batch replay sum dot targets info help; do
    t "help $verb" 0 '^Examples$' - "$accord" help $verb
    cp "$dir/out" "$dir/help"
    is "$verb --help says the same" sh -c '"$1" "$2" --help | cmp - "$3"' - "$accord" $verb "$dir/help"
    is "$verb --help repeats no word" awk '{
        for (i = 1; i <= NF; i++) { if ($i == last && $i ~ /^[a-z][a-z]+$/) exit 1; last = $i }
    }' "$dir/help"
    is "$verb --help fits 80 columns" awk 'length > 80 { exit 1 } END { if (NR < 5) exit 1 }' "$dir/help"
done
t 'help of the counts' 0 '4\.\.64\*2' - "$accord" help reveal
t 'info' 0 '^CPU ' - "$accord" info
t 'info as JSON' 0 '"formats"' - "$accord" info --json
is 'info is valid JSON' valid_json "$dir/out"
t 'targets' 0 'synthetic:pairwise' - "$accord" targets
t 'targets as JSON' 0 '"kinds"' - "$accord" targets --output json
is 'targets is valid JSON' valid_json "$dir/out"
t 'man page' 0 '^\.TH ACCORD 1' - "$accord" help --man
cp "$dir/out" "$dir/accord.1"
for option in --output --timeout --from-file --completion; do
    is "man page knows $option" grep -q -- "$(printf %s "$option" | sed 's/-/\\\\-/g')" "$dir/accord.1"
done
t 'completion for bash' 0 '^complete .*accord$' - "$accord" help --completion bash
cp "$dir/out" "$dir/accord.bash"
if command -v bash >/dev/null; then
    cat >"$dir/complete" <<'END'
. "$1"
COMP_LINE=$2 COMP_POINT=${#2}
read -ra COMP_WORDS <<<"$2"
_accord
printf '%s\n' "${COMPREPLY[@]}"
END
    t 'bash completes a verb' 0 '^reveal$' - bash "$dir/complete" "$dir/accord.bash" 'accord rev'
    t 'bash completes an option' 0 '^--algorithm$' - bash "$dir/complete" "$dir/accord.bash" \
        'accord reveal --alg'
    t 'bash completes a choice' 0 '^svg$' - bash "$dir/complete" "$dir/accord.bash" \
        'accord show x --output s'
    t 'bash completes a target' 0 '^pairwise$' - bash "$dir/complete" "$dir/accord.bash" \
        'accord reveal synthetic:pairw'
fi
t 'both names of an option' 0 '--format.-f.--type\) words=' - "$accord" help --completion bash
t 'settings that are options' 0 '--length --operation --in-place --root --launcher --position --rank --mca' - "$accord" help --completion bash
t 'in the man page, too' 0 'numbers: f64, .*; .fB.-.-type.fR is the same' - "$accord" help --man
t 'completion for zsh' 0 '^#compdef accord' - "$accord" help --completion zsh
cp "$dir/out" "$dir/accord.zsh"
t 'both names for zsh' 0 '--type.format of the input numbers' - "$accord" help --completion zsh
if command -v zsh >/dev/null; then
    in_zsh() { t "zsh completes $2" 0 - - timeout 60 zsh -f "$(dirname "$0")/complete.zsh" "$dir/accord.zsh" "$1" "$2"; }
    in_zsh 'accord rev' 'accord reveal'
    in_zsh 'accord reveal --alg' ' --algorithm'
    in_zsh 'accord show x --output s' '--output svg'
    in_zsh 'accord reveal synthetic:pairw' 'synthetic:pairwise'
    in_zsh 'accord help fea' 'help features'
    in_zsh 'accord sweep blas:sdot --env A=1 --en' 'A=1 --env'
fi
t 'both names for fish' 0 '-l format -l type' - "$accord" help --completion fish
t 'completion for fish' 0 '^complete -c accord' - "$accord" help --completion fish
cp "$dir/out" "$dir/accord.fish"
if command -v fish >/dev/null; then
    in_fish() { t "fish completes $3" 0 "$3" - fish -c "source $dir/accord.fish; complete -C '$1$2'"; }
    in_fish 'accord ' rev '^reveal'
    in_fish 'accord reveal ' --alg '^--algorithm'
    in_fish 'accord show x --output ' s '^svg'
    in_fish 'accord reveal ' synthetic:pairw '^synthetic:pairwise'
fi
for shell in bash zsh fish; do
    if command -v $shell >/dev/null; then
        t "$shell parses its completion" 0 - - $shell -n "$dir/accord.$shell"
    else
        skip "$shell parses its completion" "there is no $shell"
    fi
done
t 'completion for another' 2 - 'bash, zsh, fish' "$accord" help --completion tcsh

# ---- questions that do not fit ----
# A sanitizer reserves terabytes of addresses, and cannot run under such a limit.
if sh -c 'ulimit -v 4000000 && "$1" --version; exit $?' - "$accord" >/dev/null 2>&1; then
    t 'too many terms' 3 - 'needs about [0-9.]+ GiB of memory, but only [0-9.]+ GiB are available' sh -c 'ulimit -v 4000000; "$1" reveal synthetic:pairwise -n 2000000000' - "$accord"
else
    skip 'too many terms' 'the command cannot run within 4 GB of addresses'
fi
t 'too large a shape' 3 - 'needs about 14901\.3 GiB of memory' "$accord" map blas:sgemm@reference --shape 2000000x2000000x10

# ---- orders of different counts ----
two() { # NAME STATUS OUT COUNTS A B
    t "$1" "$2" "$3" - "$accord" diff "$5" "$6" -n "$4"
}
two 'one term more' 0 '^Same order on the 7 terms that both add\.$' 7,8 synthetic:sequential synthetic:sequential
two 'which comes last' 0 'only B adds enter the sum after all common terms have been added \(1 term\), at 1 node in total' 7,8 synthetic:sequential synthetic:sequential
two 'which comes first' 0 'enter the sum beside single common terms \(1 term\)' 7,8 synthetic:reverse synthetic:reverse
two 'one term less' 0 'only A adds enter .* \(1 term\)' 8,7 synthetic:sequential synthetic:sequential
two 'another order of them' 1 '^Different orders on the 7 terms that both add\.$' 7,8 synthetic:pairwise synthetic:pairwise
two 'and where it parts' 1 'A computes the sum of the 2 terms 1, 2 \(of those in common\)\.$' 7,8 synthetic:pairwise synthetic:pairwise
two 'different arithmetic' 1 '^Same order on the 7 terms that both add, different arithmetic' 7,8 synthetic:mean synthetic:mean
two 'one term alone' 0 'after all common terms have been added \(4 terms\), at 4 nodes' 1,5 synthetic:pairwise synthetic:sequential
two 'as many' 0 '^Same order: 8 terms' 8,8 synthetic:pairwise synthetic:pairwise
t 'counts as JSON' 1 '"same_order": false' - "$accord" diff synthetic:pairwise synthetic:pairwise -n 7,8 --json
is 'valid JSON' valid_json "$dir/out"
printf '((0+1)+2)\n' >"$dir/three"
printf '(((0+1)+3)+2)\n' >"$dir/four"
t 'of files' 0 'partial sums of some of the common terms \(1 term\)' - "$accord" diff "$dir/three" "$dir/four"
t 'of a file and a target' 1 '^Different orders on the 3 terms' - "$accord" diff "$dir/three" synthetic:reverse -n 5
t 'three counts' 2 - 'diff compares two orders: give one count with -n' "$accord" diff synthetic:pairwise synthetic:pairwise -n 7,8,9
t 'two counts for one target' 2 - 'the count of A and that of B' "$accord" diff "$dir/three" synthetic:pairwise -n 7,8

# ---- witnesses of ordinary numbers ----
t 'a witness in few plain terms' 1 'x\[0\] = 0x1p\+26 .67108864.' - "$accord" diff synthetic:sequential synthetic:lanes:3 -n 11
is 'and no zeros of either sign' sh -c '! grep -q -- "-0x0p" "$1"' - "$dir/out"
t 'where only zeros tell' 1 '-0x0p\+0' - "$accord" diff synthetic:sequential synthetic:sequential,start=zero -n 4
"$accord" reveal synthetic:pairwise -n 8 --json -o "$dir/eight.json" 2>/dev/null
t 'check shows the change' 1 '^recorded: pairwise by halves' - "$accord" check synthetic:sequential "$dir/eight.json"
is 'before the witness' sh -c 'grep -n "^now:  \|An input" "$1" | cut -c1-20 | sort -n | head -n 1 | grep -q now' - "$dir/out"
is 'in brackets' grep -qF '(((0+1)+(2+3))+((4+5)+(6+7)))' "$dir/out"
is 'and the witness' grep -q 'An input (f32) on which the two give different bits' "$dir/out"

# ---- misspelled words, and options given twice ----
m() { # WANTED STATUS ARGUMENTS...
    meant=$1 wanted=$2
    shift 2
    t "$* means $meant" "$wanted" - "did you mean ([a-z:-]* )*$meant\?" "$accord" "$@"
}
m reveal 2 revael
m 'accord reveal' 2 help reveel
m --seed 2 reveal synthetic:pairwise --sed 3
m --allow-missing 2 check --alow-missing x
m fprev 2 reveal synthetic:pairwise -n 4 -a fprv
m bf16 2 reveal synthetic:pairwise -n 4 -f bf61
m report 2 reveal synthetic:pairwise -n 4 --output repotr
m csv 2 sum - -O cvs
m nearest 2 sum - --rounding neerest
m bash 2 help --completion bahs
m dot 2 reveal so:./x.so:f -n 4 --signature dto
m sdot 2 reveal blas:sdto -n 4
m sgemm 2 map blas:SGEMMM -n 4
m openblas 4 reveal blas:sdot@opneblas -n 4
m blas:sdot 2 reveal blsa:sdot -n 4
m blas:ddot 2 reveal ddot -n 4
m synthetic:pairwise 2 reveal pairwse -n 4
m synthetic:pairwise 2 diff sinthetic:pairwise synthetic:sequential -n 4
m sequential 2 reveal synthetic:sequental -n 4
m pairwise 2 reveal synthetic:pair -n 4
m f32 2 reveal synthetic:wide,acc=f23 -n 4
m acc 2 reveal synthetic:wide,accc=f32 -n 4
m halves 2 reveal synthetic:lanes:4,fold=halvs -n 8
m first 2 reveal synthetic:pairwise,fma=frist -n 8
m products 2 reveal synthetic:pairwise,flush=prodcts -n 8
m nearest 2 reveal synthetic:pairwise,rounding=nearst -n 8
m libopenblas.so.0 4 reveal blas:sdot@libopenbla.so.0 -n 4
t 'a target in place of a file' 2 - 'synthetic:pairwise is a target, but a file is needed here; write one' \
    "$accord" show synthetic:pairwise
t 'or of a record' 2 - 'synthetic:pairwise is a target, but a file is needed' "$accord" check x.json synthetic:pairwise
t 'nothing near' 2 - 'no verb "xyzzy"; see accord help' "$accord" xyzzy
t 'no order near' 2 - "no synthetic order 'xyzzy'; .accord targets. lists" "$accord" reveal synthetic:xyzzy -n 4
t 'an option twice' 2 - '--seed was given twice, as "1" and "2"; give it once' "$accord" reveal synthetic:pairwise -n 4 --seed 1 --seed=2
t 'a flag twice' 2 - '--json was given twice' "$accord" info --json --json
t 'a letter and a name' 2 - '--to was given twice' "$accord" info -o "$dir/a" --to "$dir/b"
t 'a list twice' 2 - '-n was given twice; give one list: -n 7,8' "$accord" diff synthetic:pairwise -n 7 synthetic:pairwise -n 8
t 'a variable each' 0 '^ *4  1  2  A ' - "$accord" sweep synthetic:pairwise -n 4 --env A=1 --env B=2

# ---- options ----
pairwise=synthetic:pairwise
t 'unknown option' 2 - 'did you mean --json' "$accord" reveal $pairwise -n 4 --jsn
t 'a setting that is no option' 2 - 'no option --length; .* mpi:allreduce,length=1000' "$accord" features mpi:allreduce -n 4 --length=10
t 'the rank that is asked' 2 - 'map has no option --rank; accord map shows all ranks' "$accord" map mpi:allreduce -n 4 --rank 2
t 'a setting of other targets' 2 - '--length is for mpi: targets, not for synthetic:pairwise' "$accord" reveal $pairwise -n 4 --length 10
t 'a setting that was given' 2 - 'mpi:allreduce,length=3 says that already; give it once' "$accord" map mpi:allreduce,length=3 -n 4 --length 10
t 'several values of a setting' 2 - 'give one value; accord sweep takes several' "$accord" reveal mpi:allreduce -n 4 --length 1,10
t 'another operation' 2 - 'choose one of sum, own, ordered' "$accord" sweep mpi:allreduce -n 4 --operation own,max
t 'no such rank' 2 - 'rank=4 is not a rank: there are 4' "$accord" reveal mpi:allreduce -n 4 --rank 4
t 'no such position' 2 - 'position=3 is not a position: there are 2' "$accord" reveal mpi:allreduce -n 4 --length 2 --position 3
t 'a rank without a result' 2 - 'rank 1 has no result of reduce: rank 2 has it' "$accord" reveal mpi:reduce -n 4 --root 2 --rank 1
t 'another element' 2 - 'the element 0,1 is another than that of position= and rank=, which is 0,2' "$accord" reveal mpi:allreduce -n 4 --rank 2 --element 0,1
t 'parameters of another target' 2 - '--mca is for mpi: targets of Open MPI, not for mpi:allreduce@mpich' "$accord" sweep mpi:allreduce@mpich -n 4 --mca a=1
t 'a parameter without values' 2 - '--mca a: give NAME=VALUE' "$accord" sweep mpi:allreduce -n 4 --mca a
t 'a second name of an option' 0 '^  terms +bf16|bf16 to nearest' - "$accord" reveal $pairwise -n 4 --type bf16
t 'both names of it' 2 - '--format was given twice|--type was given twice' "$accord" reveal $pairwise -n 4 --format f32 --type bf16
t 'unknown letter' 2 - 'has no option -z' "$accord" reveal $pairwise -n 4 -z
t 'option without value' 2 - 'needs a value' "$accord" reveal $pairwise -n
t 'flag with value' 2 - 'does not take a value' "$accord" reveal $pairwise -n 4 --json=yes
t 'contradiction' 2 - 'contradict' "$accord" reveal $pairwise -n 4 --json -O text
t 'unknown form' 2 - 'report, text, json, dot, svg' "$accord" reveal $pairwise -n 4 -O pdf
t 'unknown algorithm' 2 - 'choose one of auto' "$accord" reveal $pairwise -n 4 --algorithm magic
t 'unknown format' 2 - 'choose one of f64' "$accord" reveal $pairwise -n 4 --format f80
t 'bad seed' 2 - 'an integer' "$accord" reveal $pairwise -n 4 --seed x
t 'bad timeout' 2 - 'seconds' "$accord" reveal $pairwise -n 4 --timeout 0
t 'bad stride' 2 - '--incx 0: give an integer other than 0' "$accord" reveal blas:sdot -n 4 --incx 0
t 'a stride from the far end' 0 'incx=-2 incy=1' - "$accord" reveal blas:sdot@reference -n 4 --incx -2
t 'bad leading dimension' 2 - '--lda -1: give an integer of at least 1' "$accord" reveal blas:sgemm -n 4 --shape 2x2x4 --lda -1
t 'no stride from the far end' 2 - 'sasum has no negative strides .* give incx = 2' "$accord" reveal blas:sasum -n 4 --incx -2
t 'no operand' 2 - 'needs TARGET' "$accord" reveal -n 4
t 'two operands' 2 - 'too many' "$accord" reveal $pairwise $pairwise -n 4
t 'no count' 2 - 'number of terms is missing' "$accord" reveal $pairwise
for n in -3 0 abc 1e99 1.5 '' 8, ,8 8..4 '1..8*1' '1..8+0' 1..2..3 1e10 0x10 ' 8' 1..1e9; do
    t "-n '$n'" 2 - '-n' "$accord" reveal $pairwise -n "$n"
done

# ---- reveal ----
t 'one term' 0 '^0$' - "$accord" reveal $pairwise -n 1 -O text
t 'two terms' 0 '^\(0\+1\)$' - "$accord" reveal $pairwise -n 2 -O text
t 'brackets' 0 '^\(\(0\+1\)\+\(2\+3\)\)$' - "$accord" reveal $pairwise -n 4 -O text
t 'attached values' 0 '^\(\(0\+1\)\+2\)$' - "$accord" reveal synthetic:sequential -n3 -Otext
t 'value after =' 0 '^\(\(0\+1\)\+2\)$' - "$accord" reveal synthetic:sequential -n3 --output=text
t 'after --' 0 '^\(0\+1\)$' - "$accord" reveal -n 2 -O text -- $pairwise
t 'exponent' 0 '^\(\(' - "$accord" reveal $pairwise -n 1e2 -O text
t 'a list' 0 '^\(0\+1\)$' - "$accord" reveal $pairwise -n 2,3 -O text
is 'a list gives a line each' [ "$(wc -l <"$dir/out")" = 2 ]
lines() { "$accord" reveal synthetic:sequential -O text -n "$1" | awk -F+ '{ print NF }' | paste -sd' ' -; }
is 'range' [ "$(lines 1..5)" = '1 2 3 4 5' ]
is 'range with a step' [ "$(lines 10..30+10)" = '10 20 30' ]
is 'range with a factor' [ "$(lines '4..64*2')" = '4 8 16 32 64' ]
is 'range that stops short' [ "$(lines 1..10+4,7)" = '1 5 9 7' ]
t 'report' 0 'fingerprint' - "$accord" reveal $pairwise -n 8
t 'json' 0 '"target": "synthetic:pairwise"' - "$accord" reveal $pairwise -n 8 --json
is 'json is valid' valid_json "$dir/out"
t 'json of several' 0 '"leaves": 3' - "$accord" reveal $pairwise -n 2,3,4 --json
is 'an array of them' python3 -c 'import json, sys
orders = json.load(open(sys.argv[1])); assert [o["question"]["n"] for o in orders] == [2, 3, 4]' "$dir/out"
t 'dot' 0 '^digraph' - "$accord" reveal $pairwise -n 4 -O dot
t 'svg' 0 '^<svg' - "$accord" reveal $pairwise -n 4 -O svg
t 'svg of several' 2 - 'can show only one order' "$accord" reveal $pairwise -n 4,8 -O svg
for algorithm in naive basic refined fprev modified auto; do
    t "algorithm $algorithm" 0 '^\(\(0\+1\)\+\(2\+3\)\)$' - "$accord" reveal $pairwise -n 4 \
        --algorithm $algorithm -O text
done
t 'format' 0 '"format": "bf16"' - "$accord" reveal $pairwise -n 4 --format bf16 --json
t 'unable, as report' 3 'ompensated' - "$accord" reveal synthetic:kahan -n 8
t 'unable, as JSON' 3 '"reason": "compensated"' '^accord: ' "$accord" reveal synthetic:kahan -n 8 --json
is 'unable is valid JSON' valid_json "$dir/out"
t 'unable, as text' 3 - '^accord: ' "$accord" reveal synthetic:kahan -n 8 -O text
t 'unable into a file' 3 - - "$accord" reveal synthetic:kahan -n 8 -o "$dir/kahan.txt"
is 'the file says why' grep -qi compensated "$dir/kahan.txt"
t 'unable, no tree for a file' 3 - '^accord: ' "$accord" reveal synthetic:kahan -n 8 -O svg -o "$dir/no.svg"
is 'and no file' [ ! -e "$dir/no.svg" ]
t 'unknown synthetic' 2 - 'synthetic' "$accord" reveal synthetic:frobnicate -n 8
t 'unknown kind' 2 - 'is not a target: write KIND:NAME' "$accord" reveal frob:x -n 8
t 'missing library' 4 - '/nonexistent/lib.so' "$accord" reveal blas:sdot@/nonexistent/lib.so -n 8
t 'missing shared object' 4 - './nonexistent.so' "$accord" reveal so:./nonexistent.so:f -n 8
t 'missing program' 4 - 'nonexistent' "$accord" reveal 'command:exec 2>/dev/null; /nonexistent/program' -n 8
t 'program that says nothing' 4 - "'true' exited with status 0 before it answered" "$accord" reveal command:true -n 8
t 'program that fails' 4 - "'exit 3' exited with status 3 before it answered" "$accord" reveal 'command:exit 3' -n 8
t 'program that prints garbage' 4 - 'which does not follow the protocol' "$accord" reveal 'command:yes hello' -n 8 --timeout 5
t 'program that hangs' 4 - 'did not answer within 0\.3 s and was ended' "$accord" reveal 'command:sleep 1000' -n 8 --timeout 0.3
t 'bad shape' 2 - 'MxNxK' "$accord" reveal blas:sgemm --shape 3x
t 'shape alone' 2 - 'shape' "$accord" reveal blas:sgemm --shape axbx4

# ---- files ----
t 'into a file' 0 - - "$accord" reveal $pairwise -n 8 -o "$dir/p8.json"
is 'the file is whole' valid_json "$dir/p8.json"
is 'with ordinary rights' [ "$(stat -c %a "$dir/p8.json")" = "$(printf '%o' $((0666 & ~0$(umask))))" ]
is 'and nothing beside it' [ "$(ls "$dir" | grep -c 'p8.json')" = 1 ]
for ending in svg html dot; do
    t "its ending chooses $ending" 0 - - "$accord" show "$dir/p8.json" -o "$dir/ending.$ending"
    is "which is like -O $ending" sh -c '"$1" show "$2" -O "$3" | cmp - "$4"' - "$accord" "$dir/p8.json" $ending \
        "$dir/ending.$ending"
done
t '-O goes before the ending' 0 - - "$accord" show "$dir/p8.json" -O text -o "$dir/text.json"
is 'and was taken' grep -qx '(((0+1)+(2+3))+((4+5)+(6+7)))' "$dir/text.json"
t 'another ending is for a report' 0 - - "$accord" show "$dir/p8.json" -o "$dir/p8.other"
t 'a report is no order' 2 - 'is a report, which cannot be read back; save the order with -o FILE.json' \
    "$accord" show "$dir/p8.other"
echo old >"$dir/kept"
t 'a failure keeps the old file' 4 - 'nonexistent\.so: cannot open' "$accord" reveal so:./nonexistent.so:f -n 8 -o "$dir/kept"
is 'it is as it was' grep -qx old "$dir/kept"
ln -s kept "$dir/link"
t 'through a link' 0 - - "$accord" reveal $pairwise -n 2 -O text -o "$dir/link"
is 'the link stays, its file is new' sh -c 'test -h "$1/link" && grep -qx "(0+1)" "$1/kept"' - "$dir"
t 'into a missing folder' 2 - 'No such file' "$accord" reveal $pairwise -n 2 -o "$dir/none/x"
t 'onto a folder' 2 - 'directory' "$accord" reveal $pairwise -n 2 -o "$dir"
t 'onto a device' 0 - - "$accord" reveal $pairwise -n 2 -o /dev/null
t 'onto a pipe by name' 0 '^\(0\+1\)$' - sh -c '"$1" reveal synthetic:pairwise -n 2 -O text -o /dev/stdout | cat' - "$accord"
if [ -e /dev/full ]; then
    t 'full disk' 2 - 'No space' "$accord" reveal $pairwise -n 2 -o /dev/full
    for verb in 'info' 'targets --json' 'reveal synthetic:pairwise -n 4'; do
        t "full standard output: $verb" 2 '*' 'No space' sh -c '"$1" $2 >/dev/full' - "$accord" "$verb"
    done
fi
t 'closed pipe' 0 '^0$' - sh -c '"$1" reveal synthetic:sequential -n 1..400 -O text | head -n 1' - "$accord"

# ---- show ----
echo '((0+1)+(2+3))' >"$dir/pairs"
t 'show brackets' 0 'fingerprint' - "$accord" show "$dir/pairs"
t 'show as JSON' 0 '"leaves": 4' - "$accord" show "$dir/pairs" --json
cp "$dir/out" "$dir/pairs.json"
t 'and back' 0 '^\(\(0\+1\)\+\(2\+3\)\)$' - "$accord" show "$dir/pairs.json" -O text
is 'the fingerprint is a hash of the text' sh -c '
    hash=$("$1" show "$2" -O text | sha256sum | cut -c1-32)
    "$1" show "$2" --json | grep -q "\"$hash\""' - "$accord" "$dir/pairs.json"
t 'show a notation' 0 'notation +8: lanes 2; chain' - "$accord" show '8: lanes 2; chain'
t 'show a notation as brackets' 0 '^\(\(0\+2\)\+\(1\+3\)\)$' - "$accord" show '4: halves' -O text
t 'a notation in JSON' 0 '"notation": "4: pairs"' - "$accord" show '4: pairs' --json
t 'a notation from standard input' 0 '^\(\(0\+1\)\+\(2\+3\)\)$' - sh -c 'echo " 4: pairs" | "$1" show - -O text' - "$accord"
t 'show a wrong notation' 2 - 'column 11: expected a step' "$accord" show '8: pairs; chian'
is 'with a caret under the place' grep -qE '^accord: {13}\^$' "$dir/err"
echo '((0+1)+2)' >"$dir/3: chain back"
t 'a file comes before a notation' 0 '^\(\(0\+1\)\+2\)$' - sh -c 'set -- "$(realpath "$1")" "$2" && cd "$2" && "$1" show "3: chain back" -O text' - "$accord" "$dir"
t 'a notation as a target' 0 'notation +12: lanes 3; halves' - "$accord" reveal 'synthetic:12: lanes 3; halves,acc=f64' -q
t 'a notation of another number of terms' 2 - 'ask for 12' "$accord" reveal 'synthetic:12: pairs' -n 13
t 'a wrong notation as a target' 2 - 'character 12' "$accord" reveal 'synthetic:12: lanes 3'
# A mark stands under the place, wherever the notation comes from: the column of the sign that is
# pointed at must be that of the mark.
marked() { # NAME SIGN
    is "$1" awk -v sign="$2" '{ sub(/^accord: +/, "&"); if (/^accord: +\^$/) found = substr(line, index($0, "^"), length(sign)) == sign; line = $0 } END { exit !found }' "$dir/err"
}
t 'a wrong number of terms' 2 - 'column 1: this number is too large' "$accord" show '99999999999: chain'
marked 'a mark under it' 999
t 'a model of one term' 0 '"leaves": 1' - "$accord" show '1,terms=f16,acc=f32' --json
t 'as a target' 0 'f16 terms in f32' - "$accord" reveal 'synthetic:1,terms=f16,acc=f32' -q
t 'no terms' 2 - 'column 1: this number is too small' "$accord" show '0: chain'
t 'blanks around a notation' 2 - 'column 5' "$accord" show ' 8: chian  '
marked 'a mark behind blanks' chian
t 'an end that is missing' 2 - 'column 3' "$accord" show '8:   '
is 'a mark behind the end' grep -qE '^accord: {5}\^$' "$dir/err"
printf '\n8: pairs; chian of 3;\nchain\n' >"$dir/wrong"
t 'a wrong notation in a file' 2 - 'wrong: line 2, column 11' "$accord" show "$dir/wrong"
marked 'a mark in its line' chian
t 'signs of several bytes' 2 - "cannot read the setting 'ö'" "$accord" show '8: chain,terms=f32,ö'
marked 'a mark under one' ö
for verb in reveal map features 'family -n 1..12' batch; do
    t "a wrong notation as a target of $verb" 2 - 'character 5' "$accord" $verb 'synthetic:12: lines 3; chain,acc=f64'
    marked "a mark in a target of $verb" lines
done
t 'a target of too many terms' 2 - 'character 1: this number is too large' "$accord" reveal 'synthetic:99999999999: chain'
t 'a wrong notation that is expected' 2 - 'column 4' "$accord" check synthetic:pairwise --expect '8: pears'
marked 'a mark in what is expected' pears
t 'what is expected is no file' 0 '^Same order' - sh -c 'accord=$(realpath "$1"); cd "$2" && "$accord" check synthetic:pairwise --expect "3: chain back"' - "$accord" "$dir"
t 'notations compared' 1 'Different orders' - "$accord" diff '8: chain' '8: pairs'
ring="command:python3 $(dirname "$0")/grid_ring.py"
t 'a map of a program with a grid of results' 0 '3: chain back' - "$accord" map "$ring rows" -n 3
t 'one whose rows cannot have terms of their own' 0 '3: chain back' - "$accord" map "$ring none" -n 3
t 'an element of it' 0 '3: chain' - "$accord" reveal "$ring rows" -n 3 --element 5,2
t 'an element that it does not have' 2 - 'not in the grid of 6 x 3 results' "$accord" reveal "$ring rows" -n 3 --element 6,0
t 'an element of no number' 2 - 'not in the grid' "$accord" reveal "$ring rows" -n 3 --element 1,x
t 'a rank that adds in another order' 1 'the first at 0,1' - "$accord" map --uniform "$ring rank" -n 3
t 'ranks that disagree where rows differ' 1 'copies: No order: the ranks do not hold' - "$accord" reveal "$ring apart" -n 5
t 'and in a map' 1 'the ranks do not hold the same result where the positions' '*' "$accord" map "$ring apart" -n 5 --json
t 'another order where rows differ' 3 'reads-others: No order' - "$accord" reveal "$ring form" -n 5
t 'also in a map' 3 '"reason": "reads-others"' 'depends on operands of other elements' "$accord" map "$ring form" -n 5 --json
t 'a map that could not be made is read again' 0 'reads-others: No order' - sh -c \
    '"$@" --json 2>/dev/null | "$1" show -' - "$accord" map "$ring form" -n 5
t 'other forms write nothing' 3 - 'depends on operands of other elements' "$accord" map "$ring form" -n 5 -O svg
t 'rows that depend on zeros in another one' 3 'not certified .not-plain' - "$accord" map "$ring zeros" -n 5
t 'answers in runs' 0 '3: chain back' - "$accord" map "$ring runs" -n 3
t 'an order that changes at every sum' 3 'nondeterministic: No order' - "$accord" reveal "$ring turns" -n 5
for planted in short other dies huge zero word runs-long runs-short runs-empty runs-many; do
    t "a program with a grid: $planted" 4 - . "$accord" map "$ring $planted" -n 3
done
t 'a program that says why it does not answer' 4 - 'grid_ring.py fails: no memory is left$' "$accord" reveal "$ring fails" -n 3
t 'no reason' 4 - 'gave a reason of 0 bytes' "$accord" reveal "$ring fails-empty" -n 3
t 'too long a reason' 4 - 'gave a reason of 1000 bytes' "$accord" reveal "$ring fails-long" -n 3
products="command:python3 $(dirname "$0")/product_program.py"
t 'a program that adds products' 0 'f32 to nearest, products rounded first' - "$accord" reveal "$products" -n 3
t 'of doubles' 0 'f64 to nearest, products rounded first' - "$accord" reveal "$products" -n 3 --format f64
t 'and has a grid' 4 - 'announces products and a grid of 2 x 1 results' "$accord" reveal "$products 2" -n 3
t 'a program that packs sums' 1 'depends on the place of a sum' - "$accord" reveal "command:python3 $(dirname "$0")/packed_ring.py 64 1" -n 5
t 'one that packs many of them alone' 1 'depends on the place of a sum' - "$accord" reveal "command:python3 $(dirname "$0")/packed_ring.py 2000 200" -n 5
t 'one that adds the last of several sums from the back' 1 'position: No order' - "$accord" reveal "command:python3 $(dirname "$0")/packed_ring.py last 2" -n 9
t 'the last of many alone' 1 'position: No order' - "$accord" reveal "command:python3 $(dirname "$0")/packed_ring.py last 200" -n 9
t 'one that does not pack' 0 'proven' - "$accord" reveal "command:python3 $(dirname "$0")/packed_ring.py 1 1" -n 5
t 'the name of a collective operation' 0 'collective +recursive halving$' - "$accord" show '8: halves'
t 'several of them in JSON' 0 '"names": \["recursive doubling or Rabenseifner", "binomial tree", ' - "$accord" show '8: pairs' --json
t 'a model in one line' 0 'f32 to nearest; 3 of 7 additions in f64' - "$accord" show '8: halves of 5; chain {f64},terms=f32'
t 'a wrong label' 2 - 'column 12: a label says' "$accord" show '8: halves {f65}'
t 'a wrong setting of a model' 2 - "did you mean f64" "$accord" show '8: halves,acc=f640'
t 'an unknown setting of a model' 2 - "cannot read the setting 'all=f64'" "$accord" show '8: halves,all=f64'
t 'the expected model' 0 'as expected' - "$accord" check synthetic:pairwise,acc=f64 --expect '8: pairs,terms=f32,acc=f64'
t 'not the expected model' 1 'order expected, but the arithmetic is another one' - "$accord" check synthetic:pairwise --expect '8: pairs,terms=f32,acc=f64'
t 'what is expected' 0 'as expected' - "$accord" check synthetic:pairwise --expect '8: pairs'
t 'what is not expected' 1 'not the one expected' - "$accord" check synthetic:pairwise --expect '8: chain'
t 'what is expected of sums that nothing explains' 3 'order expected .*no model explains' 'in the order expected' "$accord" check 'synthetic:20: fuse 2' --expect '20: fuse 2' -q
t 'what is expected of sums that vary' 1 '^The expected order of 20 terms is not found' - "$accord" check synthetic:shuffled --expect '20: chain' -q
t 'the number of what is expected' 2 - 'says how many terms there are: leave out -n' "$accord" check synthetic:pairwise -n 8 --expect '8: pairs'
t 'a notation without its colon' 2 - 'an order in one line' "$accord" show '8 pairs'
t 'terms of two kinds' 1 'No input was found on which the difference shows\.' - "$accord" diff '8: pairs,terms=f32' '8: pairs,terms=f32,fma'
t 'no error of a proof' 2 - 'above 0 and below 1; a proof by nodes has none' "$accord" reveal synthetic:pairwise -n 400 --error 0 -q
t 'nothing is expected' 2 - 'begins with the number of terms' "$accord" check synthetic:pairwise --expect 'chain'
t 'what is expected is wrong' 2 - 'expected a step' "$accord" check synthetic:pairwise --expect '8: chian'
t 'from standard input' 0 '^\(0\+1\)$' - sh -c 'echo "(0+1)" | "$1" show - -O text' - "$accord"
t 'show several' 0 '^\(0\+1\)$' - sh -c '"$1" reveal synthetic:pairwise -n 2,4 --json | "$1" show - -O text' - "$accord"
is 'all of them' [ "$(wc -l <"$dir/out")" = 2 ]
t 'show several as JSON' 0 '^\[' - sh -c '"$1" reveal synthetic:pairwise -n 2,4 --json | "$1" show - --json' - "$accord"
is 'an array again' valid_json "$dir/out"
t 'show a missing file' 2 - 'No such file' "$accord" show "$dir/none"
t 'show a folder' 2 - 'directory' "$accord" show "$dir"
t 'show an empty file' 2 - 'line 1, column 1: the text contains only white space' "$accord" show /dev/null
t 'show what is no order' 2 - 'line 1, column 4' sh -c 'echo "(0+x)" | "$1" show -' - "$accord"
t 'show an empty array' 2 - 'contains no order' sh -c 'echo "[]" | "$1" show -' - "$accord"
t 'show deep brackets' 2 - 'maximum parsing depth reached' sh -c 'head -c 1000000 /dev/zero | tr "\0" "[" | "$1" show -' - "$accord"
t 'show a wrong version' 2 - 'schema version is 99, but this program reads version 1' sh -c 'echo "{\"accord\": 99}" | "$1" show -' - "$accord"
t 'a record without a tree' 3 - 'there is no tree to write as svg' sh -c '"$1" reveal synthetic:kahan -n 8 --json 2>/dev/null | "$1" show - -O svg' - "$accord"
t 'colors by force' 0 "$(printf '\033')" - env CLICOLOR_FORCE=1 "$accord" show "$dir/pairs"
is 'no colors otherwise' sh -c '! "$1" show "$2" | grep -q "$(printf "\033")"' - "$accord" "$dir/pairs"
is 'NO_COLOR wins' sh -c '! NO_COLOR=1 CLICOLOR_FORCE=1 "$1" show "$2" | grep -q "$(printf "\033")"' - "$accord" "$dir/pairs"

# ---- diff ----
t 'diff of equals' 0 '^Same order: 4 terms' - "$accord" diff "$dir/pairs" "$dir/pairs.json"
t 'diff of file and target' 0 '^Same order' - "$accord" diff "$dir/pairs" synthetic:pairwise
t 'diff of two targets' 1 'Different orders of 8' - "$accord" diff synthetic:sequential $pairwise -n 8
is 'diff names a node' grep -q '^A computes the sum of the . terms' "$dir/out"
is 'diff shows an input' grep -q 'x\[.*0x1' "$dir/out"
is 'diff asked the targets' grep -q '^A gives .*a run just now gave the same result$' "$dir/out"
t 'diff as JSON' 1 '"same": false' - "$accord" diff synthetic:sequential $pairwise -n 8 --json
is 'the witness holds on both targets' python3 -c 'import json, sys
w = json.load(open(sys.argv[1]))["witness"]
assert len(w["x"]) == 8 and w["a"] != w["b"]
assert [float.fromhex(h) for h in w["x_hex"]] == w["x"]
assert w["target_a"] == w["a"] and w["target_b"] == w["b"]' "$dir/out"
t 'diff of one order in different arithmetic' 1 '^Same order of 8 terms, different arithmetic' - \
    "$accord" diff synthetic:sequential,products synthetic:sequential,fma -n 8
is 'it names the difference' grep -q '^The difference: .*fused' "$dir/out"
is 'two terms show it' [ "$(grep -c '^  x\[' "$dir/out")" = 2 ]
is 'both targets were asked' [ "$(grep -c '^[AB] gives .*a run just now gave the same result$' "$dir/out")" = 2 ]
t 'diff of one order in different arithmetic, as JSON' 1 '"difference"' - \
    "$accord" diff synthetic:pairwise,fma=first synthetic:pairwise,fma=last -n 8 --json
is 'two products show it' python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
w = d["witness"]
assert d["same_order"] and not d["same"] and w["terms"] == 2
assert sum(a != 0 or b != 1 for a, b in zip(w["x"], w["y"])) == 2
assert d["a"]["fingerprint"] == d["b"]["fingerprint"] and d["a"]["model"] != d["b"]["model"]
assert w["a"] != w["b"] and w["target_a"] == w["a"] and w["target_b"] == w["b"]
assert float.fromhex(w["a"]) == w["a_decimal"]' "$dir/out"
"$accord" reveal synthetic:sequential,fma -n 8 --json -o "$dir/fma.json"
"$accord" reveal synthetic:sequential,products -n 8 --json -o "$dir/products.json"
t 'diff of saved models' 1 'different arithmetic' - "$accord" diff "$dir/fma.json" "$dir/products.json"
t 'diff of a saved model and its target' 0 '^Same arithmetic: ' - "$accord" diff "$dir/fma.json" synthetic:sequential,fma
"$accord" show "$dir/fma.json" -O text >"$dir/fma.txt"
t 'diff with a mere order' 0 'arithmetic was not compared, because B' - "$accord" diff "$dir/fma.json" "$dir/fma.txt"
t 'diff of machines' 1 'Different orders' - "$accord" diff synthetic:volta-f16 synthetic:turing-f16 -n 16 --format f16
t 'diff with what flushes' 1 'flushed to zero: in A nothing; in B all subnormals' - \
    "$accord" diff synthetic:pairwise synthetic:pairwise,flush=both -n 6
cat >"$dir/unexplained.json" <<'END'
{"accord": 1, "answer": {"accord": "0.1.0"}, "evidence": {"replays": 10, "replays_agreed": 3},
 "tree": {"leaves": 4, "inner": 3, "parents": [4, 4, 5, 5, 6, 6]}}
END
t 'diff with what is not explained and has no answers' 3 'cannot be determined .*B has no answers; record it again' \
    'record it again' "$accord" diff synthetic:pairwise "$dir/unexplained.json"
cp "$dir/products.json" "$dir/$(printf 'name\377')"
t 'diff of files whose names are no UTF-8' 1 'different arithmetic' - \
    "$accord" diff synthetic:sequential,fma "$dir/$(printf 'name\377')"
t 'diff of such files as JSON' 1 '"same": false' - \
    "$accord" diff synthetic:sequential,fma "$dir/$(printf 'name\377')" --json
is 'which is valid' valid_json "$dir/out"
printf '[' >"$dir/two.json"
cat "$dir/unexplained.json" >>"$dir/two.json"
printf ',' >>"$dir/two.json"
cat "$dir/unexplained.json" >>"$dir/two.json"
printf ']' >>"$dir/two.json"
t 'diff of a file of two orders' 2 - 'contains 2 orders, but diff takes files with one' "$accord" diff "$dir/two.json" synthetic:pairwise
if "$accord" reveal blas:sdot@openblas -n 8 -O text >/dev/null 2>&1 &&
    "$accord" reveal blas:sdot@blis -n 8 -O text >/dev/null 2>&1; then
    t 'diff of two libraries' 1 'Different orders of 40' - env OPENBLAS_CORETYPE=Haswell \
        "$accord" diff blas:sdot@openblas blas:sdot@blis -n 40
    is 'three terms, which the libraries confirm' [ \
        "$(grep -c '^  x\[' "$dir/out") $(grep -c 'a run just now gave the same result$' "$dir/out")" = '3 2' ]
else
    number=$((number + 1))
    echo "ok $number - diff of two libraries # SKIP OpenBLAS and BLIS are not both here"
fi
t 'diff of coarse and fine' 1 'Different orders' - sh -c 'echo "(0+1+2+3)" | "$1" diff - "$2"' - "$accord" "$dir/pairs"
t 'diff of other counts' 0 '^The terms that only A adds' - sh -c 'echo "(0+1)" | "$1" diff "$2" -' - "$accord" "$dir/pairs"
t 'diff needs a count' 2 - 'number of terms is missing' "$accord" diff synthetic:sequential $pairwise
t 'diff takes two counts at most' 2 - 'two' "$accord" diff synthetic:sequential $pairwise -n 4,8,16
t 'diff with no order' 1 'Only one of the two has a fixed order of 8 terms' - "$accord" diff synthetic:kahan $pairwise -n 8
t 'diff of what has none, by its answers' 0 'same on 1000 inputs' - "$accord" diff synthetic:kahan synthetic:kahan -n 8
t 'diff with a missing file' 2 - 'No such file' "$accord" diff "$dir/none" "$dir/pairs"

# ---- features ----

t 'features of a machine' 0 '^fraction +13 ' - "$accord" features synthetic:ada-e4m3
is 'features: the result keeps 13 bits' grep -Eq '^output_fraction +13 ' "$dir/out"
is 'features: 16 terms a step' grep -Eq '^terms +16 ' "$dir/out"
is 'features: which machine that is' grep -Eq '^Agrees with +ada-e4m3$' "$dir/out"
is 'features: all replays agree' grep -Eq '^Confirmed +by 2000 of 2000 ' "$dir/out"
t 'features of another machine as JSON' 0 '"halves": ' - "$accord" features synthetic:cdna3-e5m2 --json
is 'features as JSON: values' python3 -c 'import json, sys
f = json.load(open(sys.argv[1]))["machine"]["features"]
assert f["c_reach"]["value"] == 25 and f["join"]["value"] == "down" and f["halves"]["value"] is True
assert f["fraction"]["observable"] and not f["least_exponent"]["observable"]' "$dir/out"
t 'features of pairwise groups' 0 '^flush +yes ' - "$accord" features synthetic:cdna2-f16 -n 24
t 'features of a plain sum' 0 '^sums +f32, rounded to nearest' - "$accord" features synthetic:pairwise -n 24
is 'features: its zero' grep -Eq '^negative_zero +yes ' "$dir/out"
t 'an order that does not replay' 3 'not-plain: It is not known' - "$accord" reveal synthetic:multiway -n 20
t 'an order that does not replay is shown' 3 '^\[|\(|\{' 'only [0-9]* of 2000 random inputs were replayed' \
    "$accord" reveal synthetic:multiway -n 20 -O text
t 'an order that does not replay is not proven' 3 '"proven": false' 'random inputs were replayed' \
    "$accord" reveal synthetic:multiway -n 20 --json
t 'an order that does not replay, loosely' 0 'not proven: It is not known' - \
    "$accord" reveal synthetic:multiway -n 20 --loose
t 'an order that does not replay, loosely as JSON' 0 '"proven": false' 'warning: not proven' \
    "$accord" reveal synthetic:multiway -n 20 --loose --json
t 'what does not replay is not called proven' 1 - - sh -c \
    "'$accord' reveal synthetic:multiway -n 20 --loose | grep -E '^ *proven'"
t 'features of products that are fused' 0 'a product fused into them .4 nodes' - \
    "$accord" features 'synthetic:6: tree (((0+1) {fma=first}+2)+((3+4)+5)),fma' -n 6
is 'each way once' [ "$(grep -c '^sums ' "$dir/out")" = 2 ]
t 'features of what is no machine' 3 'not explained' 'no known kind of machine' "$accord" features synthetic:multiway -n 20
t 'features of what is no sum' 3 - 'compensated' "$accord" features synthetic:kahan -n 8
t 'features: one count' 2 - 'one number of terms' "$accord" features synthetic:star -n 4,8

# ---- emit ----
"$accord" reveal synthetic:numpy -n 1000 --json >"$dir/numpy.json" 2>/dev/null
t 'emit' 0 '^float numpy_1000\(const float \*x\)$' - "$accord" emit "$dir/numpy.json" --language c
cp "$dir/out" "$dir/numpy.c"
is 'in loops' [ "$(wc -l <"$dir/numpy.c")" -lt 90 ]
is 'with its origin' grep -q '^ \* target       synthetic:numpy$' "$dir/numpy.c"
is 'emit into a file' "$accord" emit "$dir/numpy.json" -o "$dir/again.c"
is 'the same' cmp "$dir/numpy.c" "$dir/again.c"
t 'emit with a name' 0 '^float total\(const float \*x\)$' - "$accord" emit "$dir/numpy.json" --name total
t 'emit with a bad name' 2 - 'name of a C function' "$accord" emit "$dir/numpy.json" --name 2x
t 'emit with a keyword' 2 - 'name of a C function' "$accord" emit "$dir/numpy.json" --name double
t 'emit in no such language' 2 - 'language' "$accord" emit "$dir/numpy.json" --language cobol
t 'emit brackets alone' 3 - 'format f32' "$accord" emit "$dir/pairs"
t 'emit brackets in a format' 0 'double sum_4\(const double \*x\)' - "$accord" emit "$dir/pairs" --format f64
t 'emit in 16 bits' 3 - 'formats other than f32' "$accord" emit "$dir/pairs" --format f16
t 'emit a missing file' 2 - 'No such file' "$accord" emit "$dir/none"
t 'emit from standard input' 0 '^float synthetic' - sh -c '"$1" emit - --name synthetic <"$2"' - "$accord" "$dir/numpy.json"
t 'emit what has no order' 3 - 'no order' sh -c '"$1" reveal synthetic:kahan -n 8 --json 2>/dev/null | "$1" emit -' - "$accord"
if command -v cc >/dev/null; then
    is 'what is emitted compiles' cc -std=c11 -Wall -Wextra -Werror -c -o "$dir/numpy.o" "$dir/numpy.c"
    is 'but not with fast-math' sh -c '! cc -ffast-math -c -o "$1.o" "$1" 2>/dev/null' - "$dir/numpy.c"
    if echo 'double x;' | cc -mfpmath=387 -x c -c -o /dev/null - 2>/dev/null; then
        is 'nor for x87' sh -c '! cc -mfpmath=387 -c -o "$1.o" "$1" 2>/dev/null' - "$dir/numpy.c"
    fi
fi

# ---- two ways that no input told apart ----
cat >"$dir/open.json" <<'EOF'
{"accord": 1, "question": {"target": "synthetic:mean", "format": "f32", "n": 3},
 "tree": {"leaves": 3, "inner": 2, "parents": [3, 3, 4, 4]},
 "arithmetic": {"term": "value", "input": "f32", "output": "f32", "operations": [{"format": "f32"}],
                "finish": "over", "factor": 10},
 "alternatives": [{"searched": 8192, "term": "value", "input": "f32", "output": "f32",
                   "operations": [{"format": "f32"}], "finish": "times", "factor": 0.125}]}
EOF
t 'alternatives are shown' 0 '^  alternatives +1: times 0.125$' - "$accord" show "$dir/open.json"
t 'and kept' 0 '"words": "times 0.125",$' - "$accord" show "$dir/open.json" --json
t 'emit the first way' 0 ' / 1e\+01f;' - "$accord" emit "$dir/open.json"
t 'emit the other way' 0 '^ \* alternative +f32 to nearest; times 0.125 at the end$' - \
    "$accord" emit "$dir/open.json" --alternative 1
t 'emit it by its words' 0 'times 0.125 at the end' - \
    "$accord" emit "$dir/open.json" --alternative 'times 0.125'
t 'emit by number 0' 0 ' / ' - "$accord" emit "$dir/open.json" --alternative 0
t 'emit what is no alternative' 2 - 'open.json: there is no alternative 2; choose from 1 .times 0.125.$' \
    "$accord" emit "$dir/open.json" --alternative 2
t 'emit where there is none' 2 - 'numpy.json: there is no alternative 1: this record has no alternatives$' \
    "$accord" emit "$dir/numpy.json" --alternative 1
echo 1 2 5 >"$dir/three.txt"
t 'replay the first way' 0 '^0.8 ' - "$accord" replay "$dir/open.json" --input "$dir/three.txt"
t 'replay the other way' 0 '^1 ' - "$accord" replay "$dir/open.json" --input "$dir/three.txt" --alternative 1
t 'replay what is no alternative' 2 - 'choose from 1' \
    "$accord" replay "$dir/open.json" --input "$dir/three.txt" --alternative x

# ---- check ----
t 'check holds' 0 '^Same order as recorded' - "$accord" check $pairwise "$dir/p8.json"
t 'check fails' 1 'changed' - "$accord" check synthetic:sequential "$dir/p8.json"
t 'check with brackets' 0 '^Same order' - "$accord" check $pairwise "$dir/pairs"
t 'check as JSON' 1 '"verdict": "changed"' - "$accord" check synthetic:sequential "$dir/p8.json" --json
is 'check is valid JSON' valid_json "$dir/out"
sed 's/"cpu": "[^"]*"/"cpu": "Z80"/' "$dir/p8.json" >"$dir/z80.json"
t 'check on another CPU' 0 'another CPU: Z80 then' - "$accord" check $pairwise "$dir/z80.json"
t 'check, changed elsewhere' 1 '"verdict": "changed-elsewhere"' - "$accord" check synthetic:reverse "$dir/z80.json" --json
t 'check in words' 1 'may be the machine' - "$accord" check synthetic:reverse "$dir/z80.json"
t 'other settings' 1 'OPENBLAS_CORETYPE=Z80 then, none now' - sh -c '
    OPENBLAS_CORETYPE=Z80 "$1" reveal synthetic:pairwise -n 8 --json |
    env -u OPENBLAS_CORETYPE "$1" check synthetic:reverse -' - "$accord"
t 'check asks in the recorded format' 0 '"same": true' - sh -c '"$1" reveal synthetic:pairwise -n 20 --format f16 --json | "$1" check synthetic:pairwise - --json' - "$accord"
"$accord" reveal $pairwise -n 2,4,8 --json -o "$dir/three.json"
t 'check of several' 0 'Same order.*8 terms' - "$accord" check $pairwise "$dir/three.json"
t 'check of several as JSON' 1 '^\[' - "$accord" check synthetic:sequential "$dir/three.json" --json
is 'three verdicts' python3 -c 'import json, sys
assert [c["same"] for c in json.load(open(sys.argv[1]))] == [True, False, False]' "$dir/out"
t 'check from the file' 0 '^Same order' - "$accord" check --from-file "$dir/p8.json"
t 'check without a target' 2 - 'TARGET FILE' "$accord" check "$dir/p8.json"
t 'a file that names no target' 2 - 'names no target' "$accord" check --from-file "$dir/pairs"
t 'check of a missing library' 4 - 'nonexistent' "$accord" check blas:sdot@/nonexistent/x.so "$dir/p8.json"
t 'check of a bad file' 2 - 'line 1' "$accord" check $pairwise "$dir/accord.1"
"$accord" reveal synthetic:kahan -n 8 --json -o "$dir/kahan.json" 2>/dev/null
t 'check that there is no order still' 0 'no fixed order' - "$accord" check synthetic:kahan "$dir/kahan.json"
t 'the order is gone' 1 'is gone' - "$accord" check synthetic:kahan "$dir/p8.json"

# ---- sweep ----
t 'sweep, one group' 0 '^One group: all settings' - "$accord" sweep synthetic:lanes -n 24 --threads 1,2
t 'sweep over counts' 0 '^One group for each number of terms' - "$accord" sweep $pairwise -n 4,8..12
is 'a row each' [ "$(grep -c pairwise "$dir/out")" = 13 ]
t 'sweep of a library whose name is no UTF-8, as JSON' 4 '"settings"' 'no setting has an answer' \
    "$accord" sweep "so:$(printf '/none\377.so'):f" -n 4 --json
is 'which is valid as well' valid_json "$dir/out"
t 'sweep of a file' 2 - 'is not a target: write KIND:NAME' "$accord" sweep "$dir/fma.txt"
t 'sweep, no threads' 2 - '--threads 0: less than 1' "$accord" sweep $pairwise -n 4 --threads 0
t 'sweep needs a count' 2 - 'number of terms is missing' "$accord" sweep $pairwise --threads 1,2
t 'sweep, a bad variable' 2 - 'NAME=' "$accord" sweep $pairwise -n 4 --env FOO
t 'sweep, a variable twice' 2 - 'twice' "$accord" sweep $pairwise -n 4 --env A=1 --env A=2
t 'sweep, threads twice' 2 - '--threads sets' "$accord" sweep $pairwise -n 4 --threads 1 --env OMP_NUM_THREADS=2
t 'sweep, a bad shape' 2 - 'MxNxK' "$accord" sweep $pairwise --shape 4xq
t 'sweep, a bad alignment' 2 - '--align' "$accord" sweep $pairwise -n 4 --align 8..4
t 'sweep, too many' 2 - 'more than' "$accord" sweep $pairwise -n 1..1000 --threads 1..1000
t 'sweep without any order' 0 'the same bits on 1000 inputs' - "$accord" sweep synthetic:kahan -n 8 --threads 1,2
t 'sweep of a missing library' 4 'No setting has an answer' 'nonexistent' "$accord" sweep blas:sdot@/nonexistent/l.so -n 8 --threads 1,2
# a program that adds from the end under one setting, dies under another, and is exact under a third
cat >"$dir/moody.py" <<'END'
import os, sys, math
mood = os.environ.get("MOOD", "")
sys.stdin.readline()
print("accord 1 text", flush=True)
for line in sys.stdin:
    x, total = [float(word) for word in line.split()], 0.0
    if mood == "dead":
        sys.exit(3)
    for v in reversed(x) if mood == "reverse" else x:
        total += v
    print(repr(math.fsum(x) if mood == "exact" else total), flush=True)
END
# The interpreter itself: what finds it may take longer than it does.
python=$(python3 -c 'import sys; print(sys.executable)')
moody="command:$python -IS $dir/moody.py"
t 'sweep over an environment' 1 '^4 groups: what is computed depends' - \
    "$accord" sweep "$moody" -n 6 --format f64 --env MOOD=,reverse,dead,exact,calm
is 'the unset and the calm agree' grep -q '^  A  2 settings: no MOOD, calm$' "$dir/out"
is 'one is reversed' grep -q 'sequential from the last term' "$dir/out"
is 'one died' grep -q '^  dead .* failed: ' "$dir/out"
is 'one has no order' grep -q '^  exact .* no order: exact' "$dir/out"
moods="so:$odd:moody" # by numbers
t 'sweep over a range' 1 'With one value fixed' - "$accord" sweep "$moods" -n 6 --format f64 --env MOOD=1..1000 --env B=1,2 -q
is 'finds where the order changes' grep -q '^  B 2, MOOD 300 to 700: B, sequential from the last term (.* asked, .* predicted)$' "$dir/out"
is 'and changes back' grep -q '^  B 2, MOOD 701 to 900: A, sequential (' "$dir/out"
is 'and where it fails' grep -q '^  B 1, MOOD 901 to 1000: C, the target failed (' "$dir/out"
is 'what pins nothing' grep -q '^  B=1: 3 groups (A, B, C)$' "$dir/out"
t 'further numbers of a range, as JSON' 0 '"intervals"' - "$accord" sweep "$moods" -n 3 --format f64 --env MOOD=1..4,3,200 --json -q
is 'its interval' python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert [r["setting"]["MOOD"] for r in d["settings"]] == ["1", "2", "3", "4", "200"]
assert d["intervals"] == [{"setting": {"n": "3", "format": "f64"}, "name": "MOOD", "from": 1, "to": 200, "asked": 5, "group": "A"}]' "$dir/out"
t 'a sweep that misses what is undone' 0 'would be missed' - "$accord" sweep "$moods" -n 3 --format f64 --env MOOD=257..280,710 -q
t 'sweep over two ranges' 2 - 'both have a range.*as a list .1,10,100. or with a factor' "$accord" sweep "$moods" -n 3 --env A=1..2 --env B=1..2
t 'a range beside numbers with a factor' 1 'B 100, MOOD 300 to 700: B, ' - \
    "$accord" sweep "$moods" -n 6 --format f64 --env MOOD=1..1e3 --env 'B=1..1e2*10' -q
t 'numbers with a factor and a power of ten' 0 '"intervals"' - "$accord" sweep "$moods" -n 3 --format f64 --env 'MOOD=1..4,1..1e2*10,2e2' --json -q
is 'these numbers' python3 -c 'import json, sys
assert [r["setting"]["MOOD"] for r in json.load(open(sys.argv[1]))["settings"]] == ["1", "2", "4", "10", "100", "200"]' "$dir/out"
t 'a factor that is none' 2 - 'A 1..8\*x: not a count' "$accord" sweep "$moods" -n 3 --env 'A=1..8*x'
t 'a factor of one' 2 - 'a factor must be at least 2' "$accord" sweep "$moods" -n 3 --env 'A=1..8*1'
t 'a range and a word' 2 - 'whole numbers' "$accord" sweep "$moods" -n 3 --env A=1..2,x
t 'what pins the order' 1 'MOOD=reverse: pinned: one group in all settings asked' - \
    "$accord" sweep "$moody" -n 3 --format f64 --env MOOD=calm,reverse --env B=1,2 -q
t 'for each number of terms' 1 'MOOD=reverse: pinned: one group for each number of terms' - \
    "$accord" sweep "$moody" -n 3,4 --format f64 --env MOOD=calm,reverse --env B=1,2 -q
is 'and what does not' grep -q '^  B=1: 4 groups of 2 numbers of terms (A, B, C, D)$' "$dir/out"
t 'sweep over formats' 1 '^2 groups' - "$accord" sweep synthetic:pairwise -n 9 --format f32,bf16 --threads 1,2
is 'each in its arithmetic' grep -q '^  B  2 settings: bf16 1, bf16 2$' "$dir/out"
is 'which pins it' grep -q '^  format=bf16: pinned: one group in all settings asked (B)$' "$dir/out"
t 'sweep, a wrong format' 2 - '--format bf61: did you mean bf16' "$accord" sweep synthetic:pairwise -n 9 --format f32,bf61
t 'sweep as JSON' 1 '"same": false' - "$accord" sweep "$moody" -n 3,4 --format f64 --env MOOD=,reverse,dead --json
is 'its settings and groups' python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert [(r["setting"]["MOOD"], r["n"]) for r in d["settings"]] == [
    (None, 3), ("reverse", 3), ("dead", 3), (None, 4), ("reverse", 4), ("dead", 4)]
groups = {g["group"]: g for g in d["groups"]}
assert len(groups) == 6 and groups["C"]["status"] == "target" and groups["C"]["error"]
assert groups["A"]["record"]["tree"]["leaves"] == 3' "$dir/out"
t 'sweep as CSV' 1 '^reverse,3,f64,B,' - "$accord" sweep "$moody" --env MOOD=,reverse -n 3 --format f64 -O csv
is 'a head and a row each' [ "$(wc -l <"$dir/out")" = 3 ]
t 'sweep as Markdown' 1 '^\| reverse \| 3 \| f64 \| B \|' - "$accord" sweep "$moody" --env MOOD=,reverse -n 3 --format f64 -O markdown
t 'sweep, interrupted' 130 - 'interrupted' timeout --preserve-status -s INT 2 \
    "$accord" sweep 'command:exec sleep 1' -n 8 --threads 1..1000 -o "$dir/stopped-sweep"
is 'sweep, interrupted: no file' [ ! -e "$dir/stopped-sweep" ]
if "$accord" reveal blas:sgemv@openblas --shape 8x64 -O text >/dev/null 2>&1; then
    t 'OpenBLAS makes one machine act as several' 1 '^[3-9] groups' - "$accord" sweep blas:sgemv@openblas \
        --shape 8x64 --env OPENBLAS_CORETYPE=Prescott,Core2,Nehalem,Barcelona,Sandybridge,Haswell,Zen
    is 'Haswell and Zen are one' grep -Eq '^  [A-Z]  2 settings: Haswell, Zen$' "$dir/out"
    t 'alignment' 0 '^One group' - "$accord" sweep blas:sdot@openblas -n 37 --align 0..60 --env OPENBLAS_CORETYPE=Haswell
    is 'in steps of a float' [ "$(grep -Ec '^  [0-9]+ +A ' "$dir/out")" = 16 ]
    t 'alignment of doubles' 0 '^One group' - "$accord" sweep blas:ddot@openblas -n 37 --align 0..56 --env OPENBLAS_CORETYPE=Haswell
    is 'in steps of a double' [ "$(grep -Ec '^  [0-9]+ +A ' "$dir/out")" = 8 ]
    t 'shapes and transposes' 1 '"trans": "TT"' - "$accord" sweep blas:sgemm@openblas --shape 1x8x64,4x8x64 \
        --trans NN,TT --env OPENBLAS_CORETYPE=Haswell --json

    # ---- batch ----
    t 'batch: not invariant' 1 'not batch-invariant' - env OPENBLAS_CORETYPE=Haswell \
        "$accord" batch blas:sgemm@openblas --shape 1x16x64
    is 'batch: up to three rows are added otherwise' grep -Eq '^1-3: order A, sequential; ' "$dir/out"
    is 'batch: and from four on' grep -Eq '^4-64: order B, 2 lanes; ' "$dir/out"
    t 'batch: the last row' 1 '^4,8,16: order B' - env OPENBLAS_CORETYPE=Haswell \
        "$accord" batch blas:sgemm@openblas -n 64 --batch 1..12,16 --element last
    t 'batch: a GEMV' 0 'batch-invariant at these sizes' - env OPENBLAS_CORETYPE=Prescott \
        "$accord" batch blas:dgemv@openblas -n 16 --batch 1..3
    t 'batch as JSON' 1 '"shape": "Mx16x64"' - env OPENBLAS_CORETYPE=Haswell \
        "$accord" batch blas:sgemm@openblas --shape 9x16x64 --batch 2..5 --json
    is 'batch: its groups' python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert [(r["batch"], r["group"]) for r in d["sizes"]] == [(2, "A"), (3, "A"), (4, "B"), (5, "B")]
assert [g["members"] for g in d["groups"]] == [2, 2]' "$dir/out"
    t 'sweep with a start value' 1 '9 terms' - "$accord" sweep blas:sgemm@openblas --shape 4x4x8 --beta 1 \
        --env OPENBLAS_CORETYPE=Haswell,Prescott
    t 'batch as CSV' 1 '^4,B,' - env OPENBLAS_CORETYPE=Haswell \
        "$accord" batch blas:sgemm@openblas --shape 1x16x64 --batch 1..4 -O csv
    t 'batch: an element that is not there' 2 - 'outside' "$accord" batch blas:sgemm@openblas \
        --shape 1x16x64 --batch 1..4 --element 2,0
    t 'batch of a dot' 2 - 'no batch' "$accord" batch blas:sdot@openblas -n 8
else
    number=$((number + 1))
    echo "ok $number - sweep and batch of OpenBLAS # SKIP there is no OpenBLAS here"
fi
t 'batch of no matrix' 2 - 'no batch' "$accord" batch $pairwise -n 8
t 'batch of several counts' 2 - 'one number of terms' "$accord" batch blas:sgemm -n 8,9
t 'batch of a missing library' 4 - 'nonexistent' "$accord" batch blas:sgemm@/nonexistent/l.so -n 8

# ---- on a terminal ----
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    on_terminal() { TERM=xterm script -qec "'$accord' reveal $1 -O text -o '$dir/tree'" /dev/null; }
    escape=$(printf '\r\033\\[K')
    on_terminal "so:$odd:sleepy -n 8" >"$dir/bar" 2>&1 </dev/null
    is 'a bar when it takes long' grep -q "${escape}[^ ]*: [a-z]" "$dir/bar"
    is 'gone at the end' sh -c 'tail -c 4 "$1" | grep -q "\[K"' - "$dir/bar"
    on_terminal 'synthetic:sequential -n 8' >"$dir/bar" 2>&1 </dev/null
    is 'no bar when it does not' [ ! -s "$dir/bar" ]
    on_terminal "so:$odd:sleepy -n 8 --quiet" >"$dir/bar" 2>&1 </dev/null
    is 'no bar with --quiet' [ ! -s "$dir/bar" ]
else
    number=$((number + 1))
    echo "ok $number - the bar # SKIP no terminal can be made here"
fi

# ---- an end before the end ----
# (The brackets keep this script from finding itself.)
sleeps() { cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -q "sleep [1]357[.]$$"; }
gone() { ! sleeps; }
no_file() { ! ls "$dir"/stopped* >/dev/null 2>&1; }
# Of this run: others may be under way. The quotes keep accord's own arguments from being found.
target="command:exec sleep 1357''.$$"

"$accord" reveal "$target" -n 8 --timeout 60 -o "$dir/stopped" </dev/null >"$dir/out" 2>"$dir/err" &
child=$!
is 'the target runs' soon sleeps
kill -TERM $child
status=0
wait $child || status=$?
judge 'terminated' 143 $status - 'interrupted'
is 'terminated: no child is left' soon gone
is 'terminated: no file is left' no_file
t 'interrupted' 130 - 'interrupted' timeout --preserve-status -s INT 2 \
    "$accord" reveal "$target" -n 8 --timeout 60 -o "$dir/stopped"
is 'interrupted: no child is left' soon gone
is 'interrupted: no file is left' no_file
t 'a file beyond the limit of sizes' 2 - 'cannot write .*stopped: File too large' \
    sh -c 'ulimit -f 1; exec "$1" reveal synthetic:pairwise -n 2000 --json -o "$2/stopped"' - "$accord" "$dir"
is 'beyond the limit: no file is left' no_file

# ---- map ----
t 'map of a single result' 3 - 'one result, not many' "$accord" map $pairwise -n 8
t 'map without a shape' 2 - 'number of terms is missing' "$accord" map blas:sgemm
t 'map of a wrong shape' 2 - 'MxNxK' "$accord" map blas:sgemm --shape 3x
t 'map in a wrong form' 2 - 'choose one of report, json, svg' "$accord" map blas:sgemm --shape 2x2x2 -O dot
t 'map with a factor of zero' 3 'with alpha = 0 the result does' - "$accord" map blas:sgemm --shape 2x2x2 --alpha 0
t 'batch of an unknown routine' 2 - "BLAS routine 'nosuch'" "$accord" batch blas:nosuch -n 4
t 'batch of no rows' 2 - '--shape 0x4x4: give MxNxK' "$accord" batch blas:sgemm --shape 0x4x4
t 'map of what no memory holds' 3 - 'GiB are available: use fewer terms or a smaller shape' \
    "$accord" map blas:sgemm --shape 1000000x1000000x1000000
t 'map with a wrong factor' 2 - 'give a number' "$accord" map blas:sgemm --shape 2x2x2 --alpha x
t 'map of several counts' 2 - 'one shape' "$accord" map blas:sgemm -n 2,3
t 'map of a missing library' 4 - 'nonexistent' "$accord" map blas:sgemm@/nonexistent/l.so --shape 2x2x2
if "$accord" reveal blas:sgemm@openblas --shape 2x2x8 -O text >/dev/null 2>&1 && grep -q avx2 /proc/cpuinfo; then
    export OPENBLAS_CORETYPE=Haswell
    t 'map' 0 '^      3 AAAAAAAABBBBB$' - "$accord" map blas:sgemm@openblas --shape 7x13x24
    is 'map: the other rows' grep -q '^      4 BBBBBBBBBBBBB$' "$dir/out"
    is 'map: members' grep -q '32 of 91 elements (35.2 %), the first at 0,0' "$dir/out"
    is 'map: every element certified' [ "$(grep -c 'every element certified' "$dir/out")" = 2 ]
    t 'map --uniform' 1 '7 x 13 results of 24 terms, [2-9][0-9]* classes' - "$accord" map blas:sgemm@openblas --shape 7x13x24 --uniform
    t 'map --uniform of one class' 0 '4 x 4 results of 3 terms, 1 class$' - "$accord" map blas:sgemm@openblas --shape 4x4x3 --uniform
    t 'map with a start value' 0 '25 terms, 2 classes' - "$accord" map blas:sgemm@openblas --shape 7x13x24 --beta 1
    t 'map of a GEMV' 0 '70 x 1 results of 64 terms' - "$accord" map blas:sgemv@openblas --shape 70x64
    t 'map as JSON' 0 '"class_of"' - "$accord" map blas:sgemm@openblas --shape 7x13x24 --json
    is 'map as JSON is valid' valid_json "$dir/out"
    t 'map as SVG' 0 - - "$accord" map blas:sgemm@openblas --shape 7x13x24 -O svg -o "$dir/map.svg"
    is 'map as SVG is XML' python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$dir/map.svg"
    unset OPENBLAS_CORETYPE
fi

# ---- replay ----
echo '((0+1)+(2+3))' >"$dir/four.txt"
printf '0.1 0.2, 0x1.8p-1\n4\n' >"$dir/four.num"
pipe() { printf "$1" | "$accord" replay "$dir/four.txt" -i - -q; }
t 'replay of text' 0 '^5.05  0x1.4333333333333p\+2$' - "$accord" replay "$dir/four.txt" -i "$dir/four.num" -q
t 'replay in f32' 0 '^5.05  0x1.433334p\+2$' - "$accord" replay "$dir/four.txt" -i "$dir/four.num" -q -f f32
t 'replay says what it assumes' 0 '^[-0-9.e+]+  -?0x' 'plain f64 to nearest is assumed' "$accord" replay "$dir/four.txt" -i "$dir/four.num"
t 'replay as JSON' 0 '"0x1.4333333333333p\+2"' - "$accord" replay "$dir/four.txt" -i "$dir/four.num" -q --json
is 'replay as JSON is valid' valid_json "$dir/out"
is 'replay from a pipe, in whole numbers' [ "$(pipe '1 2 3 4')" = '10  0x1.4p+3' ]
is 'replay of two rows' [ "$(pipe '1 2 3 4 5,6,7,8' | wc -l)" = 2 ]
is 'replay of infinities' [ "$(pipe '1 inf 3 4')" = inf ]
t 'replay with products' 0 '^16.6125  ' - "$accord" replay "$dir/four.txt" -q -i "$dir/four.num" --second "$dir/four.num"
t 'replay without numbers' 2 - 'no numbers were given' "$accord" replay "$dir/four.txt"
t 'replay of a directory' 2 - 'cannot read .*: Is a directory; give a file of numbers' \
    "$accord" replay "$dir/four.txt" -i "$dir"
"$accord" reveal $pairwise -n 4 --json -o "$dir/told.json"
for quiet in '' -q; do
    # shellcheck disable=SC2086 # an option, or none
    t "replay of what is not explained $quiet" 3 - 'arithmetic is not known: plain additions do not .*--format' \
        "$accord" replay "$dir/unexplained.json" -i "$dir/four.num" $quiet
done
t 'replay of what is not explained, as plain additions' 0 '^5.05  0x1.433334p\+2$' - \
    "$accord" replay "$dir/unexplained.json" -i "$dir/four.num" -q -f f32
t 'replay in another format than the file tells' 2 - 'states its arithmetic; leave --format out' \
    "$accord" replay "$dir/told.json" -i "$dir/four.num" -f f16
t 'replay of two orders' 2 - 'replay takes files with one' "$accord" replay "$dir/two.json" -i "$dir/four.num"
t 'replay, interrupted' 130 - 'interrupted before the end' sh -c \
    'sleep 3 | timeout --preserve-status -s INT 1 "$1" replay "$2" -i - -o "$3"' - \
    "$accord" "$dir/four.txt" "$dir/stopped-replay"
is 'which writes nothing' [ ! -e "$dir/stopped-replay" ]
t 'replay of a missing file' 2 - 'cannot read .*none: No such file' "$accord" replay "$dir/four.txt" -i "$dir/none"
t 'replay of an empty file' 2 - 'is empty' "$accord" replay "$dir/four.txt" -i -
printf '1 2 3' >"$dir/three"
t 'replay of too few' 2 - 'holds 3 numbers, but a sum of this model takes 4' "$accord" replay "$dir/four.txt" -i "$dir/three"
printf '1 2\n3 4x' >"$dir/bad"
t 'replay of a bad number' 2 - 'bad: line 2, column 3: not a number: "4x"' "$accord" replay "$dir/four.txt" -i "$dir/bad"
printf '1 2\n3,,4' >"$dir/bad"
t 'replay of a missing number' 2 - 'line 2, column 3: a number is missing' "$accord" replay "$dir/four.txt" -i "$dir/bad"
printf ' \n' >"$dir/bad"
t 'replay of white space' 2 - 'there are no numbers' "$accord" replay "$dir/four.txt" -i "$dir/bad"
printf '12345' >"$dir/five.f32"
t 'replay of half a number' 2 - '5 bytes' "$accord" replay "$dir/four.txt" -i "$dir/five.f32"
t 'replay with two files from one pipe' 2 - 'once' "$accord" replay - -i -
t 'replay with two files of numbers from one pipe' 2 - 'once' "$accord" replay "$dir/four.txt" -i - --second -
t 'replay with a start that is none' 2 - 'no start value' "$accord" replay "$dir/four.txt" -i "$dir/four.num" --start "$dir/three"
printf '\000\000\200?\000\000\000@\000\000@@\000\000\200@' >"$dir/x.f32"
t 'replay of raw f32' 0 '^10  0x1.4p\+3$' - "$accord" replay "$dir/four.txt" -i "$dir/x.f32" -q
cp "$dir/x.f32" "$dir/x"
t 'replay of a file said to be f32' 0 '^10  ' - "$accord" replay "$dir/four.txt" -i "$dir/x" --type f32 -q
printf '?\200\000\000@\000\000\000@@\000\000@\200\000\000' >"$dir/x.f32"
t 'replay of raw f32, big-endian' 0 '^10  ' - "$accord" replay "$dir/four.txt" -i "$dir/x.f32" --big-endian -q
npy() { # TYPE FORTRAN SHAPE VALUES
    header=$(printf "%-117s" "{'descr': '$1', 'fortran_order': $2, 'shape': $3, }")
    { printf '\223NUMPY\001\000\166\000%s\n' "$header"; printf "$4"; } >"$dir/x.npy"
}
npy '<f4' False '(4,)' '\000\000\200?\000\000\000@\000\000@@\000\000\200@'
t 'replay of .npy' 0 '^10  ' - "$accord" replay "$dir/four.txt" -i "$dir/x.npy" -q
npy '>f4' False '(1, 4)' '?\200\000\000@\000\000\000@@\000\000@\200\000\000'
t 'replay of big-endian .npy' 0 '^10  ' - "$accord" replay "$dir/four.txt" -i "$dir/x.npy" -q
npy '<f2' True '(2, 4)' '\000<\000<\000@\000<\000B\000<\000D\000<'
t 'replay of .npy in columns' 0 '^10  ' - "$accord" replay "$dir/four.txt" -i "$dir/x.npy" -q
is 'replay of .npy in columns, the second row' grep -q '^4  ' "$dir/out"
npy '<f4' False '(2, 2)' '\000\000\200?\000\000\000@\000\000@@\000\000\200@'
t 'replay of .npy with short rows' 2 - '2 numbers in a row, but a sum of this model takes 4' "$accord" replay "$dir/four.txt" -i "$dir/x.npy"
npy '<f4' False '(5,)' '\000\000\200?\000\000\000@\000\000@@\000\000\200@'
t 'replay of .npy cut short' 2 - 'announces 5 numbers of 4 bytes, but 16 bytes follow' "$accord" replay "$dir/four.txt" -i "$dir/x.npy"
npy '<i8' False '(2,)' '0123456789abcdef'
t 'replay of .npy of integers' 2 - 'an integer beyond 2.53' "$accord" replay "$dir/four.txt" -i "$dir/x.npy"
npy '<f4' False '(1, 2, 2)' '0123456789abcdef'
t 'replay of .npy of three dimensions' 2 - 'neither one nor two dimensions' "$accord" replay "$dir/four.txt" -i "$dir/x.npy"
npy '<f4' False '(99999999999999999999, 4)' '0123'
t 'replay of .npy of an absurd shape' 2 - 'npy' "$accord" replay "$dir/four.txt" -i "$dir/x.npy"
head -c 40 "$dir/x.npy" >"$dir/y.npy"
t 'replay of half a header' 2 - 'cut short' "$accord" replay "$dir/four.txt" -i "$dir/y.npy"
cat >"$dir/fused.json" <<X
{"accord": 1, "tree": {"leaves": 3, "inner": 2, "parents": [3, 3, 4, 4]},
 "arithmetic": {"term": "product", "input": "f32", "output": "f32", "beta": 2,
 "operations": [{"format": "f32", "fused": 1}]}}
X
printf '0x1p24 1' >"$dir/x"
printf '1 0x1.8p0' >"$dir/y"
printf '0.5' >"$dir/s"
t 'replay of a fused model with a start' 0 '^16777220  0x1.000004p\+24$' - "$accord" replay "$dir/fused.json" -i "$dir/x" --second "$dir/y" --start "$dir/s"
t 'replay of a model with too many starts' 2 - '3 start values for 1 sums' "$accord" replay "$dir/fused.json" -i "$dir/x" --start "$dir/three"
printf '1.5' >"$dir/y"
t 'replay of a model with too few factors' 2 - 'holds 1 numbers, but a sum of this model takes 2' "$accord" replay "$dir/fused.json" -i "$dir/x" --second "$dir/y"

# ---- limits ----
t 'a budget of calls that ends in the search' 3 'the budget of 20 calls was spent' - "$accord" reveal synthetic:pairwise -n 40 --budget 20calls
t 'a budget of calls that ends in the proof' 0 'is not proven, because' - "$accord" reveal synthetic:pairwise -n 40 --budget 150calls
t 'what a budget left out' 0 '"left_out": \[' 'warning: not proven' "$accord" reveal synthetic:pairwise -n 40 --budget 150calls --json
t 'a budget that is no budget' 2 - 'such as 10s or 0.5s' "$accord" reveal synthetic:pairwise -n 40 --budget soon
t 'replays' 0 'was left out: 1900 of' - "$accord" reveal synthetic:pairwise -n 40 --replays 100
t 'no replays' 2 - 'at least 1' "$accord" reveal synthetic:pairwise -n 40 --replays 0
t 'a budget in a survey' 3 'cannot be determined' 'is not proven' "$accord" sweep synthetic:pairwise -n 40 --threads 1,2 --budget 150calls
t 'a budget of a map' 3 'budget: No order: the budget was spent' - "$accord" map blas:sgemm --shape 3x4x20 --budget 20calls

echo "1..$number"
