/* Products of MXFP8, 32 of which share a pair of scales, and which accord takes apart:
 *
 *     cc -O2 -ffp-contract=off -shared -fPIC -o scaled_dot.so examples/scaled_dot.c -lm
 *     accord reveal so:./scaled_dot.so:scaled_dot --signature scaled-dot:encoded --format e4m3 \
 *         --scale-block 32 --scale e8m0 -n 128 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOCK = 32, LANES = 2 };

static double element(uint8_t bits) /* e4m3: a sign, 4 bits of exponent, 3 of fraction */
{
    int exponent = bits >> 3 & 15, fraction = bits & 7;
    double x = exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
    x = (bits & 127) == 127 ? NAN : x;
    return bits >> 7 ? -x : x;
}

static double scale(uint8_t bits) /* e8m0: a power of two */
{
    return bits == 255 ? NAN : ldexp(1, bits - 127);
}

/* Each block is added exactly, scaled and rounded to f32; even and odd blocks are added apart. */
float scaled_dot(size_t n, const uint8_t *x, const uint8_t *scale_x, const uint8_t *y,
                 const uint8_t *scale_y)
{
    float sum[LANES] = {0};
    for (size_t k = 0; k < n / BLOCK; k++) {
        double block = 0;
        for (size_t i = k * BLOCK; i < (k + 1) * BLOCK; i++)
            block += element(x[i]) * element(y[i]);
        sum[k % LANES] += (float)(block * scale(scale_x[k]) * scale(scale_y[k]));
    }
    return sum[0] + sum[1];
}
