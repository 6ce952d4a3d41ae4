/* Forces between atoms, in float, as the MD program of the SHOC benchmarks computes them, written
 * anew: `md [ATOMS]` writes three floats for each atom to the standard output, in binary.
 *
 * Atoms are drawn in a cube. Each feels the Lennard-Jones forces of its 128 nearest neighbors that
 * are less than 4 away. Positions and neighbors are found by integers, so that every build has the
 * same. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef ACCORD_OPENCL
#include "opencl.h"
#else
#include "md.cl"
#endif

enum { NEIGHBORS = 128, EDGE = 20, PER_CELL = 4 }; /* the cube has EDGE^3 */

typedef struct atom {
    int64_t q[3]; /* where it is, in units of 2^-24 */
    int number;
} atom;

/* A cell is a cube, too; `first` has one number more than there are cells. */
typedef struct world {
    int atoms, cells; /* cells along an edge */
    atom *atom;       /* by their numbers */
    atom *sorted;     /* by their cells */
    float *position;  /* of each atom, three floats */
    int *first;       /* of each cell, in `sorted` */
} world;

/* ---- where atoms are ---- */

/* The state of drand48(3), whose numbers are state / 2^48. */
static uint64_t draw(uint64_t *state)
{
    return *state = (*state * 0x5DEECE66Du + 0xB) & 0xFFFFFFFFFFFFu;
}

static void draw_atoms(world *w)
{
    uint64_t state = ((uint64_t)8650341 << 16) | 0x330E;
    for (int i = 0; i < w->atoms; i++) {
        w->atom[i].number = i;
        for (int k = 0; k < 3; k++) {
            uint64_t at = draw(&state) * EDGE;
            w->position[3 * i + k] = (float)((double)at / 281474976710656);
            w->atom[i].q[k] = (int64_t)(at >> 24);
        }
    }
}

static int cell_along(const world *w, int64_t q)
{
    return (int)(q * w->cells / ((int64_t)EDGE << 24));
}

static int cell_number(const world *w, int x, int y, int z)
{
    return (x * w->cells + y) * w->cells + z;
}

static int cell_of(const world *w, const atom *a)
{
    return cell_number(w, cell_along(w, a->q[0]), cell_along(w, a->q[1]), cell_along(w, a->q[2]));
}

/* Counts the atoms of each cell, and then puts them into their places from the last one down. */
static void sort_atoms(world *w)
{
    int all = w->cells * w->cells * w->cells;
    for (int i = 0; i < w->atoms; i++)
        w->first[cell_of(w, &w->atom[i])]++;
    for (int c = 0; c < all; c++)
        w->first[c + 1] += w->first[c];
    for (int i = w->atoms - 1; i >= 0; i--)
        w->sorted[--w->first[cell_of(w, &w->atom[i])]] = w->atom[i];
}

/* ---- who is near ---- */

/* The nearest atoms so far, nearest first. */
typedef struct near_list {
    int count, who[NEIGHBORS];
    int64_t square[NEIGHBORS]; /* of the distance */
} near_list;

static void insert(near_list *list, int who, int64_t square)
{
    if (list->count == NEIGHBORS && square >= list->square[NEIGHBORS - 1])
        return;
    int at = list->count < NEIGHBORS ? list->count++ : NEIGHBORS - 1;
    for (; at > 0 && list->square[at - 1] > square; at--) {
        list->square[at] = list->square[at - 1];
        list->who[at] = list->who[at - 1];
    }
    list->square[at] = square;
    list->who[at] = who;
}

static void search_cell(const world *w, const atom *a, int cell, near_list *list)
{
    for (int j = w->first[cell]; j < w->first[cell + 1]; j++) {
        const atom *b = &w->sorted[j];
        int64_t square = 0;
        for (int k = 0; k < 3; k++)
            square += (a->q[k] - b->q[k]) * (a->q[k] - b->q[k]);
        if (b->number != a->number)
            insert(list, b->number, square);
    }
}

/* A ring has the cells whose farthest coordinate is `ring` cells away. */
static void search_ring(const world *w, const atom *a, int ring, near_list *list)
{
    int c[3], n = w->cells;
    for (int k = 0; k < 3; k++)
        c[k] = cell_along(w, a->q[k]);
    for (int x = c[0] - ring; x <= c[0] + ring; x++)
        for (int y = c[1] - ring; y <= c[1] + ring; y++) {
            int wall = abs(x - c[0]) == ring || abs(y - c[1]) == ring || ring == 0;
            for (int z = c[2] - ring; z <= c[2] + ring; z += wall ? 1 : 2 * ring)
                if (x >= 0 && y >= 0 && z >= 0 && x < n && y < n && z < n)
                    search_cell(w, a, cell_number(w, x, y, z), list);
        }
}

/* What lies beyond a ring is farther away than the ring is wide, so the search ends when the list
 * is full of atoms that are nearer. */
static void find_neighbors(const world *w, const atom *a, near_list *list)
{
    int64_t cell = ((int64_t)EDGE << 24) / w->cells;
    list->count = 0;
    for (int ring = 0; ring < w->cells; ring++) {
        search_ring(w, a, ring, list);
        int64_t near = ring * cell;
        if (list->count == NEIGHBORS && list->square[NEIGHBORS - 1] <= near * near)
            return;
    }
}

/* ---- what they feel ---- */

#ifdef ACCORD_OPENCL
static void find_forces(const world *w, float *force)
{
    size_t n = (size_t)w->atoms;
    int most = NEIGHBORS, *count = malloc(n * sizeof *count);
    int *who = malloc(n * NEIGHBORS * sizeof *who);
    near_list list;
    opencl_need(count && who, "out of memory");
    for (int i = 0; i < w->atoms; i++) {
        find_neighbors(w, &w->atom[i], &list);
        count[i] = list.count;
        memcpy(who + NEIGHBORS * i, list.who, sizeof list.who);
    }
    opencl_device device = opencl_open(__FILE__, "md");
    cl_mem in[] = {opencl_buffer(&device, w->position, 3 * n * sizeof(float)),
                   opencl_buffer(&device, count, n * sizeof *count),
                   opencl_buffer(&device, who, n * NEIGHBORS * sizeof *who)};
    cl_mem out = opencl_buffer(&device, NULL, 3 * n * sizeof(float));
    for (unsigned k = 0; k < 3; k++)
        opencl_argument(&device, k, &in[k], sizeof in[k]);
    opencl_argument(&device, 3, &most, sizeof most);
    opencl_argument(&device, 4, &out, sizeof out);
    opencl_run(&device, n);
    opencl_read(&device, out, force, 3 * n * sizeof(float));
    free(count);
    free(who);
}
#else
static void find_forces(const world *w, float *force)
{
    near_list list;
    for (int i = 0; i < w->atoms; i++) {
        find_neighbors(w, &w->atom[i], &list);
        find_force(w->position, i, list.who, list.count, force + 3 * i);
    }
}
#endif

static int get_memory(world *w)
{
    size_t n = (size_t)w->atoms, c = 1;
    while (c * c * c * PER_CELL < n)
        c++;
    w->cells = (int)c;
    w->atom = malloc(n * sizeof *w->atom);
    w->sorted = malloc(n * sizeof *w->sorted);
    w->position = malloc(3 * n * sizeof *w->position);
    w->first = calloc(c * c * c + 1, sizeof *w->first);
    return w->atom && w->sorted && w->position && w->first;
}

int main(int count, char **word)
{
    world w = {.atoms = count > 1 ? atoi(word[1]) : 12288};
    if (w.atoms <= NEIGHBORS || w.atoms > 1 << 24) {
        fprintf(stderr, "md [ATOMS]: give a number of atoms from 129 to 16777216\n");
        return 2;
    }
    float *force = calloc((size_t)w.atoms, 3 * sizeof *force);
    if (!force || !get_memory(&w)) {
        fprintf(stderr, "md: out of memory\n");
        return 1;
    }
    draw_atoms(&w);
    sort_atoms(&w);
    find_forces(&w, force);
    for (int i = 0; i < w.atoms; i++)
        fwrite(force + 3 * i, sizeof *force, 3, stdout);
    free(force);
    free(w.position);
    free(w.atom);
    free(w.sorted);
    free(w.first);
    return 0;
}
