/* Explains replays by elimination. For what probes at single nodes cannot show (where alpha enters,
 * how a mean divides) every possibility is tried, and where no probe found an arithmetic, so are
 * the plain ones. An arithmetic is accepted only if all rows agree. Here stand the formats, and the
 * order of the tries. */
#include "reveal/arithmetic/search_tries.h"
#include "reveal/arithmetic/zero_signs.h"

enum { X87_BITS = 64 };

/* ---- the ways of narrow formats inside ---- */

static bool contains(enum accord_format wide, enum accord_format narrow)
{
    const accord_format_info *a = accord_format_get(wide), *b = accord_format_get(narrow);
    return a->precision >= b->precision && a->max_exponent >= b->max_exponent &&
           a->least <= b->least;
}

/* What terms lose on their way (kept.c) is lost by the sums; or the operands are rounded before
 * anything else, into the format that probes were written in or, where the sums lose the rest, into
 * one that contains it. */
static enum accord_status try_operands(accordi_search *s, accord_arithmetic a, bool whole)
{
    static const enum accord_rounding roundings[] = {ACCORD_NEAREST_EVEN, ACCORD_TOWARD_ZERO,
                                                     ACCORD_NEAREST_AWAY};
    enum accord_format given = s->asker->target->format, kept = s->asker->format;
    accordi_try_finishes(s, a, whole);
    for (int f = 0; f < ACCORD_FORMAT_COUNT && kept != given; f++) {
        enum accord_format format = (enum accord_format)f;
        if (format == given || !contains(given, format) || !contains(format, kept))
            continue;
        for (size_t r = 0; r < sizeof roundings / sizeof *roundings; r++) {
            a.operand = format;
            a.operand_rounding = roundings[r];
            accordi_try_finishes(s, a, false);
        }
    }
    return s->asker->status;
}

/* With products rounded into the format. */
static enum accord_status try_products(accordi_search *s, const accord_arithmetic *a,
                                       enum accord_format product)
{
    accordi_asker *asker = s->asker;
    accord_arithmetic *other = NULL;
    accordi_search_copy(s, a, &other);
    for (size_t i = 0; !asker->status && i < other->operations; i++)
        other->operation[i].product = product;
    if (!asker->status)
        try_operands(s, *other, false);
    accord_arithmetic_free(other);
    return asker->status;
}

/* With products as found, and rounded into f32 or the format of the interface on the way: before
 * sums narrow them, or where they are exact but for their range. Squares that are rounded before a
 * wider sum, as in mean(x * x), are tried too. */
static enum accord_status try_narrow(accordi_search *s, const accord_arithmetic *a, bool whole)
{
    accordi_asker *asker = s->asker;
    enum accord_format given = asker->target->format;
    bool product = asker->term == ACCORD_TERM_PRODUCT && asker->format != given;
    bool square = asker->term == ACCORD_TERM_SQUARE && a->operations > 0 &&
                  a->operation->format != given && contains(a->operation->format, given);
    if (try_operands(s, *a, whole) || !(product || square))
        return asker->status;
    if (!try_products(s, a, given) && given != ACCORD_F32)
        try_products(s, a, ACCORD_F32);
    return asker->status;
}

/* Of a single term probes see the same in |x| and in the root of its square. */
static enum accord_status try_lone_root(accordi_search *s, const enum accord_format *format,
                                        size_t formats)
{
    accordi_asker *asker = s->asker;
    if (asker->n > 1 || asker->term != ACCORD_TERM_ABSOLUTE)
        return asker->status;
    for (size_t i = 0; i < formats && !asker->status && s->e->agreed < s->replays->rows; i++) {
        accord_arithmetic *plain = NULL;
        if (!accordi_search_plain(s, ACCORD_TERM_SQUARE, format[i], &plain))
            accordi_try_finishes(s, *plain, false);
        accord_arithmetic_free(plain);
    }
    return asker->status;
}

/* In x87's format, as C's long double and the code for x87 in libraries add. */
static enum accord_status try_extended(accordi_search *s)
{
    accordi_asker *asker = s->asker;
    accord_arithmetic *plain = NULL;
    enum accord_term term =
        asker->n == 1 && asker->term == ACCORD_TERM_ABSOLUTE ? ACCORD_TERM_SQUARE : asker->term;
    if (s->e->agreed == s->replays->rows || asker->alpha != 1 || asker->target->has_start ||
        (s->tree->inner && s->tree->inner + 1 != s->tree->leaves))
        return asker->status;
    if (accordi_search_plain(s, term, ACCORD_F64, &plain))
        return asker->status;
    plain->extended = true;
    accordi_try_finishes(s, *plain, false);
    accord_arithmetic_free(plain);
    return asker->status;
}

/* Where the signs of zeros may be all that is not explained. */
static enum accord_status try_zero_signs(accordi_search *s)
{
    accordi_zero_answers zeros;
    if (!accordi_nearly_explained(s) || s->e->flushes ||
        accordi_zero_signs(s->asker, s->tree, s->e->best, &zeros) || !zeros.made)
        return s->asker->status;
    accordi_try(s, zeros.made, false);
    accord_arithmetic_free(zeros.made);
    return s->asker->status;
}

/* Sums that are results before they are multiplied or divided, as in x.sum() / n in a narrow
 * format. They come last: where a factor is a power of two, they differ from other sums only at the
 * ends of the range. */
static void try_stored_sums(accordi_search *s, const enum accord_format *format, size_t formats)
{
    accordi_asker *asker = s->asker;
    for (size_t i = 0; i < formats && !asker->status && s->e->agreed < s->replays->rows; i++) {
        accord_arithmetic *plain = NULL;
        if (!accordi_search_plain(s, asker->term, format[i], &plain))
            accordi_try_stored_sum(s, plain);
        accord_arithmetic_free(plain);
    }
}

enum accord_status accordi_explain(accordi_asker *asker, const accord_tree *tree,
                                   const accordi_replays *replays, accordi_explanation *e)
{
    accordi_search s = {asker, tree, replays, e};
    enum accord_format format[ACCORDI_ACCUMULATORS];
    size_t formats = accordi_accumulators(asker, format);
    if (e->accumulator_bits == X87_BITS) /* no other format has so many */
        try_extended(&s);
    if (e->found && !try_narrow(&s, e->found, false))
        accordi_try_asked_alpha(&s, e->found);
    if (!asker->status && asker->alpha != 1)
        accordi_try_stored_sum(&s, e->found);
    if (e->wide_precision && !asker->status)
        accordi_try_widths(&s);
    for (size_t i = 0; i < formats && !asker->status && e->agreed < replays->rows; i++) {
        accord_arithmetic *plain = NULL;
        if (!accordi_search_plain(&s, asker->term, format[i], &plain))
            try_narrow(&s, plain, true);
        accord_arithmetic_free(plain);
    }
    if (!asker->status && !try_lone_root(&s, format, formats) && !try_zero_signs(&s) &&
        !accordi_try_flushes(&s))
        accordi_try_fusions(&s, format, formats);
    if (!asker->status && !e->wide_precision && e->wide && asker->term == ACCORD_TERM_SQUARE)
        accordi_try_widths(&s);
    if (!asker->status && !accordi_try_stored(&s, e->found))
        try_extended(&s);
    if (!asker->status)
        try_stored_sums(&s, format, formats);
    return asker->status;
}
