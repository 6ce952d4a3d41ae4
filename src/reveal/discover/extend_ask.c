/* Questions about the first terms of an order: where the next one is added, and whether what a rule
 * says of the last one is right. Terms that are 0 leave the order of the others as it is. */
#include "reveal/discover/extension.h"

enum {
    FARTHER = 4,
    FAR = 4096,
    APART = 4,
    BEGINNING = 64,
    NO_NODE_STEPS = 64,
    MOST_BITS = 16,
    FEW_WEIGHTS = 64,
    MANY = 3,
    EARLY = 1,
    LONG = 64
};

static uint32_t term_at(const accordi_extension *e, uint32_t i)
{
    return e->backwards ? e->n - 1 - i : i;
}

/* Where the terms are so many that most get weights of few bits, half of what the format can count
 * goes to the first ones, less and less with their number: the order in which lanes and blocks are
 * added together is found from these, and sums of lanes that have the same size are not told from
 * each other. The sum of 1 / (64 + i) over n terms is below log2(2 n / 64). */
static void weigh_first_more(accordi_extension *e, uint64_t spare, uint32_t whole)
{
    enum { FIRST = 64 };
    uint32_t levels = 1;
    while (e->n / FIRST >> levels)
        levels++;
    for (uint32_t i = 0; i < e->n; i++) {
        uint64_t more = spare / ((uint64_t)(FIRST + i) * (levels + 1));
        if (more == 0)
            break;
        e->g->weight[i] += (uint32_t)accordi_rng_below(&e->asker->rng, more < whole ? more : whole);
    }
}

void accordi_extend_weigh(accordi_extension *e)
{
    int precision = accord_format_get(e->asker->format)->precision;
    uint64_t capacity = accordi_ask_capacity(e->asker), whole = (uint64_t)1 << MOST_BITS;
    capacity = capacity < UINT32_MAX ? capacity : UINT32_MAX;
    uint64_t most = capacity / e->n;
    whole = precision < MOST_BITS ? (uint64_t)1 << precision : whole;
    bool few = most < FEW_WEIGHTS;
    most = most < whole ? most : whole;
    most = most < 2 ? 1 : few ? most / 2 : most;
    accordi_rng_weights(&e->asker->rng, e->g->weight, e->n, (uint32_t)most);
    if (few && capacity > most * e->n)
        weigh_first_more(e, capacity - most * e->n, (uint32_t)(whole - most));
}

bool accordi_extend_count(accordi_extension *e, uint32_t m, accordi_pair *pairs, uint32_t count)
{
    accordi_asker *asker = e->asker;
    const uint32_t *weight = e->g->weight;
    bool sound = true;
    uint64_t all = 0;
    accordi_ask_begin(asker, 0);
    accordi_ask_stay_run(asker, term_at(e, 0), e->backwards, weight, m, asker->unit);
    for (uint32_t i = 0; i < m; i++)
        all += weight[i];
    for (uint32_t k = 0; k < count; k++)
        accordi_ask_masks(asker, term_at(e, pairs[k].a), term_at(e, pairs[k].b));
    if (accordi_ask_run(asker))
        return false;
    for (uint32_t k = 0; k < count && !asker->status; k++) {
        uint64_t units = 0;
        accordi_ask_decode(asker, asker->result[k], &units);
        sound = sound && units + weight[pairs[k].a] + weight[pairs[k].b] <= all;
        pairs[k].terms = m;
        pairs[k].size = (uint32_t)(all - units);
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

/* Finds for each sum a term under it, to which every sum on the way down leads in its heavier
 * child: the lighter one has at most half of its weight. A node is passed on to the sum above it
 * when its second child comes. */
static void find_deep_terms(accordi_extension *e)
{
    const accordi_growth *g = e->g;
    uint32_t *deep = e->room;
    memset(deep, 0xff, g->count * sizeof *deep);
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t sum = g->parent[2 * i], size = g->weight[i], term = i;
        for (; sum && deep[sum] != UINT32_MAX; sum = g->parent[2 * sum + 1]) {
            if (size < g->size[sum] - size)
                term = deep[sum];
            deep[sum] = term;
            size = g->size[sum];
        }
        if (sum)
            deep[sum] = term;
    }
}

/* A deep term under the other child of a sum than this term. */
static uint32_t across(const accordi_extension *e, uint32_t term, uint32_t sum)
{
    const accordi_growth *g = e->g;
    uint32_t node = child_above(g, sum, sum);
    if (child_above(g, term, sum) == node)
        node = child_above(g, accordi_growth_other(g, sum), sum);
    return node & 1 ? e->room[node >> 1] : node >> 1;
}

/* Is a pair as the order that has been grown and measured has it? */
static bool agrees(const accordi_extension *e, const accordi_pair *p)
{
    uint32_t node = accordi_growth_common(e->g, p->a, p->b);
    return accordi_growth_size(e->g, node) == p->size;
}

/* Two pairs that say that a term was added onto its node: with a term under each child of that. */
static uint32_t put_pairs_of(const accordi_growth *g, uint32_t term, accordi_pair *pairs)
{
    uint32_t other = accordi_growth_other(g, term);
    pairs[0] = (accordi_pair){.a = term, .b = other};
    if (!(g->lag[term] & 1))
        return 1;
    pairs[1] =
        (accordi_pair){.a = term, .b = accordi_growth_other(g, other)}; /* onto what it made */
    return 2;
}

/* Pairs that say what a term has become part of: at the next sum above what it made and, far from
 * the beginning, at some of those that add something heavier to that. These are few. */
static uint32_t put_pairs_above(accordi_extension *e, uint32_t term, accordi_pair *pairs)
{
    const accordi_growth *g = e->g;
    uint32_t node = 2 * term + 1, count = 0, heavier = 0;
    for (uint32_t sum = g->parent[node]; sum; node = 2 * sum + 1, sum = g->parent[node]) {
        bool onto = node == 2 * sum - g->lag[sum];
        uint32_t size = accordi_growth_size(g, node), k = count;
        if (count > 0 && (term < FAR || g->size[sum] - size <= size))
            continue;
        if (count > FARTHER)
            k = 1 + (uint32_t)accordi_rng_below(&e->asker->rng, heavier + 1);
        heavier += count > 0;
        count += count <= FARTHER;
        if (k <= FARTHER)
            pairs[k] = (accordi_pair){.a = term, .b = onto ? sum : accordi_growth_other(g, sum)};
    }
    return count;
}

/* Where the last terms begin, if a clade is made of these alone; 0 if it is not. */
static uint32_t first_of_last(const accordi_growth *g, const accordi_pair *p)
{
    uint32_t first = p->terms, size = p->size;
    while (first > 0 && size >= g->weight[first - 1])
        size -= g->weight[--first];
    return size == 0 ? first : 0;
}

/* Asks pairs that are to be as the order has them, and keeps the answers. */
static bool are_right(accordi_extension *e, accordi_pair *pairs, uint32_t count)
{
    bool right = accordi_extend_count(e, e->g->count, pairs, count);
    e->hint = 0;
    for (uint32_t k = 0; k < count && right; k++) {
        right = agrees(e, &pairs[k]);
        if (e->knowns < ACCORDI_KNOWN)
            e->known[e->knowns++] = pairs[k];
        if (!right) {
            e->last = pairs[k];
            e->least = pairs[k].a > pairs[k].b ? pairs[k].a : pairs[k].b;
            e->most = pairs[k].terms;
            e->hint = first_of_last(e->g, &pairs[k]);
        }
    }
    return right;
}

static uint32_t draw(accordi_extension *e, uint32_t low, uint32_t high)
{
    return low + (uint32_t)accordi_rng_below(&e->asker->rng, high - low);
}

/* Fused sums look like chains from their last term: a pair that does not have it. */
static uint32_t put_pair_before(accordi_extension *e, uint32_t last, accordi_pair *pair)
{
    if (last < APART || last >= 16)
        return 0;
    *pair = (accordi_pair){.a = last - 1, .b = draw(e, 0, last - 1)};
    return 1;
}

static bool test_last(accordi_extension *e)
{
    accordi_pair pairs[2], before;
    uint32_t last = e->g->count - 1;
    accordi_growth_measure(e->g);
    for (uint32_t k = 0; k < e->knowns; k++)
        if (e->known[k].terms == e->g->count && !agrees(e, &e->known[k]))
            return false;
    if (!are_right(e, pairs, put_pairs_of(e->g, last, pairs)))
        return false;
    return !put_pair_before(e, last, &before) || are_right(e, &before, 1);
}

/* A term from each of so many equal parts: a rule that is wrong from some term on to the last one
 * is seen to be, if it is in the last part. */
static uint32_t draw_in_part(accordi_extension *e, uint32_t low, uint32_t high, uint32_t part,
                             uint32_t parts)
{
    uint64_t all = high - low;
    return draw(e, low + (uint32_t)(all * part / parts),
                low + (uint32_t)(all * (part + 1) / parts));
}

/* Sums that terms from `from` on made, and what random terms have become part of. */
static bool check_from(accordi_extension *e, uint32_t from)
{
    accordi_growth *g = e->g;
    accordi_pair pairs[1 + FARTHER + 2 * MANY];
    uint32_t last = g->count - 1, terms = last - from, many = terms < LONG ? 1 : MANY;
    uint32_t parts = last < ACCORDI_BEGINNING ? EARLY : many;
    accordi_growth_measure(g);
    uint32_t count = put_pairs_above(e, last, pairs);
    for (uint32_t k = 0; k < parts && terms >= APART; k++) {
        uint32_t a = draw_in_part(e, from, last, k, parts);
        pairs[count++] = (accordi_pair){.a = a, .b = accordi_growth_other(g, a)};
    }
    for (uint32_t k = 0; k < many && terms >= APART; k++) {
        uint32_t a = draw_in_part(e, from + 1, last, k, many);
        pairs[count++] = (accordi_pair){.a = a, .b = draw(e, 0, a)};
    }
    return count == 0 || are_right(e, pairs, count);
}

/* The node of that size above a term; the root's parent, 0, is no node but counts as term 0. */
static bool climb(const accordi_growth *g, uint32_t term, uint32_t size, uint32_t *node)
{
    *node = 2 * term;
    while (accordi_growth_size(g, *node) < size && g->parent[*node])
        *node = 2 * g->parent[*node] + 1;
    return accordi_growth_size(g, *node) == size;
}

static bool ask_next(accordi_extension *e, uint32_t likely)
{
    accordi_growth *g = e->g;
    uint32_t i = g->count, node = 2 * i - likely, sum = node >> 1;
    accordi_pair at = {.a = i, .b = sum}, other = {.a = i};
    accordi_growth_measure(g);
    if (!accordi_extend_count(e, i + 1, &at, 1))
        return false;
    bool sure = node & 1 && at.size == accordi_growth_size(g, node) + g->weight[i];
    if (sure) {
        other.b = accordi_growth_other(g, sum);
        if (!accordi_extend_count(e, i + 1, &other, 1))
            return false;
        sure = other.size == at.size;
    }
    for (int step = 0; step < NO_NODE_STEPS; step++) {
        if (!climb(g, at.b, at.size - g->weight[i], &node))
            return false;
        if (sure || !(node & 1))
            return accordi_growth_add(g, 2 * i - node);
        uint32_t above = at.size; /* onto it, or onto something under its other child */
        if (step == 0)
            find_deep_terms(e);
        at.b = across(e, at.b, node >> 1);
        if (!accordi_extend_count(e, i + 1, &at, 1) || at.size > above)
            return false;
        sure = at.size == above;
    }
    return false;
}

static bool ask_again(accordi_extension *e)
{
    accordi_pair p = e->last;
    accordi_growth_measure(e->g);
    return accordi_extend_count(e, e->g->count, &p, 1) && agrees(e, &p);
}

/* The sum that is so many steps below another one: each is onto what the term that made the last
 * one was added. */
static uint32_t sum_below(const accordi_growth *g, uint32_t sum, uint32_t steps)
{
    while (steps-- > 0)
        sum = (2 * sum - g->lag[sum]) >> 1;
    return sum;
}

/* From the sum above a pair that is not as due down to the lowest that is not, by halving, as if
 * all sums below one that is right were right, too. */
static void go_down(accordi_extension *e)
{
    accordi_growth *g = e->g;
    accordi_growth_measure(g);
    uint32_t sum = accordi_growth_common(g, e->last.a, e->last.b) >> 1, low = 0, high = 1;
    for (uint32_t s = sum; g->lag[s] & 1; s = sum_below(g, s, 1))
        high++;
    for (uint32_t middle = 0; low < high; middle = low + (high - low) / 2) {
        uint32_t s = sum_below(g, sum, middle);
        accordi_pair pair = {.a = s, .b = accordi_growth_other(g, s)};
        if (!accordi_extend_count(e, g->count, &pair, 1) || agrees(e, &pair)) {
            high = middle;
            continue;
        }
        low = middle + 1;
        e->last = pair;
        e->least = s;
    }
}

const accordi_extend_how accordi_extend_by_counts = {.counts = true,
                                                     .ask = ask_next,
                                                     .test = test_last,
                                                     .check = check_from,
                                                     .again = ask_again,
                                                     .trace = go_down};
