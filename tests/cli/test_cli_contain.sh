#!/bin/sh
# accord sweep --program compares the numbers of builds with bounds, and accord bound --observe shows
# them beside the bounds: test_cli_contain.sh ACCORD.
# Speaks TAP, a case per line: tap.sh. An instrumenter that plants a wrong model stands before the
# real one.
set -u
accord=$1
. "$(dirname "$0")/tap.sh"
unset ACCORD_INSTRUMENTER MALLOC_PERTURB_
mkdir "$dir/tmp" "$dir/bin" "$dir/planted" "$dir/empty"
export TMPDIR="$dir/tmp"
real=$(cd "$(dirname "$accord")/src/bound/instrument" 2>/dev/null && pwd)
find_clang
if [ ! -x "$real/accord-instrument" ] || [ -z "$clang" ] || ! grep -qw fma /proc/cpuinfo; then
    skip 'numbers inside bounds' 'needs the instrumenter, clang 14 and a processor that fuses'
    echo "1..$number"
    exit
fi
# Three sets of flags are enough for most cases, and many times cheaper than all: the compiler refuses
# the other ones unless EVERY_SET is 1.
export REAL_CLANG="$clang" REAL_PATH="$PATH" ACCORD_INSTRUMENT_QUICK=1
cat >"$dir/bin/clang-14" <<'END'
#!/bin/sh
PATH=$REAL_PATH
case "${EVERY_SET:-0} $*" in
    0*--wrap=printf*)
        case $* in
            *' -O0 -ffp-contract=off -o '* | *' -O2 -o '* | *' -O2 -mfma -o '* | \
            *'-cl-fp32-correctly-rounded-divide-sqrt" -o '* | *'-cl-fast-relaxed-math" -o '*) ;;
            *) exit 1 ;;
        esac ;;
esac
exec "$REAL_CLANG" "$@"
END
chmod +x "$dir/bin/clang-14"
ln -s "$real"/accord-bound-runtime.* "$dir/planted"
# PLANT is the model that all are taken for, REFUSE the model that is not available.
cat >"$dir/planted/accord-instrument" <<END
#!/bin/sh
PATH=$PATH
n=\$#
while [ \$n -gt 0 ]; do
    one=\$1 n=\$((n - 1))
    shift
    [ "\${last:-}" != --model ] || [ "\$one" != "\${REFUSE:-}" ] || { echo "no \$one" >&2; exit 1; }
    [ "\${last:-}" != --model ] || one=\${PLANT:-\$one}
    last=\$one
    set -- "\$@" "\$one"
done
exec "$real/accord-instrument" "\$@"
END
chmod +x "$dir/planted/accord-instrument"

source() { cat >"$dir/$1"; }
source fused.c <<'END'
#include <stdio.h>
int main(void) { volatile double a = .1, b = 3, c = -.3; printf("%.2f\n", a * b + c); return 0; }
END
source blocks.c <<'END'
#include <stdio.h>
struct record { int i; float f; double d; };
int main(void)
{
    volatile double a = .1, b = 3, c = -.3;
    char text[40];
    double d = a * b + c;
    struct record x[2] = {{1, (float)d, d}, {2, 3, 2 * d}};
    sprintf(text, "%g", d);
    fwrite(text, 1, 1, stdout);
    fwrite(x, sizeof x, 1, stdout);
    fprintf(stdout, "%g %d\n", d, 3);
    return 0;
}
END
source path.c <<'END'
#include <stdio.h>
int main(void)
{
    volatile double a = .1, b = 3, c = -.3;
    double d = a * b + c;
    printf("%g\n", d);
    printf("%g\n", d > 4e-17 ? 1. : 2.);
#ifdef MORE
    if (d > 4e-17)
        printf("%g\n", 5.);
#endif
    return 0;
}
END
source other.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void) { printf("%g\n", getenv("ACCORD_BOUND_RAW") ? 2. : 1.); return 0; }
END

source slow.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    if (getenv("ACCORD_BOUND_RAW"))
        sleep(20);
    return printf("%g\n", 1.) < 0;
}
END

# w NAME STATUS OUT INSTRUMENTER ARGUMENTS...
w() {
    name=$1 wanted=$2 out=$3 folder=$4
    shift 4
    t "$name" "$wanted" "$out" - env PATH="$dir/bin" ACCORD_INSTRUMENTER="$folder" "$accord" \
        sweep --program "$@"
}
none() { ! grep -q "$1" "$dir/out"; }

EVERY_SET=1 w 'inside' 1 '^  bounds    contract-expr: 1[0-9] builds, 1[0-9] numbers inside$' "$real" \
    "$dir/fused.c"
is 'none outside' none OUTSIDE
export PLANT=written
w 'a planted model' 1 '^  OUTSIDE   clang-14 -O2 -mfma: 1 number outside contract-expr; number 1 \(.*fused.c:2\) is 2.77.*e-17, not in \[5.55.*e-17, 5.55' \
    "$dir/planted" "$dir/fused.c"
is 'and its words' grep -q "outside the bounds of the model that the flags of" "$dir/out"
! all_cases || w 'as CSV' 1 '^B,clang-14,-O2 -mfma,contract-expr,1,1,[^,]*,[^,]*,1,' "$dir/planted" "$dir/fused.c" -O csv
w 'as JSON' 1 '"outside": 1' "$dir/planted" "$dir/fused.c" --json
is 'JSON is JSON' valid_json "$dir/out"
w 'structs, planted' 1 'clang-14 -O2 -mfma: 4 numbers outside contract-expr; number 2 \(.*blocks.c:11\)' \
    "$dir/planted" "$dir/blocks.c"
w 'after an unstable decision, planted' 1 '-mfma: 2 numbers outside' "$dir/planted" "$dir/path.c"
unset PLANT
w 'a time limit holds for runs with bounds' 0 \
    '^  bounds    contract-expr: not compared: the program with these bounds took longer than 1 s; give it more' \
    "$real" "$dir/slow.c" --timeout 1
w 'structs' 1 '^  bounds    contract-expr: .* inside, [0-9]+ with unknown bounds$|^  bounds    contract-expr: .* inside$' \
    "$real" "$dir/blocks.c"
is 'no struct outside' none OUTSIDE
w 'after an unstable decision' 1 '^  later     clang-14 -O2 -mfma: 1 number outside contract-expr after an unstable' \
    "$real" "$dir/path.c"
is 'which is no finding' none OUTSIDE
w 'another path' 1 '^  apart     clang-14 -O2 -mfma: not compared: it took another path' "$real" \
    "$dir/path.c" -- -DMORE
# gcc evaluates the arguments from right to left, and writes two numbers.
source operands.c <<'END'
#include <stdio.h>
static int count;
static int next(void) { return count++; }
static int is_less(int a, int b) { return a < b; }
int main(void)
{
    volatile double a = .1;
    for (int i = is_less(next(), next()); i < 2; i++)
        printf("%g\n", a);
    return 0;
}
END
if gcc=$(command -v gcc) && [ "$(uname -m)" = x86_64 ]; then
    sed "s|\$REAL_CLANG|$gcc|" "$dir/bin/clang-14" >"$dir/bin/gcc"
    chmod +x "$dir/bin/gcc"
    w 'gcc took another path' 1 '^  apart     gcc.* -O2: not compared: it took another path, or' "$real" \
        "$dir/operands.c"
    is 'clang did not' grep -Eq '^  bounds    contract-expr: ([0-9]+) builds, \1 numbers' "$dir/out"
    rm "$dir/bin/gcc"
else
    skip 'gcc took another path' 'there is no gcc, or it is for another machine'
fi
w 'one group outside' 1 '^  OUTSIDE .*is 1, not in \[2, 2\]' "$real" "$dir/other.c"
if [ -e /usr/include/CL/cl.h ] && ls /etc/OpenCL/vendors/*.icd >/dev/null 2>&1; then
    ln -s "$(command -v ld)" "$dir/bin/ld" # PoCL links kernels
    programs=$here/../../python/accord/experiments/programs
    w 'ray with kernels of OpenCL' 1 \
        '^  device    opencl: .+ \(.+\), OpenCL [0-9.]+.*, driver [^ ]+' "$real" "$programs/ray.c"
    is 'their numbers' grep -Eq '^  [A-Z] +opencl +-cl-std=CL1.2 -cl-fp32-[a-z-]* +contract-expr ' "$dir/out"
    if all_cases; then
        w 'md with kernels of OpenCL' 1 '"driver": "[^"]+"' "$real" "$programs/md.c" --json --run 150
        is 'none of them outside' grep -q '"outside": 0$' "$dir/out"
    fi
else
    skip 'kernels of OpenCL' 'needs opencl-headers and a device'
fi
# What a build finds in memory that is not set is its own: of malloc, clang knows that it is not set.
source unset.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifndef HIDDEN
#define HIDDEN
#endif
int main(void)
{
    double *HIDDEN x = malloc(1 << 24);
    volatile double a = .1, b = 3, c = -.3;
    printf("%g %g\n", x[5], a * b + c * (x[7] + 1));
    return 0;
}
END
w 'numbers that are not set' 1 '^  bounds    contract-expr: [0-9]+ builds, 0 numbers inside, [0-9]+ with unknown bounds$' \
    "$real" "$dir/unset.c" -- -DHIDDEN=volatile
w 'the same, kept' 1 'contract-expr: [0-9]+ builds, [1-9][0-9]* numbers inside; the bounds rest on 2 places where memory was not set$' \
    "$real" "$dir/unset.c" --unset kept -- -DHIDDEN=volatile
w 'other ones in a build' 1 '^  later     clang-14 -O2: . numbers? outside contract-expr, perhaps because of memory that' \
    "$real" "$dir/unset.c" --unset kept
is 'which is no finding either' none OUTSIDE
! all_cases || w 'in JSON' 1 '"kept": 2' "$real" "$dir/unset.c" --unset kept --json
t '--unset is of programs' 2 - 'and --unset, give --program' "$accord" sweep synthetic:8 --unset kept
REFUSE=contract-expr w 'a model is missing' 1 '^  bounds    contract-expr: not compared: .*no contract-expr' \
    "$dir/planted" "$dir/fused.c"
w 'no instrumenter' 1 '^  bounds    written: not compared: there is no instrumenter' "$dir/empty" \
    "$dir/fused.c"
# o NAME STATUS OUT ARGUMENTS...: what is observed beside the bounds.
o() {
    name=$1 wanted=$2 out=$3
    shift 3
    t "$name" "$wanted" "$out" '*' env PATH="$dir/bin" ACCORD_INSTRUMENTER="$real" "$accord" bound \
        --observe "$@"
}
o 'observed' 0 'fused.c:2 .* 2.78e-17  *2.78e-17  *2.78e-17  *-$' "$dir/fused.c"
is 'and in how many builds' grep -q '^observed is the largest difference in 3 builds' "$dir/out"
o 'observed in JSON' 0 '"observed": "0x1p-55"' "$dir/fused.c" --json
o 'nothing differs as written' 0 ' 0  *0  *0  *-$' "$dir/fused.c" --model written
o 'numbers outside of printf' 0 'blocks.c:9 .*-  *-$' "$dir/blocks.c"
is 'numbers of structs' grep -Eq 'blocks.c:11 .* 5.55e-17  *-$' "$dir/out"
o 'another path is left out' 0 'path.c:6 .* 0  *-$' "$dir/path.c" -- -DMORE
source clock.c <<'END'
#include <stdio.h>
#include <time.h>
int main(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%g\n", (double)now.tv_nsec);
    return 0;
}
END
o 'numbers that vary' 0 '^Nothing was observed: the numbers vary from run to run' "$dir/clock.c"
source inputs.c <<'END'
#include <stdio.h>
#include <string.h>
struct scale { double x, y[3]; } scale = {1, {2, 3, 4}};
static double f(float a, double b) /* { */
{
    return b * a - a * a;
}
int main(int argc, char **argv)
{
    volatile float a = 1.1f, b = 3.3f, c = 2.475f;
    double sum = 0, x = argc, copy[3] = {.1, .2, .3}, *from = scale.y;
    for (int i = 0; i < 3; i++)
        x = scale.y[i] * x, sum += x * x - .1;
    memcpy(copy, from, sizeof copy);
    printf("%g %g\n", (double)(b * b - 4 * a * c), copy[2]);
    printf("%g %g\n", f(a, (double)b), sum);
    return argv == NULL;
}
END
o 'drawn inputs' 0 '^  1 .*inputs.c:15 .* [1-9][0-9.e-]*  *-$' "$dir/inputs.c" --tape 0 \
    --input 'main:b=normal(3.3,.1)' --input 'scale.y=uniform(1,2)' --input 'f:b=[1,2]' \
    --input '13:x=uniform(1,2)' --input main:a=1.3
is 'in all builds' grep -q '^observed is the largest difference in 3 builds' "$dir/out"
o 'inputs that builds cannot be given' 0 '^Nothing was observed: .* cannot be given these inputs' \
    "$dir/inputs.c" --tape 0 --input '14:copy=7'
t 'of programs only' 2 - '--observe, .*SARIF.* and flags' "$accord" bound --expr 'a*b' a=1 b=2 --observe
is 'no temporary file' sh -c "! ls '$dir/tmp' | grep -q ."

echo "1..$number"
