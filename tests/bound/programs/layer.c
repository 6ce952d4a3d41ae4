/* A layer of a neural network in float, with softmax. */
#include <math.h>
#include <stdio.h>
#include <string.h>
enum { IN = 12, OUT = 5 };
static volatile float seed = 0.21f;
int main(void)
{
    float w[OUT][IN], x[IN], y[OUT], copy[OUT], most = -1e30f, sum = 0;
    for (int i = 0; i < IN; i++) {
        x[i] = seed * (float)(i % 5) - .3f;
        for (int o = 0; o < OUT; o++)
            w[o][i] = .1f * (float)((i * 3 + o * 7) % 9) - seed;
    }
    for (int o = 0; o < OUT; o++) {
        y[o] = .05f * (float)o;
        for (int i = 0; i < IN; i++)
            y[o] += w[o][i] * x[i];
        most = fmaxf(most, y[o]);
    }
    for (int o = 0; o < OUT; o++)
        sum += y[o] = expf(y[o] - most);
    memcpy(copy, y, sizeof copy);
    for (int o = 0; o < OUT; o++)
        printf("%a\n", (double)(copy[o] / sum));
    return 0;
}
