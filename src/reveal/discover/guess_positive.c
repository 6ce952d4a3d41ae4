/* Guesses the order of terms that cannot be negative by extending that of the first ones.
 *
 * Questions are a mask at one term and units at many others (excesses.c). What they give is known
 * of a guessed order, so a wrong one is found out by one call with a probability of about a half or
 * more, however many terms it has. Where the next term goes is found by elimination (places.c).
 *
 * The order that comes out is a conjecture, for a proof that follows. */
#include "pattern/orders.h"
#include "reveal/discover/excesses.h"
#include "reveal/discover/guess.h"
#include "reveal/discover/guess_widths.h"

enum { FIRST = 8, MANY_FIRST = 16, EARLY = 32, DOUBTFUL_CALLS = 5 };

/* Calls for a test, one among the first terms, a check, the check of the whole order, and that of
 * one of which nothing else has been tested: where it is only seen whether there is an excess, and
 * where it is counted. */
static const uint32_t test_calls[] = {2, 2}, early_calls[] = {3, 2}, check_calls[] = {3, 2},
                      last_calls[] = {10, 4}, plain_calls[] = {12, 9};

static uint32_t calls_of_test(const accordi_extension *e)
{
    const accordi_guesser *q = e->context;
    if (e->doubtful)
        return DOUBTFUL_CALLS;
    return e->g->count < EARLY ? early_calls[q->counted] : test_calls[q->counted];
}

/* What is likely does not matter: rules have just failed here, and all places are told apart. */
static bool ask_next(accordi_extension *e, uint32_t likely)
{
    uint32_t node = accordi_guesser_place(e, ACCORDI_NOWHERE, calls_of_test(e));
    (void)likely;
    return node != ACCORDI_NOWHERE && accordi_growth_add(e->g, 2 * e->g->count - node);
}

/* Is an answer as the order that was read has it? */
static bool is_due(accordi_extension *e, const accordi_answered *a)
{
    accordi_guesser *q = e->context;
    return accordi_excess_fits(q, accordi_expected_sum(&q->x, &a->question), a->steps);
}

static bool test_last(accordi_extension *e)
{
    accordi_guesser *q = e->context;
    uint32_t last = e->g->count - 1, lag = e->g->lag[last], node = 2 * last - lag;
    accordi_expected_read(&q->x);
    for (uint32_t k = 0; k < e->knowns; k++)
        if (q->known[k].terms == e->g->count && !is_due(e, &q->known[k]))
            return false;
    accordi_growth_cut(e->g, last);
    uint32_t found = accordi_guesser_place(e, node, calls_of_test(e));
    accordi_growth_add(e->g, lag);
    return found == node;
}

static uint32_t draw_of_last(accordi_extension *e, uint32_t last)
{
    return e->g->count - 1 - (uint32_t)accordi_rng_below(&e->asker->rng, last);
}

/* How far units are apart, at random, of so many terms: eight or so of a lane are left. */
static unsigned draw_apart(accordi_extension *e)
{
    enum { UNITS = 3 }; /* as a power of two */
    unsigned most = 0;
    while (e->g->count >> (most + 1 + UNITS))
        most++;
    return (unsigned)accordi_rng_below(&e->asker->rng, most + 1);
}

/* The mask is at one of the last terms, and two of these have units. Or it is at one of the first
 * terms, and the units are in its lane: there they are lost one after the other in one order, and
 * kept in another, in which they are added in blocks. */
static accordi_rounding draw_check(accordi_extension *e, uint32_t last, bool lane)
{
    bool all = e->g->count == e->n;
    unsigned apart = lane ? draw_apart(e) : 0;
    uint32_t first = (uint32_t)accordi_rng_below(&e->asker->rng, (uint64_t)2 << apart);
    uint32_t mask = lane ? first % e->g->count : draw_of_last(e, last);
    accordi_rounding drawn = accordi_excess_draw(e, mask, all, apart);
    drawn.also[0] = lane ? mask : draw_of_last(e, last);
    drawn.also[1] = lane ? mask : draw_of_last(e, last);
    return drawn;
}

/* A question about all terms. Where excesses are only seen, it is one of as many units as can be
 * that are due to give none, or of as few as can be that are due to give some: so a wrong order is
 * likely to give another answer. */
static accordi_rounding choose_check(accordi_extension *e, uint32_t last)
{
    accordi_guesser *q = e->context;
    uint64_t coins = accordi_rng_next(&e->asker->rng);
    bool some = coins >> 63, lane = coins >> 62 & 1, found = false;
    accordi_rounding best = draw_check(e, last, lane);
    uint32_t units = 0;
    for (uint32_t t = 0; !q->counted && t < accordi_excess_tries(e->g->count); t++) {
        accordi_rounding drawn = draw_check(e, last, lane);
        accordi_excess due = accordi_expected_sum(&q->x, &drawn);
        uint32_t all = q->x.inside[0];
        bool better = some ? all < units : all > units;
        if ((some ? due.low > 0 : due.high == 0) && (!found || better)) {
            best = drawn;
            units = all;
            found = true;
        }
    }
    return best;
}

/* Asks about all terms so far, with masks at the last one and at others from `from` on: remainders
 * are added in ways of their own, so most of these are near the last one, again and again. */
static bool check_all(accordi_extension *e, uint32_t from, uint32_t calls)
{
    accordi_guesser *q = e->context;
    uint32_t count = e->g->count, all = count - from, back = 1;
    accordi_expected_read(&q->x);
    for (uint32_t call = 0; call < calls; call++) {
        accordi_answered a = {.question = choose_check(e, back), .terms = count};
        if (!accordi_excess_ask(e, &a))
            return false;
        accordi_guesser_keep(e, &a);
        if (!is_due(e, &a))
            return false;
        back = back == all ? 1 : back < all / 4 ? 4 * back : all;
    }
    return true;
}

/* Tests a term before the last one. */
static bool test_term(accordi_extension *e, uint32_t term)
{
    uint32_t count = e->g->count, *lag = e->room;
    for (uint32_t i = term + 1; i < count; i++)
        lag[i] = e->g->lag[i];
    accordi_growth_cut(e->g, term + 1);
    bool right = test_last(e);
    for (uint32_t i = term + 1; i < count; i++)
        accordi_growth_add(e->g, lag[i]);
    return right;
}

/* One of the last terms may stand elsewhere, though the others are seen to be right. */
static bool test_recent(accordi_extension *e, uint32_t from)
{
    enum { RECENT = 5 };
    uint32_t count = e->g->count, recent = count - from < RECENT ? count - from : RECENT;
    return recent < 2 ||
           test_term(e, count - 2 - (uint32_t)accordi_rng_below(&e->asker->rng, recent - 1));
}

/* The last few terms may be what is left of 4, 8 or 16. The first of these often stands where it
 * would anyway, so the second one is tested. */
static bool test_remainders(accordi_extension *e, uint32_t from)
{
    enum { LEAST = 4, MOST = 16 };
    uint32_t tested = 0;
    for (uint32_t width = LEAST; width <= MOST; width *= 2) {
        uint32_t second = e->n - e->n % width + 1;
        if (second <= from || second + 1 >= e->n || second == tested)
            continue;
        tested = second;
        if (!test_term(e, second))
            return false;
    }
    return true;
}

static bool check_from(accordi_extension *e, uint32_t from)
{
    const accordi_guesser *q = e->context;
    e->most = e->g->count;
    return check_all(e, from, check_calls[q->counted]) && test_recent(e, from) &&
           (e->g->count < e->n || test_remainders(e, from));
}

static const accordi_extend_how by_roundings = {
    .ask = ask_next, .test = test_last, .check = check_from};

/* All of the order of the first terms comes out of questions about three of them each. */
static enum accord_status find_first(accordi_positive_asker *p, accordi_growth *g)
{
    accordi_asker *asker = p->asker;
    const uint32_t *all = asker->terms;
    size_t n = asker->n;
    uint32_t terms[MANY_FIRST], count = p->operands.helpers > FIRST - 3 ? MANY_FIRST : FIRST;
    accord_tree *tree = NULL;
    for (uint32_t i = 0; i < count; i++)
        terms[i] = all ? all[i] : i;
    accordi_ask_only(asker, terms, count);
    accordi_rooted_grow(asker, accordi_positive_triples, p, &tree);
    accordi_ask_only(asker, all, n);
    if (tree && !asker->status && !accordi_growth_take(g, tree))
        asker->status = accordi_nomem(asker->error);
    accord_tree_free(tree);
    return asker->status;
}

static enum accord_status extend_all(accordi_extension *e, accord_tree **out)
{
    accordi_asker *asker = e->asker;
    accordi_guesser *q = e->context;
    if (!e->backwards && e->g->count == 1 && find_first(q->p, e->g))
        return asker->status;
    bool all = !accordi_extend(asker, e->how, q, e->g, NULL, e->backwards) && e->g->count == e->n;
    if (all && check_all(e, 0, last_calls[q->counted]))
        asker->status = accordi_growth_tree(e->g, e->backwards, out, asker->error);
    return asker->status;
}

/* Does it add in this order, of all terms? What is known of them is not asked again. */
static bool is_all(accordi_extension *e, const accord_tree *tree)
{
    accordi_guesser *q = e->context;
    if (!accordi_growth_take(e->g, tree)) {
        e->asker->status = accordi_nomem(e->asker->error);
        return false;
    }
    accordi_expected_read(&q->x);
    for (uint32_t k = 0; k < e->knowns; k++)
        if (!is_due(e, &q->known[k]))
            return false;
    return check_all(e, 0, plain_calls[q->counted]);
}

/* Orders that depend on the number of terms alone: where terms are halved, the order of the first
 * ones says little of the others. */
static enum accord_status guess_plain_orders(accordi_extension *e, accord_tree **out)
{
    static accordi_order_maker *const plain[] = {accordi_order_numpy, accordi_order_pairwise,
                                                 accordi_order_pairwise_up};
    accordi_asker *asker = e->asker;
    for (size_t h = 0; h < sizeof plain / sizeof *plain && !*out && !asker->status; h++) {
        accord_tree *tree = NULL;
        asker->status = accordi_order_make(plain[h], e->n, 0, NULL, NULL, &tree, asker->error);
        if (tree && is_all(e, tree))
            *out = tree;
        else
            accord_tree_free(tree);
    }
    return asker->status;
}

static enum accord_status guess_part(accordi_positive_asker *p, accord_tree **out);

/* Answers that are right by chance may have led astray: what was regular for long is tried again,
 * from where it probably still was right, and from the beginning; then from the other end. */
static enum accord_status guess_all(accordi_extension *e, accord_tree **out)
{
    enum { LONG = 64, AGAIN = 4 };
    accordi_growth *g = e->g;
    bool one_width = !e->asker->two_widths;
    if (one_width && (guess_plain_orders(e, out) || *out))
        return e->asker->status;
    bool wide = (e->asker->attempt == 0 || !one_width) && accordi_widths_last(e);
    e->knowns = 0;
    accordi_growth_cut(g, 1);
    if ((wide && (accordi_guess_widths(e, guess_part, out) || *out)) || !one_width)
        return e->asker->status;
    extend_all(e, out);
    for (int k = 0; k < AGAIN && !*out && !e->asker->status && g->count >= LONG; k++) {
        accordi_growth_cut(g, k ? 1 : g->count - g->count / 4);
        extend_all(e, out);
    }
    if (*out || e->asker->status)
        return e->asker->status;
    e->backwards = true;
    accordi_growth_cut(g, 1);
    return extend_all(e, out);
}

static enum accord_status guess_part(accordi_positive_asker *p, accord_tree **out)
{
    accordi_asker *asker = p->asker;
    accordi_growth g;
    *out = NULL;
    if (!accordi_growth_init(&g, (uint32_t)asker->n))
        return asker->status = accordi_nomem(asker->error);
    accordi_guesser *q = accordi_guesser_new(p, &g);
    accordi_extension e = {
        .asker = asker, .g = &g, .how = &by_roundings, .context = q, .n = (uint32_t)asker->n};
    if (!asker->status)
        guess_all(&e, out);
    accordi_guesser_free(q);
    accordi_growth_clear(&g);
    return asker->status;
}

enum accord_status accordi_guess_positive(accordi_positive_asker *p, accord_tree **out)
{
    p->asker->stage = "guessing";
    return guess_part(p, out);
}

/* What keeps rounding from showing anything is no reason here. Masks are asked, too, before a proof
 * asks them about each node: terms that are negative or large may be added otherwise. */
enum accord_status accordi_guess_by_rounding(accordi_asker *asker, accord_tree **out)
{
    enum { LEAST_TERMS = 24 };
    accordi_positive_asker p;
    accord_error *error = asker->error, ignored;
    *out = NULL;
    bool plain = asker->term == ACCORD_TERM_VALUE || asker->term == ACCORD_TERM_PRODUCT;
    if (asker->n < LEAST_TERMS || !asker->proof_follows || !plain || asker->factors || asker->terms)
        return asker->status;
    asker->error = &ignored;
    enum accord_status status = accordi_positive_as_if(asker, &p);
    asker->error = error;
    if (status == ACCORD_UNABLE)
        return asker->status = ACCORD_OK;
    if (status && error)
        *error = ignored;
    if (status || p.toward_zero || accordi_guess_positive(&p, out) || !*out)
        return asker->status;
    bool holds;
    if (accordi_rooted_glance(asker, *out, &holds) || !holds) {
        accord_tree_free(*out);
        *out = NULL;
    }
    return asker->status;
}
