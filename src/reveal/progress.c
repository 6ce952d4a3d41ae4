/* How far a reveal has come, and how far it has to go.
 *
 * What there is to do is counted in calls, and only known when it is done; so each stage has an
 * estimate of its calls, and the total is what was done before the stage, the greater of its
 * estimate and of what it has taken already, and the estimates of what follows. It gets better with
 * every stage, and is never less than what is done. */
#include "reveal/work.h"
#include <math.h>

enum { NODES = 1024, A_NODE = 5, ROUNDS = 1800 };

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
        return 60 + asker->n / 3;
    case ARITHMETIC:
        return short_sum ? A_NODE * asker->n : ROUNDS;
    case REPLAYS:
        return calls_of_replays(asker);
    default:
        return short_sum ? 0 : ROUNDS;
    }
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
    uint64_t spent = done - asker->rank_began, own = calls_of(asker, asker->rank);
    uint64_t total = asker->rank_began + (own > spent ? own : spent);
    for (int r = asker->rank + 1; r < RANKS; r++)
        total += calls_of(asker, r);
    bool limited = asker->budget_calls && asker->budget_calls < total;
    return limited && asker->budget_calls >= done ? asker->budget_calls : total;
}
