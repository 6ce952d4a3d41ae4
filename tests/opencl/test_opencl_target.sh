#!/bin/sh
# opencl: targets from outside: test_opencl_target.sh ACCORD SUM.CL. Speaks TAP: ../cli/tap.sh.
set -u
accord=$1
source=$2
case $accord in /*) ;; *) accord=$PWD/$accord ;; esac
[ -x "$accord" ] || { echo "Bail out! there is no $accord"; exit 1; }
here=$(cd "$(dirname "$0")/../cli" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM
unset NO_COLOR CLICOLOR_FORCE COLUMNS ACCORD_OPENCL_OPTIONS
. "$here/tap.sh"
cd "$dir" || exit 1
cp "$source" sum.cl
if ! "$accord" reveal opencl:sum.cl:sum -n 4 -O text >out 2>err; then
    if grep -qE 'no libOpenCL|finds no device|no OpenCL device has doubles|worker was not found' err; then
        echo "1..0 # SKIP $(cat err)"
        exit 0
    fi
fi
t 'one work-item' 0 'notation +9: chain' - "$accord" reveal opencl:sum.cl:sum -n 9
is 'the record names device, driver and options' sh -c 'tr -s " \n" " " <out | grep -q ", driver .*, options .*; no products"'
folded=opencl:sum.cl:fold,local=8,global=32,arguments=x+n+out+local
t 'the host adds parts' 0 'notation +64: lanes 32; halves in 8s; chain$' - "$accord" reveal "$folded,parts=4" -n 64
t 'a kernel adds them' 0 'notation +64: lanes 32; halves in 8s; halves$' - "$accord" reveal "$folded,parts=4,then=fold" -n 64
t 'doubles' 0 'terms of f64' - "$accord" reveal "$folded,parts=4,build=-DREAL=double" --format f64 -n 64
t 'and how they are added' 0 '"name": "f64"|f64' - "$accord" reveal "$folded,parts=4,build=-DREAL=double" --format f64 -n 20 --json

sed 's/^#ifndef REAL/#pragma OPENCL FP_CONTRACT OFF\n&/' sum.cl >off.cl
products=products,arguments=x+ones+n+out
t 'products rounded' 0 'no product seen fused' - "$accord" reveal "opencl:off.cl:$products" -n 9 --json
cat >fused.cl <<'END'
__kernel void products(__global const float *x, __global const float *y, uint n, __global float *out)
{
    float s = 0;
    for (uint i = 0; i < n; i++)
        s = fma(x[i], y[i], s);
    *out = s;
}
END
t 'products fused' 0 'products fused or wide' - "$accord" reveal "opencl:fused.cl:$products" -n 9 --json

cat >order.cl <<'END'
__kernel void sum(__global const float *x, uint n, __global float *out)
{
    float s = 0;
    for (uint i = 0; i < n; i++)
#ifdef BACK
        s += x[n - 1 - i];
#else
        s += x[i];
#endif
    *out = s;
}
END
t 'options sweep' 1 'A +no build-options|no build-options' - "$accord" sweep opencl:order.cl:sum -n 6 --build-options ',-DBACK,-DOTHER' -q
is 'two groups' sh -c 'grep -q "B" out && ! grep -q " C " out'
t 'same options' 0 '*' - "$accord" sweep opencl:order.cl:sum -n 6 --build-options '-DBACK,-DBACK=2' -q
t 'options of another kind' 2 - 'is for opencl: targets' "$accord" sweep synthetic:pairwise -n 6 --build-options x
t 'saved' 0 - - "$accord" reveal opencl:order.cl:sum -n 6 --json -o order.json
t 'checked' 0 '*' - "$accord" check opencl:order.cl:sum order.json
t 'another order' 1 '*' - "$accord" check opencl:order.cl:sum,build=-DBACK order.json

# One message each.
t 'no file' 4 - 'cannot read nowhere.cl: No such file' "$accord" reveal opencl:nowhere.cl:sum -n 6
t 'no kernel' 4 - 'contains no kernel nosuch' "$accord" reveal opencl:sum.cl:nosuch -n 6
t 'no second kernel' 4 - 'contains no kernel nosuch' "$accord" reveal "$folded,parts=4,then=nosuch" -n 6
t 'no C' 4 - ':[0-9]+:[0-9]+.*floot' "$accord" reveal opencl:sum.cl:sum,build=-DREAL=floot -n 6
t 'no options' 4 - 'CL_INVALID_BUILD_OPTIONS|floot|frobnicate' "$accord" reveal opencl:sum.cl:sum,build=-frobnicate -n 6
t 'no device' 4 - 'no OpenCL device nosuch' "$accord" reveal opencl:sum.cl:sum,device=nosuch -n 6
t 'too few arguments' 4 - 'takes 3 arguments, not 2' "$accord" reveal opencl:sum.cl:sum,arguments=x+out -n 6
t 'wrong arguments' 4 - 'set argument 1' "$accord" reveal opencl:sum.cl:sum,arguments=n+x+out -n 6
t 'too large a group' 4 - 'groups of at most' "$accord" reveal opencl:sum.cl:sum,local=1000000 -n 6
t 'more parts than said' 4 - 'left 4 results or more, not 1' "$accord" reveal "$folded" -n 64
t 'fewer parts than said' 3 '*' '*' "$accord" reveal opencl:sum.cl:sum,parts=2 -n 6
t 'no such numbers' 3 - 'f32 or f64, not bf16' "$accord" reveal opencl:sum.cl:sum -n 6 --format bf16
cat >hang.cl <<'END'
__kernel void sum(__global const float *x, uint n, __global volatile float *out)
{
    out[0] = 1;
    while (out[0] == 1)
        ;
}
END
t 'a kernel that hangs' 4 - 'did not answer within 2 s' "$accord" reveal opencl:hang.cl:sum -n 6 --timeout 2
echo "1..$number"
