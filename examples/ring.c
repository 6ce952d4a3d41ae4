/* An all-reduce around a ring of ranks, as a target with a grid of results, one for each position
 * of the vector and each rank: accord map 'command:./ring 12' -n 4. On little-endian machines. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int length, ranks;

/* Each block of positions begins behind another rank; x is what position p has, rank by rank. */
static double sum_at(int p, const float *x)
{
    int block = (ranks * (p + 1) - 1) / length;
    float sum = x[(block + 1) % ranks];
    for (int k = 2; k <= ranks; k++)
        sum += x[(block + k) % ranks];
    return sum;
}

int main(int count, char **argument)
{
    uint32_t head[4], index[1 << 18], start[(1 << 16) + 1]; /* more is not asked for at once here */
    double fill;
    static double value[1 << 18];
    length = count > 1 ? atoi(argument[1]) : 0;
    if (length < 1 || scanf("accord 1 n=%d%*[^\n]", &ranks) != 1 || getchar() != '\n')
        return 2;
    float *x = calloc((size_t)length * (size_t)ranks, sizeof *x);
    printf("accord 2 binary rows=%d columns=%d share=rows copies=columns\n", length, ranks);
    while (x && fflush(stdout) == 0 && fread(head, 16, 1, stdin) == 1 &&
           fread(&fill, 8, 1, stdin)) {
        uint32_t sums = head[1], writes = head[2], form = head[3], grid = form == 2;
        if (writes > 1 << 18 || sums > 1 << 16)
            return 1;
        if (!form &&
            (fread(value, 8, writes, stdin) != writes || fread(index, 4, writes, stdin) != writes ||
             fread(start, 4, sums + 1, stdin) != sums + 1))
            return 1;
        for (int k = 0; k < ranks; k++)
            x[k] = (float)fill;
        fwrite("acca", 4, 1, stdout);
        fwrite(&sums, 4, 1, stdout);
        for (uint32_t s = 0; s < sums; s++) {
            if (form && !fread(x, 4 * (size_t)ranks, grid ? (size_t)length : 1, stdin))
                return 1;
            for (uint32_t w = form ? 0 : start[s]; !form && w < start[s + 1]; w++)
                x[index[w]] = (float)value[w];
            for (int p = 0; p < length; p++) {
                double sum = sum_at(p, grid ? x + p * ranks : x);
                for (int k = 0; k < ranks; k++)
                    fwrite(&sum, 8, 1, stdout);
            }
        }
    }
    return 0;
}
