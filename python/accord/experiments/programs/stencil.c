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

#ifdef ACCORD_OPENCL
#include "opencl.h"
#else
#include "stencil.cl"
#endif

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

static void swap(grid *g)
{
    float *old = g->from;
    g->from = g->to;
    g->to = old;
}

#ifdef ACCORD_OPENCL
static void go(grid *g, int steps)
{
    static opencl_device device;
    size_t bytes = (size_t)g->row * (size_t)g->row * sizeof *g->from;
    if (!device.id)
        device = opencl_open(__FILE__, "stencil");
    cl_mem from = opencl_buffer(&device, g->from, bytes), to = opencl_buffer(&device, g->to, bytes);
    opencl_argument(&device, 2, &g->size, sizeof g->size);
    for (; steps > 0; steps--) {
        opencl_argument(&device, 0, &from, sizeof from);
        opencl_argument(&device, 1, &to, sizeof to);
        opencl_run(&device, (size_t)g->size * (size_t)g->size);
        cl_mem old = from;
        from = to;
        to = old;
    }
    opencl_read(&device, from, g->from, bytes);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
}
#else
static void go(grid *g, int steps)
{
    for (; steps > 0; steps--) {
        for (int i = 1; i <= g->size; i++)
            for (int j = 1; j <= g->size; j++)
                g->to[i * g->row + j] = next(g->from + i * g->row + j, g->row);
        swap(g);
    }
}
#endif

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
        go(&g, atoi(word[k]) - done);
        done = atoi(word[k]) > done ? atoi(word[k]) : done;
        write_every(&g, every);
    }
    free(g.from);
    free(g.to);
    return 0;
}
