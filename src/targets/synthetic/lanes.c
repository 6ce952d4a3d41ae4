/* Sums several probes at once along one tree, as src/model does with rows.
 *
 * Invariant between groups: every lane of a leaf holds its standing value. A probe's staying
 * writes go to its own lane and the later ones, its own writes to its lane alone; after the group
 * every leaf that was written is set back to what then stands. */
#include "model/replay/replay.h"
#include "targets/synthetic/synthetic.h"

struct accordi_lanes {
    bool f32; /* float, else double */
    size_t width;
    void *leaf, *stack; /* n x width and depth x width values */
    double *standing;   /* n values */
    double *scratch;
};

static double fuse(const void *context, const double *x, size_t count)
{
    const accordi_synthetic *s = context;
    return accordi_fuse(s->accumulator, x, count);
}

void accordi_lanes_free(accordi_lanes *lanes)
{
    if (!lanes)
        return;
    free(lanes->leaf);
    free(lanes->stack);
    free(lanes->standing);
    free(lanes->scratch);
    free(lanes);
}

static accordi_lanes *lanes_new(const accordi_synthetic *s)
{
    accordi_lanes *lanes = accordi_calloc(1, sizeof *lanes);
    if (!lanes)
        return NULL;
    accordi_needs needs = accordi_tree_needs(s->tree);
    lanes->f32 = s->accumulator == ACCORD_F32;
    lanes->width = lanes->f32 ? ACCORDI_LANES_F32 : ACCORDI_LANES_F64;
    size_t size = lanes->f32 ? sizeof(float) : sizeof(double);
    lanes->leaf = accordi_alloc_lanes(s->n * lanes->width, size);
    lanes->stack = accordi_alloc_lanes(needs.depth * lanes->width, size);
    lanes->standing = accordi_alloc(s->n, sizeof(double));
    lanes->scratch = accordi_alloc(needs.children * lanes->width, sizeof(double));
    if (lanes->leaf && lanes->stack && lanes->standing && lanes->scratch)
        return lanes;
    accordi_lanes_free(lanes);
    return NULL;
}

static inline void set_leaf(accordi_lanes *lanes, size_t leaf, size_t from, size_t to, double x)
{
    if (lanes->f32)
        for (size_t l = from; l < to; l++)
            ((float *)lanes->leaf)[leaf * ACCORDI_LANES_F32 + l] = (float)x;
    else
        for (size_t l = from; l < to; l++)
            ((double *)lanes->leaf)[leaf * ACCORDI_LANES_F64 + l] = x;
}

/* Sums the group and writes its first `count` results. */
static void sum_group(accordi_synthetic *s, size_t count, double *result)
{
    accordi_lanes *lanes = s->lanes;
    const void *root = s->tree->inner ? lanes->stack : lanes->leaf;
    if (lanes->f32)
        accordi_lanes_f32(s->tree, lanes->leaf, lanes->stack, fuse, s, lanes->scratch);
    else
        accordi_lanes_f64(s->tree, lanes->leaf, lanes->stack, fuse, s, lanes->scratch);
    for (size_t l = 0; l < count; l++)
        result[l] = accordi_synthetic_finish(s, lanes->f32 ? (double)((const float *)root)[l]
                                                           : ((const double *)root)[l]);
}

/* The writes of `count` probes into their lanes; `standing` follows those that stay. */
static void write_group(accordi_synthetic *s, const accord_batch *batch, size_t first, size_t count)
{
    accordi_lanes *lanes = s->lanes;
    for (size_t l = 0; l < count; l++) {
        const uint32_t *start = batch->start + 2 * (first + l);
        for (uint32_t w = start[0]; w < start[1]; w++) {
            double x = lanes->standing[batch->index[w]] =
                accordi_synthetic_load(s, batch->value[w]);
            set_leaf(lanes, batch->index[w], l, lanes->width, x);
        }
        for (uint32_t w = start[1]; w < start[2]; w++)
            set_leaf(lanes, batch->index[w], l, l + 1, accordi_synthetic_load(s, batch->value[w]));
    }
}

static void run_sparse_lanes(accordi_synthetic *s, const accord_batch *batch, double *result)
{
    accordi_lanes *lanes = s->lanes;
    double fill = accordi_synthetic_load(s, batch->fill);
    for (size_t i = 0; i < s->n; i++) {
        lanes->standing[i] = fill;
        set_leaf(lanes, i, 0, lanes->width, fill);
    }
    for (size_t p = 0; p < batch->probes; p += lanes->width) {
        size_t count = batch->probes - p < lanes->width ? batch->probes - p : lanes->width;
        write_group(s, batch, p, count);
        sum_group(s, count, result + p);
        for (uint32_t w = batch->start[2 * p]; w < batch->start[2 * (p + count)]; w++)
            set_leaf(lanes, batch->index[w], 0, lanes->width, lanes->standing[batch->index[w]]);
    }
}

static void run_dense_lanes(accordi_synthetic *s, bool storage_f32, const accord_batch *batch,
                            double *result)
{
    accordi_lanes *lanes = s->lanes;
    static accordi_turner *const turners[2][2] = {{accordi_turn_f64_f64, accordi_turn_f64_f32},
                                                  {accordi_turn_f32_f64, accordi_turn_f32_f32}};
    accordi_turner *turn = turners[storage_f32][lanes->f32];
    const void *row[ACCORDI_LANES_F32];
    size_t row_bytes = s->n * (storage_f32 ? sizeof(float) : sizeof(double));
    for (size_t p = 0; p < batch->probes; p += lanes->width) {
        size_t count = batch->probes - p < lanes->width ? batch->probes - p : lanes->width;
        for (size_t r = 0; r < count; r++)
            row[r] = (const char *)batch->dense + (p + r) * row_bytes;
        turn(row, count, s->n, lanes->leaf);
        sum_group(s, count, result + p);
    }
}

/* Lanes of more terms would take more memory than all else, and few rows of so many come together.
 */
enum { LONG = 1 << 20 };

bool accordi_synthetic_run_lanes(accordi_synthetic *s, bool storage_f32, const accord_batch *batch,
                                 double *result)
{
    bool native = s->accumulator == ACCORD_F32 || s->accumulator == ACCORD_F64;
    if (s->sum || s->arithmetic || !native || batch->probes < 4 || s->n > LONG)
        return false;
    if (!s->lanes)
        s->lanes = lanes_new(s);
    if (!s->lanes)
        return false;
    if (batch->dense)
        run_dense_lanes(s, storage_f32, batch, result);
    else
        run_sparse_lanes(s, batch, result);
    return true;
}
