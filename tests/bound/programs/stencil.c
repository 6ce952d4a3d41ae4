/* Nine points, in float, written by fwrite to the standard error as well. */
#include <stdio.h>
#include <stdlib.h>
enum { N = 8 };
static volatile float centre = .25f;
int main(void)
{
    float *a = calloc((N + 2) * (N + 2), sizeof *a), *b = calloc((N + 2) * (N + 2), sizeof *b);
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++)
            a[i * (N + 2) + j] = (float)i * (float)j * .1f;
    for (int step = 0; step < 4; step++) {
        for (int i = 1; i <= N; i++)
            for (int j = 1; j <= N; j++) {
                const float *p = a + i * (N + 2) + j;
                b[i * (N + 2) + j] = centre * p[0] + .15f * (p[-1] + p[1] + p[-N - 2] + p[N + 2]) +
                                     .05f * (p[-N - 3] + p[-N - 1] + p[N + 1] + p[N + 3]);
            }
        float *other = a;
        a = b;
        b = other;
    }
    fwrite(a + N + 3, sizeof *a, 4, stderr);
    for (int i = 1; i <= N; i++)
        printf("%a\n", (double)a[i * (N + 2) + i]);
    free(a);
    free(b);
    return 0;
}
