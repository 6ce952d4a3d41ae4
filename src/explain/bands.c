/* The size of errors in some rows or columns of a matrix.
 *
 * A fault of one row whose errors stay inside the envelope is diluted in the statistics of all
 * elements. Therefore the errors of each row and each column are compared in pairs, element by
 * element, with those of each reference; of large matrices those of bands of neighbors, so that
 * every band has enough elements. What is compared is the magnitude of the errors and not the
 * square, because fewer elements decide then: sum(|a| - |b|) exceeds z sqrt(sum((|a| - |b|)^2)) by
 * chance with a probability of at most 2 exp(-z^2 / 2) where the errors a of the target and b of
 * the reference may change places, since |a| - |b| is then as likely to be negative as positive
 * (statistics.c). A band is outside if it is larger than all references. */
#include "explain/statistics.h"
#include <math.h>

typedef struct tally {
    double sum, excess, square, rows; /* of |b|, of |a| - |b|, of its square */
} tally;

static double magnitude(const accordi_errors *errors, size_t implementation, size_t row)
{
    const accordi_input *in = &errors->input[row];
    double e = errors->error[implementation * errors->rows + row];
    return fabs(accordi_kept_within(e, in->envelope)) / in->sigma;
}

/* tallies: [band][reference] */
static void add_up(const accordi_elements *elements, const accordi_errors *errors,
                   accordi_axis axis, const accordi_bands *bands, tally *tallies)
{
    size_t references = errors->implementations - 1;
    for (size_t row = 0; row < errors->filled; row++) {
        if (!accordi_input_counts(&errors->input[row]))
            continue;
        size_t band = accordi_element_line(elements, row, axis) / bands->size;
        double own = magnitude(errors, 0, row);
        for (size_t i = 0; i < references; i++) {
            tally *to = &tallies[band * references + i];
            double other = magnitude(errors, i + 1, row), more = own - other;
            to->sum += other;
            to->excess += more;
            to->square += more * more;
            to->rows++;
        }
    }
}

/* The least number of standard errors by which a band exceeds a reference; *of is the largest
 * reference there. */
static double excess_of(const tally *tallies, size_t references, tally *of)
{
    double least = INFINITY;
    *of = (tally){0};
    for (size_t i = 0; i < references; i++) {
        const tally *here = &tallies[i];
        double excess = here->square > 0 ? here->excess / sqrt(here->square) : 0;
        least = fmin(least, excess);
        if (here->sum >= of->sum)
            *of = *here;
    }
    return isfinite(least) ? least : 0;
}

typedef struct found {
    double excess, value, reference, limit;
    size_t band, outside, decide;
} found;

static found largest_of(const tally *tallies, size_t references, size_t bands, double z)
{
    found out = {.excess = -INFINITY};
    for (size_t band = 0; band < bands; band++) {
        tally of;
        double excess = excess_of(tallies + band * references, references, &of);
        bool decides = of.rows > z * z && of.sum > 0;
        out.decide += decides;
        out.outside += decides && excess > z;
        if (!decides || excess <= out.excess)
            continue;
        out.excess = excess;
        out.band = band;
        out.value = (of.sum + of.excess) / of.rows;
        out.reference = of.sum / of.rows;
        out.limit = (of.sum + z * sqrt(of.square)) / of.rows;
    }
    return out;
}

static void band_words(const char *name, const accordi_bands *bands, const found *in, char *text,
                       size_t size)
{
    size_t from = in->band * bands->size, end = from + bands->size;
    end = (end < bands->lines ? end : bands->lines) - 1;
    char place[80];
    if (from == end)
        snprintf(place, sizeof place, "%s %zu", name, from);
    else
        snprintf(place, sizeof place, "%ss %zu to %zu", name, from, end);
    snprintf(text, size,
             "the errors in %s are %.3g times as large as those of the worst reference order",
             place, in->value / in->reference);
}

static const struct {
    const char *name, *about;
} axes[ACCORDI_AXES] = {
    {"row", "mean magnitude of the errors in the rows that stand out most, divided by the "
            "predicted deviation"},
    {"column", "mean magnitude of the errors in the columns that stand out most, divided by the "
               "predicted deviation"},
};

static enum accord_status test_axis(const accordi_elements *elements, const accordi_errors *errors,
                                    accordi_axis axis, double z, accord_explain_test *out,
                                    found *most, accordi_bands *bands, accord_error *error)
{
    size_t references = errors->implementations - 1;
    tally *tallies = accordi_calloc(bands->count * references + 1, sizeof *tallies);
    if (!tallies)
        return accordi_nomem(error);
    add_up(elements, errors, axis, bands, tallies);
    *most = largest_of(tallies, references, bands->count, z);
    *out = (accord_explain_test){.name = axes[axis].name,
                                 .about = axes[axis].about,
                                 .kind = errors->kind,
                                 .value = most->value,
                                 .reference = most->reference,
                                 .limit = most->limit,
                                 .decides = most->decide > 0,
                                 .outside = most->outside > 0,
                                 .term = -1};
    free(tallies);
    return ACCORD_OK;
}

size_t accordi_bands_tests(const accordi_elements *elements, size_t asked)
{
    size_t tests = 0;
    accordi_bands bands;
    for (accordi_axis axis = 0; axis < ACCORDI_AXES; axis++)
        tests += accordi_element_bands(elements, asked, axis, &bands) ? bands.count : 0;
    return tests;
}

enum accord_status accordi_bands_test(const accordi_elements *elements,
                                      const accordi_errors *errors, double level,
                                      accord_explain_side *side, char *text, size_t size,
                                      accord_error *error)
{
    accord_explain_test *test = realloc(side->test, (side->tests + ACCORDI_AXES) * sizeof *test);
    double largest = 0;
    enum accord_status status = ACCORD_OK;
    text[0] = '\0';
    if (!test)
        return accordi_nomem(error);
    side->test = test;
    for (accordi_axis axis = 0; axis < ACCORDI_AXES && !status; axis++) {
        accordi_bands bands;
        found most = {0};
        if (!accordi_element_bands(elements, errors->rows, axis, &bands))
            continue;
        status = test_axis(elements, errors, axis, accordi_z_of(level), &test[side->tests], &most,
                           &bands, error);
        if (status)
            break;
        side->tests++;
        /* What all bands have is no matter of place. */
        if (most.outside && 2 * most.outside <= bands.count && most.excess > largest) {
            largest = most.excess;
            band_words(axes[axis].name, &bands, &most, text, size);
        }
    }
    return status;
}
