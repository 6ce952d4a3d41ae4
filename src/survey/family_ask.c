/* Learns a family by asking: which n, how long, and whether its predictions hold.
 *
 * The tails of vector loops depend on n modulo a power of two, and the loops themselves on how
 * large n is. So one n of every residue modulo 128 is asked between each two powers of two. Then
 * the rules say what is open: the n between two rules, where one gives way to the other. When
 * nothing is open, predictions at n that were not asked before are checked; a wrong prediction adds
 * an order for the rules, and all begins again. */
#include "survey/family_learner.h"

/* Whether it says that there is no order at this n: a routine of complex numbers has none at odd
 * n. */
static bool is_no_order(enum accord_status status)
{
    return status == ACCORD_UNABLE || status == ACCORD_ARG || status == ACCORD_UNSUPPORTED;
}

/* Where none of the first n has an order, nothing is wrong with these n. */
static enum accord_status give_up(const accordi_learner *l)
{
    if (l->reason.status == ACCORD_UNABLE)
        return accordi_unable(l->error, l->reason.reason, "%s", l->reason.text);
    return accordi_fail(l->error, l->reason.status, "%s", l->reason.text);
}

/* Asks for the order at n and adds it. *wrong (may be NULL) becomes whether the family said
 * another one. */
static enum accord_status ask_at(accordi_learner *l, uint32_t n, bool *wrong)
{
    enum { FIRST_FAILURES = 8 };
    accord_tree *tree = NULL;
    accord_error why = {.status = ACCORD_OK};
    size_t rule;
    if (accordi_learner_is_spent(l) || accord_family_at(l->family, n, &rule) == ACCORD_FAMILY_ASKED)
        return ACCORD_OK;
    enum accord_status status = accordi_learner_ask(l, n, &tree, &why);
    if (status == ACCORD_UNABLE && why.reason == ACCORD_REASON_BUDGET)
        l->spent = true;
    if (accordi_learner_is_stopped(l, status, &why) || (status && l->spent))
        return ACCORD_OK;
    if (status && !is_no_order(status))
        return accordi_learner_fail(l, status, n, why.text);
    l->answered = l->answered || !status;
    if (status && l->reason.status == ACCORD_OK)
        l->reason = why;
    if (wrong && !status)
        *wrong = !accord_family_holds(l->family, tree);
    else if (wrong)
        *wrong = *accord_family_rule_at(l->family, rule).form;
    status = accord_family_add(l->family, n, status ? NULL : tree, why.text, l->error);
    accord_tree_free(tree);
    l->account->asked++;
    if (!status && !l->answered && l->account->asked >= FIRST_FAILURES)
        return give_up(l);
    return status;
}

static enum accord_status fit(accordi_learner *l)
{
    l->surprises = 0;
    l->fitted = l->account->asked;
    return accord_family_fit(l->family, l->error);
}

/* Now and then, what was asked is made use of for what is still to be asked. */
static enum accord_status fit_again(accordi_learner *l)
{
    enum { FEWEST = 48, SURPRISES = 6 };
    uint64_t asked = l->account->asked;
    bool due = asked >= FEWEST && asked - l->fitted >= l->fitted / 4 && l->surprises >= SURPRISES;
    return due ? fit(l) : ACCORD_OK;
}

static enum accord_status ask_all(accordi_learner *l, const uint32_t *n, size_t count,
                                  const char *stage)
{
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; !status && i < count && !l->spent; i++)
        if (!(status = ask_at(l, n[i], NULL)) && !(status = fit_again(l)))
            accordi_learner_report(l, stage);
    return status;
}

/* ---- where to begin ---- */

enum { ALL = 320, DENSE = 128, FEW_RESIDUES = 32, MANY_TERMS = 16384, ROOM = 8192 };
enum { RESIDUES = ACCORDI_LEARNER_RESIDUES };

/* One n of each residue from `low` to `high`, or of some with many terms; and multiples of 64,
 * since sums in blocks are out of line where the last block is a whole one. */
static size_t plan_piece(accordi_learner *l, uint32_t low, uint32_t high, uint32_t *n, size_t count)
{
    enum { MULTIPLES = 64 };
    uint64_t each = 64;
    while ((high - low) / each > MULTIPLES)
        each *= 2;
    for (uint64_t k = (low + each - 1) / each * each; k <= high && count < ROOM; k += each)
        n[count++] = (uint32_t)k;
    uint64_t step = low >= MANY_TERMS ? RESIDUES / FEW_RESIDUES : 1;
    for (uint64_t r = accordi_rng_below(&l->rng, step); r < RESIDUES; r += step) {
        uint32_t drawn = accordi_learner_draw(l, low, high, r);
        if (drawn && count < ROOM)
            n[count++] = drawn;
    }
    return count;
}

static size_t plan(accordi_learner *l, uint32_t *n)
{
    uint64_t from = accord_family_from(l->family), to = accord_family_to(l->family);
    size_t count = 0;
    if (to - from < ALL) {
        for (uint64_t k = from; k <= to; k++)
            n[count++] = (uint32_t)k;
        return count;
    }
    for (uint64_t k = from; k <= DENSE; k++)
        n[count++] = (uint32_t)k;
    n[count++] = (uint32_t)from;
    for (uint64_t low = DENSE + 1, high = 2 * DENSE; low <= to; low = high + 1, high *= 2) {
        uint64_t first = low > from ? low : from, last = high < to ? high : to;
        if (first <= last)
            count = plan_piece(l, (uint32_t)first, (uint32_t)last, n, count);
    }
    n[count++] = (uint32_t)to;
    return count;
}

/* ---- refining and checking ---- */

static enum accord_status refine(accordi_learner *l)
{
    enum { ROUNDS = 64, MOST_OPEN = 128 };
    uint32_t open[MOST_OPEN];
    enum accord_status status = fit(l);
    for (size_t round = 0; !status && round < ROUNDS && !l->spent; round++) {
        size_t count = accord_family_open(l->family, open, MOST_OPEN);
        if (count == 0)
            break;
        status = ask_all(l, open, count, "looking for changes");
        if (!status)
            status = fit(l);
    }
    return status;
}

/* An n near to the beginning or the end of a rule; or, since what is out of line at a single n may
 * be so at others with the same residue, whole multiples of 64 from one. */
static uint64_t draw_near(accordi_learner *l)
{
    enum { NEAR = 5, STEP = 64 };
    size_t i = accordi_rng_below(&l->rng, accord_family_rules(l->family));
    accord_family_rule r = accord_family_rule_at(l->family, i);
    uint64_t by = accordi_rng_below(&l->rng, NEAR), to = accord_family_to(l->family);
    if (r.from == r.to && accordi_rng_below(&l->rng, 2))
        return r.from % STEP + STEP * accordi_rng_below(&l->rng, to / STEP + 1);
    return accordi_rng_below(&l->rng, 2) ? r.from + by : r.to >= by ? r.to - by : r.from;
}

/* An n of a rule, or a few n before its first one or behind its last one. */
static uint64_t draw_of(accordi_learner *l, accord_family_rule r)
{
    uint64_t residue = r.low + accordi_rng_below(&l->rng, (uint64_t)r.high - r.low + 1);
    uint64_t drawn = r.from + accordi_rng_below(&l->rng, (uint64_t)r.to - r.from + 1);
    return drawn - drawn % r.modulus + residue;
}

/* What is out of line at a single n may be so at its multiples, too: the first of these, with those
 * that are drawn already. */
static size_t draw_multiples(const accord_family *f, accord_family_rule single, uint32_t *n,
                             size_t count, size_t most)
{
    enum { MULTIPLES = 8 };
    for (uint64_t k = 2; k <= MULTIPLES && count < most; k++)
        if (accordi_learner_is_fresh(f, k * single.from, n, count))
            n[count++] = (uint32_t)(k * single.from);
    return count;
}

/* As many predicted n as are wanted, or all of them where there are not so many: first one of each
 * rule, since a rule for few n may be wrong at all that were not asked. */
static size_t draw_checks(accordi_learner *l, uint32_t *n, size_t wanted)
{
    enum { TRIES = 40 };
    accord_family *f = l->family;
    uint64_t from = accord_family_from(f), range = (uint64_t)accord_family_to(f) - from + 1;
    size_t count = 0, rules = accord_family_rules(f);
    size_t first = rules ? accordi_rng_below(&l->rng, rules) : 0;
    for (size_t i = 0; i < rules && count < wanted / 4; i++) {
        accord_family_rule r = accord_family_rule_at(f, (first + i) % rules);
        for (size_t k = 0, before = count; k < TRIES && r.predicted && count == before; k++) {
            uint64_t drawn = draw_of(l, r);
            if (accordi_learner_is_fresh(f, drawn, n, count))
                n[count++] = (uint32_t)drawn;
        }
        if (r.from == r.to)
            count = draw_multiples(f, r, n, count, wanted / 4);
    }
    size_t near_to = count + wanted / 2;
    for (size_t k = 0; rules && k < TRIES * wanted && count < wanted; k++) {
        bool near = count < near_to && k < 2 * wanted;
        uint64_t drawn = near ? draw_near(l) : from + accordi_rng_below(&l->rng, range);
        if (accordi_learner_is_fresh(f, drawn, n, count))
            n[count++] = (uint32_t)drawn;
    }
    for (uint64_t k = 0; count < wanted && k < range && range < ROOM; k++)
        if (accordi_learner_is_fresh(f, from + k, n, count))
            n[count++] = (uint32_t)(from + k);
    return count;
}

/* Rules that were wrong before are checked twice as often, again and again: else checks would go on
 * until they are passed by chance. */
static enum accord_status check_predictions(accordi_learner *l, uint64_t *wrong)
{
    enum { MOST_DOUBLINGS = 4 };
    size_t wanted = l->options.checks ? l->options.checks : 200;
    wanted <<= l->failures < MOST_DOUBLINGS ? l->failures : MOST_DOUBLINGS;
    uint32_t *n = accordi_alloc(wanted, sizeof *n);
    size_t count = n ? draw_checks(l, n, wanted) : 0;
    enum accord_status status = n ? ACCORD_OK : accordi_nomem(l->error);
    *wrong = 0;
    l->account->checks = 0;
    for (size_t i = 0; !status && i < count; i++) {
        bool refuted = false;
        status = ask_at(l, n[i], &refuted);
        if (l->spent)
            break;
        *wrong += refuted;
        l->account->checks += !status;
        if (!status)
            accordi_learner_report(l, "checking predictions");
    }
    free(n);
    return status;
}

/* Checks that begin to fail end with the first round in which all is well. */
static enum accord_status learn(accordi_learner *l)
{
    enum { ROUNDS = 30 };
    uint32_t *n = accordi_alloc(ROOM + 2, sizeof *n), open;
    uint64_t wrong = 1;
    if (!n)
        return accordi_nomem(l->error);
    size_t count = plan(l, n);
    l->total = count + count / 8 + (l->options.checks ? l->options.checks : 200);
    enum accord_status status = ask_all(l, n, count, "asking");
    free(n);
    if (!status && !l->answered && l->account->asked > 0)
        status = give_up(l);
    for (size_t round = 0; !status && wrong > 0 && round < ROUNDS; round++) {
        status = refine(l);
        if (!status && !l->spent)
            status = check_predictions(l, &wrong);
        l->account->refuted += status ? 0 : wrong;
        l->failures += wrong > 0;
        if (l->spent)
            break;
    }
    if (!status) /* what was checked is asked now */
        status = fit(l);
    l->account->complete = !l->spent && wrong == 0 && accord_family_open(l->family, &open, 1) == 0;
    return status;
}

static void count_states(accordi_learner *l)
{
    accord_family_account *a = l->account;
    const accord_family *f = l->family;
    a->predicted = 0;
    for (size_t i = 0; i < accord_family_rules(f); i++)
        a->predicted += accord_family_rule_at(f, i).predicted;
    a->unknown =
        (uint64_t)accord_family_to(f) - accord_family_from(f) + 1 - a->asked - a->predicted;
}

enum accord_status accord_family_learn(uint32_t from, uint32_t to,
                                       const accord_family_options *options, accord_family_ask *ask,
                                       void *context, accord_family **out,
                                       accord_family_account *account, accord_error *error)
{
    accord_family_account own = {.asked = 0};
    accord_error none;
    accordi_learner l = {.ask = ask,
                         .context = context,
                         .account = &own,
                         .start = accordi_now(),
                         .error = error ? error : &none};
    enum accord_status status =
        ACCORDI_TAKE(accord_family_options, progress_context, &l.options, options, error);
    if (!status)
        status = accord_family_new(from, to, &l.family, error);
    if (status)
        return status;
    accordi_rng_init(&l.rng, l.options.seed);
    status = learn(&l);
    if (!status && l.stopped && own.asked == 0)
        status = accordi_fail(error, ACCORD_TARGET, "interrupted: no order is known yet");
    else if (!status && l.spent && own.asked == 0)
        status = accordi_unable(error, ACCORD_REASON_BUDGET,
                                "the budget was spent before one order was known: raise --budget");
    if (status) {
        accord_family_free(l.family);
        return status;
    }
    count_states(&l);
    own.seconds = accordi_now() - l.start;
    if (account)
        *account = own;
    *out = l.family;
    return ACCORD_OK;
}
