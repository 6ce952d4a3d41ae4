/* How far a reveal has come, and how far it has to go.
 *
 * What there is to do is counted in calls, and only known when it is done; so each stage has an
 * estimate of its calls, and the total is what was done before the stage, the greater of its
 * estimate and of what it has taken already, and the estimates of what follows. It gets better with
 * every stage, and is never less than what is done. */
#include "reveal/progress.h"
#include "reveal/prove/certificate.h"
#include <math.h>

enum { NODES = 1024, A_NODE = 5, ROUNDS = 1800 };

static uint64_t of_calibration(const accordi_asker *asker)
{
    return asker->n > 1 ? 30 : 1;
}

static uint64_t of_discovery(const accordi_asker *asker)
{
    return 60 + (uint64_t)(12 * log2((double)asker->n));
}

static uint64_t of_proof(const accordi_asker *asker)
{
    return 60 + asker->n / 3;
}

static uint64_t of_arithmetic(const accordi_asker *asker)
{
    return asker->n <= NODES ? A_NODE * asker->n : ROUNDS;
}

static uint64_t of_replays(const accordi_asker *asker)
{
    size_t inputs = accordi_answers_count(asker->n), due = accordi_replays_due(asker->n);
    size_t rows = asker->replays ? asker->replays : due, few = (rows + 1) / 2;
    return rows + (few < inputs ? few : inputs); /* those of answers are asked twice */
}

static uint64_t of_rounds(const accordi_asker *asker)
{
    return asker->n <= NODES ? 0 : ROUNDS;
}

/* In the order in which they come; stages of one rank stand for each other. */
static const struct {
    const char *stage;
    int rank;
    uint64_t (*calls)(const accordi_asker *asker);
} stages[] = {
    {"calibrating", 0, of_calibration},
    {"discovering", 1, of_discovery},
    {"splitting", 1, of_discovery},
    {"guessing", 1, of_discovery},
    {"proving", 2, of_proof},
    {"finding the arithmetic", 3, of_arithmetic},
    {"replaying", 4, of_replays},
    {"testing every node", 5, of_rounds},
    {"recording answers", 4, of_replays},
};
enum { STAGES = sizeof stages / sizeof stages[0], DISCOVERED = 1, RANKS = 6 };

/* The estimates of one rank; 0 for ranks that will not come. */
static uint64_t calls_of(const accordi_asker *asker, int rank)
{
    for (size_t i = 0; i < STAGES; i++)
        if (stages[i].rank == rank)
            return rank <= DISCOVERED || asker->proof_follows ? stages[i].calls(asker) : 0;
    return 0;
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
