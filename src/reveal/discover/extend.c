/* Extends an order term by term, and in great steps where it is regular.
 *
 * Terms that are 0 leave the order of the others as it is, so probes can ask about the first i
 * terms alone. Where their order is known, a few counts say onto which of its nodes the next term
 * is added. Implementations are loops, so what happens to a term has most often happened to
 * another before it: rules (pattern/growth.h) that were right about this term say what happens to
 * the next ones. A rule is tested ever farther ahead: at each term tested, the order of all
 * terms up to it must give some counts. Between the last term where it holds and the first where it
 * does not there is a border, which is looked for by halving. There the next term is asked about
 * again, and so on.
 *
 * Counts that are right do not say that all terms tested are: if a term fits nowhere, some
 * steps are undone and tested with other pairs. So an order costs some dozen probes for each border
 * that is not foreseen. An order whose terms follow no rule is given up after a few terms. The
 * order that comes out is a conjecture. */
#include "reveal/discover/extend.h"

enum {
    STEP = 4,
    TESTS = 24,
    CHECKS = 6,
    BASES = 5,
    STEPS = 3, /* of these borders show their width */
    RETRIES = 2,
    NO_NODE_STEPS = 64,
    KNOWN = 128,
    FARTHER = 2,
    APART = 4,
    BEGINNING = 64
};
enum { MISSES = 6, TERMS_A_MISS = 8, SPARE_CALLS = 160, TERMS_A_CALL = 4, MOST_CALLS = 4000 };

typedef struct pair {
    uint32_t terms; /* among so many first ones */
    uint32_t a, b;
    uint32_t size; /* of the least clade with both */
} pair;

typedef struct extension {
    accordi_asker *asker;
    accordi_growth *g;
    bool backwards;
    uint32_t n;
    uint32_t base[BASES], bases; /* the latest borders */
    uint32_t wrong;              /* the lag that the next term is known not to have; or 0 */
    uint32_t misses;             /* terms that no rule went on from */
    uint32_t retries;            /* how often it was gone back */
    pair known[KNOWN];           /* answers to tests of rules for the next terms */
    uint32_t knowns;
} extension;

static uint32_t term_at(const extension *e, uint32_t i)
{
    return e->backwards ? e->n - 1 - i : i;
}

/* Counts among the first m terms. False if an answer is that of no tree, or there is none. */
static bool count_pairs(extension *e, uint32_t m, pair *pairs, uint32_t count)
{
    accordi_asker *asker = e->asker;
    bool most = m > e->n / 2, sound = true;
    accordi_ask_begin(asker, most ? asker->unit : 0);
    for (uint32_t i = most ? m : 0; i < (most ? e->n : m); i++)
        accordi_ask_stay(asker, term_at(e, i), most ? 0 : asker->unit);
    for (uint32_t k = 0; k < count; k++)
        accordi_ask_masks(asker, term_at(e, pairs[k].a), term_at(e, pairs[k].b));
    if (accordi_ask_run(asker))
        return false;
    for (uint32_t k = 0; k < count && !asker->status; k++) {
        uint64_t units = 0;
        accordi_ask_decode(asker, asker->result[k], &units);
        sound = sound && units + 2 <= m;
        pairs[k].terms = m;
        pairs[k].size = m - (uint32_t)units;
    }
    return sound && !asker->status;
}

static uint32_t child_above(const accordi_growth *g, uint32_t term, uint32_t sum)
{
    uint32_t node = 2 * term;
    while (g->parent[node] != sum)
        node = 2 * g->parent[node] + 1;
    return node;
}

/* A term under the other child of a sum than this one. */
static uint32_t across(const accordi_growth *g, uint32_t term, uint32_t sum)
{
    return child_above(g, term, sum) == child_above(g, sum, sum) ? accordi_growth_other(g, sum)
                                                                 : sum;
}

static bool is_as_grown(const extension *e, const pair *p)
{
    uint32_t node = accordi_growth_common(e->g, p->a, p->b);
    return accordi_growth_size(e->g, node) == p->size;
}

/* Two pairs that say that a term was added onto its node: with a term under each child of that. */
static uint32_t put_pairs_of(const accordi_growth *g, uint32_t term, pair *pairs)
{
    uint32_t other = accordi_growth_other(g, term);
    pairs[0] = (pair){.a = term, .b = other};
    if (!(g->lag[term] & 1))
        return 1;
    pairs[1] = (pair){.a = term, .b = accordi_growth_other(g, other)}; /* onto what it made */
    return 2;
}

/* One of the terms from `from` on that went farthest back: where blocks begin, orders part. */
static uint32_t farthest_back(extension *e, uint32_t from)
{
    uint32_t best = from, equal = 1;
    const uint32_t *lag = e->g->lag;
    for (uint32_t i = from + 1; i + 1 < e->g->count; i++)
        if (lag[i] > lag[best]) {
            best = i;
            equal = 1;
        } else if (lag[i] == lag[best] && accordi_rng_below(&e->asker->rng, ++equal) == 0) {
            best = i;
        }
    return best;
}

/* Pairs that say what the last term has become part of: at the next sum above, and at others. */
static uint32_t put_pairs_above(extension *e, uint32_t term, pair *pairs)
{
    const accordi_growth *g = e->g;
    uint32_t first = g->parent[2 * g->parent[2 * term] + 1], above = 0, count = 0;
    for (uint32_t sum = first; sum; sum = g->parent[2 * sum + 1])
        above++;
    for (; count < FARTHER && count < above; count++) {
        uint32_t sum = first, steps = count;
        if (count > 0 && above > FARTHER)
            steps = 1 + (uint32_t)accordi_rng_below(&e->asker->rng, above - 1);
        for (; steps; steps--)
            sum = g->parent[2 * sum + 1];
        pairs[count] = (pair){.a = term, .b = across(g, term, sum)};
    }
    return count;
}

/* Asks pairs that are to be as the order has them, and keeps the answers. */
static bool are_right(extension *e, pair *pairs, uint32_t count)
{
    bool right = count_pairs(e, e->g->count, pairs, count);
    for (uint32_t k = 0; k < count && right; k++) {
        right = is_as_grown(e, &pairs[k]);
        if (e->knowns < KNOWN)
            e->known[e->knowns++] = pairs[k];
    }
    return right;
}

/* Tests the last term, and those from `from` on. What is known of them is not asked again. */
static bool last_is_right(extension *e, uint32_t from)
{
    accordi_growth *g = e->g;
    pair pairs[FARTHER + 2], two[2];
    uint32_t last = g->count - 1;
    accordi_growth_measure(g);
    for (uint32_t k = 0; k < e->knowns; k++)
        if (e->known[k].terms == g->count && !is_as_grown(e, &e->known[k]))
            return false;
    if (!are_right(e, two, put_pairs_of(g, last, two)))
        return false;
    uint32_t count = put_pairs_above(e, last, pairs);
    if (last - from >= APART) {
        uint32_t a = farthest_back(e, from);
        pairs[count++] = (pair){.a = a, .b = accordi_growth_other(g, a)};
    }
    if (last >= APART && last < BEGINNING) { /* fused sums look like chains from their last term */
        uint32_t b = (uint32_t)accordi_rng_below(&e->asker->rng, last - 1);
        pairs[count++] = (pair){.a = last - 1, .b = b};
    }
    return count == 0 || are_right(e, pairs, count);
}

/* ---- one term ---- */

/* The node of that size above a term; the root's parent, 0, is no node but counts as term 0. */
static bool climb(const accordi_growth *g, uint32_t term, uint32_t size, uint32_t *node)
{
    *node = 2 * term;
    while (accordi_growth_size(g, *node) < size && g->parent[*node])
        *node = 2 * g->parent[*node] + 1;
    return accordi_growth_size(g, *node) == size;
}

/* Adds the next term onto the node that counts tell, the likely one tried first. False where they
 * tell none. */
static bool add_by_asking(extension *e, uint32_t likely)
{
    accordi_growth *g = e->g;
    uint32_t i = g->count, node = 2 * i - likely, sum = node >> 1;
    pair pairs[2] = {{.a = i, .b = sum},
                     {.a = i, .b = node & 1 ? accordi_growth_other(g, sum) : 0}};
    accordi_growth_measure(g);
    if (!count_pairs(e, i + 1, pairs, node & 1 ? 2 : 1))
        return false;
    bool sure = node & 1 && pairs[1].size == pairs[0].size &&
                pairs[0].size == accordi_growth_size(g, node) + 1;
    pair at = pairs[0];
    for (int step = 0; step < NO_NODE_STEPS; step++) {
        if (!climb(g, at.b, at.size - 1, &node))
            return false;
        if (sure || !(node & 1))
            return accordi_growth_add(g, 2 * i - node);
        uint32_t above = at.size; /* onto it, or onto something under its other child */
        at.b = across(g, at.b, node >> 1);
        if (!count_pairs(e, i + 1, &at, 1) || at.size > above)
            return false;
        sure = at.size == above;
    }
    return false;
}

/* ---- great steps ---- */

static bool grow_by(extension *e, const accordi_rule *rule, uint32_t count)
{
    while (e->g->count < count)
        if (!accordi_growth_add(e->g, accordi_rule_lag(e->g, rule, e->g->count)))
            return false;
    return true;
}

typedef struct reach {
    uint32_t holds, fails; /* the last term up to which a rule seems to hold; the next tested */
} reach;

/* All terms are there: a few more counts. */
static void test_whole(extension *e, uint32_t from, reach *r, const uint32_t *tested, int tests)
{
    pair pairs[CHECKS];
    for (int k = 0; k < CHECKS; k++) {
        uint32_t a = from + (uint32_t)accordi_rng_below(&e->asker->rng, e->n - from);
        pairs[k].a = a;
        pairs[k].b =
            k % 2 ? accordi_growth_other(e->g, a) : (uint32_t)accordi_rng_below(&e->asker->rng, a);
    }
    bool right = count_pairs(e, e->n, pairs, CHECKS);
    for (int k = 0; k < CHECKS && right; k++) {
        right = is_as_grown(e, &pairs[k]);
        r->fails = pairs[k].a;
    }
    if (right) {
        r->fails = e->n;
        return;
    }
    r->holds = from - 1;
    for (int k = 0; k < tests; k++)
        if (tested[k] < r->fails)
            r->holds = tested[k];
}

/* The greatest number that divides the latest borders. */
static uint32_t width_of_steps(const extension *e)
{
    uint32_t width = e->bases ? e->base[0] : 1;
    for (uint32_t k = 1; k < e->bases && k < STEPS; k++)
        for (uint32_t rest = e->base[k]; rest;) {
            uint32_t less = width % rest;
            width = rest;
            rest = less;
        }
    return width;
}

/* The next term to test, after one that was right: where a step ends, and the next one begins, and
 * then ever farther. */
static uint32_t next_test(const extension *e, uint32_t from, reach r)
{
    uint32_t width = width_of_steps(e), end = from + width - 1 - (from + width - 1) % width;
    uint64_t next = from + (uint64_t)STEP * (r.holds + 1 - from);
    if (width > 1 && r.fails == e->n && r.holds < end)
        next = r.holds + 1 < end ? end - 1 : end;
    return next < r.fails ? (uint32_t)next : r.fails - 1;
}

/* How far a rule holds; the order is left as it was. */
static reach test_rule(extension *e, const accordi_rule *rule)
{
    uint32_t from = e->g->count, tested[TESTS];
    reach r = {from - 1, e->n};
    for (int tests = 0; r.holds + 1 < r.fails && tests < TESTS;) {
        uint32_t at = next_test(e, from, r);
        if (!grow_by(e, rule, at + 1) || !last_is_right(e, from)) {
            r.fails = at;
            if (tests > 0)
                break;
            accordi_growth_cut(e->g, from); /* even the first step may be shorter */
            continue;
        }
        tested[tests++] = r.holds = at;
        if (at == e->n - 1)
            test_whole(e, from, &r, tested, tests);
        if (r.fails < e->n)
            break;
    }
    accordi_growth_cut(e->g, from);
    return r;
}

/* The middle, or the end of a step near it. */
static uint32_t middle_of(const extension *e, reach r)
{
    uint32_t width = width_of_steps(e), middle = r.holds + (r.fails - r.holds) / 2;
    uint32_t end = middle + 1 + width / 2 - (middle + 1 + width / 2) % width - 1;
    if (r.fails - r.holds <= width && (r.holds + 1) % width == 0)
        return r.holds + 1;
    return end > r.holds && end < r.fails ? end : middle;
}

/* Goes on by a rule to the border after which it fails. */
static void go_to_border(extension *e, const accordi_rule *rule, reach r)
{
    accordi_growth *g = e->g;
    uint32_t from = g->count;
    grow_by(e, rule, r.holds + 1);
    while (r.holds + 1 < r.fails && !e->asker->status) {
        uint32_t middle = middle_of(e, r);
        if (grow_by(e, rule, middle + 1) && last_is_right(e, from)) {
            r.holds = middle;
        } else {
            r.fails = middle;
            accordi_growth_cut(g, r.holds + 1);
        }
    }
    e->wrong = accordi_rule_lag(g, rule, g->count);
}

/* Goes on by the rule that holds farthest of those that were right about the last term. */
static bool leap(extension *e)
{
    accordi_rule rule[ACCORDI_RULES];
    uint32_t rules = accordi_growth_rules(e->g, e->base, e->bases < STEPS ? e->bases : STEPS, rule),
             best = 0;
    reach farthest = {e->g->count - 1, e->n};
    e->knowns = 0;
    for (uint32_t k = 0; k < rules && farthest.holds + 1 < e->n && !e->asker->status; k++) {
        reach r = test_rule(e, &rule[k]);
        if (r.holds <= farthest.holds)
            continue;
        farthest = r;
        best = k;
    }
    if (farthest.holds + 1 > e->g->count)
        go_to_border(e, &rule[best], farthest);
    else
        return false;
    return true;
}

/* The lag that the next term has most likely. */
static uint32_t likely_lag(extension *e)
{
    accordi_rule rule[ACCORDI_RULES];
    uint32_t rules = accordi_growth_rules(e->g, e->base, e->bases < STEPS ? e->bases : STEPS, rule);
    for (uint32_t k = 0; k < rules; k++) {
        uint32_t lag = accordi_rule_lag(e->g, &rule[k], e->g->count);
        if (lag && lag != e->wrong && lag <= 2 * e->g->count && 2 * e->g->count - lag != 1)
            return lag;
    }
    return e->g->count == 1 ? 2 : 1;
}

static void note_border(extension *e)
{
    memmove(e->base + 1, e->base, (BASES - 1) * sizeof *e->base);
    e->base[0] = e->g->count;
    e->bases += e->bases < BASES;
}

/* A contradiction: what was tested too little is undone, back to the border before it. */
static bool go_back(extension *e)
{
    uint32_t borders = 1 + e->retries;
    if (e->asker->status || e->retries++ == RETRIES || borders >= e->bases)
        return false;
    e->bases -= borders;
    memmove(e->base, e->base + borders, e->bases * sizeof *e->base);
    accordi_growth_cut(e->g, e->base[0]);
    return true;
}

/* Few orders can be extended only from their end. */
static bool is_hopeless(const extension *e, uint64_t first_calls)
{
    uint64_t most = SPARE_CALLS + e->n / TERMS_A_CALL;
    most = (most < MOST_CALLS ? most : MOST_CALLS) >> e->backwards;
    return e->misses > (MISSES >> e->backwards) + e->g->count / TERMS_A_MISS ||
           e->asker->target->calls - first_calls > most;
}

enum accord_status accordi_extend(accordi_asker *asker, accordi_growth *g, bool backwards)
{
    extension e = {.asker = asker, .g = g, .backwards = backwards, .n = (uint32_t)asker->n};
    uint64_t first_calls = asker->target->calls;
    if (g->count == 1)
        accordi_growth_add(g, 2);
    while (g->count < e.n && !asker->status && !is_hopeless(&e, first_calls)) {
        uint32_t likely = likely_lag(&e);
        note_border(&e);
        e.wrong = 0;
        if (!add_by_asking(&e, likely)) {
            if (!go_back(&e))
                break;
            continue;
        }
        if (g->count < e.n && !leap(&e))
            e.misses++;
    }
    return asker->status;
}
