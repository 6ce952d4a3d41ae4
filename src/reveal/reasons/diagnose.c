/* Decides why a target is not a sum: tries one hypothesis for each reason that no table has.
 *
 * Most reasons are rows of the table in functions.c; a reason that is no function of the terms is
 * a hypothesis here. Hypotheses are compared with the target's answers to ordinary questions, the
 * most special ones first, and the first that agrees with all answers is the reason. If there is
 * none, a reason that the answers contradict is replaced by the general one, with what was seen. */
#include "reveal/reasons/ordinary_sums.h"
#include <math.h>

/* In narrower formats even small whole numbers are rounded. */
enum { LEAST_BITS = 8 };

static accordi_hypothesis *const not_plain[] = {
    accordi_is_bits,    accordi_is_weighted,   accordi_is_of_magnitudes, accordi_is_rectified,
    accordi_is_clamped, accordi_is_of_the_sum, accordi_is_of_terms,
};

static bool try_all(const accordi_ordinary *o)
{
    for (size_t i = 0; i < sizeof not_plain / sizeof *not_plain && !o->asker->status; i++)
        if (not_plain[i](o))
            return true;
    return false;
}

/* The first of such rows has the simplest terms. */
static bool is_not_finite(const accordi_ordinary *o)
{
    const accordi_row *first = NULL;
    size_t count = 0;
    for (size_t r = o->rows; r-- > 0;) {
        bool finite = isfinite(o->row[r].result);
        count += !finite;
        first = finite ? first : &o->row[r];
    }
    if (!first)
        return false;
    char terms[64] = "all terms are 0";
    if (first->magnitude != 0)
        snprintf(terms, sizeof terms, "the terms are small integers and their sum is %g",
                 first->sum);
    accordi_unable(o->asker->error, ACCORD_REASON_NOT_FINITE,
                   "the target returns %s where %s (%zu of %zu sums of small integers are not "
                   "finite)",
                   isnan(first->result) ? "NaN"
                   : first->result > 0  ? "infinity"
                                        : "-infinity",
                   terms, count, o->rows);
    return true;
}

/* The general reason, with the row that shows best that this is not a sum. */
static void say_no_sum(const accordi_ordinary *o)
{
    const accordi_row *worst = NULL;
    for (size_t r = 0; r < o->rows && !worst; r++)
        if (o->row[r].exact && o->row[r].count == 1 && o->row[r].result != o->row[r].value[0])
            worst = &o->row[r];
    for (size_t r = 0; r < o->rows && !worst; r++)
        if (o->row[r].exact && o->row[r].result != o->row[r].sum)
            worst = &o->row[r];
    if (o->zeros != 0)
        accordi_unable(o->asker->error, ACCORD_REASON_NOT_A_TREE,
                       "this is not a plain sum: zeros give %.9g instead of 0", o->zeros);
    else if (worst && worst->count == 1)
        accordi_unable(
            o->asker->error, ACCORD_REASON_NOT_A_TREE,
            "this is not a plain sum: if term %u is %g and all others are %g, the result is %.9g; "
            "the results for other small integers are not the same multiple of their sums",
            worst->at[0], worst->value[0], worst->fill, worst->result);
    else if (worst)
        accordi_unable(o->asker->error, ACCORD_REASON_NOT_A_TREE,
                       "this is not a plain sum: for small integers (%zu of which differ from %g) "
                       "the sum is %g, but the result is %.9g",
                       worst->count, worst->fill, worst->sum, worst->result);
}

static bool names_a_term(enum accord_reason reason)
{
    return reason == ACCORD_REASON_TERM_LOST || reason == ACCORD_REASON_TERM_TWICE;
}

/* Reasons that say what becomes of single terms, or that all terms add up in some way. */
static bool contradicted(enum accord_reason reason)
{
    return names_a_term(reason) || reason == ACCORD_REASON_EXACT ||
           reason == ACCORD_REASON_COMPENSATED || reason == ACCORD_REASON_DATA_DEPENDENT ||
           reason == ACCORD_REASON_OUT_OF_RANGE || reason == ACCORD_REASON_NOT_A_TREE;
}

/* A term that is lost or counted twice is so wherever it stands beside ordinary numbers. */
static bool say_other_sizes(accordi_asker *asker, const accord_error *given)
{
    if (names_a_term(given->reason))
        accordi_unable(asker->error, ACCORD_REASON_NOT_A_TREE,
                       "this is not a plain sum: small integers add up, but much larger or smaller "
                       "terms do not (for them, %s)",
                       given->text);
    return false;
}

static bool outdoes(enum accord_reason found, enum accord_reason given)
{
    if (given == ACCORD_REASON_NONDETERMINISTIC)
        return found == ACCORD_REASON_KEEPS_STATE;
    return found != ACCORD_REASON_NOT_A_TREE || contradicted(given);
}

static void try_reasons(accordi_asker *asker, uint32_t named, const accord_error *given,
                        accord_error *found)
{
    accordi_ordinary o;
    bool value = false;
    asker->error = found;
    if (accordi_check_history(asker, false) || accordi_check_history(asker, true) ||
        accordi_ordinary_ask(asker, named, &o))
        return;
    if (o.precision < LEAST_BITS)
        value = accordi_is_constant(&o) || accordi_is_one_term(&o) || accordi_is_function(&o);
    else if (accordi_is_plain_sum(&o, &value))
        value = !value || accordi_is_limited(&o) || accordi_leaves_out_zeros(&o) ||
                say_other_sizes(asker, given);
    else if (!accordi_is_constant(&o) && !accordi_is_one_term(&o) && !accordi_is_function(&o) &&
             !is_not_finite(&o) && !try_all(&o))
        say_no_sum(&o);
}

void accordi_diagnose(accordi_asker *asker, accord_error *error)
{
    accord_error found = {.status = ACCORD_OK};
    enum accord_status status = asker->status;
    if (asker->n < 2)
        return;
    asker->status = ACCORD_OK;
    try_reasons(asker, asker->blamed, error, &found);
    asker->error = error;
    asker->status = status;
    if (found.status == ACCORD_UNABLE && outdoes(found.reason, error->reason)) {
        *error = found;
        asker->status = ACCORD_UNABLE;
    }
}

bool accordi_reason_is_beside(enum accord_reason reason)
{
    return reason == ACCORD_REASON_READS_OUTSIDE || reason == ACCORD_REASON_WRITES_OUTSIDE ||
           reason == ACCORD_REASON_WRITES_INPUT || reason == ACCORD_REASON_READS_OTHERS ||
           reason == ACCORD_REASON_POSITION || reason == ACCORD_REASON_COPIES;
}
