/* Guesses orders of terms that cannot be negative, in which the last terms are added in wider sums
 * than the result: lanes in f32, and what is left of their width in f64, as in OpenBLAS's sdot.
 *
 * Idea: beside a mask in wide sums, units are added exactly, wherever they are, and the result is
 * rounded once; beside one in narrow sums they are lost, or rounded, one after the other. So a few
 * questions tell whether the last term is in wide sums. A unit there and one at another term exceed
 * a mask before both if that term is in wide sums, too; else each is lost alone, that of the other
 * one in narrow sums with the mask. So halving finds where the wide ones begin. The order of the
 * terms before them is guessed as one of one width; the others, with one of those for all, are few:
 * a regular order is taken that holds for some threes of them, or else they are split by threes.
 * (A single wide term at the end is rounded as in a narrow sum, and needs none of this.)
 *
 * The order that comes out is a conjecture, for a proof that follows. */
#include "reveal/discover/guess_widths.h"
#include "pattern/orders.h"
#include "tree/tree.h"

enum { TWO_ALONE = 63 };

static uint32_t draw_below(const accordi_extension *e, uint32_t count)
{
    return (uint32_t)accordi_rng_below(&e->asker->rng, count);
}

/* Is the answer, about all terms, that of a mask in wide sums? */
static bool fits_wide(const accordi_guesser *q, uint32_t n, const accordi_answered *a)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < n; i++)
        units += accordi_rounding_has_unit(&a->question, i);
    return a->terms == n && accordi_excess_fits(q, q->x.rounded[units], a->steps);
}

static bool ask_wide(accordi_extension *e, const accordi_rounding *question)
{
    accordi_answered a = {.terms = e->n, .question = *question};
    return accordi_excess_ask(e, &a) && fits_wide(e->context, e->n, &a);
}

/* Units at the last term and at another one alone, and a mask at any before these. */
static bool is_wide_as_last(accordi_extension *e, uint32_t term)
{
    return ask_wide(e, &(accordi_rounding){.mask = draw_below(e, term),
                                           .also = {term, e->n - 1},
                                           .thin = TWO_ALONE});
}

/* The mask is at the last term. Of units at every other one or so narrow sums lose many; of two
 * alone each, if they do not meet before the mask. */
static bool is_last_wide(accordi_extension *e, bool two)
{
    const accordi_guesser *q = e->context;
    uint32_t last = e->n - 1;
    accordi_rounding drawn = {.mask = last,
                              .also = {last, last},
                              .thin = q->least > 1 ? q->least : 1,
                              .seed = accordi_rng_next(&e->asker->rng)};
    for (int k = 0; k < 2 && two; k++)
        drawn.also[k] = draw_below(e, last);
    drawn.thin = two ? TWO_ALONE : drawn.thin;
    return ask_wide(e, &drawn);
}

bool accordi_widths_last(accordi_extension *e)
{
    enum { CALLS = 10 };
    const accordi_guesser *q = e->context;
    bool signs = e->asker->term != ACCORD_TERM_ABSOLUTE && e->asker->term != ACCORD_TERM_SQUARE;
    if (!q->counted || signs || e->asker->terms || !accordi_positive_may_widen(e->asker))
        return false;
    for (uint32_t k = 0; k < e->knowns; k++)
        if (q->known[k].question.mask == e->n - 1 && !fits_wide(q, e->n, &q->known[k]))
            return false;
    bool wide = is_wide_as_last(e, e->n - 2);
    for (int k = 0; k < CALLS && wide; k++)
        wide = is_last_wide(e, k % 2 == 0);
    return wide;
}

/* The first of the wide terms at the end; these are few. */
static uint32_t find_border(accordi_extension *e)
{
    uint32_t low = 0, high = e->n - 2, back = 1; /* narrow, or the very first one; wide */
    while (high - low > 1 && !e->asker->status) {
        uint32_t half = (high - low) / 2, at = back && back < half ? high - back : low + half;
        bool wide = is_wide_as_last(e, at);
        back = wide ? 2 * back : 0;
        *(wide ? &high : &low) = at;
    }
    return high;
}

/* Of three terms, as a tree has them: the two that meet first become a and b. */
static accordi_rooted three_of(const uint32_t *parent, const uint32_t term[3])
{
    for (int c = 0; c < 2; c++) {
        uint32_t a = term[(c + 1) % 3], b = term[(c + 2) % 3];
        if (accordi_tree_common(parent, a, b) < accordi_tree_common(parent, a, term[c]))
            return (accordi_rooted){.a = a, .b = b, .c = term[c]};
    }
    return (accordi_rooted){.a = term[0], .b = term[1], .c = term[2]};
}

/* Some threes, of which some have the term that stands for all narrow ones. */
static enum accord_status fits(accordi_positive_asker *p, const accord_tree *tree, bool *holds)
{
    enum { THREES = 10, WITH_NARROW = 4 };
    accordi_asker *asker = p->asker;
    accordi_rooted three[THREES];
    uint32_t term[3];
    *holds = false;
    uint32_t *parent = accordi_ask_alloc(asker, tree->leaves + tree->inner, sizeof *parent);
    if (!parent)
        return asker->status;
    accord_tree_parents(tree, parent);
    for (int k = 0; k < THREES; k++) {
        do {
            accordi_ask_pick(asker, term, 3);
            term[0] = k < WITH_NARROW ? 0 : term[0];
        } while (term[1] == term[0] || term[2] == term[0]);
        three[k] = three_of(parent, term);
    }
    free(parent);
    *holds = !accordi_positive_ask_wide(p, three, THREES);
    for (int k = 0; k < THREES && *holds; k++)
        *holds = three[k].meet;
    return asker->status;
}

static enum accord_status ask_widths(void *context, accordi_rooted *rooted, size_t count)
{
    return accordi_positive_ask_widths(context, rooted, count);
}

/* A regular order of the wide terms, with what the narrow ones add up to as the first or last. */
static enum accord_status make_regular(accordi_asker *asker, accordi_order_maker *make, bool last,
                                       accord_tree **out)
{
    accord_tree *rest = NULL;
    accordi_builder b;
    *out = NULL;
    if (!last)
        return asker->status = accordi_order_make(make, asker->n, 0, NULL, NULL, out, asker->error);
    asker->status = accordi_order_make(make, asker->n - 1, 0, NULL, NULL, &rest, asker->error);
    if (!asker->status)
        asker->status = accordi_builder_init(&b, asker->n, asker->error);
    if (!asker->status) {
        accordi_builder_join(&b, accordi_builder_copy(&b, rest, 1), 0);
        asker->status = accordi_builder_finish(&b, out, asker->error);
    }
    accord_tree_free(rest);
    return asker->status;
}

/* The order of these terms, of which the first stands for all narrow ones. */
static enum accord_status order_wide(accordi_positive_asker *p, const uint32_t *terms,
                                     uint32_t count, accord_tree **out)
{
    enum { FEW = 4 };
    static accordi_order_maker *const regular[] = {accordi_order_sequential, accordi_order_reverse,
                                                   accordi_order_pairwise, accordi_order_numpy};
    accordi_asker *asker = p->asker;
    *out = NULL;
    accordi_ask_only(asker, terms, count);
    for (size_t k = 0; k < 2 * (sizeof regular / sizeof *regular) && count > FEW; k++) {
        accord_tree *tree = NULL;
        bool holds = false;
        if (make_regular(asker, regular[k / 2], k % 2 == 0, &tree) || fits(p, tree, &holds) ||
            holds) {
            *out = tree;
            break;
        }
        accord_tree_free(tree);
    }
    if (!*out && !asker->status)
        accordi_rooted_grow(asker, ask_widths, p, out);
    accordi_ask_only(asker, NULL, 0);
    return asker->status;
}

/* The narrow terms in the place of the first one of the others. */
static enum accord_status join_both(accordi_asker *asker, const accord_tree *narrow,
                                    const accord_tree *wide, accord_tree **out)
{
    uint32_t n = (uint32_t)asker->n, border = narrow->leaves, inner = n + narrow->inner;
    uint32_t *parent = accordi_ask_alloc(asker, 2 * (size_t)n, sizeof *parent);
    uint32_t *own = accordi_ask_alloc(asker, 2 * (size_t)n, sizeof *own);
    if (!asker->status) {
        accord_tree_parents(narrow, own);
        for (uint32_t k = 0; k < narrow->leaves + narrow->inner; k++)
            parent[k < border ? k : k - border + n] =
                own[k] == ACCORD_TREE_NO_NODE ? own[k] : own[k] - border + n;
        accord_tree_parents(wide, own);
        for (uint32_t k = 0; k < wide->leaves + wide->inner; k++) {
            uint32_t at = k == 0             ? inner - 1
                          : k < wide->leaves ? border + k - 1
                                             : k - wide->leaves + inner;
            parent[at] = own[k] == ACCORD_TREE_NO_NODE ? own[k] : own[k] - wide->leaves + inner;
        }
        asker->status =
            accord_tree_from_parents(n, narrow->inner + wide->inner, parent, out, asker->error);
    }
    free(parent);
    free(own);
    return asker->status;
}

static enum accord_status guess_parts(accordi_extension *e, accordi_part_guess *guess,
                                      accord_tree **out)
{
    enum { LEAST_NARROW = 24, MOST_WIDE = 256 };
    accordi_asker *asker = e->asker;
    accordi_positive_asker *p = ((accordi_guesser *)e->context)->p;
    uint32_t border = find_border(e), count = e->n - border + 1, *terms;
    accord_tree *narrow = NULL, *wide = NULL;
    if (asker->status || border < LEAST_NARROW || count > MOST_WIDE ||
        !(terms = accordi_ask_alloc(asker, e->n, sizeof *terms)))
        return asker->status;
    for (uint32_t i = 0; i < e->n; i++)
        terms[i] = i;
    bool two_widths = asker->two_widths;
    asker->two_widths = false;
    accordi_ask_only(asker, terms, border);
    guess(p, &narrow);
    accordi_ask_only(asker, NULL, 0);
    asker->two_widths = two_widths;
    for (uint32_t i = 1; i < count; i++)
        terms[i] = border + i - 1;
    if (!asker->status && narrow && !order_wide(p, terms, count, &wide))
        join_both(asker, narrow, wide, out);
    free(terms);
    accord_tree_free(narrow);
    accord_tree_free(wide);
    return asker->status;
}

/* That the answers fit no such order is no error: there is no guess then. */
enum accord_status accordi_guess_widths(accordi_extension *e, accordi_part_guess *guess,
                                        accord_tree **out)
{
    accordi_asker *asker = e->asker;
    accord_error *error = asker->error, ignored;
    *out = NULL;
    asker->error = &ignored;
    guess_parts(e, guess, out);
    asker->error = error;
    if (asker->status == ACCORD_UNABLE)
        asker->status = ACCORD_OK;
    else if (asker->status && error)
        *error = ignored;
    if (*out)
        asker->two_widths = true;
    return asker->status;
}
