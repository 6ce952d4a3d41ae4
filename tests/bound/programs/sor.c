/* Successive over-relaxation on a grid. */
#include <stdio.h>
enum { N = 10 };
static volatile double omega = 1.5;
int main(void)
{
    double u[N][N] = {{0}};
    for (int i = 0; i < N; i++)
        u[0][i] = 0.1 * i;
    for (int step = 0; step < 8; step++)
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                u[i][j] = (1 - omega) * u[i][j] +
                          omega / 4 * (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]);
    for (int i = 1; i < N - 1; i++)
        printf("%a\n", u[i][i]);
    return 0;
}
