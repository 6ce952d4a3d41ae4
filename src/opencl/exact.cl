/* Exact sums and dot products. Source: Collange, Defour, Graillat, Iakymchuk, Numerical
 * reproducibility for the parallel reduction on multi- and many-core architectures, 2015, 3.4 and
 * 4.1: each work-item keeps a floating-point expansion in registers; what does not fit into it goes
 * into a superaccumulator of the work-group in local memory.
 *
 * MODE 0: sum of double, 1: sum of float, 2: products of double, 3: products of float. Limb i of
 * LIMBS counts units of 2^(32 i - UNIT), as in accord/exact.h; five counts of NaNs, infinities and
 * zeros follow. A launch has at most 2^24 terms, so that a limb, which gets at most a few times 2^32
 * for each, cannot overflow, and no partial sum of terms below 2^990 reaches 2^1016. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL FP_CONTRACT OFF

#define SIZE 4
#ifndef FUSED /* tests of the test at the start put something else here */
#define FUSED fma
#endif
typedef volatile __local long *limbs;

void two_sum(double *a, double *x)
{
    double r = *a + *x, z = r - *a;
    *x = (*a - (r - z)) + (*x - z);
    *a = r;
}

/* p + returned = x y, where neither under- nor overflows. */
double two_product(double x, double y, double *p)
{
    *p = x * y;
    return FUSED(x, y, -*p);
}

/* Adds the 64 bits, times 2^place units. */
void put_bits(limbs limb, ulong bits, uint place, bool negative)
{
    uint at = place / 32, shift = place % 32;
    for (uint word = 0; word < 2; word++, bits >>= 32, at++) {
        ulong part = (bits & 0xffffffffUL) << shift;
        long low = part & 0xffffffffUL, high = part >> 32;
        if (low)
            atom_add(&limb[at], negative ? -low : low);
        if (high)
            atom_add(&limb[at + 1], negative ? -high : high);
    }
}

/* The significand of a finite number, which it is in units of 2^(place - 1074). */
ulong significand(double x, uint *place)
{
    ulong bits = as_ulong(x), low = bits & 0xfffffffffffffUL;
    uint exponent = (bits >> 52) & 2047;
    *place = exponent ? exponent - 1 : 0;
    return exponent ? low | 0x10000000000000UL : low;
}

void put(limbs limb, double x)
{
    uint place;
    ulong bits = significand(x, &place);
    put_bits(limb, bits, place + UNIT - 1074, x < 0);
}

void put_product(limbs limb, double x, double y)
{
    uint place_x, place_y;
    ulong a = significand(x, &place_x), b = significand(y, &place_y);
    bool negative = (x < 0) != (y < 0);
    put_bits(limb, a * b, place_x + place_y + UNIT - 2148, negative);
    put_bits(limb, mul_hi(a, b), place_x + place_y + 64 + UNIT - 2148, negative);
}

void add(limbs limb, double *term, double x)
{
    for (int i = 0; i < SIZE && x != 0; i++)
        two_sum(&term[i], &x);
    if (x != 0)
        put(limb, x);
}

/* Counts what is no number but zero; false: x is one. */
bool count_special(limbs count, double x)
{
    int which = isnan(x) ? 0 : isinf(x) ? (x > 0 ? 1 : 2) : x == 0 ? (signbit(x) ? 4 : 3) : -1;
    if (which < 0)
        return false;
    atom_add(&count[which], 1L);
    return true;
}

#if MODE % 2
typedef float number;
#else
typedef double number;
#endif

void add_term(limbs limb, double *term, double x)
{
    if (count_special(limb + LIMBS, x))
        return;
    if (fabs(x) < 0x1p990)
        add(limb, term, x);
    else
        put(limb, x);
}

void add_product(limbs limb, double *term, number x, number y)
{
#if MODE == 3
    add_term(limb, term, (double)x * (double)y); /* has 48 bits */
#else
    double p, e = two_product(x, y, &p);
    if (x == 0 || y == 0 || isinf(x) || isinf(y) || isnan(p)) {
        count_special(limb + LIMBS, p);
    } else if (fabs(p) >= 0x1p-900 && fabs(p) < 0x1p990) {
        add(limb, term, p);
        add(limb, term, e);
    } else {
        put_product(limb, x, y);
    }
#endif
}

__kernel void accumulate(__global const number *x, __global const number *y, uint n,
                         __local long *limb, __global long *out)
{
    double term[SIZE];
    uint me = get_local_id(0), words = LIMBS + 5;
    for (uint i = 0; i < SIZE; i++)
        term[i] = 0;
    for (uint i = me; i < words; i += get_local_size(0))
        limb[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
#if MODE < 2
        add_term(limb, term, x[i]);
#else
        add_product(limb, term, x[i], y[i]);
#endif
    }
    for (uint i = 0; i < SIZE; i++)
        put(limb, term[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = me; i < words; i += get_local_size(0))
        out[get_group_id(0) * words + i] = limb[i];
}

/* For the test at the start: sum, its error, product, its error. */
__kernel void transform(__global const double *x, __global double *out)
{
    uint i = get_global_id(0);
    double a = x[2 * i], b = x[2 * i + 1], p;
    out[4 * i + 3] = two_product(a, b, &p);
    out[4 * i + 2] = p;
    two_sum(&a, &b);
    out[4 * i] = a;
    out[4 * i + 1] = b;
}
