/* How many products a step takes, found without masks: a format with a narrow range has no room
 * for them, and beside a mask a machine that rounds aligned terms up or down does not lose a term.
 *
 * Idea: two products of one step can change places without any effect, while products of two steps
 * cannot, since the sum is rounded in between. So random inputs are asked as they are, and with
 * two products exchanged: neighbors, and those with one in between, because a machine may align
 * even and odd products separately. Where blocks share scales, whole blocks change places, each
 * with its scales.
 *
 * Bound: at most 2 n calls for each input, of which there are at most MOST. */
#include "fused/fused.h"
#include "reveal/machine/parameters.h"
#include "reveal/probes/dense_rows.h"
#include "reveal/probes/draw_blocks.h"

enum { ROWS = 64, LEAST = 64, MOST = 512, LONGEST = 256, DISTANCES = 2 };

typedef struct exchanges {
    accordi_asker *asker;
    accordi_dense dense;
    size_t each, count; /* products that change places together; how many such groups */
    double *a, *b;      /* the input as it is */
    double (*scale)[2]; /* and its pairs of scales, one for each group; NULL: there are none */
    uint8_t *seen[DISTANCES]; /* [d - 1][i]: exchanging i and i + d has changed a result */
    uint32_t *pair;           /* of each row but the first: DISTANCES * i + d - 1 */
} exchanges;

static double draw_factor(accordi_asker *asker, int middle, int spread)
{
    int e = middle - spread / 2 + (int)accordi_rng_below(&asker->rng, (uint64_t)spread + 1);
    return accord_format_round(asker->target->format, ACCORD_TOWARD_ZERO,
                               ldexp(accordi_rng_normal(&asker->rng), e));
}

static const int spreads[] = {3, 12, 18, 24, 60};

/* Blocks of any elements, with scales near each other or far apart, often some that cancel. */
static void draw_blocks(exchanges *x)
{
    const accord_target *target = x->asker->target;
    accordi_rng *rng = &x->asker->rng;
    int spread = spreads[accordi_rng_below(rng, 5)];
    for (size_t k = 0; k < x->count; k++) {
        double *a = x->a + k * x->each, *b = x->b + k * x->each;
        int exponent = (int)accordi_rng_below(rng, (uint64_t)spread + 1) - spread / 2;
        bool cancels = k > 0 && accordi_rng_below(rng, 4) == 0;
        size_t twin = cancels ? accordi_rng_below(rng, k) : k;
        accordi_draw_scales(rng, target->scale, exponent, x->scale[k]);
        if (cancels)
            memcpy(x->scale[k], x->scale[twin], sizeof x->scale[k]);
        for (size_t i = 0; i < x->each; i++) {
            a[i] = cancels ? -x->a[twin * x->each + i] : accordi_draw_element(rng, target->format);
            b[i] = cancels ? x->b[twin * x->each + i] : accordi_draw_element(rng, target->format);
        }
    }
}

/* Of all sizes, often with products that cancel. */
static void draw_products(exchanges *x)
{
    accordi_asker *asker = x->asker;
    accordi_rng *rng = &asker->rng;
    const accord_format_info *in = accord_format_get(asker->target->format);
    const accord_format_info *out = accord_format_get(asker->target->output);
    int high = in->max_exponent < out->max_exponent / 2 ? in->max_exponent : out->max_exponent / 2;
    int low = in->min_exponent, least = (out->min_exponent + 8) / 2;
    int middles[] = {0, 0, high - 3, low + 3, least > low ? least : low};
    int spread = spreads[accordi_rng_below(rng, 5)], middle = middles[accordi_rng_below(rng, 5)];
    for (size_t i = 0; i < asker->n; i++) {
        x->a[i] = draw_factor(asker, middle, spread);
        x->b[i] = draw_factor(asker, middle, spread);
        if (i > 0 && accordi_rng_below(rng, 4) == 0) {
            size_t twin = accordi_rng_below(rng, i);
            x->a[i] = -x->a[twin];
            x->b[i] = x->b[twin];
        }
    }
}

static void draw_input(exchanges *x)
{
    if (x->scale)
        draw_blocks(x);
    else
        draw_products(x);
}

static void put_exchanged(exchanges *x, size_t row, size_t one, size_t other)
{
    for (size_t k = 0; k < x->count; k++) {
        size_t from = k == one ? other : k == other ? one : k;
        for (size_t i = 0; i < x->each; i++)
            accordi_dense_put(&x->dense, row, k * x->each + i, x->a[from * x->each + i],
                              x->b[from * x->each + i]);
        for (size_t i = 0; i < 2 && x->scale; i++)
            *accordi_dense_scale(&x->dense, row, i, k) = x->scale[from][i];
    }
}

static bool is_same(double a, double b)
{
    return a == b || (a != a && b != b);
}

/* The first row is the input as it is. */
static void ask_pairs(exchanges *x)
{
    if (x->dense.rows > 1 && !accordi_dense_ask(&x->dense))
        for (size_t r = 1; r < x->dense.rows; r++)
            if (!is_same(x->dense.seen[r], x->dense.seen[0]))
                x->seen[x->pair[r] % DISTANCES][x->pair[r] / DISTANCES] = 1;
    x->dense.rows = 1;
}

/* One input, with each exchange that has not changed a result so far. */
static void ask_input(exchanges *x)
{
    size_t n = x->count;
    draw_input(x);
    put_exchanged(x, 0, 0, 0);
    x->dense.rows = 1;
    for (size_t d = 1; d <= DISTANCES && !x->asker->status; d++)
        for (size_t i = 0; i + d < n && !x->asker->status; i++) {
            if (x->seen[d - 1][i])
                continue;
            put_exchanged(x, x->dense.rows, i, i + d);
            x->pair[x->dense.rows++] = (uint32_t)(DISTANCES * i + d - 1);
            if (x->dense.rows == ROWS)
                ask_pairs(x);
        }
    ask_pairs(x);
}

/* Neighbors alone may differ as even and odd products do; not so blocks. The first two products of
 * a chain may add up in any order; not so blocks, of which each is rounded. */
static bool is_end(const exchanges *x, size_t terms, size_t end)
{
    bool next = x->seen[0][end - 1], before = end >= 2 && x->seen[1][end - 2];
    bool after = end + 1 < x->count && x->seen[1][end - 1];
    if (x->scale)
        return next || (terms > 1 && (before || after));
    return terms == 1 ? end == 1 || (before && next) : before || after;
}

/* Whether steps of so many groups explain which exchanges changed a result: none inside a step,
 * but for those of an even and an odd product, and some across each end of a step. */
static bool is_like_steps(const exchanges *x, size_t terms)
{
    size_t n = x->count;
    for (size_t i = 0; i + 1 < n; i++) {
        bool one_step = i / terms == (i + 1) / terms;
        if (one_step && (terms < 3 || x->scale) && x->seen[0][i])
            return false;
        one_step = i + 2 < n && i / terms == (i + 2) / terms;
        if (one_step && x->seen[1][i])
            return false;
    }
    for (size_t end = terms; end < n; end += terms)
        if (!is_end(x, terms, end))
            return false;
    return true;
}

/* The only number of groups that fits; 0 if there is none, or several. Steps of one and of two
 * products give the same tree of three. */
static size_t choose_terms(const exchanges *x)
{
    size_t found = 0, n = x->count, most = ACCORDI_FUSED_MOST / x->each;
    most = n < most ? n : most;
    for (size_t terms = 1; terms <= most; terms++)
        if (is_like_steps(x, terms)) {
            if (found && (n > 3 || x->scale))
                return 0;
            found = terms;
        }
    return found;
}

static enum accord_status make_room(exchanges *x)
{
    accordi_asker *asker = x->asker;
    size_t n = asker->n;
    x->a = accordi_ask_alloc(asker, 2 * n, sizeof *x->a);
    x->seen[0] = accordi_ask_calloc(asker, DISTANCES * x->count, 1);
    x->pair = accordi_ask_alloc(asker, ROWS, sizeof *x->pair);
    if (x->each > 1)
        x->scale = accordi_ask_alloc(asker, x->count, sizeof *x->scale);
    if (!asker->status)
        accordi_dense_init(&x->dense, asker, ROWS, true);
    if (!asker->status) {
        x->b = x->a + n;
        x->seen[1] = x->seen[0] + x->count;
    }
    return asker->status;
}

static void clear_room(exchanges *x)
{
    free(x->a);
    free(x->scale);
    free(x->seen[0]);
    free(x->pair);
    accordi_dense_clear(&x->dense);
}

/* How many products change places together. */
static size_t group_of(const accordi_asker *asker)
{
    size_t share = asker->target->scale_block;
    return share && asker->n % share == 0 ? share : 1;
}

enum accord_status accordi_exchanges_ask(accordi_asker *asker, size_t *terms, size_t *inputs)
{
    size_t n = asker->n, each = group_of(asker);
    exchanges x = {.asker = asker, .each = each, .count = n / each};
    *terms = *inputs = 0;
    if (x.count < 2 || x.count > LONGEST || asker->target->term != ACCORD_TERM_PRODUCT)
        return asker->status;
    make_room(&x);
    while (*inputs < MOST && !asker->status) {
        ask_input(&x);
        *terms = ++*inputs < LEAST ? 0 : choose_terms(&x) * each;
        if (*terms > 0 && *terms < n) /* else the end of a step has perhaps not been met */
            break;
    }
    clear_room(&x);
    return asker->status;
}

enum { EXACT = 96 }; /* bits of alignment that lose nothing of what narrow formats hold */

enum accord_status accordi_exchanges_lose(accordi_asker *asker, const accord_fused *machine,
                                          size_t inputs, size_t *lossy)
{
    accord_fused exact = *machine;
    exchanges x = {.asker = asker, .each = group_of(asker)};
    double *scale = accordi_ask_alloc(asker, 2 * asker->n, sizeof *scale), one = 0, other = 0;
    exact.fraction = exact.fraction > EXACT ? exact.fraction : EXACT;
    exact.sum_fraction = exact.sum_fraction > EXACT ? exact.sum_fraction : EXACT;
    x.count = asker->n / x.each;
    *lossy = 0;
    make_room(&x);
    for (size_t i = 0; i < inputs && !asker->status; i++) {
        draw_input(&x);
        for (size_t k = 0; k < x.count && x.scale; k++) {
            scale[k] = x.scale[k][0];
            scale[asker->n + k] = x.scale[k][1];
        }
        const double *of_a = x.scale ? scale : NULL, *of_b = x.scale ? scale + asker->n : NULL;
        asker->status =
            accord_fused_dot(machine, asker->n, x.a, x.b, of_a, of_b, &one, asker->error);
        if (!asker->status)
            asker->status =
                accord_fused_dot(&exact, asker->n, x.a, x.b, of_a, of_b, &other, asker->error);
        *lossy += !is_same(one, other);
    }
    free(scale);
    clear_room(&x);
    return asker->status;
}

/* The step that each group of products belongs to: a node of the tree. */
static void steps_of_groups(const exchanges *x, const accord_tree *tree, uint32_t *step)
{
    for (uint32_t k = 0; k < tree->inner; k++)
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
            if (tree->child[c] < tree->leaves)
                step[tree->child[c] / x->each] = k;
}

/* Exchanges two groups of different steps in the second of two rows. */
static void put_exchanged_steps(exchanges *x, const uint32_t *step)
{
    size_t one, other;
    do {
        one = accordi_rng_below(&x->asker->rng, x->count);
        other = accordi_rng_below(&x->asker->rng, x->count);
    } while (step[one] == step[other]);
    put_exchanged(x, 0, 0, 0);
    put_exchanged(x, 1, one, other);
    x->dense.rows = 2;
}

enum accord_status accordi_exchanges_show(accordi_asker *asker, const accord_model *model,
                                          size_t inputs, size_t *showing)
{
    exchanges x = {.asker = asker, .each = group_of(asker)};
    x.count = asker->n / x.each;
    uint32_t *step = accordi_ask_calloc(asker, x.count, sizeof *step);
    *showing = 0;
    if (!make_room(&x))
        steps_of_groups(&x, model->tree, step);
    for (size_t i = 0; i < inputs && !asker->status; i++) {
        draw_input(&x);
        put_exchanged_steps(&x, step);
        if (!accordi_dense_replay(&x.dense, model))
            *showing += !is_same(x.dense.due[0], x.dense.due[1]);
    }
    free(step);
    clear_room(&x);
    return asker->status;
}
