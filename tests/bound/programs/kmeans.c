/* A step of k-means: its decisions can be unstable. */
#include <stdio.h>
#include <stdlib.h>
enum { POINTS = 40, MEANS = 3 };
static volatile float seed = 0.37f;
int main(void)
{
    float(*p)[2] = malloc(POINTS * sizeof *p), mean[MEANS][2], sum[MEANS][2] = {{0}};
    int count[MEANS] = {0};
    for (int i = 0; i < POINTS; i++) {
        p[i][0] = seed * (float)(i * 7 % 11) - .1f * (float)i;
        p[i][1] = (float)(i * 5 % 13) * seed;
    }
    for (int k = 0; k < MEANS; k++)
        for (int c = 0; c < 2; c++)
            mean[k][c] = p[k * 9][c];
    for (int i = 0; i < POINTS; i++) {
        int best = 0;
        float least = 0;
        for (int k = 0; k < MEANS; k++) {
            float dx = p[i][0] - mean[k][0], dy = p[i][1] - mean[k][1], d = dx * dx + dy * dy;
            if (k == 0 || d < least) {
                least = d;
                best = k;
            }
        }
        count[best]++;
        sum[best][0] += p[i][0];
        sum[best][1] += p[i][1];
    }
    for (int k = 0; k < MEANS; k++)
        printf("%d %a %a\n", count[k], (double)(sum[k][0] / (float)count[k]),
               (double)(sum[k][1] / (float)count[k]));
    free(p);
    return 0;
}
