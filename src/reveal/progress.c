/* How much of a reveal is done, and how much is left.
 *
 * Work is counted in calls, and the number of calls of a stage is only known when it ends. So each
 * stage has an estimate of its calls. The total is the sum of the calls before the stage, the
 * greater of its estimate and of the calls that it has made already, and the estimates of the
 * stages that follow. A proof, and the test of all nodes, know their calls when they begin. So the
 * total becomes more exact with every stage, and is never less than the calls that were made. */
#include "pattern/pattern.h"
#include "reveal/work.h"
#include <accord/notation.h>
#include <math.h>

enum { NODES = 1024, A_NODE = 5, SAMPLE = 520, PROOF_ROUNDS = 1800, NODE_ROUNDS = 800 };

enum { CALIBRATION, DISCOVERY, PROOF, ARITHMETIC, REPLAYS, EVERY_NODE, RANKS };

/* In the order in which they come; stages of one rank stand for each other. */
static const struct {
    const char *stage;
    int rank;
} stages[] = {
    {"calibrating", CALIBRATION},
    {"discovering", DISCOVERY},
    {"splitting", DISCOVERY},
    {"guessing", DISCOVERY},
    {"mending", DISCOVERY},
    {"proving", PROOF},
    {"finding the arithmetic", ARITHMETIC},
    {"replaying", REPLAYS},
    {"testing every node", EVERY_NODE},
    {"recording answers", REPLAYS},
};
enum { STAGES = sizeof stages / sizeof stages[0] };

static uint64_t calls_of_replays(const accordi_asker *asker)
{
    size_t inputs = accordi_answers_count(asker->n), due = accordi_replays_due(asker->n);
    size_t rows = asker->replays ? asker->replays : due, few = (rows + 1) / 2;
    return rows + (few < inputs ? few : inputs); /* those of answers are asked twice */
}

/* The estimates of one rank; 0 for ranks that will not come. */
static uint64_t calls_of(const accordi_asker *asker, int rank)
{
    bool short_sum = asker->n <= NODES;
    if (rank > DISCOVERY && !asker->proof_follows)
        return 0;
    switch (rank) {
    case CALIBRATION:
        return asker->n > 1 ? 30 : 1;
    case DISCOVERY:
        return 60 + (uint64_t)(12 * log2((double)asker->n));
    case PROOF:
        return 60 + asker->n / 3 < PROOF_ROUNDS ? 60 + asker->n / 3 : PROOF_ROUNDS;
    case ARITHMETIC:
        return short_sum ? A_NODE * asker->n : SAMPLE;
    case REPLAYS:
        return calls_of_replays(asker);
    default:
        return short_sum ? 0 : NODE_ROUNDS;
    }
}

/* Of n log2 n bits that splitting has to know, a call says a fourth of what it has room for, as
 * measured with irregular orders. */
static uint64_t calls_of_splitting(const accordi_asker *asker)
{
    double n = (double)asker->n, bits = asker->bits > 1 ? asker->bits : 1;
    bool splits = asker->stage && strcmp(asker->stage, "splitting") == 0;
    return splits ? (uint64_t)(4 * n * log2(n) / bits) : 0;
}

static int rank_of(const char *stage)
{
    for (size_t i = 0; stage && i < STAGES; i++)
        if (strcmp(stages[i].stage, stage) == 0)
            return stages[i].rank;
    return -1;
}

uint64_t accordi_ahead(accordi_asker *asker, uint64_t done)
{
    int rank = rank_of(asker->stage);
    if (rank >= 0 && rank != asker->rank) {
        asker->rank = rank;
        asker->rank_began = done;
    }
    uint64_t spent = done - asker->rank_began;
    uint64_t own = calls_of(asker, asker->rank) + calls_of_splitting(asker);
    if (asker->total > asker->first_calls + asker->rank_began)
        own = asker->total - asker->first_calls - asker->rank_began;
    uint64_t total = asker->rank_began + (own > spent ? own : spent);
    for (int r = asker->rank + 1; r < RANKS; r++)
        total += calls_of(asker, r);
    bool limited = asker->budget_calls && asker->budget_calls < total;
    return limited && asker->budget_calls >= done ? asker->budget_calls : total;
}

/* ---- an end before the end ---- */

static void tell_proof(const accordi_work *w, accordi_buffer *out)
{
    const accordi_order_proof *p = &w->rounds;
    unsigned long long asked = p->asked, calls = p->calls;
    if (w->proved && w->certificate.explained)
        accordi_buffer_puts(out, "the order was found and proven, and random inputs agree with it, "
                                 "but other tests were not finished");
    else if (w->proved)
        accordi_buffer_puts(out, "the order was found and proven, but its arithmetic is not known");
    else if (w->options->no_certificate || !w->by_rounds)
        accordi_buffer_puts(out, "an order was found, but it is not proven");
    else
        accordi_buffer_printf(
            out, "an order was found, and %llu of the %llu sums of its proof agree with it", asked,
            calls);
}

/* The order itself, where that is short and soon written. */
static void tell_order(const accord_tree *tree, accordi_buffer *out)
{
    enum { SOON = 1000000, SHORT = 200 };
    char *text = NULL;
    bool regular = false;
    if (tree->leaves > SOON || accord_notation_write(tree, NULL, &text, &regular, NULL))
        return;
    if (strlen(text) <= SHORT)
        accordi_buffer_printf(out, "; it is %s", text);
    accord_notation_free(text);
}

void accordi_tell_known(const accordi_work *w, accord_error *error)
{
    accordi_buffer text = {0};
    if (!w->asker.stopped || error->status != ACCORD_TARGET)
        return;
    accordi_buffer_puts(&text, "interrupted: ");
    if (w->record.tree && w->record.tree->leaves > 1) {
        tell_proof(w, &text);
        tell_order(w->record.tree, &text);
    } else {
        accordi_buffer_puts(&text, "no order was found yet");
    }
    if (!text.failed)
        snprintf(error->text, sizeof error->text, "%s", text.data);
    accordi_buffer_clear(&text);
}
