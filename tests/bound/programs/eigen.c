/* Power iteration and a Rayleigh quotient. */
#include <math.h>
#include <stdio.h>
enum { N = 7 };
static volatile double seed = 0.9;
int main(void)
{
    double a[N][N], x[N], y[N], value = 0;
    for (int i = 0; i < N; i++) {
        x[i] = 1;
        for (int j = 0; j < N; j++)
            a[i][j] = seed / (1 + (i > j ? i - j : j - i)) + (i == j ? 2 : 0);
    }
    for (int step = 0; step < 6; step++) {
        double size = 0;
        value = 0;
        for (int i = 0; i < N; i++) {
            y[i] = 0;
            for (int j = 0; j < N; j++)
                y[i] += a[i][j] * x[j];
        }
        for (int i = 0; i < N; i++) {
            size += y[i] * y[i];
            value += x[i] * y[i];
        }
        for (int i = 0; i < N; i++)
            x[i] = y[i] / sqrt(size);
    }
    printf("%a\n", value);
    for (int i = 0; i < N; i++)
        printf("%a\n", x[i]);
    return 0;
}
