/* Detects targets whose results depend on earlier calls. */
#include "reveal/reasons/ordinary_sums.h"
#include <math.h>

enum { ASKED = 24, QUESTIONS = 3 };

/* The same three questions in an order in which each follows each, twice over. */
static const int order[ASKED / 2] = {0, 1, 2, 1, 0, 0, 2, 2, 1, 1, 0, 2};

static int next_question(int i)
{
    return order[i % (ASKED / 2)];
}

/* Question q: the first two terms are (1, 0), (2, 1), (-3, 2), in multiples of `size`. */
static void ask_one(accordi_asker *asker, int q, double size)
{
    static const double values[QUESTIONS][2] = {{1, 0}, {2, 1}, {-3, 2}};
    for (uint32_t i = 0; i < 2 && i < asker->n; i++)
        accordi_ask_own(asker, i, size * values[q][i]);
    accordi_ask_end(asker);
}

/* Every answer is that of the one before, and as much more as the question says. */
static bool adds_up(const double *r)
{
    double more[QUESTIONS] = {0};
    bool known[QUESTIONS] = {false};
    for (int i = 1; i < ASKED; i++) {
        int q = next_question(i);
        if (known[q] && !(fabs(r[i] - r[i - 1] - more[q]) <= 1e-2 * fabs(more[q])))
            return false;
        more[q] = known[q] ? more[q] : r[i] - r[i - 1];
        known[q] = true;
    }
    return more[0] != 0;
}

/* Every answer tells the question before, not the one asked. */
static bool lags(const double *r)
{
    double answer[QUESTIONS] = {0};
    bool known[QUESTIONS] = {false};
    for (int i = 1; i < ASKED; i++) {
        int q = next_question(i - 1);
        if (known[q] && !accordi_same_bits(answer[q], r[i]))
            return false;
        answer[q] = r[i];
        known[q] = true;
    }
    return !accordi_same_bits(answer[0], answer[1]);
}

/* The answers to each question after each. */
typedef struct table {
    double answer[QUESTIONS][QUESTIONS];
    int seen[QUESTIONS][QUESTIONS];
} table;

/* Every answer tells the question before and the one asked. */
static bool follows_table(const double *r, table *t)
{
    for (int i = 1; i < ASKED; i++) {
        int before = next_question(i - 1), q = next_question(i);
        if (t->seen[before][q]++ && !accordi_same_bits(t->answer[before][q], r[i]))
            return false;
        t->answer[before][q] = r[i];
    }
    return true;
}

/* Does any question have two answers, each after another question and seen again and again? */
static bool depends_on_last(const table *t)
{
    for (int q = 0; q < QUESTIONS; q++)
        for (int a = 0; a < QUESTIONS; a++)
            for (int b = 0; b < a; b++)
                if (t->seen[a][q] > 1 && t->seen[b][q] > 1 &&
                    !accordi_same_bits(t->answer[a][q], t->answer[b][q]))
                    return true;
    return false;
}

static enum accord_status ask_all_pairs(accordi_asker *asker, bool large)
{
    int most = accord_format_get(asker->target->format)->max_exponent;
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < ASKED; i++)
        ask_one(asker, next_question(i), large ? ldexp(1, most - 8) : 1);
    return accordi_ask_run(asker);
}

/* Chance may look like memory once. It does not go on to. */
static bool goes_on_to_follow(accordi_asker *asker, bool large)
{
    enum { AGAIN = 8 };
    table t = {.seen = {{0}}};
    if (!follows_table(asker->result, &t))
        return false;
    for (int i = 0; i < AGAIN; i++)
        if (ask_all_pairs(asker, large) || !follows_table(asker->result, &t))
            return false;
    return depends_on_last(&t);
}

enum accord_status accordi_check_history(accordi_asker *asker, bool large)
{
    double r[ASKED];
    int other = 0;
    if (ask_all_pairs(asker, large))
        return asker->status;
    memcpy(r, asker->result, sizeof r);
    for (int i = 1; i < ASKED && !other; i++)
        for (int j = 0; j < i && !other; j++)
            other = next_question(i) == next_question(j) && !accordi_same_bits(r[i], r[j]) ? i : 0;
    if (!other)
        return ACCORD_OK;
    const char *how = adds_up(r) ? "each result includes the results of earlier calls"
                      : lags(r)  ? "each result belongs to the input of the previous call"
                      : goes_on_to_follow(asker, large)
                          ? "the result depends on the input of the previous call"
                          : NULL;
    if (asker->status)
        return asker->status;
    if (how)
        return accordi_ask_unable(
            asker, ACCORD_REASON_KEEPS_STATE,
            "the target keeps state between calls: %s; reset its state for each call", how);
    int first = 0;
    while (next_question(first) != next_question(other) || accordi_same_bits(r[first], r[other]))
        first++;
    return accordi_ask_unable(asker, ACCORD_REASON_NONDETERMINISTIC,
                              "the same input gave %.17g at one time and %.17g at another",
                              r[first], r[other]);
}

enum accord_status accordi_glance_at_history(accordi_asker *asker)
{
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < 3; i++)
        ask_one(asker, i % 2, 1);
    if (accordi_ask_run(asker) || accordi_same_bits(asker->result[0], asker->result[2]))
        return asker->status;
    return accordi_check_history(asker, false);
}
