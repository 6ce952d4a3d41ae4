/* A stencil of nine points in float, as Stencil2D of the SHOC benchmarks applies it, written anew.
 *
 * `stencil SIZE START EVERY STEPS...` starts with a matrix of SIZE x SIZE numbers, surrounded by
 * zeros. START is `product` (element i, j is i * j) or `random` (numbers from 0 to 1). Whenever one
 * of the numbers of steps is reached, every EVERY-th row and column is written to the standard
 * output, as floats in binary. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The sum of all weights is 1.05, so the numbers grow. */
static const float center = .25f, cardinal = .15f, diagonal = .05f;

typedef struct grid {
    int size, row; /* a row is longer by two zeros */
    float *from, *to;
} grid;

/* The numbers of drand48(3) with the seed 1; made by integers, so that every build has the same. */
static float draw(uint64_t *state)
{
    *state = (*state * 0x5DEECE66Du + 0xB) & 0xFFFFFFFFFFFFu;
    return (float)(*state >> 24) / 16777216;
}

static void start(const grid *g, const char *how)
{
    uint64_t state = 0x1330E;
    for (int i = 0; i < g->size; i++)
        for (int j = 0; j < g->size; j++)
            g->from[(i + 1) * g->row + j + 1] =
                strcmp(how, "random") == 0 ? draw(&state) : (float)i * (float)j;
}

static void step(grid *g)
{
    const int up = -g->row, down = g->row;
    for (int i = 1; i <= g->size; i++)
        for (int j = 1; j <= g->size; j++) {
            const float *c = g->from + i * g->row + j;
            float near = c[up] + c[down] + c[1] + c[-1];
            float far = c[up + 1] + c[down + 1] + c[up - 1] + c[down - 1];
            g->to[i * g->row + j] = center * c[0] + cardinal * near + diagonal * far;
        }
    float *old = g->from;
    g->from = g->to;
    g->to = old;
}

static void write_every(const grid *g, int every)
{
    for (int i = every - 1; i < g->size; i += every)
        for (int j = every - 1; j < g->size; j += every)
            fwrite(&g->from[(i + 1) * g->row + j + 1], sizeof(float), 1, stdout);
}

int main(int count, char **word)
{
    grid g = {.size = count > 4 ? atoi(word[1]) : 0};
    int every = count > 4 ? atoi(word[3]) : 0, done = 0;
    if (g.size < 1 || g.size > 16384 || every < 1 || every > g.size) {
        fprintf(stderr, "stencil SIZE product|random EVERY STEPS...\n");
        return 2;
    }
    g.row = g.size + 2;
    g.from = calloc((size_t)g.row * (size_t)g.row, sizeof *g.from);
    g.to = calloc((size_t)g.row * (size_t)g.row, sizeof *g.to);
    if (!g.from || !g.to) {
        fprintf(stderr, "stencil: out of memory\n");
        return 1;
    }
    start(&g, word[2]);
    for (int k = 4; k < count; k++) {
        for (; done < atoi(word[k]); done++)
            step(&g);
        write_every(&g, every);
    }
    free(g.from);
    free(g.to);
    return 0;
}
