/* Reference orders: what right implementations do, simulated on the inputs compared.
 *
 * Rounding errors are not random: sums of positive terms that are added one by one are biased, and
 * how much depends on the order. So a statistic is compared with its range over these orders and
 * not with a formula. Most of them are those of libraries, others (sorted, shuffled) are those that
 * accumulate the most. */
#include "explain/explain.h"
#include "pattern/orders.h"
#include <math.h>

/* ---- orders ---- */

static void shuffled(accordi_order *order)
{
    for (size_t i = 0; i < order->n; i++)
        order->scratch[i] = (uint32_t)i;
    accordi_rng_shuffle(order->rng, order->scratch, order->n);
    accordi_builder_chain(&order->tree, order->scratch, order->n);
}

static void split(accordi_order *order)
{
    size_t parts = order->parameter;
    order->parameter = (order->n + parts - 1) / parts;
    accordi_order_blocks(order);
}

static const struct row {
    const char *name;
    accordi_order_maker *maker;
    size_t parameter;
    enum accordi_sorting sorting;
    bool fused; /* with products unrounded, too */
} rows[] = {
    {"sequential", accordi_order_sequential, 0, ACCORDI_AS_GIVEN, true},
    {"reverse", accordi_order_reverse, 0, ACCORDI_AS_GIVEN, true},
    {"8 lanes", accordi_order_lanes, 8, ACCORDI_AS_GIVEN, true},
    {"pairwise", accordi_order_pairwise, 0, ACCORDI_AS_GIVEN, true},
    {"2 lanes", accordi_order_lanes, 2, ACCORDI_AS_GIVEN, false},
    {"4 lanes", accordi_order_lanes, 4, ACCORDI_AS_GIVEN, false},
    {"16 lanes", accordi_order_lanes, 16, ACCORDI_AS_GIVEN, false},
    {"32 lanes", accordi_order_lanes, 32, ACCORDI_AS_GIVEN, true},
    {"64 lanes", accordi_order_lanes, 64, ACCORDI_AS_GIVEN, false},
    {"4 parts", split, 4, ACCORDI_AS_GIVEN, true},
    {"16 parts", split, 16, ACCORDI_AS_GIVEN, false},
    {"shuffled", shuffled, 0, ACCORDI_AS_GIVEN, true},
    {"shuffled again", shuffled, 0, ACCORDI_AS_GIVEN, false},
    {"ascending", accordi_order_sequential, 0, ACCORDI_BY_SIZE, false},
    {"descending", accordi_order_reverse, 0, ACCORDI_BY_SIZE, false},
    {"negative first", accordi_order_sequential, 0, ACCORDI_BY_VALUE, false},
    {"positive first", accordi_order_reverse, 0, ACCORDI_BY_VALUE, false},
    {"signs apart", split, 2, ACCORDI_BY_VALUE, false},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* Chains of a machine's steps over `parameter` parts; the parts, and a start value, are added one
 * after the other. */
typedef struct steps {
    size_t terms, factors;
} steps;

static void machine_parts(accordi_order *order)
{
    const steps *in = order->context;
    size_t parts = order->parameter, size = (in->factors + parts - 1) / parts, made = 0;
    uint32_t *part = order->scratch, *held = order->scratch + order->n;
    for (size_t from = 0; from < in->factors; from += size) {
        size_t end = in->factors - from < size ? in->factors : from + size, count = 0;
        for (size_t i = from; i < end;) {
            size_t take = end - i < in->terms ? end - i : in->terms;
            for (size_t k = 0; k < take; k++)
                held[count++] = (uint32_t)i++;
            held[0] = accordi_builder_join_all(&order->tree, held, count);
            count = 1;
        }
        part[made++] = held[0];
    }
    if (in->factors < order->n)
        part[made++] = (uint32_t)in->factors;
    accordi_builder_chain(&order->tree, part, made);
}

/* ---- arithmetic ---- */

/* Operations 0: rounded products; 1 and 2: the product of child 1, or 0, enters unrounded; 3: a
 * step of the machine. */
enum { PLAIN, SECOND_FUSED, FIRST_FUSED, STEP, KINDS };

static int kind_of(const accordi_sums *sums, const accordi_accumulator *accumulator,
                   const accord_tree *tree, size_t node, bool fused)
{
    const uint32_t *child = tree->child + tree->first[node];
    uint32_t count = tree->first[node + 1] - tree->first[node], leaves = tree->leaves;
    if (accumulator->machine) {
        bool start = sums->has_start && child[1] == leaves - 1;
        bool joins = child[0] >= leaves && child[1] >= leaves;
        return count > 2 || start || joins ? PLAIN : STEP;
    }
    return !fused              ? PLAIN
           : child[1] < leaves ? SECOND_FUSED
           : child[0] < leaves ? FIRST_FUSED
                               : PLAIN;
}

static enum accord_status put_arithmetic(const accordi_sums *sums,
                                         const accordi_accumulator *accumulator, bool fused,
                                         accordi_reference *out, accord_error *error)
{
    accord_arithmetic *plain = NULL, *full = NULL;
    enum accord_status status = accord_arithmetic_plain(
        sums->target->term, sums->input, accumulator->format, sums->output, &plain, error);
    if (!status)
        status = accord_arithmetic_copy(plain, out->tree->inner, &full, error);
    accord_arithmetic_free(plain);
    if (status)
        return status;
    accord_operation *operation = realloc(full->operation, KINDS * sizeof *operation);
    if (!operation) {
        accord_arithmetic_free(full);
        return accordi_nomem(error);
    }
    full->operation = operation;
    full->operations = KINDS;
    static const int which[KINDS] = {-1, 1, 0, ACCORD_STEP};
    for (int kind = 0; kind < KINDS; kind++) {
        operation[kind] = operation[0];
        operation[kind].fused = which[kind];
    }
    if (!accumulator->machine)
        full->operations = STEP;
    for (uint32_t node = 0; node < out->tree->inner; node++)
        full->of_node[node] = (uint8_t)kind_of(sums, accumulator, out->tree, node, fused);
    if (accumulator->machine) {
        full->has_machine = true;
        full->machine = *accumulator->machine;
    }
    full->alpha = sums->alpha;
    full->beta = sums->has_start ? sums->beta : 0;
    full->alpha_at = sums->alpha == 1 ? ACCORD_ALPHA_ONE : ACCORD_ALPHA_X;
    out->arithmetic = full;
    const accord_model model = {out->tree, full};
    return accord_model_check(&model, error);
}

static enum accord_status append(const accordi_sums *sums, const accordi_accumulator *accumulator,
                                 accordi_order order, accordi_order_maker *maker, const char *name,
                                 enum accordi_sorting sorting, bool fused, accordi_references *out,
                                 accord_error *error)
{
    accordi_reference *reference = &out->list[out->count];
    *reference = (accordi_reference){.name = name, .sorting = sorting};
    enum accord_status status = accordi_order_build(&order, maker, &reference->tree, error);
    if (status)
        return status;
    out->count++;
    return put_arithmetic(sums, accumulator, fused, reference, error);
}

static enum accord_status append_machine(const accordi_sums *sums,
                                         const accordi_accumulator *accumulator,
                                         accordi_references *out, accord_error *error)
{
    static const struct {
        const char *name;
        size_t parts;
    } chains[] = {{"one chain", 1}, {"2 chains", 2}, {"4 chains", 4}, {"8 chains", 8}};
    const steps in = {(size_t)accumulator->machine->terms, sums->factors};
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; i < sizeof chains / sizeof chains[0] && !status; i++) {
        const accordi_order order = {
            .n = sums->n, .parameter = chains[i].parts, .fold = "halves", .context = &in};
        if (chains[i].parts == 1 || sums->factors >= 2 * chains[i].parts * in.terms)
            status = append(sums, accumulator, order, machine_parts, chains[i].name,
                            ACCORDI_AS_GIVEN, false, out, error);
    }
    return status;
}

enum accord_status accordi_references_make(const accordi_sums *sums,
                                           const accordi_accumulator *accumulator, uint64_t seed,
                                           accordi_references *out, accord_error *error)
{
    accordi_references made = {.list = accordi_calloc(2 * ROWS, sizeof *made.list)};
    if (!made.list)
        return accordi_nomem(error);
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    enum accord_status status = ACCORD_OK;
    if (accumulator->machine)
        status = append_machine(sums, accumulator, &made, error);
    for (size_t i = 0; i < ROWS && !status && !accumulator->machine; i++) {
        const accordi_order order = {
            .n = sums->n, .parameter = rows[i].parameter, .fold = "halves", .rng = &rng};
        if (rows[i].parameter > sums->n)
            continue;
        status = append(sums, accumulator, order, rows[i].maker, rows[i].name, rows[i].sorting,
                        false, &made, error);
        if (!status && rows[i].fused && sums->products)
            status = append(sums, accumulator, order, rows[i].maker, rows[i].name, rows[i].sorting,
                            true, &made, error);
    }
    if (status)
        accordi_references_clear(&made);
    else
        *out = made;
    return status;
}

void accordi_references_clear(accordi_references *references)
{
    for (size_t i = 0; i < references->count; i++) {
        accord_tree_free(references->list[i].tree);
        accord_arithmetic_free(references->list[i].arithmetic);
    }
    free(references->list);
    *references = (accordi_references){0};
}

/* ---- running one ---- */

/* The place of a term in ascending order. Terms that are equal as floats stay as they are. */
typedef struct place {
    uint32_t key, k;
} place;

/* Bits that ascend with the value. */
static uint32_t key_of(double x)
{
    float value = (float)x;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* Sorts by digits, the least significant one first; `other` has as many places. An odd number of
 * passes leaves the result there. */
static void sort_places(place *list, place *other, size_t count)
{
    enum { BITS = 11, DIGITS = 1 << BITS, PASSES = 3 };
    for (int pass = 0; pass < PASSES; pass++) {
        size_t start[DIGITS + 1] = {0};
        place *from = pass % 2 ? other : list, *to = pass % 2 ? list : other;
        for (size_t i = 0; i < count; i++)
            start[(from[i].key >> pass * BITS) % DIGITS + 1]++;
        for (size_t d = 0; d < DIGITS; d++)
            start[d + 1] += start[d];
        for (size_t i = 0; i < count; i++)
            to[start[(from[i].key >> pass * BITS) % DIGITS]++] = from[i];
    }
}

enum accord_status accordi_sort_chunk(const accordi_sums *sums, enum accordi_sorting sorting,
                                      const accordi_chunk *chunk, accordi_chunk *out,
                                      accord_error *error)
{
    place *list = accordi_alloc(2 * sums->n, sizeof *list), *sorted = list + sums->n;
    if (!list)
        return accordi_nomem(error);
    for (size_t row = 0; row < chunk->rows; row++) {
        size_t at = row * sums->n;
        for (size_t k = 0; k < sums->factors; k++) {
            double term = accordi_term(sums, chunk, row, k);
            list[k] = (place){key_of(sorting == ACCORDI_BY_SIZE ? fabs(term) : term), (uint32_t)k};
        }
        sort_places(list, sorted, sums->factors);
        if (sums->has_start)
            sorted[sums->factors].k = (uint32_t)sums->factors;
        for (size_t k = 0; k < sums->n; k++) {
            size_t from = at + sorted[k].k;
            accordi_set_number(out->x, sums->is_f32, at + k,
                               accordi_get_number(chunk->x, sums->is_f32, from));
            if (sums->products)
                accordi_set_number(out->y, sums->is_f32, at + k,
                                   accordi_get_number(chunk->y, sums->is_f32, from));
        }
    }
    free(list);
    return ACCORD_OK;
}

enum accord_status accordi_replay_chunk(const accordi_sums *sums, const accord_model *model,
                                        const accordi_chunk *chunk, double *result,
                                        accord_error *error)
{
    size_t width = accordi_width_of(sums), rows_ = chunk->rows;
    const void **x = accordi_alloc(rows_, sizeof *x), **y = accordi_alloc(rows_, sizeof *y);
    double *start = accordi_alloc(rows_, sizeof *start);
    enum accord_status status = ACCORD_OK;
    if (!x || !y || !start)
        status = accordi_nomem(error);
    for (size_t r = 0; r < rows_ && !status; r++) {
        x[r] = (const char *)chunk->x + r * sums->n * width;
        y[r] = sums->products ? (const char *)chunk->y + r * sums->n * width : NULL;
        start[r] = sums->has_start ? accordi_get_number(x[r], sums->is_f32, sums->factors) : 0;
    }
    const accord_rows batch = {.size = sizeof batch,
                               .rows = rows_,
                               .x = x,
                               .y = sums->products ? y : NULL,
                               .start = sums->has_start ? start : NULL,
                               .is_f32 = sums->is_f32};
    if (!status)
        status = accord_model_replay(model, &batch, result, error);
    free(x);
    free(y);
    free(start);
    return status;
}
