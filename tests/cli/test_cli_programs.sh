#!/bin/sh
# accord sweep --program from outside: test_cli_programs.sh ACCORD. Speaks TAP, a case per line:
# tap.sh. Compilers are found on the PATH, so that folders of wrappers choose them.
set -u
accord=$1
. "$(dirname "$0")/tap.sh"
mkdir "$dir/tmp" "$dir/gcc" "$dir/tcc" "$dir/none"
export TMPDIR="$dir/tmp"

# wrapper FOLDER NAME COMMANDS: a program that runs them, with the rest of the PATH.
wrapper() {
    printf '#!/bin/sh\nPATH=%s\n%s\n' "$PATH" "$3" >"$1/$2"
    chmod +x "$1/$2"
}
gcc=$(command -v gcc || echo /nowhere/gcc)
# Four of the sets of flags are enough here: the others are refused, which is many times cheaper.
wrapper "$dir/gcc" gcc "case \$* in
    *' -O0 -ffp-contract=off -o '* | *' -O2 -o '* | *' -O2 -mfma -o '* | *' -O3 -ffast-math -o '*) ;;
    *--wrap=printf*) exit 1 ;;
esac
exec $gcc \"\$@\""
wrapper "$dir/tcc" tcc "case \$1 in -dumpversion) echo 0.9.27 ;; *) exec $gcc -O0 \"\$@\" ;; esac"

# w NAME STATUS OUT ERR FOLDER ARGUMENTS...: accord sweep --program with the compilers of a folder.
w() {
    name=$1 wanted=$2 out=$3 err=$4 folder=$5
    shift 5
    t "$name" "$wanted" "$out" "$err" env PATH="$dir/$folder" "$accord" sweep --program "$@"
}

source() { cat >"$dir/$1"; }

source agree.c <<'END'
#include <stdio.h>
int main(void) { printf("%d %s %.1f\n", 1, "one", 1.5); return 0; }
END
source kernels.c <<'END'
#include <stdio.h>
#ifndef ACCORD_OPENCL
#define ACCORD_OPENCL "no kernels"
#endif
int main(void) { printf("%s %.1f\n", ACCORD_OPENCL, 1.5); return 0; }
END
source fused.c <<'END'
#include <stdio.h>
int main(void) { volatile double a = .1, b = 3, c = -.3; printf("%.2f\n", a * b + c); return 0; }
END
source blocks.c <<'END'
#include <stdio.h>
int main(void)
{
    volatile double a = .1, b = 3, c = -.3;
    double x[2] = {1, a * b + c};
    fwrite(x, sizeof x, 1, stdout);
    fprintf(stdout, "eight by");
    fputs("eight by", stdout);
    return 0;
}
END
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
source silent.c <<'END'
#include <stdio.h>
int main(void) { printf("%d\n", 3); return 0; }
END
source wrong.c <<'END'
#include <stdio.h>
int main(void) { return printf("%g\n" 1.5); }
END
source crash.c <<'END'
#include <stdlib.h>
int main(void) { abort(); }
END
source fast.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#if defined __FAST_MATH__ && defined REFUSE
#error not with fast-math
#endif
int main(void)
{
    printf("%g\n", 1.5);
#if defined __FAST_MATH__ && defined CRASH
    abort();
#endif
#if defined __FAST_MATH__ && defined STATUS
    return STATUS;
#endif
    return 0;
}
END
source given.c <<'END'
#include <stdio.h>
#include <stdlib.h>
extern double scale(double x);
int main(int argc, char **argv)
{
    double x = 0;
    if (argc != 3 || scanf("%lf", &x) != 1)
        return 7;
    printf("%g %g %g\n", x, scale(atof(argv[1])), atof(argv[2]));
    return x == 2.5 && argv[2][0] == '-' ? 0 : 9;
}
END
source scale.c <<'END'
double scale(double x) { return x * FACTOR; }
END
source endless.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void) { volatile int on = 1; printf("%g\n", 1.5); while (on) usleep(10000); return 0; }
END
source kinds.c <<'END'
#include <stdarg.h>
#include <stdio.h>
static void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
}
int main(void)
{
    long double third = 1 / 3.0L;
    printf("%2$s %1$.*3$f%%\n", 1.25, "x", 2);
    say("%ld %Lg %c %g\n", 5L, third, 'c', 0.0 / 1);
    return 0;
}
END

if [ -x "$gcc" ]; then
    w 'one build' 0 '^One group: all builds write the same numbers' - tcc "$dir/agree.c"
    w 'as CSV' 0 '^A,tcc,-O0,written,1,0,0,0,' - tcc "$dir/agree.c" -O csv
    w 'as JSON' 0 '"verdict": "same"' - tcc "$dir/agree.c" --json
    w 'printf of all kinds' 0 '^  A  *tcc  *-O0  *written  *3 ' - tcc "$dir/kinds.c"
    w 'no numbers' 3 'passes no floating-point number' - tcc "$dir/silent.c"
    w 'from run to run' 3 'vary from run to run' - tcc "$dir/clock.c"
    w 'wrong source' 2 - 'tcc: does not compile: .*wrong.c:2:[0-9]*: error: ' tcc "$dir/wrong.c"
    w 'every run crashes' 4 'crashed with signal 6' 'no build' tcc "$dir/crash.c"
    w 'an endless loop' 4 'took longer than 0.2 s' 'no build' tcc "$dir/endless.c" --timeout .2
    echo 2.5 >"$dir/input"
    for last in -1 plain; do
        status=0
        env PATH="$dir/tcc" "$accord" sweep --program "$dir/given.c" "$dir/scale.c" --json -- \
            -D FACTOR=2 --run 3 $last <"$dir/input" >"$dir/out" 2>"$dir/err" || status=$?
        wanted='"exit_status": 0'
        [ $last = -1 ] || wanted='"exit_status": 9'
        judge "files, flags, input and the argument $last" 0 "$status" "$wanted" -
    done
    w 'printf through --wrap' 0 '^  A  *gcc  *-O2  *contract  *3 ' - gcc "$dir/kinds.c" --jobs 2
    w 'one crashes' 1 '^  failed    gcc -O3 -ffast-math: crashed with signal 6' - \
        gcc "$dir/fast.c" -- -DCRASH
    w 'one does not compile' 0 '^  left out  gcc -O3 -ffast-math: does not compile.*error: #error' - \
        gcc "$dir/fast.c" -- -DREFUSE
    w 'another exit status' 1 'exit status 5, not 0' - gcc "$dir/fast.c" -- -DSTATUS=5
    if grep -qw fma /proc/cpuinfo 2>/dev/null; then
        w 'a fused product' 1 '^  B  .*number 1 is 2.77.*e-17, not 5.55' - gcc "$dir/fused.c"
        w 'fwrite' 1 '^  B  .*1 of 2 numbers differ from A' - gcc "$dir/blocks.c"
    else
        skip 'a fused product' 'this processor does not fuse'
        skip 'fwrite' 'this processor does not fuse'
    fi
    is 'no temporary file' sh -c "! ls '$dir/tmp' | grep -q ."
    no_temporary_file() { [ ! "$(ls -A "$dir/tmp")" ]; }
    for signal in INT TERM KILL; do
        is "$signal while a program runs" stopped $signal PATH="$dir/gcc" "$accord" sweep --program "$dir/endless.c"
        is "no temporary file after $signal" soon no_temporary_file
    done
else
    skip 'sweep of programs' 'gcc is missing'
fi
w 'no compiler' 3 - 'no C compiler on the PATH' none "$dir/agree.c"
w 'no file' 2 - 'cannot read .*nothing.c' none "$dir/nothing.c"
w 'not C' 2 - 'agree.o is not a C file' none "$dir/agree.o"
w 'flags of the arithmetic' 2 - '-ffast-math: leave out this flag' none "$dir/agree.c" -- -ffast-math
w 'another output' 2 - '-c: leave out this flag' none "$dir/agree.c" -- -c
w 'options of targets' 2 - 'does not go with -n' none "$dir/agree.c" -n 3
t 'targets have no flags' 2 - 'sweep takes one target' "$accord" sweep blas:sdot -- -O2
t 'one target' 2 - 'sweep takes one target' "$accord" sweep blas:sdot blas:ddot -n 3
# Which flags are tried, and as which model: one compiler of each family is enough, and most builds may fail. That all
# compilers know these flags is for ACCORD_TEST_SCALE=1, which .ci/run has.
compilers=$dir/tcc:$PATH
if ! all_cases; then
    compilers=$dir/table
    mkdir "$compilers"
    cp "$dir/tcc/tcc" "$compilers"
    for name in gcc clang; do
        ! real=$(command -v $name) || wrapper "$compilers" $name "case \$* in
    *' -O0 -ffp-contract=off -o '*) ;;
    *--wrap=printf*) exit 1 ;;
esac
exec $real \"\$@\""
    done
fi
is 'the table of flags in doc/bound.md' python3 "$here/flag_table.py" "$accord" "$dir/kernels.c" "$compilers"
# The same builds as those of the table, without its tcc.
! all_cases || t 'every compiler that is here' 0 '^One group' - "$accord" sweep --program "$dir/agree.c"

echo "1..$number"
