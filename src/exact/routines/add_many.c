/* Many arrays into accumulators, on threads. Sums are collected aside and merged at the end, so
 * that nothing has changed where one of them cannot be. */
#include "exact/routines/routines.h"

typedef struct many {
    const accordi_exact_kind *kind;
    accord_exact_options how;
    const void *x, *y; /* y: NULL for sums of x */
    ptrdiff_t step_x, stride_x, step_y, stride_y;
    accordi_exact_bank aside;
} many;

static void add_one(const void *context, size_t s, size_t from, size_t to, accordi_exact_bank bank,
                    void *scratch)
{
    (void)scratch;
    const many *m = context;
    accordi_exact_view sum = accordi_exact_of_bank(bank, 0);
    ptrdiff_t at_x = (ptrdiff_t)s * m->step_x + (ptrdiff_t)from * m->stride_x;
    ptrdiff_t at_y = (ptrdiff_t)s * m->step_y + (ptrdiff_t)from * m->stride_y;
    const void *x = accordi_exact_at(m->kind, m->x, at_x);
    if (m->y)
        m->kind->dot(&m->how, sum, to - from, x, m->stride_x, accordi_exact_at(m->kind, m->y, at_y),
                     m->stride_y);
    else
        m->kind->sum(&m->how, sum, to - from, x, m->stride_x);
}

/* Of clear accumulators: it cannot fail. */
static void set_aside(const void *context, size_t s, accordi_exact_bank bank)
{
    const many *m = context;
    accordi_exact_merge(accordi_exact_of_bank(m->aside, s), accordi_exact_of_bank(bank, 0), false,
                        NULL);
}

static size_t bytes_of(accordi_exact_bank bank)
{
    return bank.wide ? sizeof(accord_exact_wide) : sizeof(accord_exact);
}

static enum accord_status merge_all(accordi_exact_bank sums, accordi_exact_bank aside, size_t count,
                                    accord_error *error)
{
    for (size_t s = 0; s < count; s++) {
        enum accord_status status = accordi_exact_merge(
            accordi_exact_of_bank(aside, s), accordi_exact_of_bank(sums, s), false, error);
        if (status)
            return status;
    }
    memcpy(sums.at, aside.at, count * bytes_of(aside));
    return ACCORD_OK;
}

static enum accord_status add_many(many *m, accordi_exact_bank sums, size_t count, size_t n,
                                   const accord_exact_options *options, bool numbers,
                                   accord_error *error)
{
    enum accord_status status =
        accordi_exact_prepare(numbers || !n || !count, sums.at || !count, options, &m->how, error);
    if (status || !n || !count)
        return status;
    m->aside = (accordi_exact_bank){accordi_alloc(count, bytes_of(sums)), sums.wide};
    if (!m->aside.at)
        return accordi_nomem(error);
    accordi_exact_bank_clear(m->aside, count);
    accordi_exact_task task = {
        .tiles = count,
        .sums = 1,
        .length = n,
        .work = accordi_exact_work(m->y ? ACCORDI_EXACT_DOT_COST : 1, count, n),
        .wide = sums.wide,
        .add = add_one,
        .finish = set_aside,
    };
    status = accordi_exact_run(&task, m, m->how.threads, error);
    if (!status)
        status = merge_all(sums, m->aside, count, error);
    free(m->aside.at);
    return status;
}

#define SUMS(suffix_, number_)                                                                     \
    enum accord_status accord_exact_add_many_##suffix_(                                            \
        accord_exact *sums, size_t count, ptrdiff_t step, size_t n, const number_ *x,              \
        ptrdiff_t stride, const accord_exact_options *options, accord_error *error)                \
    {                                                                                              \
        many m = {.kind = &accordi_exact_##suffix_, .x = x, .step_x = step, .stride_x = stride};   \
        return add_many(&m, (accordi_exact_bank){sums, false}, count, n, options, x, error);       \
    }
#define DOTS(name_, type_, wide_, suffix_, number_)                                                \
    enum accord_status accord_##name_(type_ *sums, size_t count, size_t n, const number_ *x,       \
                                      ptrdiff_t step_x, ptrdiff_t stride_x, const number_ *y,      \
                                      ptrdiff_t step_y, ptrdiff_t stride_y,                        \
                                      const accord_exact_options *options, accord_error *error)    \
    {                                                                                              \
        many m = {.kind = &accordi_exact_##suffix_,                                                \
                  .x = x,                                                                          \
                  .y = y,                                                                          \
                  .step_x = step_x,                                                                \
                  .stride_x = stride_x,                                                            \
                  .step_y = step_y,                                                                \
                  .stride_y = stride_y};                                                           \
        return add_many(&m, (accordi_exact_bank){sums, wide_}, count, n, options, x && y, error);  \
    }
SUMS(f64, double)
SUMS(f32, float)
DOTS(exact_wide_add_many_products_f64, accord_exact_wide, true, f64, double)
DOTS(exact_add_many_products_f32, accord_exact, false, f32, float)
