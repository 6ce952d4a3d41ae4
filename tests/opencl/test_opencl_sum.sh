#!/bin/sh
# accord sum and accord dot on a device: test_opencl_sum.sh ACCORD [PLANTED], a libOpenCL.so.1 made of
# planted.c. Speaks TAP: ../cli/tap.sh.
set -u
accord=$1 planted=${2:-}
. "$(dirname "$0")/../cli/tap.sh"
planted=$(absolute "$planted")
unset ACCORD_OPENCL_OPTIONS ACCORD_OPENCL_LIBRARY
unset LD_LIBRARY_PATH # meson puts the folder of PLANTED there
cd "$dir" || exit 1
if ! echo 1 | "$accord" sum - --device opencl >out 2>err; then
    if grep -qE 'no lib|finds no device|has doubles|lacks' err; then
        echo "1..0 # SKIP $(cat err)"
        exit 0
    fi
fi
python3 - "${ACCORD_TEST_SEED:-1}" <<'END'
import random, struct, sys
draw = random.Random(int(sys.argv[1], 0))
def number():
    kind = draw.randrange(4)
    return (draw.gauss(0, 1) * 10.0 ** draw.uniform(-300, 300), draw.gauss(0, 1), 0.0, 5e-324 * draw.randrange(99))[kind]
x = [number() for _ in range(200000)] * 6  # more than go to a device at once
y = x[77777:] + x[:77777]
for name, form, numbers in (("x.f64", "d", x), ("y.f64", "d", y), ("x.f32", "f", [v if abs(v) < 1e38 else 1.0 for v in x])):
    with open(name, "wb") as file:
        file.write(struct.pack("<%d%s" % (len(numbers), form), *numbers))
with open("x.txt", "w") as file:
    file.writelines("%r\n" % v for v in x[:5000])
END
same() { # NAME COMMAND...
    name=$1
    shift
    "$accord" "$@" --json >cpu.out 2>&1
    t "$name" 0 '"sum_hex"' - "$accord" "$@" --json --device opencl
    is "$name: the same bits" cmp cpu.out out
}
same 'f64' sum x.f64
same 'f32' sum x.f32
same 'text' sum x.txt
same 'several files' sum x.txt y.f64 x.f32 --rounding up
same 'another result' sum x.f64 --result f32
same 'a column' sum x.txt --column 1 --separator ,
same 'a product' dot x.f64 y.f64
same 'of f32' dot x.f32 x.f32
same 'of f32 and f64' dot x.f32 y.f64 --rounding down
"$accord" sum x.f64 --save cpu.sum -q >/dev/null
t 'saved' 0 '*' - "$accord" sum x.f64 --device opencl --save device.sum
is 'the same bytes' cmp cpu.sum device.sum
"$accord" dot x.f64 y.f64 --save cpu.dot -q >/dev/null
t 'a saved product' 0 '*' - "$accord" dot x.f64 y.f64 --device opencl:0 --save device.dot
is 'the same bytes of a product' cmp cpu.dot device.dot
t 'a saved sum and numbers' 0 '*' - "$accord" sum cpu.sum x.txt --device opencl
echo '1 nan inf' >odd.txt
t 'not finite' 0 '^nan$' 'not finite: 1 nan, 1 inf' "$accord" sum odd.txt --device opencl
: >nothing.txt
t 'no numbers' 0 '^0 ' 'no numbers' "$accord" sum nothing.txt --device opencl

# One message each, and nothing printed.
t 'no such device' 2 - 'no OpenCL device 77; .*: 0 is ' "$accord" sum x.txt --device opencl:77
t 'no such kind' 2 - 'no device gpu' "$accord" sum x.txt --device gpu
t 'no name' 2 - 'no device opencl: for' "$accord" dot x.f64 y.f64 --device opencl:
for option in --decimal --naive '--group-by 1' '--merge' '--threads 2'; do
    # shellcheck disable=SC2086
    t "with $option" 2 - "--device and ${option%% *} contradict" "$accord" sum x.txt --column 1 --device opencl $option
done
t 'a bad number' 2 - 'line 1, column 3' sh -c 'echo "1 x" | "$0" sum - --device opencl' "$accord"
t 'unequal files' 2 - 'equally many numbers' "$accord" dot x.f64 x.txt --device opencl
export OCL_ICD_VENDORS=/no/such/folder
t 'no device' 3 - 'OpenCL finds no device|no OpenCL device' "$accord" sum x.txt --device opencl
unset OCL_ICD_VENDORS
t 'no library' 3 - 'ACCORD_OPENCL_LIBRARY is .*, which cannot be opened' env ACCORD_OPENCL_LIBRARY=/no/lib.so "$accord" sum x.txt --device opencl

real=$(ldconfig -p 2>/dev/null | sed -n 's/.*libOpenCL\.so\.1 .*=> //p' | head -n 1)
if [ -z "$planted" ] || [ ! -e "$real" ]; then
    number=$((number + 1))
    echo "ok $number - devices with faults # SKIP no libOpenCL.so.1 was found by ldconfig"
else
    export ACCORD_PLANTED_OPENCL="$real" LD_LIBRARY_PATH="${planted%/*}"
    t 'no fault' 0 '*' - "$accord" sum x.txt --device opencl
    export ACCORD_PLANTED_FAULT=cl_khr_fp64
    t 'no doubles' 3 - 'no OpenCL device has doubles' "$accord" sum x.txt --device opencl
    t 'no doubles of the one that is named' 3 - 'has no doubles' "$accord" sum x.txt --device opencl:0
    export ACCORD_PLANTED_FAULT=cl_khr_int64_base_atomics
    t 'no atomics' 3 - 'lacks atomics on 64 bits' "$accord" sum x.txt --device opencl
    export ACCORD_PLANTED_FAULT=two-sum
    t 'a wrong TwoSum' 3 - 'computes TwoSum of .* exact sums are not possible' "$accord" sum x.txt --device opencl
    export ACCORD_PLANTED_FAULT=two-product
    t 'a wrong TwoProduct' 3 - 'computes TwoProduct of' "$accord" dot x.f64 y.f64 --device opencl
    export ACCORD_PLANTED_FAULT=launch
    t 'kernels that do not start' 4 - 'CL_OUT_OF_RESOURCES' "$accord" sum x.txt --device opencl
fi
echo "1..$number"
