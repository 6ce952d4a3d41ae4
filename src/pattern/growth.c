/* Orders as lists of lags, and their rules: a period of the list, or copies that double. */
#include "pattern/growth.h"

enum { LONGEST_MATCH = 65536, PERIODS = 4 };

bool accordi_growth_init(accordi_growth *g, uint32_t n)
{
    *g = (accordi_growth){.count = 1};
    g->lag = accordi_alloc(n, sizeof *g->lag);
    g->parent = accordi_alloc(2 * (size_t)n, sizeof *g->parent);
    g->size = accordi_alloc(n, sizeof *g->size);
    g->match = accordi_alloc(n < LONGEST_MATCH ? n : LONGEST_MATCH, sizeof *g->match);
    if (!g->lag || !g->parent || !g->size || !g->match)
        return accordi_growth_clear(g), false;
    g->lag[0] = g->parent[0] = g->parent[1] = 0;
    return true;
}

void accordi_growth_clear(accordi_growth *g)
{
    free(g->lag);
    free(g->parent);
    free(g->size);
    free(g->match);
    *g = (accordi_growth){.count = 0};
}

bool accordi_growth_add(accordi_growth *g, uint32_t lag)
{
    uint32_t i = g->count, node = 2 * i - lag;
    if (lag == 0 || lag > 2 * i || node == 1)
        return false;
    g->lag[i] = lag;
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

/* A node is passed on to the sum above it when its second child comes. */
void accordi_growth_measure(accordi_growth *g)
{
    memset(g->size, 0, g->count * sizeof *g->size);
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t sum = g->parent[2 * i], size = 1;
        while (sum) {
            bool second = g->size[sum] > 0;
            size = g->size[sum] += size;
            sum = second ? g->parent[2 * sum + 1] : 0;
        }
    }
}

uint32_t accordi_growth_size(const accordi_growth *g, uint32_t node)
{
    return node & 1 ? g->size[node >> 1] : 1;
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

enum accord_status accordi_growth_tree(const accordi_growth *g, bool turned, accord_tree **out,
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
    enum accord_status status = accord_tree_from_parents(n, n - 1, parent, out, error);
    free(parent);
    return status;
}

/* A copy from c on. A term in the second half of the first c that was added onto a sum of the first
 * half made the sum of both, and the copy of that term is added onto this one; within the copy all
 * is as in the first c terms. */
static uint32_t lag_in_copy(const accordi_growth *g, const accordi_rule *rule, uint32_t next)
{
    uint32_t c = rule->base;
    while (c <= next / 2)
        c *= 2;
    uint32_t j = next - c, half = c / 2 + j;
    bool first = j == 0 || (rule->lanes && j < c / 2);
    return first && c % 2 == 0 && 2 * half - g->lag[half] < c ? c - 1 : g->lag[j];
}

uint32_t accordi_rule_lag(const accordi_growth *g, const accordi_rule *rule, uint32_t next)
{
    if (rule->period == 0)
        return lag_in_copy(g, rule, next);
    return next > rule->period ? g->lag[next - rule->period] : 0;
}

/* match[p]: how many of the last lags are the same p terms before (the Z function of the list
 * read backwards). */
static uint32_t match_all(accordi_growth *g)
{
    uint32_t last = g->count - 1, count = last < LONGEST_MATCH ? last : LONGEST_MATCH;
    uint32_t *match = g->match, left = 0, right = 0;
    for (uint32_t p = 1; p < count; p++) {
        uint32_t m = p < right ? match[p - left] : 0;
        m = p < right && m > right - p ? right - p : m;
        while (p + m < count && g->lag[last - m] == g->lag[last - p - m])
            m++;
        match[p] = m;
        if (p + m > right) {
            left = p;
            right = p + m;
        }
    }
    return count;
}

static int more_convincing(const void *a, const void *b)
{
    const accordi_rule *x = a, *y = b;
    if (x->held != y->held)
        return x->held < y->held ? 1 : -1;
    return x->period < y->period ? -1 : x->period > y->period;
}

static uint32_t find_periods(accordi_growth *g, accordi_rule *rule)
{
    uint32_t most = 0, found = 0, terms = match_all(g);
    for (uint32_t p = 1; p < terms; p++) {
        if (g->match[p] <= most)
            continue;
        most = g->match[p];
        rule[found++ % PERIODS] = (accordi_rule){.period = p, .held = most};
    }
    return found < PERIODS ? found : PERIODS;
}

static bool copies_hold(accordi_growth *g, accordi_rule *rule)
{
    uint32_t count = g->count;
    if (rule->base < 2 || rule->base + 1 >= count || count > 2 * (uint64_t)rule->base)
        return false;
    for (uint32_t i = rule->base + 1; i < count; i++)
        if (accordi_rule_lag(g, rule, i) != g->lag[i])
            return false;
    rule->held = count - 1 - rule->base;
    return true;
}

uint32_t accordi_growth_rules(accordi_growth *g, const uint32_t *bases, uint32_t count,
                              accordi_rule rule[ACCORDI_RULES])
{
    uint32_t found = find_periods(g, rule);
    for (uint32_t i = 0; i < 2 * count && found < ACCORDI_RULES; i++) {
        rule[found] = (accordi_rule){.base = bases[i / 2], .lanes = i % 2};
        found += copies_hold(g, &rule[found]);
    }
    if (found < ACCORDI_RULES && !(g->count > 2 && g->match[1])) /* it was not true: from now on? */
        rule[found++] = (accordi_rule){.period = 1};
    qsort(rule, found, sizeof *rule, more_convincing);
    return found;
}
