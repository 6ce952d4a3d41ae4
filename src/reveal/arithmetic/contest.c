/* Asks the target for inputs on which models differ, and compares their predictions. */
#include "reveal/arithmetic/contest.h"

/* ---- inputs ---- */

enum accord_status accordi_contest_replay(accordi_contest *c, accordi_dense *in, size_t first,
                                          size_t count, const accord_arithmetic *how,
                                          double *result)
{
    const accord_model model = {c->tree, how};
    return accordi_dense_replay_some(in, first, count, &model, result);
}

enum accord_status accordi_contest_ask(accordi_contest *c, size_t first)
{
    accordi_dense *in = &c->asked;
    if (!accordi_dense_ask_some(in, first, in->rows - first, in->seen + first))
        c->out->asked += in->rows - first;
    return c->asker->status;
}

/* ---- answers that are there ---- */

/* Of `count` inputs from `first` on. */
static accordi_score score_of(accordi_contest *c, const accord_arithmetic *how, size_t first,
                              size_t count)
{
    accordi_score score = {0};
    accordi_dense *in = &c->asked;
    if (accordi_contest_replay(c, in, first, count, how, in->due))
        return score;
    for (size_t i = 0; i < count; i++) {
        double due = in->due[i], seen = in->seen[first + i];
        bool same = accordi_same_bits(due, seen);
        score.bits += same;
        score.numbers += same || (due == 0 && seen == 0);
    }
    return score;
}

accordi_score accordi_contest_score(accordi_contest *c, const accord_arithmetic *how, size_t first)
{
    return score_of(c, how, first, c->asked.rows - first);
}

void accordi_contest_count(accordi_contest *c, size_t first)
{
    accordi_score more = accordi_contest_score(c, c->held, first);
    c->score.numbers += more.numbers;
    c->score.bits += more.bits;
}

static bool is_better(accordi_score a, accordi_score b)
{
    return a.numbers != b.numbers ? a.numbers > b.numbers : a.bits > b.bits;
}

/* The last come first: most rivals fail where others did, or on zeros. Those left could all be
 * right. */
bool accordi_contest_beats(accordi_contest *c, const accord_arithmetic *how, accordi_score old)
{
    enum { FEW = 8, MORE = 4 };
    size_t rows = c->asked.rows;
    accordi_score best = {rows, rows};
    for (size_t at = rows, count = c->asked.packed ? 1 : FEW; at > 0 && is_better(best, old);
         count *= MORE) {
        count = count < at ? count : at;
        at -= count;
        accordi_score some = score_of(c, how, at, count);
        best.numbers -= count - some.numbers;
        best.bits -= count - some.bits;
    }
    return !c->asker->status && is_better(best, old);
}

bool accordi_contest_agrees(accordi_contest *c, const accord_arithmetic *how)
{
    size_t rows = c->asked.rows;
    return rows == 0 || accordi_contest_beats(c, how, (accordi_score){rows, rows - 1});
}

bool accordi_contest_doubted(const accordi_contest *c)
{
    return c->score.bits < c->asked.rows;
}

/* A row of each kind first: most rivals fail there. */
bool accordi_contest_sample(accordi_contest *c, const accord_arithmetic *how)
{
    const accord_model model = {c->tree, how};
    bool all = false;
    return !accordi_replays_sample(c->asker, c->replays, &model, &all) && all;
}

bool accordi_contest_replays(accordi_contest *c, const accord_arithmetic *how)
{
    const accord_model model = {c->tree, how};
    size_t rows = c->replays->rows, agree = 0;
    return accordi_contest_sample(c, how) &&
           !accordi_replays_agree(c->asker, c->replays, &model, rows, rows, &agree) &&
           agree == rows;
}

void accordi_contest_keep(accordi_contest *c, const void *x, const void *y)
{
    accordi_dense *in = &c->asked;
    memcpy(accordi_dense_first(in, in->rows), x, in->bytes);
    if (y)
        memcpy(accordi_dense_second(in, in->rows), y, in->bytes);
    accordi_dense_add(in);
}

void accordi_contest_hold(accordi_contest *c, accord_arithmetic **how)
{
    accord_arithmetic_free(c->held);
    c->held = *how;
    c->drawn.rows = 0; /* what is drawn, and what is due, follow the model */
    c->score = accordi_contest_score(c, *how, 0);
    *how = NULL;
}
