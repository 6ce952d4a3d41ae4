/* Orders as lists of lags, and their rules: a period of the list, or copies that double. */
#include "pattern/growth.h"

enum { PERIODS = 4 };

bool accordi_growth_init(accordi_growth *g, uint32_t n)
{
    *g = (accordi_growth){.count = 1};
    g->lag = accordi_alloc(n, sizeof *g->lag);
    g->key = accordi_alloc(n, sizeof *g->key);
    g->parent = accordi_alloc(2 * (size_t)n, sizeof *g->parent);
    g->size = accordi_alloc(n, sizeof *g->size);
    g->weight = accordi_alloc(n, sizeof *g->weight);
    g->match = accordi_alloc(n, sizeof *g->match);
    if (!g->lag || !g->key || !g->parent || !g->size || !g->weight || !g->match)
        return accordi_growth_clear(g), false;
    for (uint32_t i = 0; i < n; i++)
        g->weight[i] = 1;
    g->lag[0] = g->key[0] = g->parent[0] = g->parent[1] = 0;
    return true;
}

void accordi_growth_clear(accordi_growth *g)
{
    free(g->lag);
    free(g->key);
    free(g->parent);
    free(g->size);
    free(g->weight);
    free(g->match);
    *g = (accordi_growth){.count = 0};
}

bool accordi_growth_add(accordi_growth *g, uint32_t lag)
{
    uint32_t i = g->count, node = 2 * i - lag;
    if (lag == 0 || lag > 2 * i || node == 1)
        return false;
    g->lag[i] = lag;
    g->key[i] = g->parent[node] ? lag : 0;
    g->parent[2 * i + 1] = g->parent[node];
    g->parent[2 * i] = g->parent[node] = i;
    g->count++;
    return true;
}

void accordi_growth_cut(accordi_growth *g, uint32_t count)
{
    while (g->count > count) {
        uint32_t i = --g->count;
        g->parent[2 * i - g->lag[i]] = g->parent[2 * i + 1];
    }
}

/* Each term goes onto what the sum above it has had so far. */
bool accordi_growth_take(accordi_growth *g, const accord_tree *tree)
{
    uint32_t nodes = tree->leaves + tree->inner, none = ACCORD_TREE_NO_NODE;
    uint32_t *parent = accordi_alloc(nodes, sizeof *parent);
    uint32_t *holds = accordi_alloc(nodes, sizeof *holds); /* what stands for it so far */
    bool room = parent && holds;
    accordi_growth_cut(g, 1);
    if (room) {
        accord_tree_parents(tree, parent);
        memset(holds, 0xff, nodes * sizeof *holds);
    }
    for (uint32_t i = 0; i < tree->leaves && room; i++) {
        uint32_t v = i;
        for (; v != none && holds[v] == none; v = parent[v])
            holds[v] = 2 * i;
        if (i == 0)
            continue;
        uint32_t node = holds[v];
        accordi_growth_add(g, 2 * i - node);
        for (; v != none && holds[v] == node; v = parent[v])
            holds[v] = 2 * i + 1;
    }
    free(parent);
    free(holds);
    return room;
}

/* A node is passed on to the sum above it when its second child comes. */
void accordi_growth_measure(accordi_growth *g)
{
    memset(g->size, 0, g->count * sizeof *g->size);
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t sum = g->parent[2 * i], size = g->weight[i];
        while (sum) {
            bool second = g->size[sum] > 0;
            size = g->size[sum] += size;
            sum = second ? g->parent[2 * sum + 1] : 0;
        }
    }
}

uint32_t accordi_growth_size(const accordi_growth *g, uint32_t node)
{
    return node & 1 ? g->size[node >> 1] : g->weight[node >> 1];
}

uint32_t accordi_growth_common(const accordi_growth *g, uint32_t a, uint32_t b)
{
    uint32_t x = 2 * a, y = 2 * b;
    while (x != y)
        if (accordi_growth_size(g, x) <= accordi_growth_size(g, y))
            x = 2 * g->parent[x] + 1;
        else
            y = 2 * g->parent[y] + 1;
    return x;
}

uint32_t accordi_growth_other(const accordi_growth *g, uint32_t sum)
{
    return (2 * sum - g->lag[sum]) >> 1;
}

enum accord_status accordi_growth_tree(accordi_growth *g, bool turned, accord_tree **out,
                                       accord_error *error)
{
    uint32_t n = g->count;
    uint32_t *parent = accordi_alloc(2 * (size_t)n, sizeof *parent);
    if (!parent)
        return accordi_nomem(error);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t above = g->parent[2 * i], top = g->parent[2 * i + 1];
        parent[turned ? n - 1 - i : i] = above ? n - 1 + above : ACCORD_TREE_NO_NODE;
        if (i > 0)
            parent[n - 1 + i] = top ? n - 1 + top : ACCORD_TREE_NO_NODE;
    }
    accordi_growth_clear(g);
    enum accord_status status = accord_tree_from_parents(n, n - 1, parent, out, error);
    free(parent);
    return status;
}

/* A copy from c on. A term in the second half of the first c that was added onto a sum of the first
 * half made the sum of both, and the copy of that term is added onto this one; within the copy all
 * is as in the first c terms. */
static uint32_t key_in_copy(const accordi_growth *g, const accordi_rule *rule, uint32_t next)
{
    uint32_t c = rule->length;
    while (c <= next / 2)
        c *= 2;
    uint32_t j = next - c, half = c / 2 + j;
    bool first = rule->kind == ACCORDI_LANES && j < c / 2;
    if (first && c % 2 == 0 && 2 * half - g->lag[half] < c)
        return c - 1;
    return j ? g->lag[j] : 0;
}

/* The lag onto the next sum made like that which the term before was added onto; 0: none. */
static uint32_t lag_onto_next(const accordi_growth *g, uint32_t next)
{
    uint32_t node = 2 * (next - 1) - g->lag[next - 1], k = node >> 1;
    for (uint32_t i = k + 1; node & 1 && i + 1 < next; i++)
        if (g->lag[i] == g->lag[k])
            return 2 * next - (2 * i + 1);
    return 0;
}

/* Was a term added onto all of its lane that there was then? Sums of lanes are made by the terms
 * with which these begin, and of no other sum it became part then. */
static bool is_onto_lane(const accordi_growth *g, uint32_t term, uint32_t lanes)
{
    uint32_t above = g->parent[2 * term + 1];
    while (above > term)
        above = g->parent[2 * above + 1];
    return above < lanes;
}

/* In blocks: onto the first block's lane, or what the last block's term of this lane made of all
 * before it. */
static uint32_t lag_in_block(const accordi_growth *g, const accordi_rule *rule, uint32_t next)
{
    uint32_t length = rule->length, j = next % length, above;
    if (j >= rule->lanes)
        return g->lag[j];
    uint32_t node = next < 2 * length ? 2 * j : 2 * (next - length) + 1;
    while ((above = g->parent[node]) >= rule->lanes && above != next)
        node = 2 * above + 1;
    return 2 * next - node;
}

static inline uint32_t rule_key(const accordi_growth *g, const accordi_rule *rule, uint32_t next)
{
    return rule->kind == ACCORDI_PERIOD   ? g->key[next - rule->length]
           : rule->kind == ACCORDI_BLOCKS ? lag_in_block(g, rule, next)
                                          : key_in_copy(g, rule, next);
}

uint32_t accordi_rule_lag(const accordi_growth *g, const accordi_rule *rule)
{
    uint32_t next = g->count;
    if (next < rule->length)
        return 0;
    if (rule->kind == ACCORDI_NEXT)
        return lag_onto_next(g, next);
    uint32_t key = rule_key(g, rule, next), node = 2 * (next - 1);
    if (key)
        return key;
    while (g->parent[node])
        node = 2 * g->parent[node] + 1;
    return 2 * next - node;
}

bool accordi_growth_go_on(accordi_growth *g, const accordi_rule *rule, uint32_t count)
{
    while (g->count < count)
        if (!accordi_growth_add(g, accordi_rule_lag(g, rule)))
            return false;
    return true;
}

uint32_t accordi_growth_parting(accordi_growth *g, const accordi_rule *rule,
                                const accordi_rule *other, uint32_t end)
{
    uint32_t from = g->count, lag;
    if (other == rule)
        return end;
    while (g->count < end && (lag = accordi_rule_lag(g, rule)) == accordi_rule_lag(g, other) &&
           accordi_growth_add(g, lag))
        continue;
    uint32_t at = g->count;
    accordi_growth_cut(g, from);
    return at;
}

/* match[p]: how many of the last lags are the same p terms before (the Z function of the list
 * read backwards). */
static void match_all(accordi_growth *g)
{
    uint32_t last = g->count - 1, *match = g->match, left = 0, right = 0;
    for (uint32_t p = 1; p < last; p++) {
        uint32_t m = p < right ? match[p - left] : 0;
        m = p < right && m > right - p ? right - p : m;
        while (p + m < last && g->key[last - m] == g->key[last - p - m])
            m++;
        match[p] = m;
        if (p + m > right) {
            left = p;
            right = p + m;
        }
    }
}

static int more_convincing(const void *a, const void *b)
{
    const accordi_rule *x = a, *y = b;
    if (x->held != y->held)
        return x->held < y->held ? 1 : -1;
    return x->kind != y->kind       ? (int)x->kind - (int)y->kind
           : x->length != y->length ? (x->length < y->length ? -1 : 1)
           : x->lanes < y->lanes    ? -1
                                    : x->lanes > y->lanes;
}

static uint32_t find_periods(accordi_growth *g, accordi_rule *rule)
{
    uint32_t most = 0, found = 0, last = g->count - 1;
    match_all(g);
    for (uint32_t p = 1; p < last; p++) {
        if (g->match[p] <= most)
            continue;
        most = g->match[p];
        rule[found++ % PERIODS] = (accordi_rule){.kind = ACCORDI_PERIOD, .length = p, .held = most};
    }
    return found < PERIODS ? found : PERIODS;
}

/* Whole copies begin with a term that is added onto all before it. */
static bool copies_hold(accordi_growth *g, accordi_rule *rule)
{
    uint32_t base = rule->length, blocks = rule->kind == ACCORDI_BLOCKS;
    if (base < 2 || base >= g->count || g->count > 2 * (uint64_t)base || base < rule->lanes)
        return false;
    if (rule->kind == ACCORDI_LANES ? base + 1 == g->count : !blocks && g->key[base])
        return false;
    for (uint32_t i = base; blocks && i < g->count && i < base + rule->lanes; i++)
        if (!is_onto_lane(g, i, rule->lanes))
            return false;
    for (uint32_t i = base + !blocks; i < g->count; i++)
        if (rule_key(g, rule, i) != g->lag[i])
            return false;
    rule->held = g->count - 1 - base;
    return true;
}

static uint32_t find_copies(accordi_growth *g, uint32_t base, uint32_t lanes, accordi_rule *rule)
{
    uint32_t found = 0;
    const accordi_rule kinds[] = {{.kind = ACCORDI_BLOCKS, .length = base, .lanes = 1},
                                  {.kind = ACCORDI_BLOCKS, .length = base, .lanes = lanes},
                                  {.kind = ACCORDI_COPIES, .length = base},
                                  {.kind = ACCORDI_LANES, .length = base}};
    for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        rule[found] = kinds[k];
        if (k != 1 || kinds[k].lanes > 1)
            found += copies_hold(g, &rule[found]);
    }
    return found;
}

uint32_t accordi_growth_rules(accordi_growth *g, const uint32_t *bases, uint32_t count,
                              uint32_t lanes, accordi_rule rule[ACCORDI_RULES])
{
    uint32_t found = find_periods(g, rule);
    for (uint32_t i = 0; i < count; i++)
        found += find_copies(g, bases[i], lanes, rule + found);
    if (!(g->count > 2 && g->match[1])) /* it was not true: from now on? */
        rule[found++] = (accordi_rule){.kind = ACCORDI_PERIOD, .length = 1};
    if (g->count > 2 && lag_onto_next(g, g->count))
        rule[found++] = (accordi_rule){.kind = ACCORDI_NEXT};
    qsort(rule, found, sizeof *rule, more_convincing);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < found; k++) /* two bases may be the same */
        if (kept == 0 || more_convincing(&rule[kept - 1], &rule[k]) != 0)
            rule[kept++] = rule[k];
    return kept;
}
