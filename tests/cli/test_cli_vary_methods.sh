#!/bin/sh
# accord vary with methods of reduction, from outside: test_cli_vary_methods.sh ACCORD. Speaks TAP:
# tap.sh.
set -u
accord=$1
. "$(dirname "$0")/tap.sh"
cd "$dir" || exit 1

# ---- the V100 ----
t 'three sums of a V100' 0 '^3 of 3 sums on threads have the bits of the V100$' - "$accord" vary --cross-platform --arrays 3 -q
t 'simulated, JSON' 0 '"equal": 2,' - "$accord" vary --cross-platform --arrays 2 --device simulation --json -q
is 'valid JSON' valid_json out
t 'too many arrays' 2 - '*' "$accord" vary --cross-platform --arrays 101
# Where there is a device the bits are right; where there is none one line says so.
"$accord" vary --cross-platform --device opencl --arrays 1 -q </dev/null >opencl.out 2>opencl.err
opencl=$?
case $opencl in
    3) is 'no OpenCL' grep -q '^accord: ' opencl.err ;;
    *) is 'OpenCL' grep -q '^1 of 1 sums on opencl have the bits of the V100$' opencl.out ;;
esac
t 'no table' 2 - '*' "$accord" vary --cross-platform --output csv

# ---- spread ----
t 'fixed orders' 0 'SPTR  *300  *64  *3  *-  *1  *0 ' - "$accord" vary --method SPTR,TPRC -n 300 --runs 20 -q
t 'orders of arrival' 1 'depend on the order' - "$accord" vary --method AO -n 1000 --runs 50 -q
t 'again' 1 . - "$accord" vary --method AO -n 1000 --runs 50 --json -q
cp out first
t 'and again' 1 . - "$accord" vary --method AO -n 1000 --runs 50 --threads 3 --json -q
is 'the same results' python3 -c '
import json
a, b = (json.load(open(name))["rows"][0] for name in ("first", "out"))
assert a["results"] == b["results"] and a["distinct"] == len(set(a["results"])) > 5
x = [float.fromhex(v) for v in a["results"]]
d, = map(float.fromhex, a["reference"])
assert a["max_vs"] == max(abs(1 - abs(v / d)) for v in x)
assert a["undefined"] == 0 and a["parts"] == 1000'
is 'the exact sum, the bound and the prediction' python3 -c '
import json
from fractions import Fraction
row = json.load(open("out"))["rows"][0]
exact, bound, predicted = (row[name][0] for name in ("exact", "bound", "predicted"))
x = [Fraction(float.fromhex(v)) for v in row["results"]]
distances = [abs(v - Fraction(float.fromhex(exact))) for v in x]
assert 0 < max(distances) <= bound < 1e4 * max(distances)
mean = sum(x) / len(x)
deviation = float(sum((v - mean) ** 2 for v in x) / len(x)) ** .5
assert .5 < deviation / predicted < 1.6'
t 'fewer parts vary less' 1 . - "$accord" vary --method AO,SPA,SPTR -n 3000 --runs 50 --arrays 2 --json -q
is 'predictions' python3 -c '
import json
ao, spa, sptr = (row["predicted"] for row in json.load(open("out"))["rows"])
assert len(ao) == 2 and sptr == [0, 0] and all(3 * b < a and b > 0 for a, b in zip(ao, spa))'
t 'arrays' 1 '^20 sums of 4 arrays' - "$accord" vary --method AO -n 1000 --runs 20 --arrays 4 -q
t 'waves of one worker' 0 'AO ' - "$accord" vary --method AO -n 1000 --runs 20 --schedule waves:1,1 -q
t 'one sample of one term' 0 'AO  *1  *-  *1  *-  *1  *0  *0 ' - "$accord" vary --method AO -n 1 --runs 1 -q
t 'threads' 0 'SPRG  *1000  *64  *8  *4 ' - "$accord" vary --method SPRG -n 1000 --runs 5 --device threads --threads 4 -q
# shellcheck disable=SC2016 # its own shell
t 'atomic additions of threads' 0 'AO  *1000 .* [0-9]+e?-?[0-9]* ' - sh -c '"$@"; [ $? -le 1 ]' - "$accord" vary --method AO -n 1000 --runs 5 --device threads -q

# ---- two devices ----
t 'a simulation against itself' 0 'against simulation: 1 distinct results there, 1 in both; distance of the distributions 0.000, p = 1: no difference' - "$accord" vary --method SPTR -n 1000 --runs 20 --against simulation -q
t 'fixed orders on threads' 0 '"p": 1.0' - "$accord" vary --method TPRC -n 1000 --runs 20 --against threads --json -q
t 'against in times' 2 - '*' "$accord" vary --performance --against threads

# ---- pictures ----
count() { [ "$(grep -o "$1" out | wc -l)" -eq "$2" ]; }
t 'pictures' 1 '>Variability of SPA, n = 9000<' - "$accord" vary --method AO,SPA,SPTR -n 3000,9000 --runs 40 -O svg -q
is 'well formed' python3 -c 'import xml.dom.minidom as m; m.parse("out")'
is 'one for each method that varies, one of distances, one of growth' count 'class="title"' 4
is 'a normal distribution and a power law for each' count 'class="line' 7
is 'no figure that is none' sh -c '! grep -Eiq "[^a-z](nan|inf)[^a-z]" out'
t 'nothing varies' 0 'there is none' - "$accord" vary --method SPTR -n 300 --runs 4 -O svg -q
t 'two devices on a page' 1 'Distance of the distributions [01].*: ' - "$accord" vary --method SPA -n 3000 --runs 40 --against simulation -O html -q
is 'both in the picture' count '>simulation</text>' 2
is 'the report, too' grep -q 'distinct results there' out
t 'pictures of times' 2 - 'times and turns' "$accord" vary --performance -O svg

# ---- the layouts of test_reduce ----
t 'a row for each length' 1 '^10,' - "$accord" vary -S 7 --min_reduction_size 10 --max_reduction_size 300 -d normal -c 1 --standard_deviation 2 -A 3 -r 0xa238abdf --atomic_only --output csv -q
is 'lengths and figures' python3 -c '
rows = [line.rstrip("\n").split(",") for line in open("out")]
assert [int(row[0]) for row in rows] == [10, 100, 300]
assert all(len(row) == 8 and max(abs(float(f)) for f in row[1:]) < 1e-14 for row in rows)'
t 'a row for each grid' 1 '^16,' - "$accord" vary --method SPA -n 10000 --grid 8,16,32 --runs 4 --output csv -q
t 'one method' 2 - '*' "$accord" vary --method SPA,AO -n 10 --output csv -q
t 'times' 0 '^single_pass_gpu_shared,128,7,[0-9.]{17,},[0-9.]{17,}$' - "$accord" vary --performance --method SPTR -n 10000 --block 128 --grid 7 --runs 3 --output csv -q
t 'turns' 0 '^0,1,2,3,4,5,6,7$' - "$accord" vary --mapping -n 1000 --runs 2 --device simulation --schedule waves:1,1 --output csv -q
t 'turns of one thread' 0 '^0,1,2,3,4,5,6,7$' - "$accord" vary --mapping -n 1000 --runs 2 --threads 1 --output csv -q

is 'figures of all layouts, computed once more' python3 "$here/vary_layouts.py" "$accord"

# ---- files ----
printf '1 1e300 -1e300\n0 0 0\n' >numbers.txt
t 'a file' 1 '^8 sums of 2 arrays' - "$accord" vary --method AO -d file --inputs numbers.txt -n 3 --runs 8 -q
printf '1 2 3\n4 5 6\n' >rows.txt
t 'a row for each array' 0 '^8 sums of 2 arrays' - "$accord" vary --method AO --inputs rows.txt --runs 8 -q
printf '1 2 3\n4 5\n' >uneven.txt
t 'rows of other lengths' 2 - 'uneven.txt holds 3 numbers in its first line and 2 in line 2; give as many' "$accord" vary --method AO --inputs uneven.txt
printf '1\n2\n3\n' >column.txt
t 'a number on each line' 0 '^8 sums of 1 array,' - "$accord" vary --method AO --inputs column.txt --runs 8 -q
: >empty.txt
t 'an empty file' 2 - 'empty.txt is empty; numbers were expected' "$accord" vary --method AO --inputs empty.txt
printf 'nan 1 2\n' >nan.txt
t 'NaN' 0 'AO  *3 .* 1 ' - "$accord" vary --method AO --inputs nan.txt --runs 8 -q
printf '0 0 0\n' >zeros.txt
t 'zeros' 0 '"undefined": 0' - "$accord" vary --method AO --inputs zeros.txt --runs 8 --json -q
is 'valid JSON of zeros' valid_json out
printf '1e300 -1e300 1\n' >cancel.txt
t 'a reference that is 0' 1 '"undefined": [1-9]' - "$accord" vary --method AO --inputs cancel.txt --runs 20 --json -q
t 'and its picture' 1 'Vs is not defined' - "$accord" vary --method AO --inputs cancel.txt --runs 20 -O svg -q
t 'a picture of NaN' 0 'there is none' - "$accord" vary --method AO --inputs nan.txt --runs 8 -O svg -q
printf '1e308 1e308 -1e308\n' >over.txt
t 'results that overflow' 1 '"undefined": 0' - "$accord" vary --method AO --inputs over.txt --runs 20 --json -q
is 'valid JSON of infinities' valid_json out
is 'some overflow, others do not' grep -q '"max_vs": null' out
t 'infinite errors' 1 '^3,(-?[0-9.e+-]+,)*inf' - "$accord" vary --method AO --inputs over.txt --runs 20 --output csv -q
printf 'inf 1 2\n' >inf.txt
t 'infinite sums' 0 'SPA  *3 .* 1  *0  *0 ' - "$accord" vary --method SPA --inputs inf.txt --runs 8 -q
t 'no order of a compensated sum' 0 'TPRC-kahan .* 1  *0  *- ' - "$accord" vary --method TPRC-kahan --inputs inf.txt --runs 8 -q
printf '.1 .1 .1 .1 .1 .1 .1\n' >equal.txt
t 'equal terms' 0 'AO  *7 .* 1  *0 ' - "$accord" vary --method AO --inputs equal.txt --runs 20 -q
t 'longer than the file' 2 - '*' "$accord" vary --method AO --inputs cancel.txt -n 4
t 'no file' 2 - '*' "$accord" vary --method AO -d file
t 'two kinds of numbers' 2 - '*' "$accord" vary --method AO -d normal --inputs cancel.txt

# ---- sweeps ----
printf '{"method": ["AO", "SPA"], "n": "100,200", "runs": 5, "output": "json"}' >sweep.json
t 'a sweep' 1 '"method": "SPA"' - "$accord" vary --sweep sweep.json -q
t 'changed' 0 '^1 sum of 1 array' - "$accord" vary --sweep sweep.json --runs 1 --output report -q
printf '{"methot": "AO"}' >wrong.json
t 'a wrong name' 2 - '*' "$accord" vary --sweep wrong.json
printf '{"method": {}}' >wrong.json
t 'a wrong value' 2 - '*' "$accord" vary --sweep wrong.json
printf '[1' >wrong.json
t 'no JSON' 2 - '*' "$accord" vary --sweep wrong.json

# ---- refused ----
t 'CUB' 3 - 'CUDA' "$accord" vary --method CU
t 'an unknown method' 2 - 'did you mean SPA' "$accord" vary --method SPX
t 'a block of 48' 2 - 'power of two' "$accord" vary --method SPA --block 48
t 'a target too' 2 - '*' "$accord" vary --method SPA synthetic:sequential
t 'an option of targets' 2 - 'for targets' "$accord" vary --method SPA --load
t 'an option of methods' 2 - 'give --method' "$accord" vary synthetic:sequential -n 8 --block 64
t 'no such device' 2 - 'choose simulation, threads, opencl' "$accord" vary --method SPA --device gpu
t 'no device to compare with' 2 - '.*against gpu: there is no such device' "$accord" vary --method SPA --against gpu
[ "$opencl" = 3 ] || t 'no such OpenCL device' 2 - 'there is no OpenCL device 77; name one by its number or a part of its name: 0 is ' "$accord" vary --method SPA --device opencl:77
t 'a schedule of threads' 2 - '*' "$accord" vary --method SPA --device threads --schedule permutation
t 'a large seed' 2 - '*' "$accord" vary --method SPA --seed 0x100000000
t 'lengths twice' 2 - '*' "$accord" vary --method SPA -n 8 --max_reduction_size 8
t 'no runs' 2 - 'runs 0: give an integer of at least 1' "$accord" vary --method SPA --runs 0
t 'no terms' 2 - 'n 0: less than 1' "$accord" vary --method SPA -n 0
t 'an amplitude that is no number' 2 - 'give a number' "$accord" vary --method SPA -A nan
# shellcheck disable=SC2016 # its own shell
t 'a closed output' 2 - 'cannot write to standard output' sh -c '"$@" >&-' - "$accord" vary --method AO -n 10 --runs 2 --output csv -q
t 'an amplitude of 0' 2 - '*' "$accord" vary --method SPA -A 0

echo "1..$number"
