/* accord-certificates FIRST COUNT: certificates number FIRST to FIRST + COUNT - 1 of a soak without
 * end, in which no wrong order may be taken for the right one. The number of a certificate is its
 * seed. It draws an order, and another one that is almost the same, and then in turn
 *   - reveals the order, in every second case with the other one as the expected order,
 *   - asks for the nodes of the other one in sums along the first,
 *   - asks for the other one at once, in rounds.
 * Prints the numbers of those that went wrong, and a row of a table for each of the three. */
#include "base/base.h"
#include "mutants.h"
#include "reveal/prove/certificate.h"
#include "reveal/prove/order_rounds.h"
#include <accord/accord.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct drawn_question {
    accord_tree *tree, *other; /* other: NULL if the change changed nothing */
    accord_target *target;
    uint64_t seed;
} drawn_question;

enum outcome { RIGHT, WRONG, NOT_ASKED, OUTCOMES }; /* not asked, or of a right order not proven */

static enum outcome reveal(const drawn_question *q)
{
    accord_reveal_options how;
    accord_record *record = accord_record_new();
    accord_error error;
    enum outcome out = NOT_ASKED;
    accord_reveal_options_init(&how);
    how.seed = q->seed;
    how.replays = 20;
    how.proof = q->seed % 4 < 2 ? "nodes" : "probability";
    how.expected = q->seed % 2 ? q->other : NULL;
    if (record && !accord_reveal(q->target, &how, record, &error)) {
        bool whole = record->nodes_confirmed == record->nodes && record->nodes > 0;
        if (!accord_tree_equal(record->tree, q->tree))
            out = whole ? WRONG : NOT_ASKED;
        else if (whole)
            out = RIGHT;
    }
    accord_record_free(record);
    return out;
}

/* The other order has to be refuted. */
static enum outcome prove(const drawn_question *q, bool at_once)
{
    accordi_asker asker;
    accord_error error;
    accordi_certificate certificate = {0};
    accordi_order_proof proof;
    bool holds = false, asked = q->other != NULL;
    if (!asked)
        return NOT_ASKED;
    accordi_ask_init(&asker, q->target, q->seed, &error);
    asked = !accordi_calibrate(&asker);
    if (asked && at_once)
        asked = !accordi_order_plan(&asker, q->other, 1e-9, &proof) && !proof.unsuited &&
                !accordi_order_prove(&asker, q->other, &proof, &holds);
    else if (asked)
        asked = !accordi_prove(&asker, q->other, &certificate, &holds);
    accordi_certificate_clear(&certificate);
    accordi_ask_clear(&asker);
    return !asked ? NOT_ASKED : holds ? WRONG : RIGHT;
}

enum way { REVEALED, BY_NODES, IN_ROUNDS, WAYS };

static accord_tree *almost(accordi_rng *rng, const accord_tree *tree, enum way way)
{
    if (accordi_rng_below(rng, 2))
        return swapped(rng, tree);
    return way == BY_NODES ? contracted(rng, tree) : leaf_displaced(rng, tree);
}

/* 3 to 12 or 40 leaves, or one time in 50 to 300. Sums of more than two terms are asked by nodes
 * alone: reveal would look for their machine, and rounds are of sums of two. */
static bool draw(drawn_question *q, enum way way)
{
    enum { TRIES = 20 };
    static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64, ACCORD_F16, ACCORD_BF16};
    accordi_rng rng;
    accordi_rng_init(&rng, q->seed);
    uint64_t range = accordi_rng_below(&rng, 50);
    size_t n = 3 + accordi_rng_below(&rng, range == 0 ? 298 : range < 20 ? 38 : 10);
    enum accord_format format = formats[accordi_rng_below(&rng, way == IN_ROUNDS ? 2 : 4)];
    q->tree = way == BY_NODES ? any_tree(&rng, n) : binary_tree(&rng, n);
    for (int t = 0; t < TRIES && q->tree && !q->other; t++)
        q->other = almost(&rng, q->tree, way);
    return q->tree && !accordi_synthetic_from_tree(q->tree, format, format, &q->target, NULL);
}

static enum outcome ask(uint64_t seed)
{
    drawn_question q = {.seed = seed / WAYS};
    enum way way = (enum way)(seed % WAYS);
    enum outcome out = NOT_ASKED;
    if (draw(&q, way))
        out = way == REVEALED ? reveal(&q) : prove(&q, way == IN_ROUNDS);
    accord_target_close(q.target);
    accord_tree_free(q.tree);
    accord_tree_free(q.other);
    return out;
}

int main(int count, char **argument)
{
    static const char *const ways[WAYS] = {"revealed", "another, by nodes", "another, in rounds"};
    uint64_t tally[WAYS][OUTCOMES] = {{0}}, wrong = 0;
    if (count != 3)
        return 2;
    uint64_t first = strtoull(argument[1], NULL, 10), many = strtoull(argument[2], NULL, 10);
    for (uint64_t seed = first; seed < first + many; seed++) {
        enum outcome out = ask(seed);
        tally[seed % WAYS][out]++;
        if (out == WRONG) {
            wrong++;
            printf("certificate %" PRIu64 ": wrong\n", seed);
            fflush(stdout);
        }
    }
    for (int way = 0; way < WAYS; way++)
        printf("| %" PRIu64 " – %" PRIu64 " | %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |\n",
               first, first + many - 1, ways[way], tally[way][RIGHT], tally[way][WRONG],
               tally[way][NOT_ASKED]);
    return wrong > 0;
}
