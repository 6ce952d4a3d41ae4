/* Powers, conversions, selections and sums of squares in mixed formats. */
#include <math.h>
#include <stdio.h>
static volatile double seed = 1.37;
static volatile float half = .5f;
int main(void)
{
    double s = seed, sum = 0;
    float t = half, low = 0;
    for (int i = 1; i < 12; i++) {
        sum += pow(s, 2) / i - pow(s / i, 3);
        low += t * (float)s * .1f - (float)(sum * t) * .01f;
        s = i % 3 ? s * 1.1 : s * 0.25 + 1;
        t = fabsf(low) < 1 ? .5f / (1 + low * low) : .25f;
    }
    printf("%a %a %a\n", sum, (double)low, (double)t);
    printf("%a %a\n", hypot(sum, s), fma(sum, s, -sum * s));
    printf("%a %a %a\n", floor(s * 100), (double)(long)(sum * 1000), fmin(s * t, sum * low));
    return 0;
}
