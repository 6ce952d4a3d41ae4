/* Sends probes to the target, and reads from each result how many units it counts. */
#include "reveal/probes/ask.h"
#include <math.h>

void accordi_ask_init(accordi_asker *asker, accord_target *target, uint64_t seed,
                      accord_error *error)
{
    memset(asker, 0, sizeof *asker);
    asker->target = target;
    asker->n = target->n;
    asker->error = error;
    asker->term = target->term;
    asker->format = target->format;
    asker->scale = asker->sign = 1;
    asker->blamed = ACCORD_TREE_NO_NODE;
    asker->alpha = target->alpha;
    asker->first_calls = target->calls;
    asker->beta = target->beta;
    accordi_rng_init(&asker->rng, seed);
    accordi_ask_factors(asker, false);
}

/* A power of two of its sign, on its side of 1. */
static double neutral(double factor)
{
    return fabs(factor) == 1 ? factor : copysign(fabs(factor) < 1 ? 0.5 : 2, factor);
}

void accordi_ask_factors(accordi_asker *asker, bool own)
{
    accord_target *target = asker->target;
    double alpha = neutral(asker->alpha), beta = neutral(asker->beta);
    /* Libraries also choose by which of the two is greater. */
    if (fabs(alpha) == 2 && fabs(beta) == 2 && fabs(asker->beta) > fabs(asker->alpha))
        beta *= 2;
    target->alpha = own ? asker->alpha : alpha;
    target->beta = own ? asker->beta : target->has_start ? beta : 0;
    asker->start_factor = own ? 1 : alpha / beta;
    asker->result_factor = own ? 1 : 1 / alpha;
}

void accordi_ask_release(accordi_asker *asker)
{
    free(asker->start);
    free(asker->index);
    free(asker->value);
    free(asker->result);
    asker->start = asker->index = NULL;
    asker->value = asker->result = NULL;
    asker->start_capacity = asker->entry_capacity = asker->result_capacity = 0;
    asker->probes = asker->entries = 0;
}

void accordi_ask_clear(accordi_asker *asker)
{
    accordi_ask_factors(asker, true);
    accordi_ask_release(asker);
}

enum accord_status accordi_ask_unable(accordi_asker *asker, enum accord_reason reason,
                                      const char *format, ...)
{
    char text[sizeof asker->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return asker->status = accordi_unable(asker->error, reason, "%s", text);
}

static void *kept_if_there(accordi_asker *asker, void *memory)
{
    if (!memory && !asker->status)
        asker->status = accordi_nomem(asker->error);
    return memory;
}

void *accordi_ask_alloc(accordi_asker *asker, size_t count, size_t size)
{
    return kept_if_there(asker, accordi_alloc(count, size));
}

void *accordi_ask_calloc(accordi_asker *asker, size_t count, size_t size)
{
    return kept_if_there(asker, accordi_calloc(count, size));
}

bool accordi_ask_grow(accordi_asker *asker, void **array, size_t *capacity, size_t needed,
                      size_t size)
{
    return kept_if_there(asker, accordi_grow(array, capacity, needed, size) ? *array : NULL);
}

static bool has_room(accordi_asker *asker, size_t entries)
{
    size_t capacity = asker->entry_capacity, needed = asker->entries + entries;
    if (asker->status || needed <= capacity)
        return !asker->status;
    return accordi_ask_grow(asker, (void **)&asker->index, &capacity, needed,
                            sizeof *asker->index) &&
           accordi_ask_grow(asker, (void **)&asker->value, &asker->entry_capacity, needed,
                            sizeof *asker->value);
}

void accordi_ask_only(accordi_asker *asker, const uint32_t *terms, size_t count)
{
    asker->terms = terms;
    asker->n = terms ? count : asker->target->n;
}

/* There is room for it. */
static inline void write_entry(accordi_asker *asker, size_t index, double value)
{
    if (index == asker->target->n - 1 && asker->target->has_start)
        value *= asker->start_factor;
    asker->index[asker->entries] = (uint32_t)index;
    asker->value[asker->entries++] = asker->sign * value;
}

static void put_entry(accordi_asker *asker, size_t index, double value)
{
    if (has_room(asker, 1))
        write_entry(asker, index, value);
}

void accordi_ask_begin(accordi_asker *asker, double fill)
{
    asker->fill = asker->terms ? 0 : fill;
    asker->second = 0;
    asker->probes = asker->entries = 0;
    asker->owning = false;
    if (accordi_ask_grow(asker, (void **)&asker->start, &asker->start_capacity, 1,
                         sizeof *asker->start))
        asker->start[0] = 0;
    bool differs = asker->start_factor < 0 || (asker->start_factor != 1 && asker->fill != 0);
    if (asker->target->has_start && differs)
        put_entry(asker, asker->target->n - 1, asker->fill);
    for (size_t i = 0; asker->terms && fill != 0 && i < asker->n; i++)
        put_entry(asker, asker->terms[i], fill);
}

void accordi_ask_stay(accordi_asker *asker, uint32_t index, double value)
{
    put_entry(asker, asker->terms ? asker->terms[index] : index, value);
}

void accordi_ask_stay_run(accordi_asker *asker, uint32_t first, bool down, const uint32_t *units,
                          size_t count, double unit)
{
    if (!has_room(asker, count))
        return;
    if (asker->terms || asker->target->has_start) {
        for (size_t i = 0; i < count; i++)
            accordi_ask_stay(asker, down ? first - (uint32_t)i : first + (uint32_t)i,
                             units[i] * unit);
        return;
    }
    uint32_t *index = asker->index + asker->entries, step = down ? UINT32_MAX : 1;
    double *value = asker->value + asker->entries, one = asker->sign * unit;
    for (size_t i = 0; i < count; i++)
        index[i] = first + (uint32_t)i * step;
    for (size_t i = 0; i < count; i++)
        value[i] = units[i] * one;
    asker->entries += count;
}

/* Closes the staying writes of the current probe. */
static void own_begins(accordi_asker *asker)
{
    if (asker->status || asker->owning)
        return;
    if (!accordi_ask_grow(asker, (void **)&asker->start, &asker->start_capacity,
                          2 * asker->probes + 3, sizeof *asker->start))
        return;
    asker->start[2 * asker->probes + 1] = (uint32_t)asker->entries;
    asker->owning = true;
}

void accordi_ask_own(accordi_asker *asker, uint32_t index, double value)
{
    own_begins(asker);
    accordi_ask_stay(asker, index, value);
}

void accordi_ask_nonzero(accordi_asker *asker, const uint32_t *index, const double *value,
                         size_t count)
{
    own_begins(asker);
    if (!has_room(asker, count))
        return;
    for (size_t i = 0; i < count; i++)
        if (value[i] != 0)
            write_entry(asker, asker->terms ? asker->terms[index[i]] : index[i], value[i]);
}

void accordi_ask_end(accordi_asker *asker)
{
    own_begins(asker);
    if (asker->status)
        return;
    asker->start[2 * asker->probes + 2] = (uint32_t)asker->entries;
    asker->probes++;
    asker->owning = false;
}

/* Ends like an interruption, so that nothing takes it for an answer of the target's. */
static bool spend_budget(accordi_asker *asker)
{
    char budget[64];
    accordi_budget_words(asker, budget, sizeof budget);
    asker->spent = true;
    asker->status = accordi_fail(asker->error, ACCORD_TARGET, "%s was spent", budget);
    return false;
}

bool accordi_ask_goes_on(accordi_asker *asker, size_t probes)
{
    if (!accordi_budget_holds(asker, probes))
        return spend_budget(asker);
    if (!asker->progress)
        return true;
    double now = accordi_now();
    if (now - asker->last_progress < 0.05)
        return true;
    asker->last_progress = now;
    uint64_t done = asker->target->calls - asker->first_calls;
    uint64_t total = asker->ahead       ? asker->ahead(asker, done)
                     : asker->total > 0 ? asker->total - asker->first_calls
                                        : 0;
    if (asker->progress(asker->progress_context, asker->stage ? asker->stage : "asking", done,
                        total))
        return true;
    asker->stopped = true;
    asker->status = accordi_fail(asker->error, ACCORD_TARGET, "interrupted");
    return false;
}

enum accord_status accordi_ask_once(accordi_asker *asker, double *result)
{
    accord_batch batch = {.probes = asker->probes,
                          .fill = asker->sign * asker->fill,
                          .start = asker->start,
                          .index = asker->index,
                          .value = asker->value,
                          .second = asker->second};
    asker->status =
        asker->factors && asker->second == 0
            ? accordi_two_factors_run(asker->target, asker->format, &batch, result, asker->error)
            : accord_target_run(asker->target, &batch, result, asker->error);
    double factor = asker->sign * asker->result_factor;
    for (size_t p = 0; factor != 1 && p < asker->probes && !asker->status; p++)
        result[p] *= factor;
    return asker->status;
}

/* By how much of a unit a result may miss a whole number of them. One that is a scale times a count
 * was rounded once, by half of its last place, which among subnormal numbers is the least of them;
 * and the scale, as the target has it, by as much of the result as the format's precision says; and
 * the scale and the quotient once more here. From a half on two counts may look the same. */
enum { OWN_ROUNDINGS = 4 };
static double slack_of_units(const accordi_asker *asker, double raw)
{
    const accord_format_info *out = accord_format_get(asker->target->output);
    if (asker->scale == 1 || raw == 0)
        return 0;
    int exponent = ilogb(raw) < out->min_exponent ? out->min_exponent : ilogb(raw);
    double last = ldexp(1, exponent + 1 - out->precision);
    double most = last / 2 + fabs(raw) * (ldexp(1, -out->precision) + OWN_ROUNDINGS * 0x1p-53);
    double slack = most / fabs(asker->unit * asker->scale);
    return slack < 0.5 ? slack : 0.499;
}

enum accord_status accordi_ask_decode(accordi_asker *asker, double raw, uint64_t *units)
{
    if (asker->status)
        return asker->status;
    if (!isfinite(raw))
        return accordi_ask_unable(asker, ACCORD_REASON_NOT_FINITE,
                                  "the target returned %g, but the probe has a small finite sum",
                                  raw);
    double exact = raw / (asker->unit * asker->scale);
    double nearest = rint(exact);
    if (fabs(exact - nearest) > slack_of_units(asker, raw) || nearest < 0 ||
        nearest >= ldexp(1, asker->bits))
        return accordi_ask_unable(
            asker, ACCORD_REASON_NOT_A_TREE,
            "a probe gave %.17g units, but its result should be an integer from 0 to %.0f", exact,
            ldexp(1, asker->bits) - 1);
    *units = (uint64_t)nearest;
    return ACCORD_OK;
}

accordi_exponents accordi_ask_exponents(const accordi_asker *asker, enum accord_format terms)
{
    const accord_format_info *in = accord_format_get(terms);
    const accord_format_info *out = accord_format_get(asker->target->output);
    return (accordi_exponents){
        in->min_exponent > out->min_exponent ? in->min_exponent : out->min_exponent,
        in->max_exponent < out->max_exponent ? in->max_exponent : out->max_exponent};
}

bool accordi_ask_tie_unit(const accordi_asker *asker, int p, int *unit)
{
    accordi_exponents range = accordi_ask_exponents(asker, asker->target->format);
    int spare = 2; /* alpha and beta of a half; masks that are added up for lack of a right tree */
    *unit = range.most - spare - p < 0 ? range.most - spare - p : 0;
    return *unit - 2 >= range.least;
}

void accordi_ask_masks(accordi_asker *asker, uint32_t a, uint32_t b)
{
    accordi_ask_own(asker, a, asker->mask);
    accordi_ask_own(asker, b, -asker->mask);
    accordi_ask_end(asker);
}

void accordi_ask_triple(accordi_asker *asker, uint32_t a, uint32_t b, uint32_t c, double x)
{
    accordi_ask_own(asker, a, asker->mask);
    accordi_ask_own(asker, b, -asker->mask);
    accordi_ask_own(asker, c, x);
    accordi_ask_end(asker);
}

void accordi_ask_pick(accordi_asker *asker, uint32_t *leaves, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool again = true;
        while (again) {
            leaves[i] = (uint32_t)accordi_rng_below(&asker->rng, asker->n);
            again = false;
            for (size_t j = 0; j < i; j++)
                again = again || leaves[i] == leaves[j];
        }
    }
}

void accordi_ask_repeat(void *values, size_t count, bool is_f32, double value)
{
    if (is_f32)
        for (size_t i = 0; i < count; i++)
            ((float *)values)[i] = (float)value;
    else
        for (size_t i = 0; i < count; i++)
            ((double *)values)[i] = value;
}
