/* What one sample holds: its values, how often each occurs, and how far they lie apart. */
#include "base/base.h"
#include <accord/vary.h>
#include <math.h>

double accord_vary_unit(enum accord_format format, double magnitude)
{
    const accord_format_info *info = accord_format_get(format);
    int exponent;
    if (!isfinite(magnitude))
        return NAN;
    frexp(magnitude, &exponent);
    if (magnitude == 0 || exponent - 1 < info->min_exponent)
        exponent = info->min_exponent + 1;
    return ldexp(1, exponent - info->precision);
}

/* Ascending; -0 before 0, NaN last, the same values by their places. */
static int by_value(const void *first, const void *second)
{
    const accord_vary_value *a = first, *b = second;
    if (isnan(a->value) != isnan(b->value))
        return isnan(a->value) ? 1 : -1;
    if (a->value != b->value && !isnan(a->value))
        return a->value < b->value ? -1 : 1;
    if (!accordi_same_bits(a->value, b->value))
        return signbit(a->value) ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static void join_equal(accord_vary_summary *s)
{
    size_t last = 0;
    for (size_t i = 1; i < s->count; i++)
        if (accordi_same_bits(s->value[i].value, s->value[last].value))
            s->value[last].count++;
        else
            s->value[++last] = s->value[i];
    s->distinct = last + 1;
}

/* What values are multiples of: a given unit, or (unit 0) that of a format. */
typedef struct unit_source {
    double unit;
    enum accord_format format;
} unit_source;

/* In units above the least value, where nothing is lost that the spread shows. */
static void measure_moments(accord_vary_summary *s)
{
    double sum = 0, squares = 0, count = (double)s->finite, least = s->least / s->unit;
    for (size_t i = 0; i < s->distinct; i++)
        if (isfinite(s->value[i].value))
            sum += (s->value[i].value / s->unit - least) * (double)s->value[i].count;
    s->mean_place = sum / count;
    for (size_t i = 0; i < s->distinct; i++)
        if (isfinite(s->value[i].value)) {
            double beside = s->value[i].value / s->unit - least - s->mean_place;
            squares += beside * beside * (double)s->value[i].count;
        }
    s->mean = s->least + s->mean_place * s->unit;
    s->deviation = sqrt(squares / count);
}

static double entropy_of(const accord_vary_summary *s)
{
    double entropy = 0;
    for (size_t i = 0; i < s->distinct; i++) {
        double share = (double)s->value[i].count / (double)s->count;
        entropy -= share * log2(share);
    }
    return entropy > 0 ? entropy : 0;
}

static void measure(accord_vary_summary *s, const unit_source *source)
{
    s->least = s->greatest = s->unit = s->spread = NAN;
    s->mean = s->mean_place = s->deviation = NAN;
    s->entropy = entropy_of(s);
    for (size_t i = 0; i < s->distinct; i++) {
        const accord_vary_value *v = &s->value[i];
        s->nans += isnan(v->value) ? v->count : 0;
        if (!isfinite(v->value))
            continue;
        s->least = s->finite ? s->least : v->value;
        s->greatest = v->value;
        s->finite += v->count;
    }
    if (s->finite) {
        s->unit = source->unit > 0
                      ? source->unit
                      : accord_vary_unit(source->format, fmax(fabs(s->least), fabs(s->greatest)));
        s->spread = s->greatest / s->unit - s->least / s->unit;
        measure_moments(s);
    }
}

static enum accord_status summarize(const double *sample, size_t count, const unit_source *source,
                                    accord_vary_summary **out, accord_error *error)
{
    if (!count)
        return accordi_fail(error, ACCORD_ARG, "a sample needs at least one result");
    accord_vary_summary *made = accordi_calloc(1, sizeof *made);
    if (made)
        made->value = accordi_alloc(count, sizeof *made->value);
    if (!made || !made->value) {
        free(made);
        return accordi_nomem(error);
    }
    made->count = count;
    for (size_t i = 0; i < count; i++)
        made->value[i] = (accord_vary_value){sample[i], 1, i};
    qsort(made->value, count, sizeof *made->value, by_value);
    join_equal(made);
    measure(made, source);
    *out = made;
    return ACCORD_OK;
}

enum accord_status accord_vary_summarize(const double *sample, size_t count,
                                         enum accord_format format, accord_vary_summary **out,
                                         accord_error *error)
{
    const unit_source source = {.format = format};
    return summarize(sample, count, &source, out, error);
}

enum accord_status accord_vary_summarize_multiples(const double *sample, size_t count, double unit,
                                                   accord_vary_summary **out, accord_error *error)
{
    const unit_source source = {.unit = unit};
    if (!(unit > 0) || !isfinite(unit))
        return accordi_fail(error, ACCORD_ARG, "a unit is a positive number");
    return summarize(sample, count, &source, out, error);
}

void accord_vary_summary_free(accord_vary_summary *summary)
{
    if (!summary)
        return;
    free(summary->value);
    free(summary);
}

double accord_vary_quantile(const accord_vary_summary *s, double q)
{
    size_t numbers = s->count - s->nans, seen = 0;
    for (size_t i = 0; i < s->distinct && numbers; i++) {
        seen += s->value[i].count;
        if ((double)seen >= q * (double)numbers)
            return s->value[i].value;
    }
    return NAN;
}
