/* Extends an order term by term, and in great steps where it is regular.
 *
 * Terms that are 0 leave the order of the others as it is, so probes can ask about the first i
 * terms alone. Where their order is known, a few counts say onto which of its nodes the next term
 * is added (extend_ask.c). Implementations are loops, so what happens to a term has most often
 * happened to another before it: rules (pattern/growth.h) that were right about this term say what
 * happens to the next ones, up to a border, which is looked for (extend_rule.c). There the next
 * term is asked about again, and so on. Counts are sums of random weights, so that an answer says
 * which terms are under a node, not only how many.
 *
 * Answers that are right do not say that all terms tested are. If the first terms turn out to be
 * less regular than was thought, the paths of the first 64 are split, which gives all of their
 * order. If an order that has been extended far is seen to be wrong, what shows it is followed down
 * to the first sum that is not as due and to the term with which it ceased to be. If a later term
 * fits nowhere, some steps are undone and tested with other pairs. So an order costs a dozen probes
 * or two for each border. An order whose terms follow no rule is given up after a few terms. The
 * order that comes out is a conjecture. */
#include "reveal/discover/extension.h"
#include "reveal/discover/split.h"

enum { RETRIES = 2, STEPS = 3, MANY_BORDERS = 5, FIRST_TERMS = 20 };
enum { MISSES = 6, TERMS_A_MISS = 8, SPARE_CALLS = 160, TERMS_A_CALL = 4, MOST_CALLS = 4000 };

/* The rules that were true of the last term. Where copies begin: at a border, or before it, since
 * the first terms of a copy, and the first copy of many, may have gone on like those before; but
 * not where a rule is hardly told from others. */
static uint32_t find_rules(accordi_extension *e, accordi_rule rule[ACCORDI_RULES])
{
    uint32_t bases[STEPS + 2], count = 0, border = e->bases ? e->base[0] : 0;
    for (; count < STEPS && count < e->bases; count++)
        bases[count] = e->base[count];
    uint32_t lanes = e->how->counts ? e->g->parent[0] : 1, back[] = {lanes, e->failed};
    for (int k = 0; k < 2 && e->how->counts; k++)
        if (back[k] > 0 && back[k] < border)
            bases[count++] = border - back[k];
    return accordi_growth_rules(e->g, bases, count, lanes, rule);
}

/* What begins again after many terms often does so in another way, and what is then taken for true
 * by chance leads far astray. */
static bool is_doubtful(const accordi_extension *e, const accordi_rule *rule)
{
    enum { FEW = 2 };
    return rule->kind < ACCORDI_PERIOD && rule->held < FEW && e->g->count >= ACCORDI_BEGINNING;
}

/* Keeps the order that goes on to the end by the rule that held for the most terms: where a term is
 * displaced a rule seems to fail that is right about all others. After that others may hold for as
 * long that are right about less. */
static void keep_longest(accordi_extension *e, const accordi_rule *rule, uint32_t from)
{
    enum { LEAST_HELD = 64 };
    uint32_t held = e->g->count - from;
    if (!e->nearly || held < LEAST_HELD || held <= 2 * e->longest)
        return;
    e->longest = held;
    e->nearly->count = e->g->count;
    e->nearly->rule = *rule;
    memcpy(e->nearly->lag, e->g->lag, e->g->count * sizeof *e->g->lag);
}

/* Goes on by the rule that holds farthest of those that were right about the last term. */
static bool leap(accordi_extension *e)
{
    accordi_rule rule[ACCORDI_RULES];
    uint32_t rules = find_rules(e, rule), best = 0;
    accordi_reach farthest = {e->g->count - 1, e->n, 0, 0};
    uint32_t from = e->g->count;
    e->knowns = e->hint = 0;
    for (uint32_t k = 0; k < rules && farthest.holds + 1 < e->n && !e->asker->status; k++) {
        uint32_t known = e->g->count - 1;
        if (farthest.holds > known) {
            if (accordi_extend_knows(e, &rule[k], &rule[best], farthest))
                continue;
            known = farthest.holds;
        }
        e->doubtful = is_doubtful(e, &rule[k]);
        accordi_reach r = accordi_extend_reach(e, &rule[k], known, rule, rules);
        if (r.holds <= farthest.holds)
            continue;
        farthest = r;
        best = k;
    }
    if (farthest.holds + 1 == e->g->count)
        return false;
    e->doubtful = is_doubtful(e, &rule[best]);
    accordi_extend_to_border(e, &rule[best], farthest);
    e->doubtful = false;
    keep_longest(e, &rule[best], from);
    e->leapt = e->how->counts ? 0 : from;
    e->failed = rule[best].length;
    return true;
}

/* The lag that the next term has most likely. */
static uint32_t likely_lag(accordi_extension *e)
{
    accordi_rule rule[ACCORDI_RULES];
    uint32_t rules = find_rules(e, rule);
    for (uint32_t k = 0; k < rules; k++) {
        uint32_t lag = accordi_rule_lag(e->g, &rule[k]);
        if (lag && lag != e->wrong && lag <= 2 * e->g->count && 2 * e->g->count - lag != 1)
            return lag;
    }
    return e->g->count == 1 ? 2 : 1;
}

static void note_border(accordi_extension *e)
{
    memmove(e->base + 1, e->base, (ACCORDI_BASES - 1) * sizeof *e->base);
    e->base[0] = e->g->count;
    e->bases += e->bases < ACCORDI_BASES;
}

/* What was tested too little is undone, back to the border before it; or, of answers that are only
 * likely to be other ones if the order is wrong, to where a rule last went on. */
static bool go_back(accordi_extension *e)
{
    uint32_t borders = 1 + e->retries, to;
    if (e->asker->status || e->retries++ == RETRIES || borders >= e->bases)
        return false;
    if (e->leapt)
        for (borders = 0; borders < e->bases && e->base[borders] > e->leapt;)
            borders++;
    e->bases -= borders;
    memmove(e->base, e->base + borders, e->bases * sizeof *e->base);
    to = e->leapt ? e->leapt : e->base[0];
    e->leapt = 0;
    accordi_growth_cut(e->g, to);
    return true;
}

/* Few orders can be extended only from their end. */
static bool is_hopeless(const accordi_extension *e, uint64_t first_calls)
{
    uint64_t most = SPARE_CALLS + e->n / TERMS_A_CALL;
    most = (most < MOST_CALLS ? most : MOST_CALLS) >> e->backwards;
    return e->misses > (MISSES >> e->backwards) + e->g->count / TERMS_A_MISS ||
           e->asker->target->calls - first_calls > most;
}

/* Splits the paths of the first terms: these are few, and all of their order comes out. */
static bool begin(accordi_extension *e)
{
    uint32_t terms[ACCORDI_BEGINNING];
    accordi_asker *asker = e->asker;
    accord_tree *tree = NULL;
    if (!accordi_extend_may_begin(e))
        return false;
    for (uint32_t i = 0; i < ACCORDI_BEGINNING; i++)
        terms[i] = i;
    accordi_ask_only(asker, terms, ACCORDI_BEGINNING);
    accordi_split(asker, &tree);
    accordi_ask_only(asker, NULL, 0);
    bool binary = tree && tree->inner + 1 == tree->leaves;
    if (binary && !accordi_growth_take(e->g, tree))
        asker->status = accordi_nomem(asker->error);
    accord_tree_free(tree);
    e->begun = true;
    e->irregular = false;
    e->bases = 0;
    return binary;
}

/* A contradiction: the last step is undone, if it was far from the beginning; else, or if that has
 * been tried, the beginning is split. */
static bool undo(accordi_extension *e)
{
    bool far = e->bases > 1 && e->base[1] > ACCORDI_BEGINNING && e->retries == 0;
    return far ? go_back(e) : begin(e) || go_back(e);
}

enum accord_status accordi_extend(accordi_asker *asker, const accordi_extend_how *how,
                                  void *context, accordi_growth *g, accordi_nearly *nearly,
                                  bool backwards)
{
    accordi_extension e = {.asker = asker,
                           .g = g,
                           .nearly = nearly,
                           .how = how,
                           .context = context,
                           .backwards = backwards,
                           .n = (uint32_t)asker->n};
    uint64_t first_calls = asker->target->calls;
    e.room = accordi_ask_alloc(asker, e.n, sizeof *e.room);
    if (how->counts)
        accordi_extend_weigh(&e);
    if (g->count == 1)
        accordi_growth_add(g, 2);
    while (g->count < e.n && !asker->status && !is_hopeless(&e, first_calls)) {
        if (e.bases >= MANY_BORDERS && g->count <= FIRST_TERMS && begin(&e))
            continue;
        uint32_t likely = likely_lag(&e);
        note_border(&e);
        e.wrong = 0;
        if (!how->ask(&e, likely)) {
            if (!undo(&e))
                break;
            continue;
        }
        if (g->count < e.n && !leap(&e))
            e.misses++;
        if (e.irregular && !begin(&e))
            break;
    }
    free(e.room);
    return asker->status;
}
