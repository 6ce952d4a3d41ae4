#!/bin/sh
# accord bound from outside: test_cli_bound.sh ACCORD. Speaks TAP, a case per line: tap.sh.
set -u
accord=$1
. "$(dirname "$0")/tap.sh"

# e EXPRESSION NAME STATUS OUT ERR ARGUMENTS...: accord bound of the expression.
e() {
    expression=$1 name=$2 wanted=$3 out=$4 err=$5 status=0
    shift 5
    "$accord" bound --expr "$expression" "$@" >"$dir/out" 2>"$dir/err" </dev/null || status=$?
    judge "$name" "$wanted" "$status" "$out" "$err"
}

# ---- models ----
e 'a*b + c' 'a fused product, low' 0 '^low  *2\.7755575615628914e-17  0x1p-55$' - a=.1 b=3 c=-.3
e 'a*b + c' 'a fused product, high' 0 '^high  *5\.551115123125783e-17  0x1p-54$' - a=.1 b=3 c=-.3
e 'a*b + c' 'its evaluation' 0 '^  *fma\(a, b, c\)$' - a=.1 b=3 c=-.3
e 'a*b + c' 'as written' 0 '^low  *5\.551115123125783e-17  ' - a=.1 b=3 c=-.3 --model written
e 't = a*b; t + c' 'through a variable' 0 '^low  *2\.77' - a=.1 b=3 c=-.3
e 't = a*b; t + c' 'not through a variable' 0 '^low  *5\.55' - a=.1 b=3 c=-.3 --model contract-expr
e '(a*b) + c' 'through parentheses' 0 '^low  *2\.77' - a=.1 b=3 c=-.3 --model contract-expr
e '-(a*b) - c' 'through a negation' 0 '^high  *-2\.77' - a=.1 b=3 c=-.3 --model contract-expr
e 'a*b/4 + c' 'through a power of two' 0 '^high  *5\.55' - a=.4 b=3 c=-.3
e 'a*b*-0.5 + c' 'through a negative one' 0 '^high  *6\.9' - 'a=[.1,.2]' b=3 c=.15
e 'a*b*-0.5 + c' 'the other end of it' 0 '^low  *-1\.94' - 'a=[.5,.7]' b=.1 c=.035
e '(q < 1 ? c : a*b) + d' 'fused past a condition that is not stable' 0 '^low  *2\.77' - 'q=[0,2]' a=.1 b=3 c=5 d=-.3
e '(a*b)*0.5*0.5 + c' 'through two powers and parentheses' 0 '^low  *2\.77' - a=.4 b=3 c=-.3 --model contract,paren
e 'fmin(a, b)' 'the least' 0 'both ends are reached' - a=2 b=1
e 'pow(a, 2)' 'a square of either sign' 0 '^low  *-3e-323  ' - 'a=[-2,1]' --model written
e 'pow(a, 2) + c' 'a power is a product' 0 '^low  *-1\.04' - a=.1 c=-.01
e 'fabs(a*b) + c' 'through fabs, which may be left out' 0 '^low  *2\.77' - a=.1 b=3 c=-.3
e 'fabs(a*b) + c' 'not through fabs' 0 '^low  *5\.55' - a=.1 b=3 c=-.3 --model contract-expr
e 'a*b*s + c' 'times a known 1' 0 '^low  *2\.77' - a=.1 b=3 c=-.3 s=1
e 'a*b*s + c' 'times another number' 0 '^low  *1\.11' - a=.1 b=3 c=-.9 s=3
e 'a + b + c' 'as written, in order' 0 '^low  *2  ' - a=1e8 b=-1e8 c=2 --format f32
e 'a + b + c' 'parenthesized' 0 '^low  *0  ' - a=1e8 b=-1e8 c=2 --format f32 --model paren
e 'a + (b + c)' 'parentheses stay' 0 '^high  *0  ' - a=1e8 b=-1e8 c=2 --format f32 --model paren
e 'a + c + b' 'any order' 0 '^high  *2  ' - a=1e8 b=-1e8 c=2 --format f32 --model perm
e 'a + c + b' 'models combine' 0 '^model  *contract,loop,ftz$' - a=1 b=1 c=2 --model ftz,loop,contract
e 'a + b + c - d' 'fast' 0 '^method  *mass; the ends' - a=1 b=1e-9 c=-1 d=1 --model fast
e 'a/b*b' 'fast, a divisor that goes away' 0 '^low  *0\.99' - a=1 b=3 --model fast
e 'a + b' 'an interval' 0 '^high  *3 .*0x1\.8p\+1$' - a=1 'b=[1, 2]'
e 'a + b' 'where it is reached' 0 '^  *a \+ b at b = 2$' - a=1 'b=[1, 2]'
e 'a' 'rounded outward, low' 0 '^low .*0x1\.9999999999999p-4$' - 'a=[.1,.2]'
e 'a' 'rounded outward, high' 0 '^high .*0x1\.999999999999ap-3$' - 'a=[.1,.2]'
e 'a' 'rounded to nearest' 0 '^high .*0x1\.99999ap-4$' - 'a=.1' --format f32
e 'a - a' 'a variable that is used twice' 0 '^method .*may not be reached$' - 'a=[1,2]'
e 'a + b' 'NaN' 0 '^NaN' - a=inf b=-inf
e 'a/b' 'a divisor that may be 0' 0 '^high  *inf$' - a=1 'b=[-1,1]'
e 'sqrt(a)' 'a root' 0 '^low  *2  ' - a=4
e '(float)a + b' 'a cast' 0 '^low .*0x1\.99999ap-4$' - a=.1 b=0 --model written
e 'a < b' 'a comparison that is not stable' 0 '^high  *1  ' - a=1 'b=[0,2]'
e 'a*b' 'f16' 0 '^low  *inf$' - a=60000 b=2 --format f16
e 'a*b + c' 'JSON' 0 '"low": "0x1p-55"' - a=.1 b=3 c=-.3 --json
e 'a*b + c' 'the witness in JSON' 0 '"low": "fma\(a, b, c\)"' - a=.1 b=3 c=-.3 --json

# ---- values that are used twice ----
e 't = a*b + c; t - t' 'one value' 0 '^high  *0  ' - a=.1 b=3 c=-.3
e 't = a*b + c; t - t' 'by sets' 0 '^method  *sets; both' - a=.1 b=3 c=-.3
e 't = a*b; t - t' 'a product may be fused, and is not one value' 0 '^high  *2\.77' - a=.1 b=3
e 't = a + c + b; t*t + t' 'any order of what is used twice' 0 '^high  *2  ' - a=1e20 b=-1e20 c=1 --model loop
e 'a - a' 'affine forms' 0 '^high  *0  ' - 'a=[1,2]' --symbols 8
e 'a - a' 'their method' 0 '^method  *affine forms; ' - 'a=[1,2]' --symbols 8
e '(a + b)*(a - b) - a*a' 'more of them' 0 '^high  *-0\.9' - 'a=[1,1.01]' 'b=1' --symbols 8
e 't = 1/a; t + a - t' 'reciprocals' 0 '^high  *2\.00000' - 'a=[1,2]' --symbols 8

# ---- errors of functions, arithmetics ----
e 'exp(a)' 'a better function' 0 '^low  *2\.718281828459041 ' - a=1 --function-ulp 2
e 'a/b' 'a better reciprocal' 0 '^low  *0\.33333333333333[0-9]*  ' - a=1 b=3 --model fast --reciprocal-ulp 0.5
e 'a*b + c' 'MPFR' 0 '^low  *2\.77' - a=.1 b=3 c=-.3 --arithmetic mpfr
e 'a*b + c' 'rational numbers' 0 '^low  *2\.77' - a=.1 b=3 c=-.3 --arithmetic rational
e 'a/b' 'no quotients of them' 3 - 'no quotients or roots' a=1 b=3 --arithmetic rational
e 'exp(a)' 'no error at all' 2 - 'greater than 0' a=1 --function-ulp 0
e 'a' 'no such arithmetic' 2 - 'did you mean mpfr' a=1 --arithmetic mpf

# ---- what is written in C ----
e '1.0/3*a' 'a quotient of constants' 0 '\(1 / 3\.0\) \* a' - a=2
e '(1+2)/3.0*a' 'integers become numbers' 0 '^low  *2  ' - a=2
e '0.1f + a' 'a constant of type float' 0 '^low .*0x1\.99999ap-4$' - a=0
e '0.1 + a' 'a constant that may be kept wider' 0 '^low .*0x1\.9999999999999p-4$' - a=0 --model excess
e '0.5 + a' 'a constant that cannot' 0 'both ends are reached' - a=0 --model excess
e 'sqrtf(a) + b' 'a function of type float' 0 '^low .*0x1\.6a09e6p\+0$' - a=2 b=0
e 'a < b ? a*b : c' 'a condition' 0 '^low  *6  ' - a=2 b=3 c=5
e 'a < b ? a : c' 'a condition that is not stable' 0 '^high  *5  ' - a=2 'b=[1,3]' c=5
e 'a > b ? 1 : a < c ? 2.5 : 3' 'conditions in a row' 0 '^low  *2\.5  ' - a=2 b=3 c=5
e '(a ? b*c : c) + a' 'fused past a condition' 0 '^low  *2\.77' - a=-.3 b=.1 c=3
e 'double t = a*b; float u = t; return t - u' 'declarations' 0 '^low .*0x1p-83$' - a=0x1p-30 b=0x1.0000001p-25 --model written
e 'tan(a)' 'a tangent with a pole' 0 '^high  *inf$' - 'a=[1,2]'
e 'floor(a)' 'down to an integer' 0 '^high  *2  ' - 'a=[1,2.5]'
e 'pow(a, 3)' 'a power of a negative number' 0 '^low  *-8\.0' - 'a=[-2,1]'
e 's = a; s = s + b; s + c' 'a loop' 0 '^low  *0  ' - a=1e20 b=-1e20 c=1 --model loop
e '(double)a + (double)b + (double)c' 'fast in a wider format' 0 '^low  *-' - a=1e20 b=-1e20 c=1 --model fast --format f32

# ---- errors ----
e '1/2*a' 'a division of integers' 2 - 'column 2: this is a division of integers' a=1
e '(a<1)/2' 'one of a comparison' 2 - 'column 6: this is a division of integers' a=1
e '0.1L + a' 'long double' 2 - 'column 1: bounds have no format long double' a=1
e '010 + a' 'octal' 2 - 'column 1: an integer that begins with 0' a=1
e 'a ? a' 'no colon' 2 - 'column 3: this question mark has no colon' a=1
e '(a ? a)' 'no colon in parentheses' 2 - 'column 4: this question mark has no colon' a=1
e 'a : a' 'no question mark' 2 - 'column 3: this colon has no question mark' a=1
e 'a && a' 'an operator of C' 2 - 'column 3: the operator && is not supported' a=1
e 'a*(b' 'not closed' 2 - 'column 3: this parenthesis is never closed' a=1 b=1
e 'a*b)' 'not opened' 2 - 'column 4: this closing' a=1 b=1
e 'a*b + ' 'an operand is missing' 2 - 'column 7: the expression ends' a=1 b=1
e 'a b' 'an operator is missing' 2 - 'column 3: an operator' a=1 b=1
e 'a + q' 'no value' 2 - 'column 5: q has no value' a=1
e 'foo(a)' 'an unknown function' 2 - 'no bounds of a function foo' a=1
e 'fma(a, a)' 'too few arguments' 2 - 'column 1: fma takes 3 arguments, not 2' a=1
e 'a, a' 'a comma' 2 - 'column 2: a comma' a=1
e 't = a' 'nothing but an assignment' 2 - 'column 6: an expression should follow' a=1
e '1.2.3' 'no number' 2 - 'column 1: this is not a number'
e '' 'nothing' 2 - 'is empty'
e 'a' 'an interval upside down' 2 - 'the lower end' 'a=[2,1]'
e 'a' 'no interval' 2 - 'neither a number nor an interval' 'a=[1,2'
e 'a' 'no name' 2 - 'a name and its value' '1=2'
e 'a' 'twice' 2 - 'a has a value already' a=1 a=2
e 'a' 'an unknown model' 2 - 'did you mean contract' a=1 --model contrakt
e 'a' 'a format without bounds' 2 - 'use f64, f32, f16 or bf16' a=1 --format e4m3

echo "1..$number"
