/* An array, or two, to one number in one call: sums, means and dots. */
#include "exact/routines/reduce.h"
#include "exact/direct/direct.h"
#include "exact/routines/finish.h"

enum accord_status accordi_exact_reduce(const accordi_exact_recipe *recipe,
                                        const accordi_exact_kind *kind,
                                        enum accordi_exact_form form, size_t n, const void *x,
                                        ptrdiff_t stride_x, const void *y, ptrdiff_t stride_y,
                                        const accord_exact_options *options, void *out,
                                        accord_error *error)
{
    accordi_exact_reduction r = {.kind = kind,
                                 .n = n,
                                 .x = x,
                                 .y = y,
                                 .stride_x = form ? 2 * stride_x : stride_x,
                                 .stride_y = form ? 2 * stride_y : stride_y,
                                 .pairs = form,
                                 .conjugate = form == ACCORDI_EXACT_CONJUGATE,
                                 .out = out};
    bool numbers = (x && (y || !recipe->two_arrays)) || !n;
    enum accord_status status = accordi_exact_prepare(numbers, out, options, &r.how, error);
    if (status)
        return status;
    if (n && recipe->at_once && recipe->at_once(&r))
        return ACCORD_OK;
    accordi_exact_task task = {
        .tiles = 1,
        .sums = recipe->sums[r.pairs],
        .length = n,
        .work = accordi_exact_work(recipe->products ? ACCORDI_EXACT_DOT_COST : 1, n,
                                   recipe->sums[r.pairs]),
        .wide = recipe->products && kind->wide,
        .scratch = recipe->rows[r.pairs] * accordi_exact_block(0, n) * (size_t)kind->size,
        .add = recipe->add,
        .finish = recipe->finish,
    };
    return accordi_exact_run(&task, &r, r.how.threads, error);
}

/* Sums. */

static void add_terms(const void *context, size_t tile, size_t from, size_t to,
                      accordi_exact_bank bank, void *scratch)
{
    (void)tile;
    const accordi_exact_reduction *r = context;
    const void *x = accordi_exact_at(r->kind, r->x, (ptrdiff_t)from * r->stride_x);
    if (!r->pairs) {
        r->kind->sum(&r->how, accordi_exact_of_bank(bank, 0), to - from, x, r->stride_x);
        return;
    }
    for (size_t count; from < to; from += count) {
        count = accordi_exact_block(from, to);
        x = accordi_exact_at(r->kind, r->x, (ptrdiff_t)from * r->stride_x);
        accordi_exact_pack(r->kind->size, scratch, 2, count, x, 1, r->stride_x);
        for (int part = 0; part < 2; part++)
            r->kind->sum(&r->how, accordi_exact_of_bank(bank, (size_t)part), count,
                         accordi_exact_at(r->kind, scratch, part * (ptrdiff_t)count), 1);
    }
}

static void finish_parts(const void *context, size_t tile, accordi_exact_bank bank)
{
    (void)tile;
    const accordi_exact_reduction *r = context;
    for (int part = 0; part <= r->pairs; part++)
        accordi_exact_store_sum(r->kind, r->out, part, accordi_exact_of_bank(bank, (size_t)part),
                                r->how.rounding);
}

static void finish_mean(const void *context, size_t tile, accordi_exact_bank bank)
{
    (void)tile;
    const accordi_exact_reduction *r = context;
    accordi_exact_store(
        r->kind, r->out, 0,
        accordi_exact_mean(r->kind, accordi_exact_of_bank(bank, 0), r->how.rounding));
}

/* Of complex numbers; real ones have been tried where the routine was called. */
static bool short_sums(const accordi_exact_reduction *r)
{
    const accordi_exact_kind *k = r->kind;
    bool done = r->pairs;
    for (int part = 0; done && part <= r->pairs; part++)
        done = k->short_sum(r->n, accordi_exact_at(k, r->x, part), r->stride_x, &r->how,
                            (char *)r->out + part * k->size);
    return done;
}

static const accordi_exact_recipe sum = {.sums = {1, 2},
                                         .rows = {0, 2},
                                         .at_once = short_sums,
                                         .add = add_terms,
                                         .finish = finish_parts};
static const accordi_exact_recipe mean = {.sums = {1}, .add = add_terms, .finish = finish_mean};

/* What is short need not come here: see short.h. */
#define SUM(suffix_, number_)                                                                      \
    enum accord_status accord_sum_exact_##suffix_(size_t n, const number_ *x, ptrdiff_t stride,    \
                                                  const accord_exact_options *options,             \
                                                  number_ *out, accord_error *error)               \
    {                                                                                              \
        if (accordi_exact_short_sum_##suffix_(n, x, stride, options, out))                         \
            return ACCORD_OK;                                                                      \
        return accordi_exact_reduce(&sum, &accordi_exact_##suffix_, ACCORDI_EXACT_REAL, n, x,      \
                                    stride, NULL, 0, options, out, error);                         \
    }
SUM(f64, double)
SUM(f32, float)
SUM(f16, uint16_t)
SUM(bf16, uint16_t)
REDUCE(sum_exact_complex, f64, double, out[2], sum, ACCORDI_EXACT_COMPLEX)
REDUCE(sum_exact_complex, f32, float, out[2], sum, ACCORDI_EXACT_COMPLEX)
REDUCE(mean_exact, f64, double, *out, mean, ACCORDI_EXACT_REAL)
REDUCE(mean_exact, f32, float, *out, mean, ACCORDI_EXACT_REAL)

/* Dots. */

/* Of complex numbers four sums: real * real, imaginary * imaginary, real * imaginary, imaginary *
 * real. */
static void add_products(const void *context, size_t tile, size_t from, size_t to,
                         accordi_exact_bank bank, void *scratch)
{
    (void)tile;
    const accordi_exact_reduction *r = context;
    const accordi_exact_kind *k = r->kind;
    const void *x = accordi_exact_at(k, r->x, (ptrdiff_t)from * r->stride_x);
    const void *y = accordi_exact_at(k, r->y, (ptrdiff_t)from * r->stride_y);
    if (!r->pairs) {
        k->dot(&r->how, accordi_exact_of_bank(bank, 0), to - from, x, r->stride_x, y, r->stride_y);
        return;
    }
    for (size_t count; from < to; from += count) {
        static const unsigned char row_x[] = {0, 1, 0, 1}, row_y[] = {0, 1, 1, 0};
        count = accordi_exact_block(from, to);
        void *rows_y = (char *)scratch + 2 * count * (size_t)k->size;
        x = accordi_exact_at(k, r->x, (ptrdiff_t)from * r->stride_x);
        y = accordi_exact_at(k, r->y, (ptrdiff_t)from * r->stride_y);
        accordi_exact_pack(k->size, scratch, 2, count, x, 1, r->stride_x);
        accordi_exact_pack(k->size, rows_y, 2, count, y, 1, r->stride_y);
        for (size_t s = 0; s < 4; s++)
            k->dot(&r->how, accordi_exact_of_bank(bank, s), count,
                   accordi_exact_at(k, scratch, row_x[s] * (ptrdiff_t)count), 1,
                   accordi_exact_at(k, rows_y, row_y[s] * (ptrdiff_t)count), 1);
    }
}

static void finish_dot(const void *context, size_t tile, accordi_exact_bank bank)
{
    const accordi_exact_reduction *r = context;
    if (!r->pairs) {
        finish_parts(context, tile, bank);
        return;
    }
    for (size_t part = 0; part < 2; part++) {
        accordi_exact_view total = accordi_exact_of_bank(bank, 2 * part);
        bool negate = r->conjugate == (part == 1);
        accordi_exact_merge(total, accordi_exact_of_bank(bank, 2 * part + 1), negate, NULL);
        accordi_exact_store_sum(r->kind, r->out, (ptrdiff_t)part, total, r->how.rounding);
    }
}

static const accordi_exact_recipe dot = {.products = true,
                                         .two_arrays = true,
                                         .sums = {1, 4},
                                         .rows = {0, 4},
                                         .add = add_products,
                                         .finish = finish_dot};

#define DOT(suffix_, number_)                                                                      \
    enum accord_status accord_dot_exact_##suffix_(                                                 \
        size_t n, const number_ *x, ptrdiff_t stride_x, const number_ *y, ptrdiff_t stride_y,      \
        const accord_exact_options *options, number_ *out, accord_error *error)                    \
    {                                                                                              \
        if (accordi_exact_short_dot_##suffix_(n, x, stride_x, y, stride_y, options, out))          \
            return ACCORD_OK;                                                                      \
        return accordi_exact_reduce(&dot, &accordi_exact_##suffix_, ACCORDI_EXACT_REAL, n, x,      \
                                    stride_x, y, stride_y, options, out, error);                   \
    }
#define DOT_COMPLEX(suffix_, number_)                                                              \
    enum accord_status accord_dot_exact_complex_##suffix_(                                         \
        bool conjugate, size_t n, const number_ *x, ptrdiff_t stride_x, const number_ *y,          \
        ptrdiff_t stride_y, const accord_exact_options *options, number_ out[2],                   \
        accord_error *error)                                                                       \
    {                                                                                              \
        return accordi_exact_reduce(&dot, &accordi_exact_##suffix_,                                \
                                    conjugate ? ACCORDI_EXACT_CONJUGATE : ACCORDI_EXACT_COMPLEX,   \
                                    n, x, stride_x, y, stride_y, options, out, error);             \
    }

DOT(f64, double)
DOT(f32, float)
DOT_COMPLEX(f64, double)
DOT_COMPLEX(f32, float)
