#!/bin/sh
# accord sum and accord dot from outside: test_cli_sum.sh ACCORD. Speaks TAP, a case per line: tap.sh.
set -u
accord=$1
. "$(dirname "$0")/tap.sh"

# f TEXT NAME STATUS OUT ERR OPTIONS...: accord sum of the text in a pipe.
f() {
    text=$1 name=$2 wanted=$3 out=$4 err=$5 status=0
    shift 5
    printf '%b' "$text" | "$accord" sum - "$@" >"$dir/out" 2>"$dir/err" || status=$?
    judge "$name" "$wanted" "$status" "$out" "$err"
}

# s NAME WANTED COMMAND...: prints exactly that.
s() {
    name=$1
    printf '%s\n' "$2" >"$dir/wanted"
    shift 2
    problem=
    "$@" </dev/null >"$dir/out" 2>"$dir/err" || problem="status $?"
    cmp -s "$dir/out" "$dir/wanted" || problem="$problem; not as wanted"
    result "$name" "$problem"
}

# ---- help ----
for verb in sum dot; do
    status=0
    "$accord" help $verb >"$dir/out" 2>"$dir/err" || status=$?
    judge "the format of the result of $verb" 0 "$status" 'format of the result .default: f64.' -
    result "it says nothing of targets" "$(grep 'so:' "$dir/out")"
done

# ---- text ----
f '1 2\n3' 'white space' 0 '^6  0x1\.8p\+2$' -
f '1,2 , 3\n,4,\n5' 'commas' 0 '^15  ' -
f '0x1p-1 0X.8P+3 -1e1 +2.5' 'hexadecimal and decimal' 0 '^-3  -0x1.8p\+1$' -
f '# head 1 2\n1 #2\n2# 3, x\n#' 'comments' 0 '^3  ' -
f '1\r\n2\r\n' 'lines of DOS' 0 '^3  ' -
f '\0357\0273\027712 3' 'a mark of byte order' 0 '^15  ' -
f 'x\n1\n2' 'a header' 0 '^3  ' - --header
f '1e308 1e308 .1 .1 1e30 .1 -1e30 -1e308 -1e308' 'overflow on the way' 0 '^0\.30000000000000004  0x1\.3333333333334p-2$' -
f '1e308 1e308' 'overflow of the sum' 0 '^inf$' -
f '1e308 1e308' 'overflow of the sum, toward zero' 0 '^1\.7976931348623157e\+308  ' - --rounding zero
f '5e-324 5e-324' 'subnormals' 0 '^1e-323  0x0\.0000000000002p-1022$' -
f '1e-400' 'less than the least' 0 '^0  0x0p\+0$' -
f '-0 -0.0' 'zeros below' 0 '^-0  -0x0p\+0$' -
f '-0 0' 'zeros of both signs' 0 '^0  0x0p\+0$' -
f '1 0x1p-53' 'a tie' 0 '^1  0x1p\+0$' -
f '1 0x1p-53' 'a tie, away' 0 '^1\.0000000000000002  ' - --rounding away
f '1 0x1p-200' 'up' 0 '^1\.0000000000000002  ' - --rounding up
f '1 -0x1p-200' 'down' 0 '^0\.9999999999999999  ' - --rounding down
f '-1 0x1p-200' 'toward zero' 0 '^-0\.9999999999999999  ' - --rounding zero
f '0.1 0.2' 'as f32' 0 '^0\.3  0x1\.333334p-2$' - --result f32
f '0.1 0.2' 'as f16' 0 '^0\.3  0x1\.334p-2$' - --result f16
f '0.1 0.2' 'as bf16' 0 '^0\.3  0x1\.34p-2$' - --result bf16
f '60000 60000' 'overflow of f16' 0 '^inf$' - --result f16
f '1 nan Inf' 'a NaN' 0 '^nan$' 'not finite: 1 nan, 1 inf, 0 -inf among 3 terms'
f '1 -infinity' 'an infinity' 0 '^-inf$' '0 nan, 0 inf, 1 -inf among 2 terms'
f 'inf -INF' 'both infinities' 0 '^nan$' '1 inf, 1 -inf'
f '1 inf' 'an infinity, quiet' 0 '^inf$' - -q
f '' 'nothing' 0 '^0  0x0p\+0$' 'no numbers'
f ' \n# none\n' 'nothing but white space' 0 '^0  0x0p\+0$' 'no numbers'
f '' 'nothing, quiet' 0 '^0  0x0p\+0$' - -q
f '' 'nothing as JSON' 0 '"terms": 0, ' 'no numbers' --json

# ---- bad text ----
f '1 2\n3 4x' 'a bad number' 2 - '^accord: standard input: line 2, column 3: not a number: "4x"; numbers are'
f '1 2\n\n  0x1p' 'half a number' 2 - 'line 3, column 3: not a number: "0x1p"'
f '1,,2' 'a missing number' 2 - 'line 1, column 3: a number is missing before the comma'
f ',1' 'a comma first' 2 - 'line 1, column 1: a number is missing'
f '1,2,\n' 'a comma last' 2 - 'a number is missing after the comma'
f '1 1e400' 'too large' 2 - 'line 1, column 3: too large for an f64 \(--decimal adds it as it is written\): "1e400"'
f '1\00002' 'a zero byte' 2 - 'line 1, column 1: not a number: "1\?2"; if this is a raw file rather than text'
f '1 nan(5)' 'a NaN with a payload' 2 - 'not a number'
f '1 1.5.2' 'two points' 2 - 'not a number: "1.5.2"'
f '1 12345678901234567890123456789012345x' 'a long one' 2 - '"123456789012345678901234\.\.\."'
f '1;2' 'another separator' 2 - 'not a number: "1;2"'
t 'no operand' 2 - 'needs FILE' "$accord" sum
t 'a missing file' 2 - 'cannot read .*none: No such file.*; give a file of numbers' "$accord" sum "$dir/none"
t 'a folder' 2 - 'cannot read .*: Is a directory' "$accord" sum "$dir"
t 'one pipe twice' 2 - 'once' "$accord" sum - -
t 'no number of threads' 2 - 'integer' "$accord" sum - --threads -1
t 'no rounding' 2 - 'choose one of nearest, zero, down, up, away' "$accord" sum - --rounding odd
t 'no format' 2 - 'choose one of f64, f32, f16, bf16' "$accord" sum - --result f80
printf '1 2\n' >"$dir/good"
printf '3 x\n' >"$dir/bad"
t 'the second file is bad' 2 - 'bad: line 1, column 3' "$accord" sum "$dir/good" "$dir/bad"
s 'several files' '9  0x1.2p+3' sh -c '"$1" sum "$2/good" - "$2/good" <<X
1 2
X' - "$accord" "$dir"

# ---- raw and .npy ----
printf '\000\000\000\000\000\000\370?\000\000\000\000\000\000\000@' >"$dir/x.f64"
s 'raw f64' '3.5  0x1.cp+1' "$accord" sum "$dir/x.f64"
s 'raw .bin' '3.5  0x1.cp+1' sh -c 'cp "$2/x.f64" "$2/x.bin"; "$1" sum "$2/x.bin"' - "$accord" "$dir"
s 'raw by --type, from a file as standard input' '3.5  0x1.cp+1' sh -c '"$1" sum - --type f64 <"$2/x.f64"' - "$accord" "$dir"
s 'from where standard input is' '2  0x1p+1' sh -c '{ dd bs=8 count=1 of=/dev/null 2>/dev/null; "$1" sum - --type f64; } <"$2/x.f64"' - "$accord" "$dir"
printf '?\370\000\000\000\000\000\000' >"$dir/big.f64"
s 'raw, big-endian' '1.5  0x1.8p+0' "$accord" sum "$dir/big.f64" --big-endian
head -c 13 "$dir/x.f64" >"$dir/odd.f64"
t 'a raw file of odd size' 2 - 'odd\.f64 has 13 bytes, which is not a whole number of f64 values of 8 bytes: 5 are left over at byte 8; give the type' "$accord" sum "$dir/odd.f64"
t 'a raw pipe of odd size' 2 - 'standard input has 13 bytes.*at byte 8' sh -c 'cat "$2/odd.f64" | "$1" sum - --type f64' - "$accord" "$dir"
t 'an empty raw file' 0 '^0  0x0p' 'no numbers' sh -c ': >"$2/e.f32"; "$1" sum "$2/e.f32"' - "$accord" "$dir"
t 'raw numbers taken for text' 2 - 'if this is a raw file rather than text' sh -c '"$1" sum - <"$2/x.f64"' - "$accord" "$dir"
t 'raw numbers have no columns' 2 - 'x.f64 is raw and has no columns' "$accord" sum "$dir/x.f64" --column 1
t 'raw numbers are no decimals' 2 - 'x.f64 is binary, but --decimal is for decimals in text' "$accord" sum "$dir/x.f64" --decimal
npy() { # NAME TYPE SHAPE VALUES
    header=$(printf "%-117s" "{'descr': '$2', 'fortran_order': False, 'shape': $3, }")
    { printf '\223NUMPY\001\000\166\000%s\n' "$header"; printf "$4"; } >"$dir/$1"
}
npy x.npy '<f4' '(2, 1, 2)' '\000\000\200?\000\000\000@\000\000@@\000\000\200@'
s '.npy of three dimensions' '10  0x1.4p+3' "$accord" sum "$dir/x.npy"
s '.npy by its magic, from a pipe' '10  0x1.4p+3' sh -c 'cat "$2/x.npy" | "$1" sum -' - "$accord" "$dir"
npy one.npy '>f8' '()' '?\370\000\000\000\000\000\000'
s '.npy of no dimension, big-endian' '1.5  0x1.8p+0' "$accord" sum "$dir/one.npy"
npy none.npy '<f8' '(0, 3)' ''
t '.npy of no numbers' 0 '^0  0x0p' 'no numbers' "$accord" sum "$dir/none.npy"
npy v2.npy '<V2' '(2,)' '\200?\000@'
t '.npy of V2' 2 - 'none of f2, f4, f8 and integers; .*--type bf16' "$accord" sum "$dir/v2.npy"
s '.npy of V2 that is bf16' '3  0x1.8p+1' "$accord" sum "$dir/v2.npy" --type bf16
npy i8.npy '<i8' '(1,)' '12345678'
t '.npy of integers that are no f64' 2 - 'i8.npy holds an integer beyond 2.53' "$accord" sum "$dir/i8.npy"
npy i2.npy '>i2' '(2,)' '\377\376\000\005'
s '.npy of integers' '3  0x1.8p+1' "$accord" sum "$dir/i2.npy"
t '.npy of integers has no other type' 2 - 'holds integers, as its header says' "$accord" sum "$dir/i2.npy" --type f16
npy c8.npy '<c8' '(1,)' '12345678'
t '.npy of complex numbers' 2 - 'none of f2, f4, f8 and integers; convert' "$accord" sum "$dir/c8.npy"
npy short.npy '<f4' '(5,)' '0123456789abcdef'
t '.npy cut short' 2 - 'announces 5 numbers of 4 bytes, but 16 bytes follow' "$accord" sum "$dir/short.npy"
t '.npy cut short in a pipe' 2 - 'ends 1 numbers before its header says' sh -c 'cat "$2/short.npy" | "$1" sum -' - "$accord" "$dir"
npy long.npy '<f4' '(3,)' '0123456789abcdef'
t '.npy too long' 2 - 'announces 3 numbers of 4 bytes, but 16 bytes follow' "$accord" sum "$dir/long.npy"
t '.npy too long in a pipe' 2 - 'continues after the numbers' sh -c 'cat "$2/long.npy" | "$1" sum -' - "$accord" "$dir"
npy two.npy '<f4' '(2, 2)' '\000\000\200?\000\000\000@\000\000@@\000\000\200@'
s '.npy, a column' '6  0x1.8p+2' "$accord" sum "$dir/two.npy" --column 2
s '.npy, a column from a pipe' '4  0x1p+2' sh -c 'cat "$2/two.npy" | "$1" sum - --column 1' - "$accord" "$dir"
s '.npy, two columns multiplied' '14  0x1.cp+3' "$accord" dot "$dir/two.npy" "$dir/two.npy" --column 1 --second-column 2
sed 's/False/True /' "$dir/two.npy" >"$dir/fortran.npy"
s '.npy, a column in Fortran order' '7  0x1.cp+2' "$accord" sum "$dir/fortran.npy" --column 2
s '.npy, the first of them from a pipe' '3  0x1.8p+1' sh -c 'cat "$2/fortran.npy" | "$1" sum - --column 1' - "$accord" "$dir"
t '.npy, no such column' 2 - 'has 2 columns, so there is no column 3' "$accord" sum "$dir/two.npy" --column 3
t '.npy, a column by name' 2 - 'columns have no names; give --column a number' "$accord" sum "$dir/two.npy" --column x
t '.npy, a column of three dimensions' 2 - 'has 3 dimensions; --column takes arrays with two' "$accord" sum "$dir/x.npy" --column 1
t '.npy by key' 2 - 'is .npy and no table; leave --group-by' "$accord" sum "$dir/two.npy" --column 1 --group-by 2
if python3 -c 'import numpy' 2>/dev/null; then
    is '.npy, columns against NumPy, in every layout' python3 "$here/sum_columns.py" "$accord" "$dir"
else
    skip '.npy, columns against NumPy, in every layout' 'NumPy is not installed'
fi
f '1 2\n3 4 5\n' 'white space, another number of columns' 2 - 'the number of columns is 3 here but 2 in the first line' --column 1
f '1 2\n\n 3  4 \n' 'white space, the same number of columns' 0 '^6  ' - --column 2
head -c 40 "$dir/x.npy" >"$dir/y.npy"
t '.npy of half a header' 2 - 'cut short' "$accord" sum "$dir/y.npy"
: >"$dir/y.npy"
t '.npy of nothing' 2 - 'header is missing' "$accord" sum "$dir/y.npy"
npy x.npy '<f4' '(99999999999999999999, 4)' '0123'
t '.npy of an absurd shape' 2 - 'shape cannot be understood' "$accord" sum "$dir/x.npy"
npy x.npy '<f4' '(4611686018427387904, 4)' '0123'
t '.npy of a huge shape' 2 - 'shape cannot be understood' "$accord" sum "$dir/x.npy"
if command -v python3 >/dev/null; then
    is 'all forms, threads and pipes against fractions' python3 "$here/sum_forms.py" "$accord" "$dir"
else
    skip 'all forms, threads and pipes against fractions' 'there is no Python'
fi

# ---- tables ----
cat >"$dir/ledger.csv" <<'X'
date,account,amount,note
2024-01-01,rent,-800.00,
2024-01-02,"food, drink",-0.10,"two
lines"
2024-01-03,"so ""called""",1234.56,x

2024-01-04,rent,-0.20,
X
ledger="$dir/ledger.csv"
s 'a column by name' '434.25999999999993  0x1.b2428f5c28f5bp+8' "$accord" sum "$ledger" --column amount
s 'a column by number' '434.26  434.26  0x1.b2428f5c28f5cp+8' "$accord" sum "$ledger" --column 3 --header --decimal
s 'a table in a pipe' '434.26  434.26  0x1.b2428f5c28f5cp+8' sh -c 'cat "$2" | "$1" sum - --separator , --column amount --decimal' - "$accord" "$ledger"
t 'names that are no numbers' 2 - 'ledger.csv: line 1, column 14: not a number: "amount"; if the first line holds names, use --header' "$accord" sum "$ledger" --column 3
t 'all columns' 2 - 'line 2, column 1: not a number: "2024-01-01"; choose the column' "$accord" sum "$ledger" --header
t 'no such column' 2 - 'has no column "amuont"; its first line has: date, account, amount, note$' "$accord" sum "$ledger" --column amuont
t 'no such number' 2 - 'columns is 4 here, so there is no column 7' "$accord" sum "$ledger" --column 7
t 'column 0' 2 - 'counted from 1' "$accord" sum "$ledger" --column 0
t 'a wrong separator' 2 - 'give one character' "$accord" sum "$ledger" --separator ab
t 'a digit as separator' 2 - 'give one character' "$accord" sum "$ledger" --separator 1
t 'separator not told' 2 - 'no column "amount".*with --separator' sh -c 'cat "$2" | "$1" sum - --column amount' - "$accord" "$ledger"
f 'a,a\n1,2' 'a name twice' 2 - '2 columns "a"; give the number' --separator , --column a
f 'a;b\n1,5;2\n' 'a decimal comma' 2 - 'not a number: "1,5"' --separator ';' --column a
f '1,2\n3\n' 'a short line' 2 - 'line 2, column 1: the number of columns is 1 here but 2 in the first line' --separator , --column 1
f '1,2\n1,234.5,3\n' 'a long line' 2 - 'line 2, column 1: the number of columns is 3 here but 2 in the first line; put fields that contain the separator in quotes' --separator , --column 1
f 'a,b\n1,\n' 'an empty field' 2 - 'line 2, column 3: an empty field; --skip-empty' --separator , --column b
f 'a,b\n1,\n2,5\n3, \n' 'empty fields left out' 0 '^5  ' - --separator , --column b --skip-empty
f 'a,b\n1,\n2,5\n' 'empty fields counted' 0 '"skipped": 1,' - --separator , --column b --skip-empty --json
f '"1","2.5"\r\n" 3 ",4\r\n' 'quotes and lines of DOS' 0 '^10\.5  ' - --separator ,
f 'a,"b\n1,2\n' 'a quote that is not closed' 2 - 'line 1, column 3: a quote that is not closed: "' --separator , --column 1
f '1,"x"y\n' 'text behind a quote' 2 - 'line 1, column 6: between a closing quote and the separator stands "y"' --separator , --column 1
f '"1,2\n' 'nothing but an open quote' 2 - 'not closed' --separator ,
f '1\t2\n3\t4\n' 'tabs' 0 '^6  ' - --separator tab --column 2
f 'a 1 x\n  b\t2\ty \r\n' 'columns between white space' 0 '^3  ' - --column 2
f 'k\na b\n' 'a column too few between white space' 2 - 'columns is 1 here, so there is no column 2' --column 2
f 'a 1\rb 2\rc 3\r' 'lines that end otherwise' 2 - 'line 1, column 4: a line that ends in a carriage return alone' --column 2
f '# one\r1 2\r' 'a comment that ends otherwise' 2 - 'line 1, column 7: a line that ends in a carriage return alone'
f '# one\r\n1 2\r\n' 'a comment of DOS' 0 '^3  ' -
f '' 'an empty table' 2 - 'is empty; a first line with the names' --column x
f '' 'an empty table without names' 0 '^0  ' 'no numbers' --column 2
printf 'a;b\n1;2,5\n' >"$dir/semi.csv"
s 'the separator of .csv' '1  0x1p+0' "$accord" sum "$dir/semi.csv" --column a
printf 'a\tb, c\n1\t2\n' >"$dir/x.tsv"
s 'the separator of .tsv' '2  0x1p+1' "$accord" sum "$dir/x.tsv" --column 'b, c'

# ---- groups ----
cat >"$dir/wanted" <<'X'
  food, drink  -0.1     -0x1.999999999999ap-4
  rent         -800.2   -0x1.901999999999ap+9
  so "called"  1234.56  0x1.34a3d70a3d70ap+10
X
t 'groups' 0 '^  rent  ' - "$accord" sum "$ledger" --column amount --group-by account
is 'groups, sorted' cmp "$dir/out" "$dir/wanted"
t 'groups as CSV' 0 '^"so ""called""",1234.56,0x1.34a3d70a3d70ap\+10,1$' - "$accord" sum "$ledger" --column 3 --group-by account -O csv
t 'groups as Markdown' 0 '^\| rent \| -800.20 \| -800.2 ' - "$accord" sum "$ledger" --column 3 --group-by account -O markdown --decimal
t 'groups as JSON' 0 '\{"key": "so \\"called\\"", "terms": 1, ' - "$accord" sum "$ledger" --column 3 --group-by account --json --naive --decimal
is 'which is valid' valid_json "$dir/out"
f 'b 1\na 0.1\nb 2\na 0.2\n' 'groups and naive sums' 0 '^  a  0\.30000000000000004  .*off by 2\.78e-17' - --column 2 --group-by 1 --naive
f 'x\\y\01z,1\n' 'a key of odd letters' 0 '^  x\\y\?z  1' - --separator , --column 2 --group-by 1
f 'a\0000,1\n' 'a key with a zero byte' 2 - 'a zero byte' --separator , --column 2 --group-by 1
f '' 'no groups' 0 '"groups": \[' 'no numbers' --column 2 --group-by 1 --json
f 'a 1' 'groups of what?' 2 - 'no column was given' --group-by 1
awk 'BEGIN { for (i = 0; i < 20000; i++) print "k" i % 5000, i * 0.1 }' >"$dir/keys"
awk '{ printf "%s %s\n", $1, $2 }' "$dir/keys" | "$accord" sum - --column 2 --group-by 1 --decimal >"$dir/out"
is 'many groups' [ "$(wc -l <"$dir/out")" = 5000 ]
is 'many groups against fractions, and the memory of a key' python3 "$here/sum_groups.py" "$accord" "$dir"
is 'their sums' [ "$(sed -n 's/^ *k1234  *\([^ ]*\) .*/\1/p' "$dir/out")" = "$(echo 123.4 623.4 1123.4 1623.4 | "$accord" sum - --decimal | cut -d' ' -f1)" ]
printf 'a 1e100\nb 2\na 1\n' | "$accord" sum - --column 2 --group-by 1 --save "$dir/p1.groups" >"$dir/out"
printf 'a -1e100\nc 5\nb 0\n' | "$accord" sum - --column 2 --group-by 1 --save "$dir/p2.groups" >"$dir/out"
s 'groups in parts' '  a  1  0x1p+0
  b  2  0x1p+1
  c  5  0x1.4p+2' "$accord" sum --merge "$dir/p1.groups" "$dir/p2.groups"
t 'groups and --group-by' 2 - 'have their keys, and others have none; leave one out' "$accord" sum --merge "$dir/p1.groups" --group-by 1 --column 2
t 'groups beside other numbers' 2 - 'x.f64 is not saved by key, but files before it are; add them apart' "$accord" sum "$dir/p1.groups" "$dir/x.f64"
t 'other numbers beside groups' 2 - 'p1.groups is saved by key, but files before it are not' "$accord" sum "$dir/x.f64" "$dir/p1.groups"
t 'saved groups with --naive' 2 - 'does not contain its terms; leave --decimal and --naive out' "$accord" sum "$dir/p1.groups" --naive
t 'saved groups are no factors' 2 - 'not a file of numbers' "$accord" dot "$dir/p1.groups" "$dir/x.f64"

# ---- decimals ----
yes 0.10 | head -n 100000 >"$dir/dimes"
s 'a ledger of dimes' '10000.00  10000  0x1.388p+13' "$accord" sum "$dir/dimes" --decimal
s 'which is not so in binary' '10000  0x1.388p+13' "$accord" sum "$dir/dimes"
t 'and not at all in a loop' 0 '^naive  10000\.000000018848' - "$accord" sum "$dir/dimes" --naive
f '0.1 0.2 -0.3' 'nothing is left' 0 '^0\.0  0  0x0p\+0$' - --decimal
f '1e400 1 -1e400' 'beyond f64' 0 '^1  1  0x1p\+0$' - --decimal
f '1e400' 'a result beyond f64' 0 '^1e\+400  inf$' - --decimal
f '1e400' 'a result beyond f64, toward zero' 0 '^1e\+400  1.7976931348623157e\+308  ' - --decimal --rounding zero
f '9007199254740993' 'rounded' 0 '^9007199254740993  9007199254740992  ' - --decimal
f '9007199254740993' 'rounded, ties away' 0 '^9007199254740993  9007199254740994  ' - --decimal --rounding away
f '9007199254740993 1e-50' 'rounded, a trace beyond a tie' 0 '  9007199254740994  ' - --decimal
f '0.1 nan' 'decimals and a NaN' 0 '^nan$' '1 nan' --decimal
f '1.25 0x1g0' 'no decimal' 2 - 'line 1, column 6: not a decimal number: "0x1g0"' --decimal
f '1.25 0x1p3' 'hexadecimal among decimals' 0 '^9\.25  9\.25  0x1\.28p\+3$' - --decimal
f '-0X.8P-1 0.10' 'and below zero' 0 '^-0\.15  ' - --decimal
f '0x1.00000000000000001p0 -1' 'with more bits than f64 holds' 0 '^0\.00000000000000000000338813178901720135627329000271856784820556640625  ' - --decimal
f '0x100.00 0x0p0 0x8.' 'with zeros at the ends' 0 '^264  264  ' - --decimal
f '0x1p-1074 -4.94e-324' 'down to the least f64' 0 '^6\.564584124654417656[0-9]*e-328  0  0x0p\+0$' - --decimal
f '0x1.8p1024' 'beyond f64 in hexadecimal' 2 - 'digits beyond those of an f64: "0x1\.8p1024"' --decimal
f '0x1p-1075' 'below f64 in hexadecimal' 2 - 'digits beyond those of an f64' --decimal
f '0x' 'no hexadecimal digits' 2 - 'not a decimal number: "0x"' --decimal
f '0x1p' 'no exponent' 2 - 'not a decimal number: "0x1p"' --decimal
f '0x1p3 1' 'hexadecimal in both sums' 0 '^naive  9  0x1\.2p\+3  off by 0' - --decimal --naive
f '1e100000' 'too many digits' 2 - '10\^100000' --decimal
f '1e400' 'too large for the naive sum' 2 - 'too large for the f64 of --naive' --decimal --naive
f '0.10 0.20' 'decimals as JSON' 0 '"exact": false, "decimal": "0\.30"' - --decimal --json
f '0.25 0.5' 'decimals that f64 holds' 0 '"exact": true, "decimal": "0\.75"' - --decimal --json
f '0.1 0.2 0.3' 'how far the loop is off' 0 '^naive  0\.6000000000000001  0x1\.3333333333334p-1  off by 8\.88e-17, 1\.48e-16 times the sum, 0\.8 ulp$' - --decimal --naive
f '' 'no decimals' 0 '^0  0  0x0p\+0$' 'no numbers' --decimal

# ---- naive ----
f '1e16 1 -1e16' 'a naive sum' 0 '^naive  0  0x0p\+0  off by 1, 1 times the sum, 4\.5e\+15 ulp$' - --naive
f '1e308 1e308 -1e308' 'a naive sum that overflows' 0 '^naive  inf  not finite$' - --naive
f '0.1 0.2' 'a naive sum in f32' 0 '^naive  0\.3  0x1\.333334p-2  off by ' - --naive --result f32
f '1 0x1.000001p0 -2' 'numbers that f32 does not hold are rounded first' 0 '^naive  0  0x0p\+0  off by 5\.96e-08' - --naive --result f32
f '16777217 1' 'and so is each sum' 0 '^naive  16777216  0x1p\+24  off by 2' - --naive --result f32
f '2049 1' 'in f16' 0 '^naive  2048  0x1p\+11  off by 2' - --naive --result f16
f '257 1' 'in bf16' 0 '^naive  256  0x1p\+8  off by 2' - --naive --result bf16
f 'a 16777217\na 1\nb 1' 'by key, too' 0 '^  a  16777218  0x1\.000002p\+24  16777216  ' - --naive --result f32 --group-by 1 --column 2
f '1 2' 'a naive sum that is right' 0 'off by 0, 0 times the sum, 0 ulp$' - --naive
f '1e16 1 -1e16' 'a naive sum as JSON' 0 '"naive": \{"sum": 0, "sum_hex": "0x0p\+0", "error": 1, "relative_error": 1, "ulps": 4503599627370496\}' - --naive --json
is 'which is valid' valid_json "$dir/out"
f 'nan 1e308 -0' 'JSON of a NaN' 0 '"terms": 3, "nan": 1, "plus_infinity": 0, "minus_infinity": 0, "sum": null, "sum_hex": "nan"' '1 nan' --json --naive
is 'which is valid' valid_json "$dir/out"
f '1 2' 'one sum as CSV' 0 '^3,0x1.8p\+1,2$' - -O csv

# ---- dot ----
printf '1 2 3\n' >"$dir/a"
printf '4 5 0x1p-60\n' >"$dir/b"
s 'a dot product' '14.000000000000002  0x1.c000000000001p+3' "$accord" dot "$dir/a" "$dir/b" --rounding up
s 'with itself' '14  0x1.cp+3' "$accord" dot "$dir/a" "$dir/a"
printf '1e-200 1e300 1e300\n' >"$dir/c"
printf '1e-200 1e300 -1e300\n' >"$dir/d"
t 'products that underflow and overflow' 0 '^0  0x0p\+0$' - "$accord" dot "$dir/c" "$dir/d"
s 'upwards' '5e-324  0x0.0000000000001p-1022' "$accord" dot "$dir/c" "$dir/d" --rounding up
t 'a naive one' 0 '^naive  nan  not finite$' - "$accord" dot "$dir/c" "$dir/d" --naive
printf '0x1.000001p0\n' >"$dir/near"
t 'factors of a naive product are rounded first' 0 '^naive  1  0x1p\+0  off by 1\.19e-07' - "$accord" dot "$dir/near" "$dir/near" --naive --result f32
s 'text and raw' '5.5  0x1.6p+2' sh -c 'echo 1 2 | "$1" dot - "$2/x.f64"' - "$accord" "$dir"
t 'two counts' 2 - 'a contains 3 numbers, but .*x\.f64 contains 2; give two files with equally many numbers' "$accord" dot "$dir/a" "$dir/x.f64"
t 'two counts of raw files' 2 - 'big\.f64 contains 1 numbers, but .*x\.f64 contains 2' "$accord" dot "$dir/big.f64" "$dir/x.f64"
t 'two counts, the second more' 2 - 'good contains 2 numbers, but .*a contains 3' "$accord" dot "$dir/good" "$dir/a"
t 'two counts in a pipe' 2 - 'standard input contains 5 numbers, but .*a contains 3' sh -c 'echo 1 2 3 4 5 | "$1" dot - "$2"' - "$accord" "$dir/a"
t 'a bad factor' 2 - 'bad: line 1, column 3' "$accord" dot "$dir/good" "$dir/bad"
t 'one file' 2 - 'needs two files' "$accord" dot "$dir/a"
t 'three files' 2 - 'needs two files' "$accord" dot "$dir/a" "$dir/a" "$dir/a"
t 'one pipe for both' 2 - 'once' "$accord" dot - -
printf 'price,count\n0.5,3\n2.25,2\n' >"$dir/bill.csv"
s 'two columns' '6  0x1.8p+2' "$accord" dot "$dir/bill.csv" "$dir/bill.csv" --column price --second-column count
t 'an empty field of a dot product' 2 - 'an empty field; write a number there' sh -c 'printf "1,\n" | "$1" dot - "$2" --separator , --column 2 --second-column 1' - "$accord" "$dir/a"
: >"$dir/nothing"
t 'of nothing' 0 '^0  0x0p' 'no numbers' "$accord" dot "$dir/nothing" "$dir/nothing"
t 'as JSON' 0 '"verb": "dot",' - "$accord" dot "$dir/a" "$dir/b" --json --naive
is 'which is valid' valid_json "$dir/out"

# ---- the shortest decimals ----
f '123456789' 'digits of f32' 0 '^123456790  0x1\.d6f346p\+26$' - --result f32
f '65504' 'digits of f16' 0 '^65500  0x1\.ffcp\+15$' - --result f16
f '123456789' 'digits of bf16' 0 '^123000000  0x1\.d6p\+26$' - --result bf16
f '3.3895313892515355e38' 'the largest bf16' 0 '^3\.39e\+38  ' - --result bf16
f '0x1p-44' 'a power of two' 0 '^5\.684341886080802e-14  0x1p-44$' -
f '-1200 0.5' 'below zero' 0 '^-1199\.5  ' -

# ---- what --type says ----
if python3 -c 'import numpy' 2>/dev/null; then
    python3 -c 'import numpy as np, sys; a = np.arange(4); d = sys.argv[1]
np.save(d + "/t64.npy", a.astype("<f8")); np.save(d + "/t32.npy", a.astype(">f4"))
a.astype("<f8").tofile(d + "/odd.f32"); a.astype(">f4").tofile(d + "/odd.csv"); a.astype("<f8").tofile(d + "/odd.npy")' "$dir"
    t 'the type of a .npy file, confirmed' 0 '^6  ' - "$accord" sum "$dir/t64.npy" --type f64
    t 'the type of a .npy file, denied' 2 - 't64\.npy holds f64, as its header says; leave --type f32 out' "$accord" sum "$dir/t64.npy" --type f32
    t 'in a dot product' 2 - 't32\.npy holds f32' "$accord" dot "$dir/t32.npy" "$dir/t32.npy" --type f64
    t 'its byte order, confirmed' 0 '^6  ' - "$accord" sum "$dir/t32.npy" --type f32 --big-endian
    t 'its byte order, denied' 2 - 'lowest byte .*leave --big-endian out' "$accord" sum "$dir/t64.npy" --big-endian
    t 'a type against the name' 0 '^6  ' - "$accord" sum "$dir/odd.f32" --type f64
    t 'a type against the name of a table' 0 '^6  ' - "$accord" sum "$dir/odd.csv" --type f32 --big-endian
    t 'a type against the name of an array' 0 '^6  ' - "$accord" sum "$dir/odd.npy" --type f64
    t 'and against columns' 2 - 'is raw and has no columns' "$accord" sum "$dir/odd.csv" --type f32 --column 1
else
    skip '--type and .npy files' 'there is no NumPy'
fi

# ---- saved sums ----
printf '1e300 1 -3' >"$dir/p1"
printf -- '-1e300 0x1p-1074 5e-1' >"$dir/p2"
"$accord" sum "$dir/p1" --save "$dir/p1.sum" >/dev/null
"$accord" sum "$dir/p2" --save "$dir/p2.sum" >/dev/null
s 'merged' '-1.5  -0x1.8p+0' "$accord" sum --merge "$dir/p1.sum" "$dir/p2.sum"
s 'merged, every bit' '-1.4999999999999998  -0x1.7ffffffffffffp+0' "$accord" sum --merge "$dir/p2.sum" "$dir/p1.sum" --rounding up
s 'recognized' '1.5  0x1.8p+0' sh -c 'echo 3 | "$1" sum "$2/p1.sum" - "$2/p2.sum"' - "$accord" "$dir"
s 'from a pipe' '1e+300  0x1.7e43c8800759cp+996' sh -c 'cat "$2/p1.sum" | "$1" sum --merge -' - "$accord" "$dir"
"$accord" sum "$dir/p2" "$dir/p1" --save "$dir/both.sum" >/dev/null
"$accord" sum --merge "$dir/p1.sum" "$dir/p2.sum" --save "$dir/merged.sum" >/dev/null
is 'the same terms are the same bytes' cmp "$dir/both.sum" "$dir/merged.sum"
t 'terms are counted' 0 '"terms": 6,' - "$accord" sum --merge "$dir/merged.sum" --json
is 'as many bytes as documented' [ "$(wc -c <"$dir/both.sum")" = 364 ]
t 'numbers are not merged' 2 - 'p1 is not a saved sum; leave --merge out' "$accord" sum --merge "$dir/p1"
t 'nothing is not merged' 2 - 'nothing is not a saved sum' "$accord" sum --merge "$dir/nothing"
head -c 363 "$dir/p1.sum" >"$dir/cut.sum"
t 'a saved sum cut short' 2 - 'cut\.sum: the saved accumulator has 363 bytes instead of 364' "$accord" sum --merge "$dir/cut.sum"
{ cat "$dir/p1.sum"; echo; } >"$dir/cut.sum"
t 'a saved sum with more behind' 2 - 'cut\.sum: the saved accumulator has 365 bytes' "$accord" sum "$dir/cut.sum"
{ head -c 100 "$dir/p1.sum"; printf x; tail -c 263 "$dir/p1.sum"; } >"$dir/cut.sum"
t 'a damaged saved sum' 2 - 'cut\.sum: the saved accumulator is damaged: its checksum is wrong' "$accord" sum --merge "$dir/p2.sum" "$dir/cut.sum"
{ printf 'accordEX\002'; tail -c 355 "$dir/p1.sum"; } >"$dir/cut.sum"
t 'a saved sum of another version' 3 - 'version 2' "$accord" sum --merge "$dir/cut.sum"
printf 'accordEX' >"$dir/cut.sum"
t 'nothing but magic' 2 - 'cut\.sum: ' "$accord" sum "$dir/cut.sum"
"$accord" dot "$dir/a" "$dir/b" --save "$dir/a.dot" >/dev/null
"$accord" dot "$dir/c" "$dir/d" --save "$dir/c.dot" >/dev/null
s 'merged products' '14.000000000000002  0x1.c000000000001p+3' "$accord" dot --merge "$dir/a.dot" "$dir/c.dot" --rounding up
is 'as many bytes as documented' [ "$(wc -c <"$dir/a.dot")" = 628 ]
t 'a sum of products is no sum' 2 - 'a\.dot is a sum of products; accord dot --merge takes it' "$accord" sum --merge "$dir/p1.sum" "$dir/a.dot"
t 'a sum is none of products' 2 - 'p1\.sum is a sum, not one of products' "$accord" dot --merge "$dir/a.dot" "$dir/p1.sum"
for file in odd.npy odd.csv odd.f32 odd; do
    "$accord" sum "$dir/p1" --save "$dir/$file" >/dev/null
    s "saved as $file" '1e+300  0x1.7e43c8800759cp+996' "$accord" sum "$dir/$file"
    is "and merged" "$accord" sum --merge "$dir/$file" "$dir/$file"
    "$accord" dot "$dir/a" "$dir/b" --save "$dir/$file" >/dev/null
    is "products saved as $file" "$accord" dot --merge "$dir/$file" "$dir/$file"
done
for terms in '' nan inf 'inf -inf' '-0' '-0 0' '1e308 1e308 1e308' '5e-324' '1 -1'; do
    for result in f64 f32 f16 bf16; do
        echo "$terms" >"$dir/terms"
        "$accord" sum "$dir/terms" --result $result --save "$dir/terms.sum" -q >"$dir/said"
        s "saved and read: '$terms' as $result" "$(cat "$dir/said")" "$accord" sum --merge "$dir/terms.sum" --result $result -q
        "$accord" dot "$dir/terms" "$dir/terms" --result $result --save "$dir/terms.dot" -q >"$dir/said"
        s "and products" "$(cat "$dir/said")" "$accord" dot --merge "$dir/terms.dot" --result $result -q
    done
done
t 'a type for a saved sum' 2 - 'is a saved sum, not raw numbers; leave --type out' "$accord" sum "$dir/p1.sum" --type f64
t 'products of saved sums' 2 - 'p1\.sum is a saved sum, not a file of numbers' "$accord" dot "$dir/p1.sum" "$dir/a"
t 'merged numbers of a dot product' 2 - 'a is not a saved sum' "$accord" dot --merge "$dir/a" "$dir/b"
t 'a saved sum is no array' 2 - 'p1\.sum is a saved sum, not a file of numbers' sh -c 'echo "(0+1)" | "$1" replay - -i "$2" -q' - "$accord" "$dir/p1.sum"
t '--save with --decimal' 2 - 'contradict' "$accord" sum "$dir/p1" --decimal --save "$dir/x.sum"
for with in --decimal --naive '--group-by 1 --column 2'; do
    # shellcheck disable=SC2086 # options are words
    t "--merge with $with" 2 - 'contradict' "$accord" sum --merge "$dir/p1.sum" $with
    # shellcheck disable=SC2086 # options are words
    t "a saved sum with $with" 2 - 'saved' "$accord" sum "$dir/p1.sum" $with
done
t '--merge of products with --naive' 2 - 'contradict' "$accord" dot --merge "$dir/a.dot" --naive

# ---- what is written ----
cp "$dir/p1.sum" "$dir/old.sum"
t 'bad numbers' 2 - 'not a number' "$accord" sum "$dir/bad" --save "$dir/old.sum" -o "$dir/answer"
is 'leave the old file whole' cmp "$dir/p1.sum" "$dir/old.sum"
is 'and write no answer' [ ! -e "$dir/answer" ]
t 'no such folder' 2 - 'cannot write .*; give another path with --save' "$accord" sum - --save "$dir/none/x.sum"
t 'a folder to save in' 2 - 'Is a directory' "$accord" sum - --save "$dir"
t 'to a file' 0 - - "$accord" sum "$dir/a" -o "$dir/answer"
is 'which holds it' grep -qx '6  0x1.8p+2' "$dir/answer"
if [ -e /dev/full ]; then
    t 'full standard output' 2 - 'No space' sh -c '"$1" sum "$2" >/dev/full' - "$accord" "$dir/a"
    t 'full disk' 2 - 'No space.*--save' "$accord" sum "$dir/a" --save /dev/full
fi
t 'a closed pipe' 141 - - sh -c '{ sleep 0.3; "$1" sum "$2"; echo $? >"$3"; } | true; exit $(cat "$3")' - "$accord" "$dir/a" "$dir/status"

no_more() { [ "$(ls "$dir"/old.sum*)" = "$dir/old.sum" ]; }
for signal in TERM KILL; do
    mkfifo "$dir/fifo"
    "$accord" sum "$dir/fifo" --save "$dir/old.sum" </dev/null >"$dir/out" 2>"$dir/err" &
    child=$!
    { echo 1 2 3; sleep 0.3; kill -$signal $child; sleep 0.2; } >"$dir/fifo"
    status=0
    wait $child 2>/dev/null || status=$?
    if [ $signal = TERM ]; then
        judge "killed half-way: $signal" 143 $status - 'interrupted before the end'
    else
        is "killed half-way: $signal" [ "$status" = 137 ]
    fi
    is 'the old file is whole' cmp "$dir/p1.sum" "$dir/old.sum"
    is 'and nothing beside it' no_more
    rm "$dir/fifo"
done

# ---- long input ----
# shellcheck disable=SC3045 # dash and bash have ulimit -v
if sh -c 'ulimit -v 400000 && "$1" --version; exit $?' - "$accord" >/dev/null 2>&1; then
    small() { (ulimit -v 90000 && "$accord" sum "$@"); }
    s 'a long stream of text in little memory' '5000000  0x1.312dp+22' sh -c \
        'yes 0.25 | head -c 100000000 | (ulimit -v 90000 && "$1" sum - --threads 2)' - "$accord"
    s 'a long stream of raw numbers in little memory' '0  0x0p+0' sh -c \
        'head -c 300000000 /dev/zero | (ulimit -v 90000 && "$1" sum - --type f32)' - "$accord"
    truncate -s 300M "$dir/zeros.f64"
    s 'a file of more than memory' '0  0x0p+0' small "$dir/zeros.f64" --threads 2
    s 'a dot product of more than memory' '0  0x0p+0' sh -c \
        '(ulimit -v 90000 && "$1" dot "$2" "$2")' - "$accord" "$dir/zeros.f64"
    rm "$dir/zeros.f64"
else
    skip 'long input in little memory' 'this build needs more address space'
fi
f "$(printf '1%01000000d' 0 | sed 's/^/0./')" 'a number of a million digits' 0 '^0\.1  ' -
{ printf '"'; head -c 17000000 /dev/zero | tr '\0' a; } >"$dir/quote.csv"
t 'a line without end' 2 - 'line 1 is longer than 16777216 bytes; .*quote that is not closed' "$accord" sum "$dir/quote.csv" --column 1
rm "$dir/quote.csv"

# Somebody empties a file that is being added: 64 GiB of nothing, of which there is no end so soon.
if [ -r /proc/self/maps ] && truncate -s 64G "$dir/hole.f64" 2>/dev/null; then
    "$accord" sum "$dir/hole.f64" --threads 1 </dev/null >"$dir/out" 2>"$dir/err" &
    child=$!
    while [ -d /proc/$child ] && ! grep -q hole.f64 /proc/$child/maps 2>/dev/null; do sleep 0.01; done
    : >"$dir/hole.f64"
    status=0
    wait $child || status=$?
    judge 'a file emptied by somebody' 2 $status - 'became shorter while it was read'
else
    skip 'a file emptied by somebody' 'no such files here'
fi

# ---- on a terminal ----
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1 </dev/null; then
    escape=$(printf '\r\033\\[K')
    mkfifo "$dir/slow"
    on_terminal() { TERM=xterm script -qec "'$accord' sum '$dir/slow' $1 -o '$dir/answer'" /dev/null; }
    slowly() { { sleep 0.7; yes 1 | head -n 1000000; } >"$dir/slow" & }
    slowly
    on_terminal '' >"$dir/bar" 2>&1 </dev/null
    is 'a bar when it takes long' grep -q "${escape}sum: MB [0-9]" "$dir/bar"
    is 'gone at the end' sh -c 'tail -c 4 "$1" | grep -q "\[K"' - "$dir/bar"
    slowly
    on_terminal --quiet >"$dir/bar" 2>&1 </dev/null
    is 'no bar with --quiet' [ ! -s "$dir/bar" ]
else
    skip 'the bar' 'no terminal can be made here'
fi

echo "1..$number"
