/* Which steps of a rule have something to do, and from which n on. A form that covers all lengths
 * has steps for the long ones, which find nothing to do with few terms: where they begin to is
 * where a reader sees the pattern change. */
#include "pattern/family.h"

enum { EACH = 8192, MOST = 64 };

/* The next n to look at: each one, or with many of them one of a thousand. */
static uint64_t after(const accord_family_rule *r, uint64_t n)
{
    uint64_t by = 1;
    if ((uint64_t)r->to - r->from >= EACH && n - r->from >= EACH / 2)
        by += n / 1000;
    if (by > 1)
        by += r->modulus - by % r->modulus + 1; /* other residues, too */
    return n < r->to && n + by > r->to ? r->to : n + by;
}

static bool is_of(const accord_family_rule *r, uint64_t n)
{
    return r->low <= n % r->modulus && n % r->modulus <= r->high;
}

/* The first n of the rule, behind `before`, up to `at`, at which the step is used. */
static uint32_t first_use(const accord_family_rule *r, size_t step, uint64_t before, uint64_t at)
{
    while (at - before > 1) {
        uint64_t middle = before + (at - before) / 2;
        if (is_of(r, middle) && accord_form_uses(r->form, (uint32_t)middle) >> step & 1)
            at = middle;
        else
            before = middle;
    }
    return (uint32_t)at;
}

size_t accord_family_uses(const accord_family *f, size_t rule, accord_family_use use[MOST])
{
    accord_family_rule r = accord_family_rule_at(f, rule);
    char text[ACCORD_STEP_SIZE];
    uint64_t missed[MOST], before = r.from;
    size_t count = 0;
    while (count < MOST && *r.form && accord_form_step(r.form, count, text)) {
        use[count] = (accord_family_use){.always = true};
        missed[count++] = 0;
    }
    for (uint64_t n = r.from; count > 0 && n <= r.to; n = after(&r, n)) {
        if (!is_of(&r, n))
            continue;
        uint64_t used = accord_form_uses(r.form, (uint32_t)n);
        for (size_t i = 0; i < count; i++) {
            if (!(used >> i & 1)) {
                missed[i]++;
                continue;
            }
            if (use[i].from == 0)
                use[i].from = first_use(&r, i, n > r.from ? before : n - 1, n);
            else
                use[i].always = use[i].always && missed[i] == 0;
            missed[i] = 0;
            use[i].to = (uint32_t)n;
        }
        before = n;
    }
    return count;
}

static void put_change(uint32_t *n, size_t room, size_t *count, uint32_t change)
{
    for (size_t i = 0; i < *count && i < room; i++)
        if (n[i] == change)
            return;
    if (*count < room)
        n[*count] = change;
    ++*count;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

size_t accord_family_changes(const accord_family *f, uint32_t *n, size_t room)
{
    enum { FEW = 2 }; /* n behind the beginning of a rule, at which its lists are of one term yet */
    size_t count = 0;
    accord_family_use use[MOST];
    for (size_t i = 0; i < accord_family_rules(f); i++) {
        accord_family_rule r = accord_family_rule_at(f, i);
        if (r.from > accord_family_from(f))
            put_change(n, room, &count, r.from);
        size_t steps = r.to > r.from ? accord_family_uses(f, i, use) : 0;
        uint64_t first = r.from;
        while (!is_of(&r, first))
            first++;
        for (size_t k = 0; k < steps; k++)
            if (use[k].always && use[k].from > first + FEW)
                put_change(n, room, &count, use[k].from);
    }
    qsort(n, count < room ? count : room, sizeof *n, ascending);
    return count;
}
