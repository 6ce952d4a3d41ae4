/* A witness for two models: an input on which they give different bits, of as few terms that are
 * not zero as were found.
 *
 * Idea: try. A row that is zero but for none, one, two or three of the leaves where a difference
 * is likely (witness_pool.c), with values on which arithmetics are likely to part
 * (witness_values.c), is replayed by both models; the first on which they part is the witness, so
 * what is found is always right, and fewer terms are tried first. Where nothing is found so,
 * random rows are tried, and the terms of one that parts them are set to zero as long as it still
 * does. Rows are replayed many at a time; how many are tried depends on their length.
 *
 * Ordinary numbers show a difference to people best. So all of this is done twice: first with plain
 * numbers alone, which have to give finite results that differ in more than the sign of a zero;
 * then with zeros of both signs, subnormal numbers, the ends of the range and infinities, which are
 * the only ones to tell some models apart. */
#include "model/witness/witness.h"
#include <math.h>

enum { GROUP = 256, GROUP_VALUES = 1 << 22, MOST_VALUES = 6000000, LEAST_ROWS = 128 };

typedef struct search {
    const accord_model *model[2];
    size_t n;    /* leaves */
    size_t sent; /* operands of a row: n, less one where there is a start value */
    bool products, plain;
    size_t group, rows, left; /* rows that fit, are there, may still be tried */
    double *x, *y;            /* group x n */
    const void **x_row, **y_row;
    double *start, *result[2];
    bool found;
    accord_witness_input *out;
} search;

static void search_clear(search *s)
{
    free(s->x);
    free(s->y);
    free(s->x_row);
    free(s->y_row);
    free(s->start);
    free(s->result[0]);
    free(s->result[1]);
}

static void blank(search *s, size_t row)
{
    memset(s->x + row * s->n, 0, s->n * sizeof *s->x);
    for (size_t i = 0; i < s->n; i++)
        s->y[row * s->n + i] = 1;
}

static bool search_init(search *s)
{
    size_t group = GROUP_VALUES / s->n;
    s->group = group > GROUP ? GROUP : group < 1 ? 1 : group;
    s->x = accordi_alloc(s->group * s->n, sizeof *s->x);
    s->y = accordi_alloc(s->group * s->n, sizeof *s->y);
    s->x_row = accordi_alloc(s->group, sizeof *s->x_row);
    s->y_row = accordi_alloc(s->group, sizeof *s->y_row);
    s->start = accordi_alloc(s->group, sizeof *s->start);
    s->result[0] = accordi_alloc(s->group, sizeof(double));
    s->result[1] = accordi_alloc(s->group, sizeof(double));
    if (!s->x || !s->y || !s->x_row || !s->y_row || !s->start || !s->result[0] || !s->result[1])
        return false;
    for (size_t r = 0; r < s->group; r++) {
        blank(s, r);
        s->x_row[r] = s->x + r * s->n;
        s->y_row[r] = s->y + r * s->n;
    }
    return true;
}

static enum accord_status replay_candidates(search *s, accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    for (size_t r = 0; r < s->rows; r++)
        s->start[r] = s->x[r * s->n + s->n - 1];
    for (int i = 0; i < 2 && !status; i++) {
        const accord_rows rows = {.rows = s->rows,
                                  .x = s->x_row,
                                  .y = s->products ? s->y_row : NULL,
                                  .start = s->sent < s->n ? s->start : NULL};
        status = accord_model_replay(s->model[i], &rows, s->result[i], error);
    }
    return status;
}

static void keep_witness(search *s, size_t row)
{
    const double *x = s->x + row * s->n, *y = s->y + row * s->n;
    s->found = true;
    memcpy(s->out->x, x, s->n * sizeof *x);
    memcpy(s->out->y, y, s->n * sizeof *y);
    s->out->terms = 0;
    for (size_t i = 0; i < s->n; i++)
        s->out->terms += x[i] != 0 || y[i] != 1;
    s->out->result_a = s->result[0][row];
    s->out->result_b = s->result[1][row];
}

/* Does the row show that the models part, in the way that is looked for now? */
static bool shows(const search *s, size_t row)
{
    double a = s->result[0][row], b = s->result[1][row];
    return s->plain ? isfinite(a) && isfinite(b) && a != b : !accordi_same_bits(a, b);
}

/* The first row on which the models part; SIZE_MAX: none. The rows are gone after that. */
static enum accord_status part(search *s, size_t *row, accord_error *error)
{
    enum accord_status status = s->rows ? replay_candidates(s, error) : ACCORD_OK;
    *row = SIZE_MAX;
    for (size_t r = 0; !status && r < s->rows && *row == SIZE_MAX; r++)
        if (shows(s, r))
            *row = r;
    if (*row != SIZE_MAX)
        keep_witness(s, *row);
    s->left -= s->left < s->rows ? s->left : s->rows;
    s->rows = 0;
    return status;
}

/* How many rows may be tried at a time. */
static size_t allowance(const search *s)
{
    size_t rows = MOST_VALUES / s->n;
    return rows < LEAST_ROWS ? LEAST_ROWS : rows;
}

/* ---- few terms ---- */

/* The leaves of a subset of the pool, next in lexicographic order; false past the last. */
static bool next_subset(size_t *at, size_t terms, size_t count)
{
    for (size_t t = terms; t-- > 0;)
        if (at[t] < count - terms + t) {
            at[t]++;
            for (size_t u = t + 1; u < terms; u++)
                at[u] = at[u - 1] + 1;
            return true;
        }
    return false;
}

/* The rows of a group are zero but for these leaves. */
static void write_row(search *s, const uint32_t *leaf, const accordi_factors *term, size_t terms)
{
    double *x = s->x + s->rows * s->n, *y = s->y + s->rows * s->n;
    for (size_t t = 0; t < terms; t++) {
        x[leaf[t]] = term[t].x;
        y[leaf[t]] = s->sent < s->n && leaf[t] + 1 == s->n ? 1 : term[t].y;
    }
    s->rows++;
}

static void erase(search *s, const uint32_t *leaf, size_t terms)
{
    for (size_t r = 0; r < s->group; r++)
        for (size_t t = 0; t < terms; t++) {
            s->x[r * s->n + leaf[t]] = 0;
            s->y[r * s->n + leaf[t]] = 1;
        }
}

static enum accord_status try_leaves(search *s, const uint32_t *leaf,
                                     const accordi_patterns *patterns, accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    size_t row;
    for (size_t p = 0; !status && !s->found && p < patterns->count && s->left; p++) {
        write_row(s, leaf, patterns->row + p * patterns->terms, patterns->terms);
        if (s->rows == s->group || p + 1 == patterns->count)
            status = part(s, &row, error);
    }
    erase(s, leaf, patterns->terms);
    return status;
}

static enum accord_status try_terms(search *s, const accordi_pool *pool, size_t terms,
                                    accord_error *error)
{
    accordi_patterns patterns;
    size_t at[3] = {0, 1, 2};
    enum accord_status status = ACCORD_OK;
    s->left = allowance(s);
    accordi_patterns_fill(&patterns, terms, s->plain, s->model[0], s->model[1]);
    if (patterns.failed)
        status = accordi_nomem(error);
    bool more = pool->count >= terms;
    while (!status && more && !s->found && s->left) {
        uint32_t leaf[3];
        for (size_t t = 0; t < terms; t++)
            leaf[t] = pool->leaf[at[t]];
        status = try_leaves(s, leaf, &patterns, error);
        more = next_subset(at, terms, pool->count);
    }
    accordi_patterns_clear(&patterns);
    return status;
}

/* No term at all: zeros of either sign, in the pool in every way, elsewhere all alike. */
static enum accord_status try_zeros(search *s, const accordi_pool *pool, accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    size_t ways = (size_t)2 << pool->count, row;
    s->left = allowance(s);
    for (size_t way = 0; !status && !s->found && way < ways && s->left;) {
        for (; s->rows < s->group && s->rows < s->left && way < ways; way++, s->rows++) {
            double *x = s->x + s->rows * s->n;
            for (size_t i = 0; i < s->n; i++)
                x[i] = way & 1 ? -0.0 : 0.0;
            for (size_t k = 0; k < pool->count; k++)
                x[pool->leaf[k]] = ((way >> 1 >> k) ^ way) & 1 ? -0.0 : 0.0;
        }
        status = part(s, &row, error);
    }
    for (size_t r = 0; r < s->group; r++)
        blank(s, r);
    return status;
}

/* ---- many terms ---- */

static bool may_be_drawn(const search *s, double x)
{
    return accordi_both_hold(s->model[0], s->model[1], x) &&
           (!s->plain || accordi_is_plain(s->model[0], s->model[1], x));
}

static void draw_random_row(search *s, accordi_rng *rng, size_t row)
{
    enum accord_format format = accordi_narrowest_input(s->model[0], s->model[1]);
    int spread = (int)accordi_rng_below(rng, 9);
    for (size_t i = 0; i < s->n; i++) {
        int scale = (int)accordi_rng_below(rng, (uint64_t)spread + 1) - spread / 2;
        double x =
            accord_format_round(format, ACCORD_NEAREST_EVEN, ldexp(accordi_rng_normal(rng), scale));
        double y = accord_format_round(format, ACCORD_NEAREST_EVEN, accordi_rng_normal(rng));
        bool start = s->sent < s->n && i + 1 == s->n;
        s->x[row * s->n + i] = may_be_drawn(s, x) ? x : 1;
        s->y[row * s->n + i] = s->products && !start && may_be_drawn(s, y) ? y : 1;
    }
}

static enum accord_status try_random(search *s, accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    accordi_rng rng;
    size_t row;
    accordi_rng_init(&rng, 1);
    s->left = allowance(s) < 20000 ? allowance(s) : 20000;
    while (!status && !s->found && s->left) {
        while (s->rows < s->group && s->rows < s->left)
            draw_random_row(s, &rng, s->rows++);
        status = part(s, &row, error);
    }
    return status;
}

/* Row r is the witness without its terms from … to, if any is left there. */
static bool without(search *s, size_t r, size_t from, size_t to)
{
    bool changed = false;
    memcpy(s->x + r * s->n, s->out->x, s->n * sizeof *s->x);
    memcpy(s->y + r * s->n, s->out->y, s->n * sizeof *s->y);
    for (size_t i = from; i < to; i++) {
        changed |= s->x[r * s->n + i] != 0 || s->y[r * s->n + i] != 1;
        s->x[r * s->n + i] = 0;
        s->y[r * s->n + i] = 1;
    }
    return changed;
}

/* Sets ever shorter runs of terms to zero as long as the models still part. */
static enum accord_status reduce(search *s, accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    s->left = allowance(s);
    for (size_t run = (s->n + 1) / 2; !status && run > 0 && s->left; run /= 2)
        for (size_t from = 0; !status && from < s->n && s->left;) {
            size_t row, ends[GROUP];
            while (s->rows < s->group && from < s->n) {
                size_t end = from + run < s->n ? from + run : s->n;
                ends[s->rows] = end;
                if (without(s, s->rows, from, end))
                    s->rows++;
                from = end;
            }
            status = part(s, &row, error);
            from = row == SIZE_MAX ? from : ends[row];
        }
    return status;
}

/* ---- the whole ---- */

/* Binary nodes that all do the same in both models: no two terms meet otherwise. */
static bool uniform(const accord_model *a, const accord_model *b)
{
    const accord_arithmetic *p = a->arithmetic, *q = b->arithmetic;
    const accord_operation *one = p->operation, *two = q->operation;
    if (p->operations != 1 || q->operations != 1 || p->has_machine || q->has_machine ||
        a->tree->inner + 1 != a->tree->leaves || b->tree->inner + 1 != b->tree->leaves)
        return false;
    return one->format == two->format && one->rounding == two->rounding &&
           one->rounding == ACCORD_NEAREST_EVEN && one->product == two->product &&
           one->fused == -1 && two->fused == -1 && p->term == q->term && p->input == q->input &&
           p->output == q->output && p->output_rounding == q->output_rounding &&
           p->negative_zero == q->negative_zero && p->zero_last == q->zero_last &&
           p->flush == q->flush && one->keeps == two->keeps && one->zero == two->zero &&
           p->skips_zero == q->skips_zero && p->skips == q->skips && p->alpha == q->alpha &&
           p->beta == q->beta && p->alpha_at == q->alpha_at && p->alpha_at < ACCORD_ALPHA_SUM &&
           p->finish == q->finish && p->factor == q->factor;
}

static enum accord_status try_all(search *s, const accordi_pool *pool, accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    size_t least = uniform(s->model[0], s->model[1]) ? 3 : 0;
    if (least == 0 && !s->plain)
        status = try_zeros(s, pool, error);
    for (size_t terms = least > 1 ? least : 1; terms <= 3 && !status && !s->found; terms++)
        status = try_terms(s, pool, terms, error);
    if (!status && !s->found) {
        status = try_random(s, error);
        if (!status && s->found)
            status = reduce(s, error);
    }
    return status;
}

static enum accord_status search_all_rows(search *s, accord_error *error)
{
    accordi_pool pool;
    enum accord_status status = accordi_witness_pool(s->model[0], s->model[1], &pool, error);
    s->plain = true;
    if (!status)
        status = try_all(s, &pool, error);
    s->plain = false;
    for (size_t r = 0; r < s->group; r++)
        blank(s, r);
    if (!status && !s->found)
        status = try_all(s, &pool, error);
    return status;
}

enum accord_status accord_witness_models(const accord_model *a, const accord_model *b,
                                         accord_witness_input *out, accord_error *error)
{
    if (!a || !b || !a->arithmetic || !b->arithmetic || a->tree->leaves != b->tree->leaves)
        return accordi_fail(error, ACCORD_ARG,
                            "a witness needs two models with the same number of terms");
    if ((a->arithmetic->beta != 0) != (b->arithmetic->beta != 0))
        return accordi_fail(error, ACCORD_ARG,
                            "a witness needs two models with a start value, or two without");
    char words[200];
    if (accord_tree_equal(a->tree, b->tree) && !accord_model_differ(a, b, words, sizeof words))
        return accordi_unable(error, ACCORD_REASON_NONE, "the two models are the same");
    accord_witness_input found = {accordi_alloc(a->tree->leaves, sizeof(double)),
                                  accordi_alloc(a->tree->leaves, sizeof(double)), 0, 0, 0};
    search s = {.model = {a, b}, .n = a->tree->leaves, .out = &found};
    s.sent = s.n - (a->arithmetic->beta != 0);
    s.products = accordi_both_products(a, b);
    enum accord_status status = ACCORD_OK;
    if (!found.x || !found.y || !search_init(&s))
        status = accordi_nomem(error);
    else
        status = search_all_rows(&s, error);
    if (!status && !s.found)
        status = accordi_unable(error, ACCORD_REASON_NONE, "no witness was found");
    if (!status) {
        memcpy(out->x, found.x, s.n * sizeof *found.x);
        memcpy(out->y, found.y, s.n * sizeof *found.y);
        out->terms = found.terms;
        out->result_a = found.result_a;
        out->result_b = found.result_b;
    }
    free(found.x);
    free(found.y);
    search_clear(&s);
    return status;
}
