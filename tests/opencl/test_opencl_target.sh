#!/bin/sh
# opencl: targets from outside: test_opencl_target.sh ACCORD SUM.CL GEMM.CL. Speaks TAP: ../cli/tap.sh.
set -u
accord=$1 source=$2 gemm=$3
. "$(dirname "$0")/../cli/tap.sh"
unset ACCORD_OPENCL_OPTIONS
cd "$dir" || exit 1
# Each case compiles a kernel: what repeats another one is for ACCORD_TEST_SCALE=1, which .ci/run has.
cp "$source" sum.cl
cp "$gemm" gemm.cl
# PoCL's device without threads, where it has that: to wake threads takes longer than these small kernels.
POCL_DEVICES=basic "$accord" reveal opencl:sum.cl:sum -n 4 >out 2>err && export POCL_DEVICES=basic
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
! all_cases || t 'and how they are added' 0 '"name": "f64"|f64' - "$accord" reveal "$folded,parts=4,build=-DREAL=double" --format f64 -n 20 --json

# One file: each that is compiled takes a second.
cat >kernels.cl <<'END'
#pragma OPENCL FP_CONTRACT OFF
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
__kernel void products(__global const float *x, __global const float *y, uint n, __global float *out)
{
    float s = 0;
    for (uint i = 0; i < n; i++)
        s = fma(x[i], y[i], s);
    *out = s;
}
__kernel void either(__global const float *x, __global const float *y, uint n, __global float *out)
{
    float s = 0;
    bool ones = true;
    for (uint i = 0; i < n; i++)
        ones = ones && y[i] == 1;
    for (uint i = 0; i < n; i++)
        s += ones ? x[i] * y[i] : x[n - 1 - i] * y[n - 1 - i];
    *out = s;
}
__kernel void nothing(__global const float *x, uint n, __global float *out) {}
__kernel void more(__global const float *x, uint n, __global float *out)
{
    float s = 0;
    for (uint i = 0; i < n; i++)
        s += x[i];
    *out += s;
}
END
sed 's/^#ifndef REAL/#pragma OPENCL FP_CONTRACT OFF\n&/' sum.cl >off.cl
products=products,arguments=x+ones+n+out
! all_cases || t 'products rounded' 0 'no product seen fused' - "$accord" reveal "opencl:off.cl:$products" -n 9 --json
t 'products fused' 0 'products fused or wide' - "$accord" reveal "opencl:kernels.cl:$products" -n 9 --json

t 'second factors, fused' 0 'proven.*products fused into the sum' - sh -c '"$@" | tr -s " \n" " "' - \
    "$accord" reveal "opencl:kernels.cl:products,arguments=x+y+n+out" -n 9
! all_cases || t 'second factors, rounded, of doubles' 0 'proven.*products rounded first' - sh -c '"$@" | tr -s " \n" " "' - \
    "$accord" reveal "opencl:off.cl:products,arguments=x+y+n+out,build=-DREAL=double" --format f64 -n 9
t 'an order that second factors change' 3 'not-plain: ' - "$accord" reveal opencl:kernels.cl:either,arguments=x+y+n+out -n 9
for settings in arguments=x+y+y+n+out arguments=x+y+ones+n+out arguments=x+y+n+out,rows=2 arguments=x+y+n+out,parts=2,then=either; do
    t "second factors and $settings" 2 - 'y, the second factors, stands once' \
        "$accord" reveal "opencl:kernels.cl:either,$settings" -n 9
done

t 'a kernel that writes nothing' 4 - 'the kernel nothing wrote nothing into its results' "$accord" reveal opencl:kernels.cl:nothing -n 6
! all_cases || t 'nor anything into a grid' 4 - 'the kernel nothing wrote nothing into its results' "$accord" map opencl:kernels.cl:nothing,rows=4 -n 6
t 'one that adds to what stands there' 3 'not-finite: No order' - "$accord" reveal opencl:kernels.cl:more -n 6
t 'options sweep' 1 'A +no build-options|no build-options' - "$accord" sweep opencl:kernels.cl:sum -n 6 --build-options ',-DBACK,-DOTHER' -q
is 'two groups' sh -c 'grep -q "B" out && ! grep -q " C " out'
! all_cases || t 'same options' 0 '*' - "$accord" sweep opencl:kernels.cl:sum -n 6 --build-options '-DBACK,-DBACK=2' -q
t 'options of another kind' 2 - 'is for opencl: targets' "$accord" sweep synthetic:pairwise -n 6 --build-options x
t 'saved' 0 - - "$accord" reveal opencl:kernels.cl:sum -n 6 --json -o order.json
t 'checked' 0 '*' - "$accord" check opencl:kernels.cl:sum order.json
t 'another order' 1 '*' - "$accord" check opencl:kernels.cl:sum,build=-DBACK order.json

# Grids of results.
tiles=opencl:gemm.cl:tiles,local=4x4,arguments=x+ones+n+rows+columns+out
cut=opencl:gemm.cl:cut,parts=2,arguments=xt+ones+n+rows+columns+outt
t 'a product in tiles' 0 '12 x 7 results of 16 terms, 1 class$' - "$accord" map "$tiles,global=8x12,rows=12,columns=7" -n 16
is 'every element of it' grep -q 'every element certified' out
t 'rows in two orders' 0 '5 x 3 results of 10 terms, 2 classes$' - "$accord" map "$cut,global=5x3x2,rows=5,columns=3" -n 10
is 'even ones from the front' grep -q '^ *10: chain in 5s; chain$' out
is 'odd ones from the back' grep -q '^ *10: chain back in 5s; chain$' out
is 'row by row' sh -c '[ "$(grep -cE "^ +[024] AAA$" out)" = 3 ] && [ "$(grep -cE "^ +[13] BBB$" out)" = 2 ]'
t 'a kernel adds their parts' 0 '5 x 3 results of 10 terms, 2 classes$' - "$accord" map "$cut,global=5x3x2,rows=5,columns=3,then=join,then-global=15" -n 10
! all_cases || t 'not of one order' 1 '*' - "$accord" map "$cut,global=5x3x2,rows=5,columns=3" -n 10 --uniform
t 'of one order' 0 '*' - "$accord" map "$tiles,global=8x12,rows=12,columns=7" -n 9 --uniform
t 'one element' 0 '10: chain back in 5s; chain$' - "$accord" reveal "$cut,global=5x3x2,rows=5,columns=3" -n 10 --element 3,1
! all_cases || t 'a row' 0 '1 x 3 results of 8 terms, 1 class$' - "$accord" map "$cut,global=1x3x2,columns=3" -n 8
! all_cases || t 'a column' 0 '4 x 1 results of 8 terms, 2 classes$' - "$accord" map "$cut,global=4x1x2,rows=4" -n 8
! all_cases || t 'of doubles' 0 '3 x 2 results of 9 terms, 2 classes$' - "$accord" map "$cut,global=3x2x2,rows=3,columns=2,build=-DREAL=double" --format f64 -n 9
! all_cases || t 'products of a grid rounded' 0 'no product seen fused' - "$accord" map "$cut,global=3x2x2,rows=3,columns=2" -n 9 --json
sed 's/^#pragma.*//; s/s += a\[k \* rows + r\] \* b\[c \* n + k\]/s = fma(a[k * rows + r], b[c * n + k], s)/' gemm.cl >fused.cl
t 'products of a grid fused' 0 'products fused or wide' - "$accord" map "$(echo "$cut" | sed s/gemm/fused/),global=3x2x2,rows=3,columns=2" -n 9 --json
cat >single.cl <<'END'
/* A work-item for each row, with every kind of argument but terms side by side. */
__kernel void sum(__global const REAL *x, ulong n, ulong rows, ulong columns, REAL one, REAL zero, __local REAL *mine,
                  __global REAL *out)
{
    uint r = get_global_id(0);
    mine[get_local_id(0)] = 0;
    for (ulong i = 0; i < n; i++)
        mine[get_local_id(0)] += x[r * n + i];
    if (rows == ROWS && columns == 1)
        out[r] = one * mine[get_local_id(0)] + zero;
}

/* Its order depends on the numbers of the other row. */
__kernel void sly(__global const REAL *x, uint n, __global REAL *out)
{
    uint r = get_global_id(0), same = 1;
    REAL s = 0;
    for (uint i = 0; i < n; i++)
        same = same && x[i] == x[n + i];
    for (uint i = 0; i < n; i++)
        s += x[r * n + (same ? i : n - 1 - i)];
    out[r] = s;
}
END
single=single.cl:sum,local=2,global=6,rows=6,arguments=x+n64+rows64+columns64+one+zero+local+out
t 'counts of 64 bits and factors' 0 '6 x 1 results of 5 terms, 1 class$' - "$accord" map "opencl:$single,build=-DREAL=float -DROWS=6" -n 5
! all_cases || t 'factors of doubles' 0 '6 x 1 results of 5 terms, 1 class$' - "$accord" map "opencl:$single,build=-DREAL=double -DROWS=6" -n 5 --format f64
t 'an order that other rows change' 3 'reads-others: No order' - "$accord" map "opencl:single.cl:sly,global=2,rows=2,build=-DREAL=float -DROWS=2" -n 7
t 'terms in the wrong place' 3 'reads-others: No order|not a sum' - "$accord" map "$(echo "$tiles" | sed s/=x+/=xt+/),global=8x12,rows=12,columns=7" -n 16
t 'results in the wrong place' 3 'reads-others: No order' - "$accord" map "$(echo "$cut" | sed s/outt/out/),global=5x3x2,rows=5,columns=3" -n 10
t 'no grid' 3 - 'has one result, not many' "$accord" map opencl:sum.cl:sum -n 5
t 'no such element' 2 - 'not in the grid of 5 x 3' "$accord" reveal "$cut,global=5x3x2,rows=5,columns=3" -n 10 --element 7,1
! all_cases || t 'results left out' 3 '*' '*' "$accord" map "$cut,global=5x2x2,rows=5,columns=3" -n 10

# One message each.
t 'no file' 4 - 'cannot read nowhere.cl: No such file' "$accord" reveal opencl:nowhere.cl:sum -n 6
t 'no kernel' 4 - 'contains no kernel nosuch' "$accord" reveal opencl:sum.cl:nosuch -n 6
! all_cases || t 'no second kernel' 4 - 'contains no kernel nosuch' "$accord" reveal "$folded,parts=4,then=nosuch" -n 6
t 'no C' 4 - ':[0-9]+:[0-9]+.*floot' "$accord" reveal opencl:sum.cl:sum,build=-DREAL=floot -n 6
t 'no options' 4 - 'CL_INVALID_BUILD_OPTIONS|floot|frobnicate' "$accord" reveal opencl:sum.cl:sum,build=-frobnicate -n 6
t 'no device' 4 - 'no OpenCL device nosuch' "$accord" reveal opencl:sum.cl:sum,device=nosuch -n 6
! all_cases || t 'too few arguments' 4 - 'takes 3 arguments, not 2' "$accord" reveal opencl:sum.cl:sum,arguments=x+out -n 6
! all_cases || t 'wrong arguments' 4 - 'set argument 1 to a value of 4 bytes' "$accord" reveal opencl:sum.cl:sum,arguments=n+x+out -n 6
t 'too large a group' 4 - 'groups of at most' "$accord" reveal opencl:sum.cl:sum,local=1000000 -n 6
t 'more parts than said' 4 - 'left 4 results or more, not 1' "$accord" reveal "$folded" -n 64
t 'fewer parts than said' 3 '*' '*' "$accord" reveal opencl:sum.cl:sum,parts=2 -n 6
t 'no such numbers' 3 - 'f32 or f64, not bf16' "$accord" reveal opencl:sum.cl:sum -n 6 --format bf16
cat >hang.cl <<'END'
__kernel void sum(__global const float *x, uint n, __global volatile float *out)
{
    out[0] = n == 6 ? 1 : NAN;
    while (out[0] == 1)
        ;
}
END
t 'a kernel that ends' 3 'not-finite: No order' - "$accord" reveal opencl:hang.cl:sum -n 5 # PoCL keeps what it has compiled
t 'one that hangs' 4 - 'did not answer within 5 s and was ended; .*the kernel does not end' "$accord" reveal opencl:hang.cl:sum -n 6 --timeout 5
echo "1..$number"
