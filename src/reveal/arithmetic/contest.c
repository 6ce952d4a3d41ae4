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

size_t accordi_contest_agreement(accordi_contest *c, const accord_arithmetic *how, size_t first)
{
    size_t agreed = 0;
    if (accordi_contest_replay(c, &c->asked, first, c->asked.rows - first, how, c->asked.due))
        return 0;
    for (size_t i = first; i < c->asked.rows; i++)
        agreed += accordi_same_bits(c->asked.due[i - first], c->asked.seen[i]);
    return agreed;
}

/* The last come first: most rivals fail where others did, or on zeros. */
bool accordi_contest_agrees(accordi_contest *c, const accord_arithmetic *how)
{
    enum { FEW = 8, MORE = 4 };
    const accordi_dense *in = &c->asked;
    for (size_t at = in->rows, count = FEW; at > 0; count *= MORE) {
        count = count < at ? count : at;
        at -= count;
        if (accordi_contest_replay(c, &c->asked, at, count, how, in->due))
            return false;
        for (size_t i = 0; i < count; i++)
            if (!accordi_same_bits(in->due[i], in->seen[at + i]))
                return false;
    }
    return true;
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
    size_t agree = 0;
    return accordi_contest_sample(c, how) &&
           !accordi_replays_agree(c->asker, c->replays, &model, c->replays->rows, &agree) &&
           agree == c->replays->rows;
}

void accordi_contest_keep(accordi_contest *c, const void *x, const void *y)
{
    accordi_dense *in = &c->asked;
    memcpy(accordi_dense_first(in, in->rows), x, in->bytes);
    if (y)
        memcpy(accordi_dense_second(in, in->rows), y, in->bytes);
    in->rows++;
}

void accordi_contest_hold(accordi_contest *c, accord_arithmetic **how)
{
    accord_arithmetic_free(c->held);
    c->held = *how;
    c->drawn.rows = 0; /* what is drawn, and what is due, follow the model */
    c->agreed = accordi_contest_agreement(c, *how, 0);
    *how = NULL;
}
