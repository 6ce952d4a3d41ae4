/* Guesses the order of terms that cannot be negative by extending that of the first ones.
 *
 * Questions are a mask at one term and units at many others (expect.c). What they give is known of
 * a guessed order, so a wrong one is found out by one call with a probability of about a half or
 * more, however many terms it has. Where the next term goes is found by elimination: of some random
 * questions that one is asked whose answers differ most between the places that are left. Where the
 * last places of the sum are seen in the result, the answer is by how many of these it exceeds the
 * mask; else, as where the accumulator is wider, only whether it does.
 *
 * The order that comes out is a conjecture, for a proof that follows. */
#include "reveal/discover/extension.h"
#include "reveal/discover/guess.h"
#include "reveal/nonnegative/expect.h"
#include "reveal/nonnegative/nonnegative.h"
#include <math.h>

enum { FIRST = 8, MANY_FIRST = 16, EARLY = 32 };
enum { PAIRS = 256, MOST_QUESTIONS = 64, ENOUGH = 8, DRAWS = 8, HELPER_TRIES = 1000 };
static const uint32_t NOWHERE = 1, NONE = UINT32_MAX; /* no node of a growth; no place */
enum { MANY_LEFT = 4, FEWER = 4 };

/* Calls for a test, one among the first terms, a check, and the check of the whole order: where it
 * is only seen whether there is an excess, and where it is counted. */
static const uint32_t test_calls[] = {2, 1}, early_calls[] = {3, 2}, check_calls[] = {4, 2},
                      last_calls[] = {12, 6};

typedef struct answered {
    accordi_rounding question;
    uint32_t terms; /* it is about the first so many */
    uint32_t excess;
} answered;

typedef struct guesser {
    accordi_positive_asker *p;
    accordi_expected x;
    bool counted;   /* are excesses counted, or only seen? */
    double last;    /* what one last place of the sum is in the result */
    double unit;    /* the operand */
    unsigned least; /* at most one term in 2^least has a unit: sums of these are exact */
    bool densest;   /* had so many in the last question */
    answered known[ACCORDI_KNOWN], wrong;
    uint32_t turn;  /* of the questions that are not chosen among others */
    uint32_t *left; /* the places that the next term may still have */
    uint32_t lefts;
    uint32_t pair[PAIRS][2]; /* of these */
} guesser;

static uint32_t term_at(const accordi_extension *e, uint32_t i)
{
    return e->backwards ? e->n - 1 - i : i;
}

/* On terms that have neither the mask nor a unit; false if these are too few. */
static bool put_helpers(accordi_extension *e, const answered *a)
{
    const guesser *q = e->context;
    const accordi_operands *o = &q->p->operands;
    uint32_t taken[ACCORDI_HELPERS];
    int put = 0;
    for (int tries = 0; put < o->helpers && tries < HELPER_TRIES; tries++) {
        uint32_t i = (uint32_t)accordi_rng_below(&e->asker->rng, e->n);
        bool free =
            i != a->question.mask && (i >= a->terms || !accordi_rounding_has_unit(&a->question, i));
        for (int k = 0; k < put; k++)
            free = free && taken[k] != i;
        if (!free)
            continue;
        taken[put] = i;
        accordi_ask_own(e->asker, term_at(e, i), o->helper[put++]);
    }
    return put == o->helpers;
}

/* False if the result is that of no such sum. */
static bool ask_excess(accordi_extension *e, answered *a)
{
    guesser *q = e->context;
    accordi_asker *asker = e->asker;
    q->densest = a->question.thin == q->least;
    accordi_ask_begin(asker, 0);
    accordi_ask_own(asker, term_at(e, a->question.mask), q->p->operands.mask);
    for (uint32_t i = 0; i < a->terms; i++)
        if (accordi_rounding_has_unit(&a->question, i))
            accordi_ask_own(asker, term_at(e, i), q->unit);
    bool put = put_helpers(e, a);
    accordi_ask_end(asker);
    if (!put || accordi_ask_run(asker))
        return false;
    double excess = asker->result[0] - q->p->base;
    if (!(excess >= 0) || isinf(excess))
        return false;
    excess = q->counted ? excess / q->last : excess > 0;
    a->excess = excess <= e->n ? (uint32_t)excess : 0;
    return excess == a->excess;
}

static bool fits(const guesser *q, accordi_excess due, uint32_t excess)
{
    if (!q->counted)
        return excess ? due.high > 0 : due.low == 0;
    return due.low <= excess && due.high >= excess;
}

/* May both give the same answer? */
static bool are_alike(const guesser *q, accordi_excess a, accordi_excess b)
{
    if (!q->counted) {
        a = (accordi_excess){a.low > 0, a.high > 0};
        b = (accordi_excess){b.low > 0, b.high > 0};
    }
    return a.low <= b.high && b.low <= a.high;
}

/* Random questions to choose from: time grows with the number of terms. */
static uint32_t tries_for(uint32_t terms)
{
    enum { MOST = 128, LEAST = 4, WORK = 1 << 18 };
    uint32_t tries = WORK / terms;
    return tries > MOST ? MOST : tries < LEAST ? LEAST : tries;
}

/* Where excesses are only seen, few units are as telling as many. Units at all terms tell best how
 * many of them are added together, but not which: so never twice on end. */
static accordi_rounding draw_question(accordi_extension *e, uint32_t mask)
{
    const guesser *q = e->context;
    unsigned least = q->least + (q->densest || !q->counted), thinnest = q->least + 1;
    while (!q->counted && e->g->count >> (thinnest + 1))
        thinnest++;
    uint64_t thinner = accordi_rng_below(&e->asker->rng, thinnest - least + 1);
    return (accordi_rounding){.mask = mask,
                              .also = {mask, mask},
                              .thin = least + (unsigned)thinner,
                              .seed = accordi_rng_next(&e->asker->rng)};
}

/* A term under a place that is left for the next one. */
static uint32_t draw_near(accordi_extension *e)
{
    const guesser *q = e->context;
    return q->x.node[q->left[accordi_rng_below(&e->asker->rng, q->lefts)]] / 2;
}

/* Random pairs of the places that are left, by which all questions of a choice are compared. */
static void draw_pairs(accordi_extension *e)
{
    guesser *q = e->context;
    for (uint32_t k = 0; k < PAIRS; k++) {
        uint64_t i = accordi_rng_below(&e->asker->rng, q->lefts);
        uint64_t j = accordi_rng_below(&e->asker->rng, q->lefts - 1);
        q->pair[k][0] = q->left[i];
        q->pair[k][1] = q->left[j + (j >= i)];
    }
}

/* How many pairs of places a question cannot tell apart: `likely` and every other, if it is a
 * place; else those that were drawn. */
static uint32_t alike_pairs(const guesser *q, uint32_t likely)
{
    const accordi_excess *at = q->x.at;
    uint32_t alike = 0;
    for (uint32_t k = 0; likely != NONE && k < q->lefts; k++)
        alike += are_alike(q, at[likely], at[q->left[k]]);
    for (uint32_t k = 0; likely == NONE && k < PAIRS; k++)
        alike += are_alike(q, at[q->pair[k][0]], at[q->pair[k][1]]);
    return alike;
}

/* Of random questions the one that tells most about where the next term goes. The mask is there, or
 * at a term near a place that is left, and near ones have units. False if none tells anything,
 * though it should. */
static bool choose_question(accordi_extension *e, uint32_t likely, accordi_rounding *best)
{
    guesser *q = e->context;
    uint32_t next = e->g->count, tries = tries_for(next), fewest = 0;
    uint32_t pairs = likely != NONE ? q->lefts : PAIRS;
    bool one = q->lefts == 1;
    tries = one ? 1 : q->lefts <= MANY_LEFT ? tries / FEWER : tries;
    if (!one && likely == NONE)
        draw_pairs(e);
    for (uint32_t t = 0; t < tries; t++) {
        uint32_t near = draw_near(e), turn = tries > 1 ? t : q->turn++;
        accordi_rounding drawn = draw_question(e, turn % 2 ? near : next);
        drawn.also[0] = turn % 2 ? next : near;
        drawn.also[1] = turn % 4 < 2 ? draw_near(e) : drawn.mask;
        accordi_expected_places(&q->x, &drawn);
        uint32_t alike = one ? 0 : alike_pairs(q, likely);
        if (t == 0 || alike < fewest) {
            *best = drawn;
            fewest = alike;
        }
    }
    accordi_expected_places(&q->x, best);
    return fewest < pairs;
}

static void keep_answer(accordi_extension *e, const answered *a)
{
    guesser *q = e->context;
    if (e->knowns < ACCORDI_KNOWN)
        q->known[e->knowns++] = *a;
}

static void note_wrong(accordi_extension *e, const answered *a)
{
    guesser *q = e->context;
    q->wrong = *a;
    e->least = a->question.mask;
    e->most = a->terms;
}

/* Leaves the places that the answer fits. */
static void sift_places(guesser *q, uint32_t excess)
{
    uint32_t left = 0;
    for (uint32_t k = 0; k < q->lefts; k++)
        if (fits(q, q->x.at[q->left[k]], excess))
            q->left[left++] = q->left[k];
    q->lefts = left;
}

/* Asks where the next term goes, so often at least, until one place is left, or not the one that is
 * expected, if any is. Returns it, or NOWHERE. That which is expected need not be the only one left
 * if enough answers fit it: of very many places, some are hardly told apart. */
static uint32_t find_place(accordi_extension *e, uint32_t expected, uint32_t calls)
{
    guesser *q = e->context;
    uint32_t call = 0;
    accordi_expected_read(&q->x);
    for (q->lefts = 0; q->lefts < q->x.count; q->lefts++)
        q->left[q->lefts] = q->lefts;
    uint32_t likely = expected != NOWHERE ? q->x.place[expected] : NONE;
    uint32_t most = likely != NONE ? ENOUGH : MOST_QUESTIONS, draws = most * DRAWS;
    for (uint32_t tries = 0; q->lefts > 0 && call < most && tries < draws; tries++) {
        answered a = {.terms = e->g->count + 1};
        if (q->lefts == 1 && call >= calls)
            return q->x.node[q->left[0]];
        if (!choose_question(e, likely, &a.question))
            continue;
        if (!ask_excess(e, &a))
            return NOWHERE;
        call++;
        keep_answer(e, &a);
        if (likely != NONE && !fits(q, q->x.at[likely], a.excess)) {
            note_wrong(e, &a);
            return NOWHERE;
        }
        sift_places(q, a.excess);
    }
    return likely != NONE ? expected : NOWHERE;
}

static uint32_t calls_of_test(const accordi_extension *e)
{
    const guesser *q = e->context;
    return e->g->count < EARLY ? early_calls[q->counted] : test_calls[q->counted];
}

/* What is likely does not matter: rules have just failed here, and all places are told apart. */
static bool ask_next(accordi_extension *e, uint32_t likely)
{
    uint32_t node = find_place(e, NOWHERE, calls_of_test(e));
    (void)likely;
    return node != NOWHERE && accordi_growth_add(e->g, 2 * e->g->count - node);
}

/* Is an answer as the order that was read has it? */
static bool is_due(accordi_extension *e, const answered *a)
{
    guesser *q = e->context;
    return fits(q, accordi_expected_sum(&q->x, &a->question), a->excess);
}

static bool test_last(accordi_extension *e)
{
    guesser *q = e->context;
    uint32_t last = e->g->count - 1, lag = e->g->lag[last], node = 2 * last - lag;
    accordi_expected_read(&q->x);
    for (uint32_t k = 0; k < e->knowns; k++)
        if (q->known[k].terms == e->g->count && !is_due(e, &q->known[k]))
            return false;
    accordi_growth_cut(e->g, last);
    uint32_t found = find_place(e, node, calls_of_test(e));
    accordi_growth_add(e->g, lag);
    return found == node;
}

static uint32_t draw_of_last(accordi_extension *e, uint32_t last)
{
    return e->g->count - 1 - (uint32_t)accordi_rng_below(&e->asker->rng, last);
}

/* The mask is at one of the last terms, and two of these have units. */
static accordi_rounding draw_check(accordi_extension *e, uint32_t last)
{
    accordi_rounding drawn = draw_question(e, draw_of_last(e, last));
    drawn.also[0] = draw_of_last(e, last);
    drawn.also[1] = draw_of_last(e, last);
    return drawn;
}

/* A question about all terms: where excesses are only seen, one that is due to give none or one, so
 * that a wrong order is likely to give another answer. */
static accordi_rounding choose_check(accordi_extension *e, uint32_t last)
{
    guesser *q = e->context;
    accordi_rounding best = draw_check(e, last);
    for (uint32_t t = 0; !q->counted && t < tries_for(e->g->count); t++) {
        accordi_rounding drawn = draw_check(e, last);
        accordi_excess due = accordi_expected_sum(&q->x, &drawn);
        if (due.low == due.high && due.high <= 1 && (t == 0 || drawn.thin < best.thin))
            best = drawn;
    }
    return best;
}

/* Asks about all terms so far, with masks at the last one and at others from `from` on: remainders
 * are added in ways of their own, so most of these are near the last one, again and again. */
static bool check_all(accordi_extension *e, uint32_t from, uint32_t calls)
{
    guesser *q = e->context;
    uint32_t count = e->g->count, all = count - from, back = 1;
    accordi_expected_read(&q->x);
    for (uint32_t call = 0; call < calls; call++) {
        answered a = {.question = choose_check(e, back), .terms = count};
        if (!ask_excess(e, &a))
            return false;
        keep_answer(e, &a);
        if (!is_due(e, &a)) {
            note_wrong(e, &a);
            return false;
        }
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
    const guesser *q = e->context;
    return check_all(e, from, check_calls[q->counted]) && test_recent(e, from) &&
           (e->g->count < e->n || test_remainders(e, from));
}

static bool ask_again(accordi_extension *e)
{
    guesser *q = e->context;
    answered a = {.question = q->wrong.question, .terms = e->g->count};
    accordi_expected_read(&q->x);
    return ask_excess(e, &a) && is_due(e, &a);
}

static const accordi_extend_how by_roundings = {
    .ask = ask_next, .test = test_last, .check = check_from, .again = ask_again};

/* How sums of units are seen; returns what a unit is in last places of a sum with the mask. Too
 * many multiples of 3/8 are ties: it is 49/128, where that is an operand. */
static double choose_unit(guesser *q)
{
    const accordi_operands *o = &q->p->operands;
    bool square = q->p->term == ACCORD_TERM_SQUARE;
    double mask = square ? o->mask * o->mask : o->mask, finer = o->unit / 48 * 49;
    double last = ldexp(1, ilogb(mask) + 1 - o->width), scale = q->p->asker->scale;
    bool held =
        accord_format_round(q->p->asker->target->format, ACCORD_NEAREST_EVEN, finer) == finer;
    q->counted = o->helpers == 0 && !q->p->root && accordi_is_power_of_two(scale);
    q->last = last * scale;
    q->unit = square || !held ? o->unit : finer;
    return (square ? q->unit * q->unit : q->unit) / last;
}

/* So few units that their sums, and those with the mask, are exact. */
static void limit_units(guesser *q, size_t n)
{
    enum { UNIT_BITS = 7, MOST_THIN = 31 };
    int room = q->p->operands.width - UNIT_BITS;
    size_t most = (size_t)1 << (room < 0 ? 0 : room > MOST_THIN ? MOST_THIN : room);
    for (q->least = 0; n >> q->least > most && q->least < MOST_THIN; q->least++)
        ;
}

static guesser *new_guesser(accordi_positive_asker *p, const accordi_growth *g)
{
    accordi_asker *asker = p->asker;
    guesser *q = accordi_ask_calloc(asker, 1, sizeof *q);
    if (!q)
        return NULL;
    q->p = p;
    q->left = accordi_ask_alloc(asker, 2 * asker->n, sizeof *q->left);
    if (!asker->status && !accordi_expected_init(&q->x, g, (uint32_t)asker->n, choose_unit(q)))
        asker->status = accordi_nomem(asker->error);
    limit_units(q, asker->n);
    return q;
}

static void free_guesser(guesser *q)
{
    if (!q)
        return;
    accordi_expected_clear(&q->x);
    free(q->left);
    free(q);
}

/* All of the order of the first terms comes out of questions about three of them each. */
static enum accord_status find_first(accordi_positive_asker *p, accordi_growth *g)
{
    accordi_asker *asker = p->asker;
    uint32_t terms[MANY_FIRST], count = p->operands.helpers > FIRST - 3 ? MANY_FIRST : FIRST;
    accord_tree *tree = NULL;
    for (uint32_t i = 0; i < count; i++)
        terms[i] = i;
    accordi_ask_only(asker, terms, count);
    accordi_rooted_grow(asker, accordi_positive_triples, p, &tree);
    accordi_ask_only(asker, NULL, 0);
    if (tree && !asker->status && !accordi_growth_take(g, tree))
        asker->status = accordi_nomem(asker->error);
    accord_tree_free(tree);
    return asker->status;
}

static enum accord_status extend_all(accordi_extension *e, accord_tree **out)
{
    accordi_asker *asker = e->asker;
    guesser *q = e->context;
    if (!e->backwards && e->g->count == 1 && find_first(q->p, e->g))
        return asker->status;
    bool all = !accordi_extend(asker, e->how, q, e->g, e->backwards) && e->g->count == e->n;
    if (all && check_all(e, 0, last_calls[q->counted]))
        asker->status = accordi_growth_tree(e->g, e->backwards, out, asker->error);
    return asker->status;
}

/* Answers that are right by chance may have led astray: what was regular for long is tried again,
 * from where it probably still was right, and from the beginning; then from the other end. */
static enum accord_status guess_all(accordi_extension *e, accord_tree **out)
{
    enum { LONG = 64, AGAIN = 4 };
    accordi_growth *g = e->g;
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

enum accord_status accordi_guess_positive(accordi_positive_asker *p, accord_tree **out)
{
    accordi_asker *asker = p->asker;
    accordi_growth g;
    *out = NULL;
    asker->stage = "guessing";
    if (!accordi_growth_init(&g, (uint32_t)asker->n))
        return asker->status = accordi_nomem(asker->error);
    guesser *q = new_guesser(p, &g);
    accordi_extension e = {
        .asker = asker, .g = &g, .how = &by_roundings, .context = q, .n = (uint32_t)asker->n};
    if (!asker->status)
        guess_all(&e, out);
    free_guesser(q);
    accordi_growth_clear(&g);
    return asker->status;
}
