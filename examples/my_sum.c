/* A sum with four accumulators, which accord reveals:
 *
 *     cc -O2 -shared -fPIC -o my_sum.so examples/my_sum.c
 *     accord reveal so:./my_sum.so:my_sum -n 10 */
#include <stddef.h>

float my_sum(const float *x, size_t n)
{
    float sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t lane = 0; lane < 4; lane++)
            sum[lane] += x[i + lane];
    for (; i < n; i++)
        sum[0] += x[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
