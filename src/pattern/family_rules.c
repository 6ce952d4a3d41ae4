/* From samples, each with the forms that fit it, to rules.
 *
 * Idea: the samples are cut into stretches. In a stretch every n has the form that its residue
 * modulo some number says; mostly the number is 1, and the stretch has one form. Of all ways to cut
 * the least expensive one is taken, by dynamic programming over the samples: a stretch costs
 * STRETCH, and each run of residues with one form costs one more. A residue counts only if it
 * occurs twice. A sample that no form fits is a stretch of its own.
 *
 * Between two stretches lie n that were not asked. Where both say the same they are predicted; else
 * they are unknown, and open questions. So a rule never reaches beyond what was asked, unless both
 * rules give the same order there. */
#include "pattern/family.h"

enum { STRETCH = 2, MOST_RUNS = 64, LARGEST_MODULUS = 512 };
static const uint32_t usual_moduli[] = {1,  2,  3,  4,  5,  6,  7,  8,  10, 12,  14,  16,  20,
                                        24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 192, 256};
enum { USUAL_MODULI = sizeof usual_moduli / sizeof *usual_moduli };
enum { MODULI = USUAL_MODULI + 16 };

typedef struct step { /* the best way to cut the samples before this place */
    unsigned cost;
    uint32_t modulus;
    size_t first; /* of the last stretch */
} step;

/* The run of residues from `low` on: which forms fit all of it; *high becomes its end. */
static uint64_t run_from(const uint64_t *fits, uint32_t modulus, uint32_t low, uint32_t *high)
{
    uint64_t all = UINT64_MAX;
    for (*high = low; *high < modulus && all & fits[*high]; ++*high)
        all &= fits[*high];
    --*high;
    return all;
}

static unsigned count_runs(const uint64_t *fits, uint32_t modulus)
{
    unsigned runs = 0;
    uint32_t high;
    for (uint32_t low = 0; low < modulus; low = high + 1, runs++)
        run_from(fits, modulus, low, &high);
    return runs;
}

/* All stretches that begin with sample `first`. */
static void try_stretches(const accord_family *f, size_t first, uint32_t modulus, step *best)
{
    uint64_t fits[LARGEST_MODULUS];
    unsigned runs = 1;
    for (uint32_t r = 0; r < modulus; r++)
        fits[r] = UINT64_MAX;
    for (size_t i = first; i < f->samples; i++) {
        const accordi_sample *s = &f->sample[i];
        uint64_t *of = &fits[s->n % modulus], now = *of & s->fits;
        if (!now && i > first)
            break;
        if (now != *of) {
            *of = now;
            runs = now ? count_runs(fits, modulus) : 1;
        }
        unsigned cost = best[first].cost + STRETCH + runs;
        if (runs > MOST_RUNS)
            break;
        bool repeats = modulus == 1 || s->n - f->sample[first].n + 1 >= 2 * modulus;
        if (repeats && cost < best[i + 1].cost)
            best[i + 1] = (step){cost, modulus, first};
        if (!now)
            break;
    }
}

/* ---- moduli ---- */

static void add_modulus(uint32_t *modulus, size_t *count, uint32_t m)
{
    for (size_t i = 0; i < *count; i++)
        if (modulus[i] == m)
            return;
    if (m > 1 && m <= LARGEST_MODULUS && *count < MODULI)
        modulus[(*count)++] = m;
}

/* Of the forms that fit a sample the one with the fewest words; the number of forms if none fits.
 */
static size_t simplest_form(const accord_family *f, const accordi_sample *s)
{
    size_t best = f->forms;
    for (uint64_t fits = s->fits; fits; fits &= fits - 1) {
        size_t k = (size_t)__builtin_ctzll(fits);
        if (best == f->forms || strlen(f->form[k]) < strlen(f->form[best]))
            best = k;
    }
    return best;
}

typedef struct distances { /* between samples of which a form is the simplest one */
    size_t count;
    uint32_t last, common; /* what divides all of them */
} distances;

static void put_distance(distances *d, uint32_t n)
{
    uint32_t by = d->count++ ? n - d->last : 0;
    d->last = n;
    while (by) {
        uint32_t rest = d->common % by;
        d->common = by;
        by = rest;
    }
}

/* The usual moduli, and what the samples between two powers of two suggest: what divides all
 * distances between those that have an unusual form. */
static size_t find_moduli(const accord_family *f, uint32_t modulus[MODULI])
{
    enum { FEWEST = 3 };
    size_t count = 0;
    for (size_t i = 0; i < USUAL_MODULI; i++)
        modulus[count++] = usual_moduli[i];
    for (size_t i = 0; i < f->samples;) {
        distances of[ACCORDI_MOST_FORMS + 1] = {{.count = 0}};
        for (uint32_t first = f->sample[i].n; i < f->samples && f->sample[i].n / 2 < first; i++)
            put_distance(&of[simplest_form(f, &f->sample[i])], f->sample[i].n);
        for (size_t k = 0; k < f->forms; k++)
            if (of[k].count >= FEWEST)
                add_modulus(modulus, &count, of[k].common);
    }
    return count;
}

/* ---- rules of a stretch ---- */

/* The numbers up to x with a residue of the rule. */
static uint64_t count_to(const accord_family_rule *r, uint64_t x)
{
    uint64_t width = r->high - r->low + 1, rest = x % r->modulus;
    uint64_t last = rest < r->low ? 0 : rest - r->low + 1;
    return x / r->modulus * width + (last < width ? last : width);
}

uint32_t accordi_rule_size(const accord_family_rule *r)
{
    return (uint32_t)(count_to(r, r->to) - (r->from ? count_to(r, r->from - 1) : 0));
}

static bool is_of(const accord_family_rule *r, uint32_t n)
{
    return r->from <= n && n <= r->to && r->low <= n % r->modulus && n % r->modulus <= r->high;
}

/* Of several forms the one that fits most samples, so that stretches have the same one. */
static const char *choose_form(const accord_family *f, uint64_t all)
{
    size_t most = 0, best = 0;
    for (size_t k = 0; k < f->forms; k++) {
        size_t fitted = 0;
        for (size_t i = 0; i < f->samples; i++)
            fitted += f->sample[i].fits >> k & 1;
        if ((all >> k & 1) && fitted > most) {
            most = fitted;
            best = k;
        }
    }
    return f->form[best];
}

enum { FEWEST_ASKED = 6 }; /* so that a rule rests on something */

/* The steps of all samples of the rule, if these are the same: simpler than what also says how it
 * goes on elsewhere. NULL if they are not, or there are few samples. */
static const char *common_steps(const accord_family *f, const accord_family_rule *r)
{
    const char *steps = NULL;
    size_t count = 0;
    for (size_t i = f->samples; i-- > 0;) {
        const accordi_sample *s = &f->sample[i];
        if (!is_of(r, s->n))
            continue;
        bool same = s->steps && (!steps || strcmp(steps, s->steps) == 0);
        if (s->n <= 2 && steps) /* any order is theirs */
            same = accordi_form_is_order(steps, s->n);
        else
            steps = s->steps;
        if (!same)
            return NULL;
        count++;
    }
    return count >= FEWEST_ASKED ? steps : NULL;
}

static enum accord_status put_stretch(accord_family *f, size_t first, size_t last, uint32_t modulus,
                                      accord_error *error)
{
    const accordi_sample *a = &f->sample[first], *b = &f->sample[last];
    accord_family_rule rule = {.from = a->n, .to = b->n, .modulus = modulus};
    uint64_t fits[LARGEST_MODULUS];
    enum accord_status status = ACCORD_OK;
    if (!a->fits) {
        rule.form = a->steps ? a->steps : "";
        return accordi_family_put_rule(f, &rule, true, error);
    }
    for (uint32_t r = 0; r < modulus; r++)
        fits[r] = UINT64_MAX;
    for (size_t i = first; i <= last; i++)
        fits[f->sample[i].n % modulus] &= f->sample[i].fits;
    for (; !status && rule.low < modulus; rule.low = rule.high + 1) {
        uint64_t all = run_from(fits, modulus, rule.low, &rule.high);
        const char *common = common_steps(f, &rule);
        rule.form = common ? common : choose_form(f, all);
        if (accordi_rule_size(&rule) > 0)
            status = accordi_family_put_rule(f, &rule, false, error);
    }
    return status;
}

static enum accord_status put_stretches(accord_family *f, const step *best, accord_error *error)
{
    size_t *cut = accordi_alloc(f->samples + 1, sizeof *cut), cuts = 0;
    enum accord_status status = cut ? ACCORD_OK : accordi_nomem(error);
    for (size_t end = f->samples; cut && end > 0; end = best[end].first)
        cut[cuts++] = end;
    while (!status && cuts > 0) {
        size_t end = cut[--cuts];
        status = put_stretch(f, best[end].first, end - 1, best[end].modulus, error);
    }
    free(cut);
    return status;
}

/* Neighbors that have the same steps, but are too few for a form, are one rule. */
static void join_alone(accord_family *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->rules; i++) {
        accordi_rule *last = kept ? &f->rule[kept - 1] : NULL, *r = &f->rule[i];
        if (last && last->alone && r->alone && last->public.to + 1 == r->public.from &&
            strcmp(last->form, r->form) == 0) {
            last->public.to = r->public.to;
            free(r->form);
        } else {
            f->rule[kept++] = *r;
        }
    }
    f->rules = kept;
}

/* ---- between stretches ---- */

/* The rule of the stretch that rule i belongs to which holds for n; NULL if none does. */
static const accordi_rule *rule_for(const accord_family *f, size_t i, uint32_t n)
{
    uint32_t from = f->rule[i].public.from, modulus = f->rule[i].public.modulus;
    while (i > 0 && f->rule[i - 1].public.from == from)
        i--;
    for (; i < f->rules && f->rule[i].public.from == from; i++)
        if (n % modulus >= f->rule[i].public.low && n % modulus <= f->rule[i].public.high)
            return &f->rule[i];
    return NULL;
}

/* Whether the stretches before and behind a gap, of rules i and i + 1, say the same of n in it. */
static bool agree(const accord_family *f, size_t i, uint32_t n)
{
    const accordi_rule *a = rule_for(f, i, n), *b = rule_for(f, i + 1, n);
    if (!a || !b || a->alone || b->alone)
        return false;
    char *notation = NULL;
    accord_tree *tree = NULL;
    accordi_sample s = {.n = n};
    bool good = strcmp(a->form, b->form) == 0;
    if (!good && accord_form_at(a->form, n, &notation, NULL) == ACCORD_OK &&
        accord_notation_parse(notation, &tree, NULL, NULL, NULL) == ACCORD_OK)
        good = accordi_sample_tree(&s, tree) && accordi_form_fits(b->form, &s);
    accord_notation_free(notation);
    accord_tree_free(tree);
    accordi_sample_clear(&s);
    return good;
}

/* All rules of one stretch begin and end together. */
static void move_ends(accord_family *f, size_t i, uint32_t from, uint32_t to)
{
    uint32_t old = f->rule[i].public.from;
    while (i > 0 && f->rule[i - 1].public.from == old)
        i--;
    for (; i < f->rules && f->rule[i].public.from == old; i++) {
        f->rule[i].public.from = from;
        f->rule[i].public.to = to;
    }
}

/* Where one stretch gives way to the next is known only as far as samples tell them apart: samples
 * of other residues may fit both. So each is cut back to its last, or first, sample that the other
 * one does not fit; what is between becomes a gap. */
static void open_gaps(accord_family *f)
{
    for (size_t i = 0; i + 1 < f->rules; i++) {
        accord_family_rule a = f->rule[i].public, b = f->rule[i + 1].public;
        if (a.from == b.from || f->rule[i].alone || f->rule[i + 1].alone)
            continue;
        uint32_t last = 0, first = 0;
        for (size_t k = 0; k < f->samples; k++) {
            const accordi_sample *s = &f->sample[k];
            bool before = s->n >= a.from && s->n <= a.to, behind = s->n >= b.from && s->n <= b.to;
            const accordi_rule *other = before   ? rule_for(f, i + 1, s->n)
                                        : behind ? rule_for(f, i, s->n)
                                                 : NULL;
            if (!other || (behind && first) || accordi_form_fits(other->form, s))
                continue;
            last = before ? s->n : last;
            first = behind ? s->n : first;
        }
        if (last && first) {
            move_ends(f, i, a.from, last);
            move_ends(f, i + 1, first, b.to);
        }
    }
}

/* Gaps become as short as the two sides agree. */
static void close_gaps(accord_family *f)
{
    enum { FARTHEST = 2048 };
    for (size_t i = 0; i + 1 < f->rules; i++) {
        accord_family_rule a = f->rule[i].public, b = f->rule[i + 1].public;
        if (a.from == b.from || a.to + 1 >= b.from)
            continue;
        uint32_t low = a.to + 1, high = b.from - 1;
        for (unsigned k = 0; k < FARTHEST && low <= high && agree(f, i, low); k++)
            low++;
        for (unsigned k = 0; k < FARTHEST && low < high && agree(f, i, high); k++)
            high--;
        move_ends(f, i, a.from, low - 1);
        if (low <= high)
            move_ends(f, i + 1, high + 1, b.to);
    }
}

/* The first n of the rule from `n` on at which its form gives no order: 0 if there is none. In
 * ranges of very many n that is not looked for. */
static uint32_t next_without_order(const accord_family_rule *r, uint64_t n)
{
    enum { MOST = 1 << 20 };
    for (; *r->form && r->to - r->from < MOST && n <= r->to; n++)
        if (is_of(r, (uint32_t)n) && !accordi_form_is_order(r->form, (uint32_t)n))
            return (uint32_t)n;
    return 0;
}

static void count_asked(accord_family *f)
{
    for (size_t i = 0; i < f->rules; i++) {
        accord_family_rule *r = &f->rule[i].public;
        r->asked = 0;
        for (size_t k = 0; k < f->samples; k++)
            r->asked += is_of(r, f->sample[k].n);
        r->predicted = accordi_rule_size(r) - r->asked;
        for (uint32_t n = r->from; (n = next_without_order(r, n)) > 0; n++)
            r->predicted--;
    }
}

enum accord_status accordi_family_find_rules(accord_family *f, accord_error *error)
{
    uint32_t modulus[MODULI];
    step *best = accordi_alloc(f->samples + 1, sizeof *best);
    if (!best)
        return accordi_nomem(error);
    for (size_t i = 0; i <= f->samples; i++)
        best[i] = (step){.cost = i ? UINT32_MAX : 0};
    size_t moduli = find_moduli(f, modulus);
    for (size_t i = 0; i < f->samples; i++)
        for (size_t k = 0; k < moduli; k++)
            try_stretches(f, i, modulus[k], best);
    accordi_family_clear_rules(f);
    enum accord_status status = put_stretches(f, best, error);
    free(best);
    join_alone(f);
    open_gaps(f);
    close_gaps(f);
    count_asked(f);
    return status;
}

/* ---- what is open ---- */

static void put(uint32_t *list, size_t *count, size_t room, uint32_t n)
{
    for (size_t i = 0; i < *count; i++)
        if (list[i] == n)
            return;
    if (*count < room)
        list[(*count)++] = n;
}

/* An n of the rule with this residue, as near to the middle as one that was not asked is found; 0:
 * all were asked. */
static uint32_t pick(const accord_family *f, const accord_family_rule *r, uint32_t residue)
{
    uint64_t middle = r->from + (uint64_t)(r->to - r->from) / 2;
    uint64_t near = middle - middle % r->modulus + residue;
    for (uint64_t by = 0; by <= r->to - r->from + (uint64_t)r->modulus; by += r->modulus)
        for (int down = 0; down < 2; down++) {
            uint64_t n = down ? near - by : near + by;
            bool inside = (!down || near >= by) && n >= r->from && n <= r->to;
            if (inside && !accordi_family_sample(f, (uint32_t)n))
                return (uint32_t)n;
        }
    return 0;
}

static bool is_residue_asked(const accord_family *f, const accord_family_rule *r, uint32_t residue)
{
    for (size_t i = 0; i < f->samples; i++)
        if (f->sample[i].n % r->modulus == residue && is_of(r, f->sample[i].n))
            return true;
    return false;
}

static void open_residues(const accord_family *f, const accord_family_rule *r, uint32_t *n,
                          size_t *count, size_t room)
{
    for (uint32_t residue = r->low; r->modulus > 1 && residue <= r->high; residue++) {
        uint32_t found = is_residue_asked(f, r, residue) ? 0 : pick(f, r, residue);
        if (found)
            put(n, count, room, found);
    }
}

/* Of the n from low to high, which lie between the stretches of rules i and i + 1, one on which
 * these do not agree: near to the middle, or the first one. */
static uint32_t pick_between(const accord_family *f, size_t i, uint32_t low, uint32_t high)
{
    uint32_t middle = low + (high - low) / 2;
    for (uint32_t by = 0; by <= LARGEST_MODULUS; by++) {
        if (high - middle >= by && !accordi_family_sample(f, middle + by) &&
            !agree(f, i, middle + by))
            return middle + by;
        if (middle - low >= by && !accordi_family_sample(f, middle - by) &&
            !agree(f, i, middle - by))
            return middle - by;
    }
    return low;
}

size_t accord_family_open(const accord_family *f, uint32_t *n, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < f->rules && count < room; i++) {
        const accord_family_rule *r = &f->rule[i].public;
        const accordi_rule *next = i + 1 < f->rules ? &f->rule[i + 1] : NULL;
        open_residues(f, r, n, &count, room);
        if (accordi_rule_size(r) > r->asked + r->predicted)
            put(n, &count, room, next_without_order(r, r->from));
        uint32_t found = r->predicted > 0 && r->asked < FEWEST_ASKED ? pick(f, r, r->low) : 0;
        if (found)
            put(n, &count, room, found);
        if (!next || next->public.from == r->from || r->to + 1 >= next->public.from ||
            (f->rule[i].alone && next->alone))
            continue;
        put(n, &count, room, pick_between(f, i, r->to + 1, next->public.from - 1));
    }
    return count;
}
