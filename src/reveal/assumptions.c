/* What the verdict on an order assumes. */
#include "reveal/assumptions.h"
#include <math.h>

/* What is wrong with a chance p at each of N passes all of them with a chance of (1 - p)^N, which
 * is below e^-3, 5 %, where p > 3 / N. With fewer than so many this says nothing. */
enum { LEAST = 6 };

static bool all_agree(const accord_record *record, const accordi_certificate *c)
{
    return c->explained && c->replays_agreed == c->replays && c->replays >= LEAST && record->n > 1;
}

/* What replays show of calls that were not made: each compares the bits of a call with the model,
 * and each repeated input those of one more. */
static void list_faults(const accord_record *record, const accordi_certificate *c,
                        accordi_buffer *lines)
{
    size_t calls = c->replays + c->repeats;
    if (all_agree(record, c) && c->repeats_agreed == c->repeats)
        accordi_buffer_printf(lines,
                              ": none of %zu calls with random inputs, of which %zu repeat others, "
                              "gave other bits; a target that does so at random at more than one "
                              "such call in %zu would pass that test with a probability below 5 %%",
                              calls, c->repeats, calls / 3);
}

/* What they show of the inputs that were not asked. */
static void list_strength(const accord_record *record, const accordi_certificate *c,
                          accordi_buffer *lines)
{
    if (!all_agree(record, c))
        return;
    accordi_buffer_printf(
        lines,
        "\ninputs that were not tested follow the same arithmetic: %zu random inputs were replayed "
        "without a difference; a model that is wrong on more than one in %zu inputs of these kinds "
        "would pass that test with a probability below 5 %%",
        c->replays, c->replays / 3);
}

static bool stores(const accord_arithmetic *a)
{
    bool stored = false;
    for (size_t i = 0; i < a->operations; i++)
        stored = stored || a->operation[i].stored != ACCORD_F64;
    return stored;
}

/* What inputs hardly show of an arithmetic. */
static void list_of_arithmetic(const accord_arithmetic *a, accordi_buffer *lines)
{
    if (a->has_machine)
        accordi_buffer_puts(
            lines, "\nall fused sums share one set of parameters, as listed in accord/fused.h");
    if (a->has_machine && a->machine.halves)
        accordi_buffer_puts(lines, "\nthe sums of even and odd products are aligned, joined and "
                                   "rounded by one rule, also near the least normal number and the "
                                   "greatest, where few inputs show it: there the least exponent "
                                   "and the rounding may differ from those that are reported");
    if (a->has_machine && a->machine.output_fraction)
        accordi_buffer_printf(lines,
                              "\nsums are rounded directly to %d bits: a preceding rounding to %s "
                              "would hardly ever show",
                              a->machine.output_fraction + 1,
                              accord_format_get(a->machine.output)->name);
    if (stores(a))
        accordi_buffer_puts(lines,
                            "\npartial sums that are stored in a narrower format are rounded "
                            "first to the format in which they are added: inputs for which "
                            "a different first rounding shows are rare");
    if (a->flush && (a->alpha != 1 || a->beta != 0))
        accordi_buffer_puts(lines, "\nno product with alpha or beta is subnormal: whether such "
                                   "products are flushed to zero was not tested separately");
}

/* What calls have in common: those of the process that was asked and of a few new ones are all that
 * is seen. An order that follows the time at which a library was loaded, or a thread that was never
 * late while it was asked, looks the same in all of them. Libraries choose their code by where
 * operands lie: MKL's dot does. */
void accordi_list_assumptions(const accord_record *record, const accordi_certificate *c,
                              const accordi_order_proof *rounds, accordi_buffer *lines)
{
    accordi_buffer_puts(lines, "one fixed tree of additions is used for all finite terms\nthe "
                               "target computes the same at every call, in every process, at "
                               "any time, and however its threads, if it has several, are "
                               "scheduled");
    list_faults(record, c, lines);
    if (record->alignment == 0)
        accordi_buffer_puts(lines, "\nthe terms begin at a multiple of 64 bytes in memory");
    else if (record->alignment > 0)
        accordi_buffer_printf(lines, "\nthe terms begin %lld bytes past a multiple of 64 in memory",
                              (long long)record->alignment);
    if (rounds)
        accordi_buffer_printf(
            lines,
            "\nevery addition rounds the sum of its operands once, to the nearest "
            "number of %d bits, ties to even, or not at all",
            rounds->precision);
    list_strength(record, c, lines);
    if (c->rounds.tested)
        accordi_buffer_printf(lines,
                              "\nthe sums of ties did not miss an addition with a different "
                              "arithmetic (the probability of that is below 10^%.0f)",
                              ceil(log10(c->rounds.miss)));
    if (c->far_only)
        accordi_buffer_puts(lines,
                            "\nthe order that large masks show also holds for ordinary terms: a "
                            "format this narrow leaves no room to test it again with terms near 1");
    if (c->no_number)
        accordi_buffer_puts(lines, "\nno sum overflows: in that case the target gives NaN, "
                                   "whereas the model gives infinity");
    if (c->rivals.overflows_beside)
        accordi_buffer_puts(lines,
                            "\nno sum of products of terms with the factors of their neighbors "
                            "overflows, as in the other part of a complex result: in that case the "
                            "target gives NaN");
    if (c->rivals.small_products)
        accordi_buffer_puts(
            lines,
            "\nproducts too small or too large for the format of a sum enter it as described, "
            "fused or rounded first: an input that shows this was not found for every "
            "addition");
    bool one = c->rivals.unasked == 1;
    if (c->explained && c->rivals.unasked)
        accordi_buffer_printf(
            lines,
            "\n%zu model%s that differ%s in one detail from what is described, and agree%s with "
            "all random inputs, %s not what the target computes: for sums of this length there was "
            "no room to ask for inputs that distinguish %s",
            c->rivals.unasked, one ? "" : "s", one ? "s" : "", one ? "s" : "", one ? "is" : "are",
            one ? "it" : "them");
    if (c->other_zero)
        accordi_buffer_puts(lines, "\nthe sign of a sum that is zero does not matter");
    else if (c->explained && c->rivals.zeros_sampled)
        accordi_buffer_puts(lines, "\na sum that is zero has the sign that the model gives it: "
                                   "with so many terms not every addition was tried");
    if (c->explained)
        list_of_arithmetic(c->arithmetic, lines);
}
