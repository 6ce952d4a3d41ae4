/* LDL^T of a symmetric matrix, and a solution by it. */
#include <stdio.h>
enum { N = 6 };
static volatile double seed = 0.7;
int main(void)
{
    double a[N][N], l[N][N] = {{0}}, d[N], x[N], s = seed;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = (i == j ? 3.1 + s : s / (1 + i + j));
    for (int j = 0; j < N; j++) {
        d[j] = a[j][j];
        for (int k = 0; k < j; k++)
            d[j] -= l[j][k] * l[j][k] * d[k];
        for (int i = j; i < N; i++) {
            double t = a[i][j];
            for (int k = 0; k < j; k++)
                t -= l[i][k] * l[j][k] * d[k];
            l[i][j] = t / d[j];
        }
    }
    for (int i = 0; i < N; i++) {
        x[i] = 1 + s * i;
        for (int k = 0; k < i; k++)
            x[i] -= l[i][k] * x[k];
    }
    for (int i = N - 1; i >= 0; i--) {
        x[i] /= d[i];
        for (int k = i + 1; k < N; k++)
            x[i] -= l[k][i] * x[k];
    }
    for (int i = 0; i < N; i++)
        printf("%a %a\n", d[i], x[i]);
    return 0;
}
