/* How far a rule holds: its terms are tested where they tell most.
 *
 * First come the terms at which other rules that are as good so far say something else. Then the
 * bound: a clade of the first terms only grows with more terms, so the counts of some clades among
 * all terms bound how far the rule can hold, and where no later term joins these clades, the bound
 * is the border itself. Where it is not, terms ever farther are tested, and the border is looked
 * for by halving. */
#include "reveal/discover/extension.h"

enum {
    STEP = 4,
    TESTS = 24,
    TRIES = 8, /* to find a border */
    STEPS = 3, /* of these borders show their width */
    BOUND_FROM = 32,
    MARKS = ACCORDI_RULES + 3
};

/* The terms to be tested first, and the bound. */
typedef struct marks {
    uint32_t at[MARKS], count;
    uint32_t bound;
} marks;

/* What is known of nodes 2k and 2k + 1, in the lowest four bits of entry k: whether they are under
 * a sum, which does not change as the order grows. */
enum { UNKNOWN, UNDER, ELSEWHERE, BITS = 2, MASK = 3 };

static uint32_t known_of(const uint32_t *known, uint32_t node)
{
    return known[node >> 1] >> BITS * (node & 1) & MASK;
}

/* Walks up to the sum, to the root, or to a node of which it is known, and back. */
static bool is_under(const accordi_growth *g, uint32_t sum, uint32_t node, uint32_t *known)
{
    uint32_t top = 2 * sum + 1, at = node, state;
    while (!(state = known_of(known, at))) {
        uint32_t above = 2 * g->parent[at] + 1;
        state = at == top || above == 1 ? ELSEWHERE : above == top ? UNDER : UNKNOWN;
        if (state)
            break;
        at = above;
    }
    for (at = node; !known_of(known, at); at = 2 * g->parent[at] + 1) {
        known[at >> 1] |= state << BITS * (at & 1);
        if (at == top || !g->parent[at] || 2 * g->parent[at] + 1 == top)
            break;
    }
    return state == UNDER;
}

/* How many terms there can be by the rule while those under a sum, which have been measured, are at
 * most `size`. */
static uint32_t most_terms(accordi_extension *e, const accordi_rule *rule, uint32_t sum,
                           uint32_t size)
{
    accordi_growth *g = e->g;
    uint32_t from = g->count, has = g->size[sum], lag;
    memset(e->room, 0, e->n * sizeof *e->room);
    while (g->count < e->n && has <= size) {
        uint32_t next = g->count, onto = 2 * next - (lag = accordi_rule_lag(g, rule));
        if (!accordi_growth_add(g, lag))
            break;
        bool under = is_under(g, sum, onto, e->room);
        e->room[next] = under ? UNDER | UNDER << BITS : ELSEWHERE | ELSEWHERE << BITS;
        has += under ? g->weight[next] : 0;
    }
    uint32_t most = has <= size ? g->count : g->count - 1;
    accordi_growth_cut(g, from);
    return most < from ? from : most;
}

/* The sums above the last term that grow by the rule: the lowest and the highest of them. */
static uint32_t growing_sums(accordi_extension *e, const accordi_rule *rule, uint32_t sum[2])
{
    accordi_growth *g = e->g;
    uint32_t from = g->count, found = 0;
    bool grown = accordi_growth_go_on(e->g, rule, e->n);
    accordi_growth_measure(g);
    memcpy(e->room, g->size, from * sizeof *e->room);
    accordi_growth_cut(g, from);
    accordi_growth_measure(g);
    for (uint32_t s = from - 1; s && grown; s = g->parent[2 * s + 1])
        if (e->room[s] > g->size[s]) {
            sum[found > 0] = s;
            found += found < 2;
        }
    return found;
}

static uint32_t bound_of(accordi_extension *e, const accordi_rule *rule)
{
    uint32_t sum[2] = {0, 0}, count, bound = e->n;
    accordi_pair pairs[2];
    if (!e->how->counts || e->g->count < BOUND_FROM || !(count = growing_sums(e, rule, sum)))
        return bound;
    for (uint32_t k = 0; k < count; k++)
        pairs[k] = (accordi_pair){.a = sum[k], .b = accordi_growth_other(e->g, sum[k])};
    if (!accordi_extend_count(e, e->n, pairs, count))
        return bound;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t most = most_terms(e, rule, sum[k], pairs[k].size);
        bound = most < bound ? most : bound;
    }
    return bound;
}

static void set_marks(accordi_extension *e, const accordi_rule *rule, const accordi_rule *others,
                      uint32_t count, marks *m)
{
    m->bound = bound_of(e, rule);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = accordi_growth_parting(e->g, rule, &others[k], m->bound);
        if (at > e->g->count && at < m->bound)
            m->at[m->count++] = at;
    }
    if (m->bound < e->n)
        m->at[m->count++] = m->bound - 1;
    uint32_t last = e->base[0];
    for (uint32_t k = 0; k < 2 && e->bases > 1 && last == 2 * e->base[1]; k++)
        if (2 * last - 1 + k > e->g->count && 2 * last - 1 + k < m->bound)
            m->at[m->count++] = 2 * last - 1 + k; /* doubled borders double again */
}

/* The greatest number that divides the latest borders. */
static uint32_t width_of_steps(const accordi_extension *e)
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

/* The next term to test: the first; the marks; where a step ends, and the next one begins, and then
 * ever farther. */
static uint32_t next_test(const accordi_extension *e, uint32_t from, accordi_reach r,
                          const marks *m)
{
    uint32_t width = width_of_steps(e), end = from + width - 1 - (from + width - 1) % width;
    uint64_t next = from + (uint64_t)STEP * (r.holds + 1 - from);
    uint32_t mark = r.fails;
    for (uint32_t k = 0; k < m->count; k++)
        if (m->at[k] > r.holds && m->at[k] < mark)
            mark = m->at[k];
    if (mark < r.fails)
        return mark;
    if (width > 1 && r.fails == e->n && r.holds < end)
        next = r.holds + 1 < end ? end - 1 : end;
    return next < r.fails ? (uint32_t)next : r.fails - 1;
}

bool accordi_extend_knows(accordi_extension *e, const accordi_rule *rule,
                          const accordi_rule *tested, accordi_reach r)
{
    uint32_t end = r.fails + 1 < e->n ? r.fails + 1 : e->n;
    uint32_t at = accordi_growth_parting(e->g, tested, rule, end);
    return at <= r.holds || at > r.fails;
}

static bool holds_at(accordi_extension *e, const accordi_rule *rule, uint32_t at)
{
    return accordi_growth_go_on(e->g, rule, at + 1) && e->how->test(e);
}

/* A number of terms between: so many periods more than `from`, if that can be; then the one before
 * such a number, and then the middle. */
static uint32_t middle_in_periods(uint32_t low, uint32_t high, uint32_t from, uint32_t length)
{
    uint32_t middle = low + (high - low) / 2;
    if (length < 2 || low < from)
        return middle;
    uint32_t next = high - 1 - (high - 1 - from) % length;
    if (next <= low)
        return (high - from) % length ? middle : high - 1;
    middle -= (middle - from) % length;
    return middle > low ? middle : middle + length;
}

/* The first term with which the last answer that was not as due is not: by halving. It is likely
 * to be whole periods after the first one about which that could be asked. Where there is no such
 * answer among more terms than there are, since counts made no sense, it is the next term. */
static uint32_t first_wrong(accordi_extension *e, const accordi_rule *rule, uint32_t from)
{
    if (e->how->trace && accordi_growth_go_on(e->g, rule, e->most))
        e->how->trace(e);
    uint32_t low = e->least, high = e->most, first = e->least + 1;
    uint32_t length = rule->length;
    low = low < from ? from : low;
    high = high <= from ? from + 1 : high;
    while (low + 1 < high && !e->asker->status) {
        uint32_t middle = middle_in_periods(low, high, first, length);
        accordi_growth_cut(e->g, from);
        bool right = accordi_growth_go_on(e->g, rule, middle);
        right = right && e->how->again(e);
        *(right ? &low : &high) = middle;
    }
    accordi_growth_cut(e->g, from);
    return high - 1;
}

/* The first term about which the rule is wrong, among one about which it is wrong and those that
 * are whole periods before it: by halving, if it is wrong about the next one, too. */
static uint32_t first_in_periods(accordi_extension *e, const accordi_rule *rule, uint32_t wrong)
{
    uint32_t from = e->g->count, length = rule->length, low = 0;
    uint32_t high = length > 1 && wrong > from ? (wrong - from) / length + 1 : 1;
    for (uint32_t next = 1; low + 1 < high && !e->asker->status; next = low + (high - low) / 2) {
        bool right = holds_at(e, rule, wrong - next * length);
        accordi_growth_cut(e->g, from);
        high = !right ? high : low ? next : 1;
        low = right ? low : next;
    }
    return wrong - low * length;
}

/* From a term about which the rule is wrong to where lanes begin, and on in steps that double, to
 * one about which it is right. */
static void step_back(accordi_extension *e, const accordi_rule *rule, uint32_t wrong,
                      accordi_reach *r)
{
    uint32_t from = e->g->count, lane = wrong % e->g->parent[0];
    *r = (accordi_reach){.holds = from - 1, .fails = wrong, .hint = wrong - lane};
    for (uint32_t step = 1 + lane; r->fails > from && !e->asker->status; step *= 2) {
        uint32_t at = r->fails - from > step ? r->fails - step : from;
        bool right = holds_at(e, rule, at);
        accordi_growth_cut(e->g, from);
        if (right) {
            r->holds = at;
            break;
        }
        r->fails = at;
    }
}

/* On in steps that double from where the rule begins to a term about which it is wrong. Where
 * answers are only likely to be other ones in a wrong order, any test may pass: looked for from the
 * end, the first wrong term would often be taken for a later one. */
static void step_on(accordi_extension *e, const accordi_rule *rule, accordi_reach *r)
{
    uint32_t from = e->g->count, end = e->most > from ? e->most - 1 : from;
    *r = (accordi_reach){.holds = from - 1, .fails = end};
    for (uint32_t step = 1; from + step < end && !e->asker->status; step *= 2) {
        bool right = holds_at(e, rule, from + step);
        accordi_growth_cut(e->g, from);
        *(right ? &r->holds : &r->fails) = from + step;
        if (!right)
            break;
    }
}

/* A border that an answer suggests: is the rule wrong there? */
static bool take_hint(accordi_extension *e, const accordi_rule *rule, uint32_t hint,
                      accordi_reach *r)
{
    uint32_t from = e->g->count;
    bool wrong = hint > from && hint < r->fails && !holds_at(e, rule, hint);
    accordi_growth_cut(e->g, from);
    if (wrong)
        step_back(e, rule, hint, r);
    return wrong;
}

/* The rule is wrong where it was not tested: looks for where, from what the last pair that was not
 * as due suggests or goes back to, if they are counted. */
static void look_back(accordi_extension *e, const accordi_rule *rule, accordi_reach *r)
{
    if (!e->how->counts) {
        step_on(e, rule, r);
        return;
    }
    if (take_hint(e, rule, e->hint, r))
        return;
    uint32_t wrong = first_wrong(e, rule, e->g->count);
    step_back(e, rule, first_in_periods(e, rule, wrong), r);
}

accordi_reach accordi_extend_reach(accordi_extension *e, const accordi_rule *rule, uint32_t known,
                                   const accordi_rule *others, uint32_t count)
{
    uint32_t from = e->g->count;
    accordi_reach r = {known, e->n, 0, 0};
    marks m = {.bound = e->n};
    for (int tests = 0; r.holds + 1 < r.fails && tests < TESTS;) {
        uint32_t at = tests == 0 && known >= from ? known + 1 : next_test(e, from, r, &m);
        bool end = at + 1 == m.bound || at + 1 == e->n;
        bool right = accordi_growth_go_on(e->g, rule, at + 1) && e->how->test(e);
        bool whole = !right || !end || e->how->check(e, from);
        if (!whole) { /* the cause is found sooner than by halving */
            accordi_growth_cut(e->g, from);
            look_back(e, rule, &r);
            break;
        }
        if (!right) {
            bool bound = at + 1 == m.bound && at + 1 < e->n;
            r.fails = at;
            r.hint = e->hint;
            accordi_growth_cut(e->g, from); /* even the first step may be shorter */
            if ((tests > 0 || known >= from) && !bound)
                break;
            continue;
        }
        tests++;
        r.holds = at;
        if (end) {
            r.fails = at + 1;
            r.checked = at;
        } else if (tests == 1 && r.holds + 1 < r.fails) {
            accordi_growth_cut(e->g, from);
            set_marks(e, rule, others, count, &m);
        }
    }
    accordi_growth_cut(e->g, from);
    return r;
}

/* The roundest number above `low` and up to `high`: a multiple of the width of steps, if there is
 * one, and of as high a power of two as can be. */
static uint32_t roundest(uint32_t low, uint32_t high, uint32_t width)
{
    uint64_t step = high / width > low / width ? width : 1;
    while (high / (2 * step) > low / (2 * step))
        step *= 2;
    return (uint32_t)(high - high % step);
}

/* Borders are round numbers more often than others: the last term before the roundest one, and then
 * that term; or what the last answer suggests. */
static uint32_t middle_of(accordi_extension *e, accordi_reach r)
{
    uint32_t hint = e->hint, border = roundest(r.holds, r.fails, width_of_steps(e));
    e->hint = hint == r.holds + 1 ? 0 : hint;
    if (hint > r.holds && hint < r.fails)
        return hint == r.holds + 1 ? hint : hint - 1;
    return border > r.holds + 1 ? border - 1 : border;
}

static void halve(accordi_extension *e, const accordi_rule *rule, accordi_reach *r)
{
    accordi_growth_go_on(e->g, rule, r->holds + 1);
    while (r->holds + 1 < r->fails && !e->asker->status) {
        uint32_t middle = middle_of(e, *r);
        if (holds_at(e, rule, middle)) {
            r->holds = middle;
        } else {
            r->fails = middle;
            accordi_growth_cut(e->g, r->holds + 1);
        }
    }
}

void accordi_extend_to_border(accordi_extension *e, const accordi_rule *rule, accordi_reach r)
{
    accordi_growth *g = e->g;
    uint32_t from = g->count;
    if (r.hint <= r.holds)
        take_hint(e, rule, r.hint, &r);
    e->hint = r.hint;
    halve(e, rule, &r);
    for (int tries = 0; r.checked != r.holds && r.holds >= from && tries < TRIES &&
                        !e->how->check(e, from) && !e->asker->status;
         tries++) {
        bool early =
            from < ACCORDI_BEGINNING && g->count > ACCORDI_BEGINNING && accordi_extend_may_begin(e);
        accordi_growth_cut(g, from);
        if (early) {
            e->irregular = true;
            return;
        }
        look_back(e, rule, &r);
        e->hint = r.hint;
        halve(e, rule, &r);
    }
    e->wrong = accordi_rule_lag(g, rule);
}
