"""Forms in which a product may meet a sum, for test_bound_fusion.py.

A form is a name, who fuses it, the body of a function and what it needs before it. T is the type,
F(name) a function of C for it, I an integer of its size. In the body c is -a*b, g is a*b, f is -d*e
and q is -a*a, each rounded, so that a fused product shows; n1 is 1, and V(x) is x, which no compiler
knows."""

SEEN = "gcc clang"  # both, where their flags let them fuse through assignments

FORMS = [
    # within an expression
    ("plain", SEEN, "return a*b + c;"),
    ("difference", SEEN, "return g - a*b;"),
    ("negation", SEEN, "return -(a*b) + g;"),
    ("negated sum", SEEN, "return -(a*b + c);"),
    ("difference of squares", SEEN, "return a*a - b*b;"),
    ("three factors", SEEN, "return a*b*d*e + c;"),
    ("twice c", SEEN, "return a*b*3 + c*3;"),
    ("polynomial", SEEN, "return ((a*b + c)*b + d)*b + e;"),
    ("two products", "", "return a*b + d*e;"),
    ("discriminant", "", "return b*b - 4*a*c;"),
    ("cross product", SEEN, "T x = b*f - c*e, y = c*d - a*f, z = a*e - b*d; return x*x + y*y + z*z;"),
    ("a quotient is none", "", "return a/b + c;"),
    # through assignments, memory, calls
    ("variable", SEEN, "T t = a*b; return t + c;"),
    ("comma", SEEN, "T t; return (t = a*b, t + c);"),
    ("compound assignment", SEEN, "T s = c; s += a*b; return s;"),
    ("product in steps", SEEN, "T s = a; s *= b; s += c; return s;"),
    ("used twice", "", "T t = a*b; return t - t;"),
    ("square of a sum", SEEN, "T t = a*b + c; return t*t - t;"),
    ("memory", SEEN, "slot[3] = a*b; return slot[3] + c;", "static T slot[8];"),
    ("volatile", "none", "volatile T t = a*b; return t + c;"),
    ("pointer", SEEN, "T t = a*b; T *p = &t, *r = p; *r += c; return *p;"),
    ("array", SEEN, "T m[2][2] = {{a, b}, {d, e}}; return m[0][0]*m[0][1] + c;"),
    ("alloca", SEEN, "T *p = __builtin_alloca(4*sizeof *p); p[0] = a*b; return p[0] + c;"),
    ("array of a length", "",
     "int k = n1 + 3; T p[k], s = 0; for (int i = 0; i < k; i++) p[i] = a*b;"
     " for (int i = 0; i < k; i++) s += p[i] + c; return s;"),
    ("realloc", "", "T *p = malloc(2*sizeof *p); p[0] = a*b; p = realloc(p, 999*sizeof *p);"
     " T r = p[0] + c; free(p); return r;"),
    ("union", SEEN, "union { T x; char b[16]; } u; u.x = a*b; return u.x + c;"),
    ("memcpy", SEEN, "T t = a*b, w; memcpy(&w, &t, sizeof t); return w + c;"),
    ("struct", SEEN, "struct { T x, y, z; } p = {a*b, d*e, 1}, o; o = p; return o.x + c - (o.y + f);"),
    ("struct returned", "", "struct P p = two(a, b, d, e); return p.x + c - (p.y + f);",
     "struct P { T x, y; }; __attribute__((noinline)) static struct P two(T x, T y, T z, T w)"
     " { struct P p = {x*y, z*w}; return p; }"),
    ("inlining", SEEN, "return times(a, b) + c;", "static inline T times(T x, T y) { return x*y; }"),
    ("a call", "none", "return times(a, b) + c;",
     "__attribute__((noinline)) static T times(T x, T y) { return x*y; }"),
    ("function pointer", SEEN, "T (*p)(T, T) = times; return p(a, b) + c;",
     "static T times(T x, T y) { return x*y; }"),
    ("generic", SEEN, "return _Generic(a, float: one, double: two)(a, b) + c;",
     "static float one(float x, float y) { return x*y; }"
     "static double two(double x, double y) { return x*y; }"),
    ("variable arguments", "", "return va(2, (double)(a*b)) + c;",
     "static T va(int k, ...) { va_list l; va_start(l, k); T t = (T)va_arg(l, double); va_end(l);"
     " return t; }"),
    ("recursion", SEEN, "return rec(6, a, b) + c*6;",
     "static T rec(int k, T x, T y) { return k ? x*y + rec(k - 1, x, y) : 0; }"),
    ("longjmp", "", "jmp_buf j; volatile T t = 0; if (setjmp(j) == 0) { t = a*b; longjmp(j, 1); }"
     " return t + c;"),
    ("sorted", "", "T v[5] = {a*b, -c, d*e, -f, a}; qsort(v, 5, sizeof *v, order);"
     " return v[0] - v[1] + v[2];",
     "static int order(const void *x, const void *y)"
     " { T p = *(const T *)x, r = *(const T *)y; return (p > r) - (p < r); }"),
    # loops and branches
    ("loop-carried", "clang", "T s = c, p = a*b; for (int i = 0; i < n1; i++) { s += p; p = d*e; }"
     " return s;"),
    ("goto", "gcc", "T s = c; int i = 0; again: s += a*b; if (++i < 3) goto again; return s;"),
    ("vectorized", SEEN, "T s = 0, in[16], out[16]; for (int i = 0; i < 16; i++) in[i] = V(a*(T)i);"
     " for (int i = 0; i < 16; i++) out[i] = in[i]*a + in[15 - i];"
     " for (int i = 0; i < 16; i++) s = out[i] - s; return s;"),
    ("under a condition", "gcc", "T s = c; if (V(a) > -100) s += a*b; return s;"),
    ("either side", SEEN, "T p; if (a > 0) p = a*b; else p = b*a; return p + c;"),
    ("across a branch", "clang", "T p = a*b; if (n1 > 5) side(); return p + c;",
     "__attribute__((noinline)) static void side(void) { __asm__ volatile(\"\"); }"),
    ("?: of products", "none", "return (V(a) > 0 ? a*b : d*e) + c;"),
    ("?: of sums", "clang", "T t = a*b; return n1 ? t + c : t - c;"),
    ("?: of a square", SEEN, "T t = a*a, w = t < 0 ? -t : t; return w + q;"),
    # powers of two
    ("a quarter", "", "return a*b/4 + c/4;"),
    ("a half", "", "return (T).5*(a*b) + c/2;"),
    ("doubled by a variable", "", "T two = 2; return a*b*two + c*2;"),
    ("subnormal half", SEEN, "T x = V(TINY*3), y = V(-TINY); T t = x/2; return t + y;"),
    ("subnormal half, variable", SEEN,
     "T x = V(TINY*3), y = V(-TINY), two = 2; T t = x/two; return t + y;"),
    ("small divisor", SEEN, "T x = V(3*ROOT), y = V(-TINY); T t = x/BIG; return t + y;"),
    ("great factor", SEEN, "T x = V(MAX); T t = x*2; return t - x;"),
    ("great quotient", SEEN, "T x = V(MAX), h = (T).5; T t = x/h; return t - x;"),
    ("x + x", "gcc", "T x = V(MAX); T t = x + x; return t - x;"),
    ("ldexp", "", "return F(ldexp)(a*b, 3) + c*8;"),
    ("ldexp by 0", "gcc", "return F(ldexp)(a*b, 0) + c;"),
    # operations that give back an operand
    ("times 1", SEEN, "return a*b*1 + c;"),
    ("times a variable that is -1", SEEN, "T s = -1; return a*b*s + g;"),
    ("times an argument that is 1", SEEN, "return scaled(a, b, c, 1);",
     "static T scaled(T x, T y, T z, T s) { return x*y*s + z; }"),
    ("times a static that is 1", SEEN, "return a*b*one + c;", "static T one = 1;"),
    ("times an integer", SEEN, "int k = 1; return a*b*k + c;"),
    ("times a changing sign", "gcc",
     "T s = 1, r = c; for (int i = 0; i < 3; i++) { r += a*b*s; s = -s; } return r;"),
    ("divided by 1", SEEN, "T one = 1; return a*b/one + c;"),
    ("minus 0", SEEN, "return (a*b - (T)0.0) + c;"),
    ("minus an argument that is 0", SEEN, "return less(a, b, c, 0);",
     "static T less(T x, T y, T z, T s) { return (x*y - s) + z; }"),
    ("plus 0", "", "return (a*b + (T)0.0) + c;"),
    ("sum that starts at 0", "", "T s = 0; s += a*b; s += c; return s;"),
    ("squares that start at 0", "", "T s = 0; s += a*a; s += q; return s;"),
    ("power in a loop", SEEN, "T p = 1; for (int i = 0; i < 2; i++) p *= a; return p + q;"),
    ("fabs", "none", "return F(fabs)(a*b) + (c < 0 ? c : -c);"),
    ("fabs of a square", "gcc", "return F(fabs)(a*a) + q;"),
    ("square of fabs", SEEN, "T t = a; return F(fabs)(t)*F(fabs)(t) + q;"),
    ("fmax of one number", SEEN, "T t = a*b; return F(fmax)(t, t) + c;"),
    ("fmin with NaN", SEEN, "T t = a*b; return F(fmin)(t, (T)NAN) + c;"),
    ("fmax with less", "", "T t = a*b; return F(fmax)(t, V(-9999)) + c;"),
    ("copysign of one number", SEEN, "T t = a*b; return F(copysign)(t, t) + c;"),
    ("copysign of a square", "gcc", "return F(copysign)(a*a, 1) + q;"),
    ("floor of integers", "", "T x = (T)(long)(a*GRAIN), y = (T)(long)(b*GRAIN);"
     " T t = F(floor)(x*y), w = V(x*y); return t - w;"),
    ("fmod", "", "return F(fmod)(a*b, (T)1e30) + c;"),
    # fma as written
    ("fma", "", "return F(fma)(a, b, c);"),
    ("fma by 1", "clang", "return F(fma)(a*b, 1, c);"),
    ("fma by a variable that is -1", "clang", "T s = -1; return F(fma)(s, a*b, g);"),
    ("fma that adds a product", "clang", "return F(fma)(c, 1, a*b);"),
    ("fma that adds 0", "clang", "return F(fma)(a, b, -(T)0.0) + c;"),
    # powers
    ("pow(x, 2)", SEEN, "return F(pow)(a, 2) + q;"),
    ("pow by a variable", SEEN, "T two = 2; return F(pow)(a, two) + q;"),
    ("pow(x, 1)", SEEN, "return F(pow)(a*b, 1) + c;"),
    ("pow(x, -1)", "", "return F(pow)(a, -1) + b;"),
    ("root of squares", "", "return F(sqrt)(a*a + b*b) - d;"),
    # conversions; in f64 those to T are none
    ("float to double", "none", "float x = (float)a, y = (float)b;"
     " volatile double w = -(double)(x*y); return (T)((double)(x*y) + w);"),
    ("to double and back", SEEN, "return (T)(double)(a*b) + c;"),
    ("product in double", SEEN, "double x = a, y = b; T t = (T)(x*y); return t + c;"),
    ("double by a constant", "", "return (T)(a*1.3) + V((T)(a*-1.3));"),
    ("double by a float", "", "return (T)(a*1.5) + V((T)(a*-1.5));"),
    ("pow in double", SEEN, "return (T)pow(a, 2) + q;"),
    ("sum in double", SEEN, "double x = a*b, y = c; return (T)(x + y);"),
    ("midway", "", "T x = V((1 + EPSILON)*EPSILON/2), y = V(1 - EPSILON), z = V(1 + EPSILON), p = x*y;"
     " return (T)((double)p + (double)z);"),
    ("floats", "clang", "float x = (float)a, y = (float)b, z = (float)V(-(T)(x*y));"
     " float w = (float)((double)x*y); return (T)(w + z);"),
    ("integers", "", "double i = (int)(a*1000), j = (int)(b*1000); return (T)(i + j) + c;"),
    # complex numbers
    ("complex product", "gcc", "_Complex T z = C(a, b)*C(d, e); return __imag__ z;"),
    ("complex square", SEEN, "_Complex T z = C(a, b); z = z*z; return __real__ z;"),
    ("complex times real", SEEN, "_Complex T z = C(a, d); z = z*b; z += C(c, f);"
     " return __real__ z - __imag__ z;"),
    ("complex quotient", "", "_Complex T z = C(a, b)/C(d, e); return __real__ z + __imag__ z;"),
]
