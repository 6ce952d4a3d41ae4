/* Batches of probes, one probe after the other: any order, any format. */
#include "format/format.h"
#include "format/wide.h"
#include "targets/synthetic/synthetic.h"
#include <math.h>

/* The exponent that a value is aligned by; subnormal doubles share the least one. */
static int exponent_of(double x)
{
    return (int)(accordi_bits_of(x) >> 52 & 0x7ff) - 1023;
}

double accordi_fuse(enum accord_format format, const double *x, size_t count)
{
    int most = -1023;
    bool finite = true, negative_zero = true;
    double plain = 0;
    for (size_t i = 0; i < count; i++) {
        int e = exponent_of(x[i]);
        most = e > most ? e : most;
        finite = finite && e < 1024;
        negative_zero = negative_zero && x[i] == 0 && signbit(x[i]);
        plain += x[i];
    }
    if (!finite)
        return accord_format_round(format, ACCORD_NEAREST_EVEN, plain);
    if (negative_zero)
        return -0.0;
    int fraction = accord_format_get(format)->precision;
    int quantum = most - fraction;
    int128 sum = 0;
    for (size_t i = 0; i < count; i++) {
        accordi_parts parts = accordi_split(x[i]);
        int shift = parts.exponent - 52 - quantum;
        int128 term = shift >= 0     ? (int128)parts.significand << shift
                      : shift <= -64 ? 0
                                     : (int128)(parts.significand >> -shift);
        sum += signbit(x[i]) ? -term : term;
    }
    bool negative = sum < 0;
    return accordi_round_wide(format, ACCORD_NEAREST_EVEN, negative,
                              (uint128)(negative ? -sum : sum), quantum, false);
}

static double fuse_children(const accordi_synthetic *s, const uint32_t *child, size_t count)
{
    double few[32], *x = count <= 32 ? few : s->scratch;
    for (size_t i = 0; i < count; i++)
        x[i] = s->x[child[i]];
    return accordi_fuse(s->accumulator, x, count);
}

static double along_tree(accordi_synthetic *s)
{
    const accord_tree *tree = s->tree;
    double *x = s->x, *node = x + tree->leaves;
    bool f32 = s->accumulator == ACCORD_F32;
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        uint32_t count = tree->first[k + 1] - tree->first[k];
        if (count > 2)
            node[k] = fuse_children(s, child, count);
        else if (f32)
            node[k] = (double)((float)x[child[0]] + (float)x[child[1]]);
        else
            node[k] =
                accord_format_add(s->accumulator, ACCORD_NEAREST_EVEN, x[child[0]], x[child[1]]);
    }
    return x[tree->leaves + tree->inner - 1];
}

double accordi_synthetic_finish(const accordi_synthetic *s, double sum)
{
    if (s->mean)
        sum = accord_format_round(s->accumulator, ACCORD_NEAREST_EVEN, sum / (double)s->n);
    return accord_format_round(s->output, ACCORD_NEAREST_EVEN, sum);
}

/* The answer to the terms that now stand. */
static double evaluate_terms(accordi_synthetic *s)
{
    if (s->arithmetic)
        return accordi_synthetic_evaluate(s);
    return accordi_synthetic_finish(s, s->sum ? s->sum(s) : along_tree(s));
}

double accordi_synthetic_load(const accordi_synthetic *s, double x)
{
    if (s->machine || s->arithmetic || s->accumulator == s->terms)
        return x;
    return accord_format_round(s->accumulator, ACCORD_NEAREST_EVEN, x);
}

/* The second factors of a batch that has no dense ones. */
static void set_second(accordi_synthetic *s, const accord_batch *batch)
{
    s->splits = batch->second == 0 && !batch->dense_second;
    for (size_t i = 0; s->y && i < s->n; i++)
        s->y[i] = batch->second == 0 ? 1 : batch->second;
}

/* The scales of a probe. */
static void set_scales(accordi_synthetic *s, const accord_batch *batch, size_t probe)
{
    size_t share = s->machine && s->machine->scale_block ? (size_t)s->machine->scale_block : 1;
    size_t at = probe * ((s->n + share - 1) / share);
    s->scale[0] = batch->scale_first ? batch->scale_first + at : NULL;
    s->scale[1] = batch->scale_second ? batch->scale_second + at : NULL;
}

static void run_dense_probes(accordi_synthetic *s, bool storage_f32, const accord_batch *batch,
                             double *result)
{
    for (size_t p = 0; p < batch->probes; p++) {
        for (size_t i = 0; i < s->n; i++)
            s->x[i] = accordi_synthetic_load(
                s, accordi_get_number(batch->dense, storage_f32, p * s->n + i));
        for (size_t i = 0; batch->dense_second && s->y && i < s->n; i++)
            s->y[i] = accordi_get_number(batch->dense_second, storage_f32, p * s->n + i);
        set_scales(s, batch, p);
        result[p] = evaluate_terms(s);
    }
}

/* The writes of a probe that are undone keep what they overwrote, and are undone backwards. */
static void run_sparse_probes(accordi_synthetic *s, const accord_batch *batch, double *saved,
                              double *result)
{
    double fill = accordi_synthetic_load(s, batch->fill);
    for (size_t i = 0; i < s->n; i++)
        s->x[i] = fill;
    for (size_t p = 0; p < batch->probes; p++) {
        const uint32_t *start = batch->start + 2 * p;
        for (uint32_t w = start[0]; w < start[1]; w++)
            s->x[batch->index[w]] = accordi_synthetic_load(s, batch->value[w]);
        for (uint32_t w = start[1]; w < start[2]; w++) {
            saved[w - start[1]] = s->x[batch->index[w]];
            s->x[batch->index[w]] = accordi_synthetic_load(s, batch->value[w]);
        }
        result[p] = evaluate_terms(s);
        for (uint32_t w = start[2]; w-- > start[1];)
            s->x[batch->index[w]] = saved[w - start[1]];
    }
}

enum accord_status accordi_synthetic_run_each(accordi_synthetic *s, bool storage_f32,
                                              const accord_batch *batch, double *result,
                                              accord_error *error)
{
    set_second(s, batch);
    s->scale[0] = s->scale[1] = NULL;
    if (batch->dense) {
        run_dense_probes(s, storage_f32, batch, result);
        s->scale[0] = s->scale[1] = NULL; /* the batch is the caller's */
        return ACCORD_OK;
    }
    uint32_t most = 0;
    for (size_t p = 0; p < batch->probes; p++) {
        uint32_t own = batch->start[2 * p + 2] - batch->start[2 * p + 1];
        most = own > most ? own : most;
    }
    double *saved = accordi_alloc(most, sizeof *saved);
    if (!saved)
        return accordi_nomem(error);
    run_sparse_probes(s, batch, saved, result);
    free(saved);
    return ACCORD_OK;
}
