#!/bin/sh
# accord bound FILE.c... from outside: test_cli_bound_program.sh ACCORD. Speaks TAP, a case per
# line: tap.sh. What accord does with reports is tested with an instrumenter that puts a program of
# our own, which writes a report of our own, in the place of the real one.
set -u
accord=$1
. "$(dirname "$0")/tap.sh"
unset ACCORD_INSTRUMENTER
export ACCORD_INSTRUMENT_QUICK=1 # most programs here run for a moment only
mkdir "$dir/tmp" "$dir/fake" "$dir/none"
export TMPDIR="$dir/tmp"
real=$(dirname "$accord")/src/bound/instrument
find_clang

source() { cat >"$dir/$1"; }
source plain.c <<'END'
#include <stdio.h>
int main(void) { printf("%g\n", 1.5); return 0; }
END
source wrong.c <<'END'
#include <stdio.h>
int main(void) { return printf("%g\n" 1.5); }
END

# What the fake makes of any program: it copies the report in FAKE_RAW and does as FAKE_DO says.
source fake.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    const char *from = getenv("FAKE_RAW"), *what = getenv("FAKE_DO");
    FILE *in = from ? fopen(from, "r") : NULL;
    FILE *out = in ? fopen(getenv("ACCORD_BOUND_RAW"), "w") : NULL;
    for (int c; out && (c = getc(in)) != EOF;)
        putc(c, out);
    if (out)
        fclose(out);
    what = what ? what : "";
    if (strcmp(what, "abort") == 0)
        abort();
    if (strcmp(what, "sleep") == 0)
        sleep(30);
    if (strcmp(what, "copy") == 0)
        for (int c; (c = getchar()) != EOF;)
            putchar(c);
    for (int i = 1; i < argc; i++)
        printf("%s\n", argv[i]);
    fputs("err\n", stderr);
    return strcmp(what, "seven") == 0 ? 7 : 0;
}
END
cat >"$dir/fake/accord-instrument" <<END
#!/bin/sh
while [ "\$1" != -o ]; do shift; done
[ -z "\${FAKE_REFUSE:-}" ] || { echo "accord-instrument: \$FAKE_REFUSE" >&2; exit 1; }
exec cp "$dir/fake/program.o" "\$2"
END
chmod +x "$dir/fake/accord-instrument"
: >"$dir/fake/accord-bound-runtime.bc"

tab=$(printf '\t')
# raw RECORDS: the report that the fake's program leaves; commas stand for tabs.
raw() {
    { echo 'accord-bound-raw 1'; tr ',' "$tab"; } >"$dir/raw"
}
# b NAME STATUS OUT ERR ARGUMENTS...: accord bound with the fake. What the program itself writes to
# standard error ("err") is taken out.
b() {
    name=$1 wanted=$2 out=$3 err=$4 status=0
    shift 4
    FAKE_RAW="$dir/raw" ACCORD_INSTRUMENTER="$dir/fake" "$accord" bound "$@" </dev/null \
        >"$dir/out" 2>"$dir/all" || status=$?
    grep -vx err "$dir/all" >"$dir/err"
    judge "$name" "$wanted" "$status" "$out" "$err"
}

if [ -n "$clang" ]; then
    "$clang" -c "$dir/fake.c" -o "$dir/fake/program.o"
    ar rc "$dir/fake/accord-bound-runtime.a" 2>/dev/null
    raw <<END
model,contract
site,1,output,$dir/fake.c,4,3
site,2,add,$dir/fake.c,9,1
site,3,cmp,$dir/fake.c,10,1
site,4,call,$dir/fake.c,12,1
output,1,f64,0x1p+0,0x1p-1,0x1p+1,0,-
output,1,f32,0x1p+0,-inf,inf,1,4
blame,2,0x1p-1,0x1p-1,0
blame,3,0x1p+0,0x0p+0,1,0x1p+1
decision,3,branch,-0x1p+0,0x1p+1,12
lost,4,inline assembly,2
future,1,2
first,0,0x1p-3
end,exit
END
    b 'a number' 0 '^  1 .*fake.c:4  1  *0.5  *2  *1.5  *0.125' - "$dir/plain.c"
    is 'unknown' grep -Eq -- '^  2 .*unknown  *unknown .*possible' "$dir/out"
    is 'a decision' grep -Eq -- 'fake.c:10  branch, \[-1, 2\], 12 times' "$dir/out"
    is 'its source' grep -Eq -- '^      \| FILE \*in = from' "$dir/out"
    is 'a loss' grep -Eq -- 'fake.c:12  inline assembly, 2 times' "$dir/out"
    is 'a share' grep -Eq -- 'fake.c:9  25 % \(1: fusion 50 %, order 50 %\)' "$dir/out"
    is 'functions' grep -Eq -- 'fake.c:10  75 % \(3: fusion 33 %, functions 67 %\); bounds become inf' "$dir/out"
    is 'infinite at first' grep -Eq -- '^Bounds first became infinite at .*fake.c:10$' "$dir/out"
    b 'JSON, infinite at first' 0 '"line": 10' - "$dir/plain.c" --json
    is 'JSON, a number' grep -Eq -- '"low": "0x1p-1"' "$dir/out"
    is 'JSON, first-order' grep -Eq -- '"first_order": "0x1p-3"' "$dir/out"
    is 'JSON, unknown' grep -Eq -- '"unknown": true' "$dir/out"
    is 'JSON, a share' grep -Eq -- '"share": 0.25' "$dir/out"
    b 'SARIF, infinite at first' 0 'first became infinite here. Its operations add a width of 3: fus' \
        - "$dir/plain.c" -O sarif
    is 'SARIF, causes' grep -q 'on this line. Its operations add a width of 1: fusion 50 %, order 50 %' "$dir/out"
    is 'SARIF, a decision' grep -q '"ruleId": "unstable-decision"' "$dir/out"
    b 'a page needs a file' 2 - 'name it with -o' "$dir/plain.c" -O html
    b 'too many paths' 2 - 'at most 1000' "$dir/plain.c" --both 1001
    b 'a name is missing' 2 - '--model contract,: a name is missing' "$dir/plain.c" --model contract,
    b 'a page' 0 '*' - "$dir/plain.c" -O html -o "$dir/page.html"
    is 'the page' python3 "$here/check_page.py" "$dir/page.html" 'branch, [-1, 2], 12 times' \
        'bounds first became infinite' 'inline assembly' '0.125' 'FILE *in = from ? fopen'
    b 'arguments' 0 '^-x$' - "$dir/plain.c" -- -DA=1 --run -x --json
    FAKE_DO=seven b 'another status' 0 'exited with status 7' - "$dir/plain.c"
    FAKE_DO=abort b 'a crash' 4 '^model ' 'crashed with signal 6' "$dir/plain.c"
    FAKE_DO=sleep b 'too long' 4 '^model ' 'took longer than 0.3 s' "$dir/plain.c" --timeout .3
    FAKE_REFUSE='a reason' b 'refused' 3 - 'cannot be instrumented: .*a reason' "$dir/plain.c"
    # A source that could break a page: markup, quotes, bytes that are no UTF-8, tabs, long lines.
    hostile="</script><script>alert(1)</script></div></body><img src=x onerror='a()'>&lt;<!-- \"\" ü 漢"
    { printf '%s\n\t%s\nx\377\033[0my\r\n' "$hostile" "$hostile"
      printf '%050000d\n%s' 7 "$hostile"; } >"$dir/<b onload='1'>.c"
    raw <<END
site,1,output,$dir/<b onload='1'>.c,1,3
site,2,add,$dir/<b onload='1'>.c,2,3
site,3,add,$dir/<b onload='1'>.c,4,3
site,4,add,$dir/none<b>.c,400000,3
output,1,f64,0x1p+0,0x1p-1,0x1p+1,0,-
blame,2,0x1p-1,0x1p-1,0
blame,3,0x1p-1,0x1p-1,0
blame,4,0x1p-1,0x1p-1,1
decision,2,<u>branch</u>,-0x1p+0,0x1p+1,12
lost,3,"<b>&,2
end,exit
END
    b 'a hostile page' 0 '*' - "$dir/plain.c" -O html -o "$dir/page.html"
    is 'is harmless' python3 "$here/check_page.py" "$dir/page.html" "$hostile" \
        "        $hostile" '<u>branch</u>' "<b onload='1'>.c" 'x� [0my' \
        'This file cannot be read'
    head -c 300 "$dir/raw" >"$dir/cut" && mv "$dir/cut" "$dir/raw"
    FAKE_DO=abort b 'a report that was cut off' 4 '^model ' 'crashed' "$dir/plain.c"
    printf 'x\0y\n\377' | FAKE_DO=copy FAKE_RAW="$dir/raw" ACCORD_INSTRUMENTER="$dir/fake" \
        "$accord" bound "$dir/plain.c" -o "$dir/report" >"$dir/written" 2>"$dir/all"
    printf 'x\0y\n\377' >"$dir/wanted"
    is 'input and output, byte for byte' cmp "$dir/written" "$dir/wanted"
    is 'standard error, too' grep -qx err "$dir/all"
    is 'the report in a file' grep -q '^model' "$dir/report"
    raw <<END
site,1,output,$dir/fake.c,4,3
site,4,call,$dir/fake.c,12,1
output,1,f32,0x1p+0,-inf,inf,1,4
END
    b 'all are unknown' 3 'unknown' 'are unknown' "$dir/plain.c"
    raw </dev/null
    b 'no number' 3 'numbers  0' 'no floating-point number' "$dir/plain.c"
    for bad in 'output,1,f64,0x1p+0,0x1p-1,0x1p+1,0,-' 'site,1,output' 'site,x,add,f.c,1,1' \
        'site,1,add,f.c,-1,1' 'first,0,1' 'site,99999999999,add,f.c,1,1' 'lost,7,what,1'; do
        echo "$bad" | raw
        b "malformed: $bad" 3 - 'line 2 of the report .* is malformed' "$dir/plain.c"
    done
    echo 'something else' >"$dir/raw"
    b 'another head' 3 - 'does not begin as' "$dir/plain.c"
    rm "$dir/raw"
    b 'no report' 3 '^model    contract$' 'no floating-point number' "$dir/plain.c"
    is 'nothing is said to be proven of no numbers' sh -c '! grep -q proven "$1"' - "$dir/out"
    FAKE_DO=abort b 'a crash without a report' 4 - 'crashed .* left no report' "$dir/plain.c"
    b 'wrong source' 2 - 'wrong.c does not compile: .*wrong.c:2:[0-9]*: error: expected' "$dir/wrong.c"
    b 'an unknown model' 2 - 'did you mean contract' "$dir/plain.c" --model contrakt
    b 'a format' 2 - 'is for --expr' "$dir/plain.c" --format f32
    b 'flags that change the arithmetic' 2 - 'leave out this flag' "$dir/plain.c" -- -Ofast
    no_temporary_file() { [ ! "$(ls -A "$dir/tmp")" ]; }
    for signal in INT TERM KILL; do
        is "$signal while a program runs" stopped $signal FAKE_DO=sleep ACCORD_INSTRUMENTER="$dir/fake" \
            "$accord" bound "$dir/plain.c"
        is "no temporary file after $signal" soon no_temporary_file
    done
else
    skip 'reports' 'clang 14 is missing'
fi
t 'no instrumenter' 3 - 'cannot instrument programs' env ACCORD_INSTRUMENTER="$dir/none" "$accord" \
    bound "$dir/plain.c"
t 'not C' 2 - 'is not a C file' "$accord" bound "$dir/plain.cc"
for bad in x =1 x= 'x=[2,1]' 'x=[0,inf]' x=nan 'x={1,' 'x={}' 'x=uniform(1)' 'x=normal(0,-1)' 'x=1]'; do
    t "an input $bad" 2 - '^accord: --input' "$accord" bound "$dir/plain.c" --input "$bad"
done
t 'an input twice' 2 - 'x has a value already' "$accord" bound "$dir/plain.c" --input x=1 --input x=2
t 'an input of an expression' 2 - 'are for programs' "$accord" bound --expr a a=1 --input a=2
t 'neither' 2 - 'neither an expression nor a program' "$accord" bound
t 'flags with an expression' 2 - 'are for programs' "$accord" bound --expr a a=1 -- -O2

# ---- real programs ----

source ray.c <<'END'
#include <stdio.h>
static float discriminant(float a, float b, float c) { return b * b - 4 * a * c; }
int main(int argc, char **argv)
{
    volatile float a = 1.1f, b = 3.3f, c = 2.475f;
    float d = discriminant(a, b, c);
    printf("%g %d\n", d, argc);
    if (d > 0)
        puts("hit");
    return argc > 1;
}
END
source inputs.c <<'END'
#include <stdio.h>
double x = 1.25, a[2][2] = {{1, 2}, {3, 4}};
const double fixed = 2;
struct point { double x, n[2]; struct point *in; int bits : 3; } point, *at = &point;
static double twice(double t) { return t + t; }
int main(void)
{
    int n = 1;
    double y, *p = a[0];
    y = .5;
    for (int i = 0; i < 2; i++)
        p[i] = i;
    printf("%g %g\n", x * y + a[0][1] - a[1][0], twice(fixed) + n);
    at->n[1] = 2;
    printf("%g\n", point.x + at->n[0] * at->n[1]);
    return point.x > 1;
}
END
source again.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct kept { double x, n[2]; } kept = {1, {2, 3}}, other;
double dt = 1, used = 2, shared = 3, row[3] = {1, 2, 3};
static void change(double *x) { *x += 1; }
static double f(double t) { t = t + 1; return t; }
static double g(double t) { t = 5; return t; }
int main(int argc, char **argv)
{
    double before = used;
    (void)argv;
    dt = argc;
    used = 3;
    change(&shared);
    for (int i = 1; i < 3; i++)
        row[i] = i;
    double x = kept.x;
    kept = other;
    printf("%g\n", dt + before + used + shared + row[0] + row[1] + x + kept.n[0] + f(1) + g(1));
    return 0;
}
END
source errors.c <<'END'
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile double a = .1, b = .3, zero = 0;
static jmp_buf back;
static double deep(double x, int n) { return n ? 1 + deep(x + .5, n + 1) : x; }
static void on_signal(int number) { printf("%g\n", a * b + number); }
static double leave(double x) { if (x > 0) longjmp(back, 2); return x; }
int main(int argc, char **argv)
{
    double moves = a * b - .03, x = argc;
    switch (*argv[1]) {
    case 'n': printf("%g\n", (zero / zero) * moves); break;
    case 'i': printf("%g\n", 1 / zero + moves); break;
    case 'z': printf("%g\n", 1 / moves); break;
    case 'd': printf("%g\n", moves); fflush(stdout); printf("%g\n", deep(moves, 1)); break;
    case 'j': if (!setjmp(back)) x = leave(a); printf("%g\n", moves + x); break;
    case 's': signal(SIGUSR1, on_signal); raise(SIGUSR1); printf("%g\n", moves); break;
    case 'f': if (fork() == 0) { printf("%g\n", moves); exit(0); } wait(NULL); printf("%g\n", moves * 2); break;
    case 'l': printf("%g\n", moves); fflush(stdout); while (a < 1) usleep(20000); break;
    case 'a': printf("%g\n", moves); abort();
    case 'u': { double *p = malloc(2 * sizeof *p), once; if (argc > 9) once = 3;
        printf("%g\n", p[1] * 0 + moves); printf("%g\n", once * 0 + moves); break; }
    }
    return 0;
}
END
source unset.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    double u, set, a = atof("0.1");
    if (argc > 5)
        u = 1;
    for (int i = 0; i < 3; i++)
        set = a * i;
    printf("%g\n", u * a);
    printf("%g\n", set);
    return argv == NULL;
}
END
source modes.c <<'END'
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif
int main(int argc, char **argv)
{
    double a = atof("0.1");
    fesetround(FE_TONEAREST);
    if (argc > 1 && *argv[1] == 'u')
        fesetround(FE_UPWARD);
#ifdef __SSE__
    if (argc > 1 && *argv[1] == 'f')
        _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
#endif
    printf("%g\n", a * a + a);
    return 0;
}
END
source threads.c <<'END'
#include <pthread.h>
#include <stddef.h>
static void *work(void *x) { return x; }
int main(void)
{
    pthread_t thread;
    return pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL);
}
END
if [ -n "$clang" ] && [ -x "$real/accord-instrument" ]; then
    t 'a variable that is not set' 0 'unset.c:10  a variable that is used before it is set' - \
        "$accord" bound "$dir/unset.c"
    is 'what it reaches is unknown' grep -Eq '^ *1 .*unset.c:10 .*unknown' "$dir/out"
    is 'and nothing else is' grep -Eq '1 with finite bounds .*, 1 unknown' "$dir/out"
    t 'another rounding mode' 3 '*' '^accord: the program cannot be followed: .* changes the rounding mode' \
        "$accord" bound "$dir/modes.c" --run u
    t 'to nearest' 0 '^numbers  1: 1 with finite' - "$accord" bound "$dir/modes.c" --run n
    if [ "$(uname -m)" = x86_64 ]; then
        t 'flushing' 3 '*' '^accord: the program cannot be followed: .* flushes subnormal' \
            "$accord" bound "$dir/modes.c" --run f
    fi
    t 'threads' 3 '*' '^accord: the program cannot be followed: .* starts a thread' \
        "$accord" bound "$dir/threads.c"
    t 'a real program' 0 '^ *1 .*ray.c:7 .*finite' - sh -c \
        "'$accord' bound '$dir/ray.c' | sed 's/\$/ finite/'"
    t 'its line' 0 'ray.c:2  100 %' - env -u ACCORD_INSTRUMENT_QUICK "$accord" bound "$dir/ray.c"
    is 'its decision' grep -q 'ray.c:8  branch' "$dir/out"
    t 'as written' 0 '^numbers  1: 1 with finite bounds \(1 of them fixed' - \
        "$accord" bound "$dir/ray.c" --model written
    # input NAME STATUS OUT ERR INPUT...
    input() {
        name=$1 status=$2 out=$3 err=$4
        shift 4
        t "$name" "$status" "$out" "$err" "$accord" bound "$dir/inputs.c" --tape 0 "$@"
    }
    input 'an input' 0 'x = 3  at .*inputs.c:8, ran with 3$' - --input x=3
    is 'changes what is computed' grep -qx -- '-0.5 5' "$dir/out"
    input 'intervals' 0 '^ *1 .* -6  *-1 *5 ' - --input 'x=[1,2]' --input 'a[1][0]={3}' \
        --input '12:p[1]=[-1,0]' --input '10:y=[-1,1]'
    is 'and their claim' grep -q 'hold for all values of the inputs' "$dir/out"
    input 'members' 0 '^ *3 .* 11  *11  *12.5 ' - --input point.x=5 --input 'point.n[0]=3' \
        --input '14:at->n[1]=[2,2.5]'
    # again NAME OUT INPUT...: numbers that the program assigns before it reads them.
    again() {
        name=$1 out=$2
        shift 2
        t "$name" 0 "$out" - "$accord" bound "$dir/again.c" --tape 0 "$@"
    }
    again 'assigned anew' '^    warning: this has no effect: .*again.c:12, before it reads it; to set it there, name the line, as in 12:dt' \
        --input dt=3 --input used=3 --input shared=3 --input kept.x=3 --input f:t=3
    is 'and no other one' sh -c '[ $(grep -c warning: "$1") = 1 ]' - "$dir/out"
    again 'some of an array' 'warning: 2 of these have no effect: .* first at .*again.c:16' --input row=3
    again 'a struct' 'warning: these have no effect: .* first at .*again.c:18, .*, as in 18:kept.n' --input 'kept.n=3'
    again 'a parameter' 'warning: this has no effect: .*again.c:7, ' --input g:t=3
    again 'in JSON' '"count": 2' --input row=3 --json
    again 'in SARIF' 'The input row = 3 has no effect on 2 of 3 numbers' --input row=3 -O sarif
    # e NAME STATUS OUT ERR CASE [LIMIT]: what the program of errors.c does in a case.
    e() { t "$1" "$2" "$3" "$4" "$accord" bound "$dir/errors.c" --tape 0 --timeout "${6:-60}" --run "$5"; }
    e 'NaN' 0 '^ *1 .*errors.c:17  *-?nan .* possible$' - n
    e 'infinity' 0 '^Bounds first became infinite at .*errors.c:18$' - i
    e 'a divisor that may be 0' 0 '^ *1 .*errors.c:19  *inf  *-inf  *inf ' - z
    e 'a stack that overflows' 4 '^ *1 .*errors.c:20  *0 ' 'signal 11 .* in deep \(.*errors.c:10\), because its stack overflowed' d
    e 'longjmp' 0 '^ *1 .*errors.c:21  *2 ' - j
    e 'a handler of signals' 0 '^ *2 .*errors.c:22 .* 1.67e-18 ' - s
    e 'fork: the child is not followed' 0 '^numbers  1: 1 with finite' - f
    e 'a loop without end' 4 '^ *1 .*errors.c:24 ' 'took longer than 2 s; it was last in main \(.*errors.c:24\); the report says what is known' l 2
    e 'memory that is not set' 3 '^numbers  2: 0 with finite .* 2 unknown' 'are unknown' u
    t 'taken as it was' 0 '^numbers  2: 2 with finite' - "$accord" bound "$dir/errors.c" --tape 0 --unset kept --run u
    is 'and said so' sh -c 'grep -q "^Taken as it was$" "$1" && grep -q "^They hold if memory" "$1"' - "$dir/out"
    t 'in JSON' 0 '"kept": \[$' - "$accord" bound "$dir/errors.c" --tape 0 --unset kept --json --run u
    e 'abort' 4 '^ *1 .*errors.c:25 ' 'signal 6 .* in main \(.*errors.c:25\); the report says what is known' a
    t 'a search' 0 'the branch at .*ray.c:8 is unstable with' - "$accord" bound "$dir/ray.c" --tape 0 \
        --input 'main:b=[3.5,4]' --input 'main:a=[1,2]' --search 70
    t 'a page of it' 0 '*' - "$accord" bound "$dir/ray.c" --tape 0 --input 'main:b=[3.5,4]' \
        --input 'main:a=[1,2]' --search 70 -O html -o "$dir/page.html"
    is 'the page of a search' python3 "$here/check_page.py" "$dir/page.html" 'main:b = [3.5,4]' \
        'ran with 1.1' '70 runs with single values' 'the branch at'
    t 'SARIF of it' 0 'with these inputs: --input .main:b=' - "$accord" bound "$dir/ray.c" --tape 0 \
        --input 'main:b=[3.5,4]' --input 'main:a=[1,2]' --search 70 -O sarif
    t 'a search again' 0 'is unstable with' - "$accord" bound "$dir/ray.c" --tape 0 \
        --input 'main:b=[3.5,4]' --input 'main:a=[1,2]' --search 70
    found=$(sed -n '/ is unstable with/,/^$/s/^ *--input .\(.*\).$/--input \1/p' "$dir/out")
    t 'what it found' 0 'ray.c:8  branch' - "$accord" bound "$dir/ray.c" --tape 0 $found
    t 'and without it' 0 '^numbers  1' - "$accord" bound "$dir/ray.c" --tape 0 --input main:b=3.5
    is 'the decision is stable' sh -c '! grep -q branch "$1"' - "$dir/out"
    "$accord" bound "$dir/ray.c" --tape 0 --input 'main:b=[3.5,4]' --search 1000000 >"$dir/out" 2>/dev/null &
    i=0
    until ls "$dir"/tmp/*/raw-of-search >/dev/null 2>&1 || [ $i = 600 ]; do sleep .1 && i=$((i + 1)); done
    kill -TERM $! && wait $!
    is 'a search that is ended shows what it found' grep -q '^Search: .*interrupted' "$dir/out"
    wrong() { input "no input: $1" 2 - "^accord: --input .*$2" --input "$1"; }
    wrong z=1 'has no variable z'
    wrong y=1 'nothing is assigned to y in line 9, .* as in 10:y'
    wrong 8:y=1 'nothing is assigned to y in line 8; it is assigned in these lines: 10'
    wrong fixed=1 'this is const'
    wrong 'n=[1,2]' 'this is an integer'
    wrong p=1 'nothing is assigned to p in line 9'
    wrong point=1 'is a struct or a union; name one of its members: x, n, in, bits'
    wrong point.bit=1 'no member bit \(did you mean bits\?\)'
    wrong point.xx=1 'no member xx; the members are x, n, in, bits'
    wrong point.in=1 'only the variable itself may be a pointer'
    wrong point.bits=1 'field of bits'
    wrong 'point.n[2]=1' 'has only 2 elements'
    wrong x.y=1 'is a number, and has no member y'
    wrong twise:t=1 'no function twise \(did you mean twice\?\)'
    wrong pont=1 'no variable pont \(did you mean point\?\)'
    wrong 'a[2]=1' 'has only 2 elements'
    wrong 'a[1][1][1]=1' 'more indices'
    wrong twice:z=1 'function twice has no variable z'
    wrong 'a[x]=1' 'an index is'
else
    skip 'real programs' 'accord-instrument or clang 14 is missing'
fi

echo "1..$number"
