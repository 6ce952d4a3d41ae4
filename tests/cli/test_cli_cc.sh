#!/bin/sh
# accord cc from outside: test_cli_cc.sh ACCORD. Speaks TAP, a case per line: tap.sh. A project with an
# archive, a shared library and an object of another compiler is built by it, and its program is bounded.
set -u
accord=$1
. "$(dirname "$0")/tap.sh"
export ACCORD_INSTRUMENT_QUICK=1
find_clang
if [ -z "$clang" ] || [ ! -e "$(dirname "$accord")/src/bound/instrument/accord-instrument" ]; then
    echo "1..0 # SKIP clang 14 or the instrumenter is missing"
    exit 0
fi

mkdir "$dir/project" "$dir/project/lib" "$dir/elsewhere"
cd "$dir/project" || exit 1
cat >main.c <<'END'
#include <stdio.h>
double dot(const double *x, const double *y, int n);
double det(double a, double b, double c, double d);
double other(double a, double b, double c);
int main(void)
{
    double x[5], y[5];
    for (int i = 0; i < 5; i++) {
        x[i] = 1. / (i + SHIFT);
        y[i] = 1. / (i + 7);
    }
    printf("%.17g %.17g\n", dot(x, y, 5), det(x[0], y[1], x[2], y[3]));
#ifdef OTHER
    printf("%.17g\n", other(x[0], y[1], x[2]));
#endif
    return 0;
}
END
cat >lib/dot.c <<'END'
double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}
END
cat >lib/det.c <<'END'
double det(double a, double b, double c, double d) { return a * b - c * d; }
END
cat >lib/other.c <<'END'
double other(double a, double b, double c) { return a * b + c; }
END

# The commands of a Makefile. -ffast-math is the program's, not that of what is bounded.
build() { # PROGRAM FLAGS...
    program=$1
    shift
    $CC -O2 -ffast-math -Wall -MMD "$@" -DSHIFT=3 -c main.c -o main.o &&
        $CC -O2 -c lib/dot.c && gcc -c lib/other.c && rm -f libdot.a && ar rcs libdot.a dot.o other.o &&
        $CC -O1 -fPIC -shared lib/det.c -o libdet.so &&
        $CC main.o -L. -ldot -ldet -Wl,-rpath,"$dir/project" -lm -o "$program"
}
numbers() { # FILE: low and high of each number
    python3 -c 'import json, sys
for o in json.load(open(sys.argv[1]))["outputs"]: print(o["low"], o["high"], o["unknown"])' "$1"
}
CC="$accord cc"
is 'a project is built' build "$dir/with" -DOTHER
[ -f main.d ] && problem='' || problem='no main.d'
result 'dependencies are written' "$problem"
$clang -O2 -ffast-math -DSHIFT=3 -c main.c -o plain.o && $clang -O2 -c lib/dot.c -o plain-dot.o &&
    $clang -O1 -fPIC -c lib/det.c -o plain-det.o && $clang plain.o plain-dot.o plain-det.o -o "$dir/plain"
is 'and without the object of another compiler' build "$dir/without"
"$dir/plain" >"$dir/due" && "$dir/without" >"$dir/got"
is 'the program is the one that clang builds' cmp "$dir/due" "$dir/got"

cd "$dir/elsewhere" || exit 1
t 'its bounds' 0 '^  2  .*main.c:12' - "$accord" bound "$dir/without" --tape 0
is 'as JSON' "$accord" bound "$dir/without" --json --tape 0 -o "$dir/built.json"
cd "$dir/project" || exit 1
is 'and of the files' "$accord" bound main.c lib/dot.c lib/det.c --json --tape 0 -o "$dir/files.json" \
    -- -DSHIFT=3
numbers "$dir/built.json" >"$dir/a"
numbers "$dir/files.json" >"$dir/b"
is 'which are the same' cmp "$dir/a" "$dir/b"
t 'what was built otherwise is named' 0 'unknown function other' - "$accord" bound "$dir/with" --tape 0
t 'with its archive' 0 'libdot.a\(other.o\)$' - "$accord" bound "$dir/with" --tape 0
t 'and in JSON' 0 '"without_bitcode": \[[^]]*other.o' - \
    sh -c '"$0" bound "$1" --json --tape 0 -o "$2"; tr -d "\n" <"$2"' "$accord" "$dir/with" "$dir/with.json"

cp "$dir/without" "$dir/stripped" && strip "$dir/stripped"
t 'a stripped program' 0 '^  2  ' - "$accord" bound "$dir/stripped" --tape 0
is 'one command' sh -c '$0 -O2 -DSHIFT=2 main.c lib/dot.c lib/det.c -o all' "$accord cc" || :
t 'compiles and links' 0 '^  2  ' - "$accord" bound ./all --tape 0
t 'two sources at once' 0 - - $CC -DSHIFT=3 -c main.c lib/det.c
t 'give two objects' 0 - - $CC main.o det.o dot.o -o pair
t 'that are followed' 0 'numbers  2: 2 with finite' - "$accord" bound ./pair --tape 0

t 'the preprocessor' 0 'int main' - $CC -E -DSHIFT=3 main.c
t 'the version' 0 'clang version 14' - $CC --version
t 'no output' 0 - - $CC -DSHIFT=3 -c main.c -o /dev/null
t 'help' 0 'CC="accord cc" make' - "$accord" cc --help
echo 'int main(void) { return 0 +; }' >wrong.c
status=0
$CC -c wrong.c >"$dir/out" 2>"$dir/err" || status=$?
problem=
[ "$status" = 1 ] && grep -q 'wrong.c:1' "$dir/err" && [ ! -e wrong.o ] || problem="status $status"
result 'an error of the compiler' "$problem"
t 'arguments are missing' 2 - 'cc needs ARGUMENTS' "$accord" cc
t 'a program of another compiler' 2 - 'holds no bitcode, so accord cannot follow it' \
    "$accord" bound "$dir/plain"
t 'two programs' 2 - 'is not a C file' "$accord" bound "$dir/with" "$dir/without"
t 'other compilers need the sources' 2 - '--observe builds the program' "$accord" bound "$dir/with" --observe
t 'sweeps do, too' 2 - 'is not a C file' "$accord" sweep --program "$dir/with"

# Damaged programs: cut at every place, and with other bytes in the sections.
is 'a library is gone' mv libdet.so gone.so
t 'which is said' 2 - 'cannot be linked' "$accord" bound "$dir/without" --tape 0
mv gone.so libdet.so
python3 - "$dir/without" "$dir/hurt" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
at = data.index(b"accord-bitcode 1 ")
open(sys.argv[2] + "-length", "wb").write(data[:at + 17] + b"9" * 9 + data[at + 26:])
open(sys.argv[2] + "-bits", "wb").write(data[:at + 200] + bytes(1000) + data[at + 1200:])
open(sys.argv[2] + "-short", "wb").write(data[:len(data) // 2])
open(sys.argv[2] + "-head", "wb").write(data[:20])
END
t 'a wrong length' 2 - 'holds damaged bitcode' "$accord" bound "$dir/hurt-length"
t 'wrong bits' 3 - 'cannot be instrumented' "$accord" bound "$dir/hurt-bits"
t 'half a program' 2 - 'holds no bitcode' "$accord" bound "$dir/hurt-short"
t 'its beginning' 2 - 'holds no bitcode' "$accord" bound "$dir/hurt-head"
echo "1..$number"
