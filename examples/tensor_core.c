/* A matrix accelerator of one's own, as accord's target: products of f16 numbers, six at a time,
 * aligned with the sum so far to the greatest exponent, cut after 22 bits below it, summed exactly
 * and cut to f32. See doc/bits.md.
 *
 *     cc -O2 -shared -fPIC -o tensor_core.so tensor_core.c -lm
 *     accord features so:./tensor_core.so:dot --signature dot --format f16 --result f32 -n 18 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { TERMS = 6, BITS = 22, LEAST_OPERAND = -14, LEAST_SUM = -126 };

/* Of what is no normal number the least exponent counts; a zero takes no part. */
static int exponent(float x, int least)
{
    int e = ilogbf(x);
    return e < least ? least : e;
}

static float step(size_t count, const float *x, const float *y, float c)
{
    int most = c != 0 ? exponent(c, LEAST_SUM) : -1000;
    for (size_t i = 0; i < count; i++)
        if (x[i] * y[i] != 0) {
            int e = exponent(x[i], LEAST_OPERAND) + exponent(y[i], LEAST_OPERAND);
            most = e > most ? e : most;
        }
    if (most == -1000)
        return 0;
    double quantum = ldexp(1, most - BITS);
    double sum = trunc(c / quantum);
    for (size_t i = 0; i < count; i++)
        sum += trunc((double)x[i] * y[i] / quantum);
    sum *= quantum;
    float near = (float)sum;
    return fabs(near) > fabs(sum) ? nextafterf(near, 0) : near;
}

float dot(size_t n, const float *x, const float *y)
{
    float c = 0;
    for (size_t i = 0; i < n; i += TERMS)
        c = step(n - i < TERMS ? n - i : TERMS, x + i, y + i, c);
    return c;
}

/* The same of numbers that are passed as the 16 bits of their encoding: with --signature
 * dot:encoded. */
static float decode(uint16_t bits)
{
    int field = bits >> 10 & 31, fraction = bits & 1023;
    float size =
        field ? ldexpf((float)(1024 + fraction), field - 25) : ldexpf((float)fraction, -24);
    if (field == 31)
        size = fraction ? NAN : INFINITY;
    return bits >> 15 ? -size : size;
}

float dot_encoded(size_t n, const uint16_t *x, const uint16_t *y)
{
    float c = 0, a[TERMS], b[TERMS];
    for (size_t i = 0; i < n; i += TERMS) {
        size_t count = n - i < TERMS ? n - i : TERMS;
        for (size_t k = 0; k < count; k++) {
            a[k] = decode(x[i + k]);
            b[k] = decode(y[i + k]);
        }
        c = step(count, a, b, c);
    }
    return c;
}
