/* Asks the target for inputs on which models differ, and compares their predictions. */
#include "reveal/arithmetic/contest.h"

/* ---- inputs ---- */

enum accord_status accordi_inputs_init(accordi_contest *c, size_t room, bool shared,
                                       accordi_inputs *in)
{
    accord_target *target = c->asker->target;
    size_t half = room * c->bytes, bytes = c->draw.products ? 2 * half : half;
    void *arena = shared && target->kind->arena ? target->kind->arena(target, bytes) : NULL;
    *in = (accordi_inputs){.room = room, .borrowed = arena != NULL};
    in->x = arena ? arena : accordi_alloc(bytes, 1);
    in->y = in->x && c->draw.products ? in->x + half : NULL;
    in->row = accordi_alloc(2 * room, sizeof *in->row);
    in->start = accordi_alloc(4 * room, sizeof *in->start);
    if (!in->x || !in->row || !in->start)
        return c->asker->status = accordi_nomem(c->asker->error);
    in->due = in->start + room;
    in->other = in->due + room;
    in->answer = in->other + room;
    for (size_t r = 0; r < room; r++) {
        in->row[r] = in->x + r * c->bytes;
        in->row[room + r] = in->y ? in->y + r * c->bytes : NULL;
    }
    return ACCORD_OK;
}

void accordi_inputs_clear(accordi_inputs *in)
{
    if (!in->borrowed)
        free(in->x);
    free(in->row);
    free(in->start);
}

void *accordi_inputs_second(const accordi_contest *c, const accordi_inputs *in, size_t row)
{
    return in->y ? in->y + row * c->bytes : NULL;
}

double accordi_contest_value(const accordi_contest *c, const void *row, size_t i)
{
    return accordi_get_number(row, c->draw.is_f32, i);
}

void accordi_contest_put(const accordi_contest *c, void *row, size_t i, double x)
{
    accordi_set_number(row, c->draw.is_f32, i, x);
}

/* What a model makes of inputs first … */
enum accord_status accordi_contest_replay(accordi_contest *c, accordi_inputs *in, size_t first,
                                          size_t count, const accord_arithmetic *how,
                                          double *result)
{
    bool has_start = c->asker->target->has_start;
    for (size_t r = first; has_start && r < first + count; r++)
        in->start[r] = accordi_contest_value(c, in->row[r], c->draw.n - 1);
    const accord_rows rows = {.rows = count,
                              .x = in->row + first,
                              .y = in->y ? in->row + in->room + first : NULL,
                              .start = has_start ? in->start + first : NULL,
                              .is_f32 = c->draw.is_f32};
    const accord_model model = {c->tree, how};
    if (!c->asker->status)
        c->asker->status = accord_model_replay(&model, &rows, result, c->asker->error);
    return c->asker->status;
}

/* Puts the inputs from `first` on to the target. */
enum accord_status accordi_contest_ask(accordi_contest *c, size_t first)
{
    accordi_inputs *in = &c->asked;
    accordi_asker *asker = c->asker;
    const accord_batch batch = {.probes = in->count - first,
                                .dense = in->row[first],
                                .dense_second = in->y ? in->row[in->room + first] : NULL};
    if (batch.probes == 0 || asker->status || !accordi_ask_goes_on(asker, batch.probes))
        return asker->status;
    c->out->asked += batch.probes;
    asker->status = accord_target_run(asker->target, &batch, c->asked.answer + first, asker->error);
    return asker->status;
}

/* ---- answers that are there ---- */

/* On how many of the inputs drawn on purpose, from `first` on, the model agrees. */
size_t accordi_contest_agreement(accordi_contest *c, const accord_arithmetic *how, size_t first)
{
    size_t agreed = 0;
    if (accordi_contest_replay(c, &c->asked, first, c->asked.count - first, how, c->asked.due))
        return 0;
    for (size_t i = first; i < c->asked.count; i++)
        agreed += accordi_same_bits(c->asked.due[i - first], c->asked.answer[i]);
    return agreed;
}

/* On all of them? The last come first: most rivals fail where others did, or on zeros. */
bool accordi_contest_agrees(accordi_contest *c, const accord_arithmetic *how)
{
    enum { FEW = 8, MORE = 4 };
    const accordi_inputs *in = &c->asked;
    for (size_t at = in->count, count = FEW; at > 0; count *= MORE) {
        count = count < at ? count : at;
        at -= count;
        if (accordi_contest_replay(c, &c->asked, at, count, how, in->due))
            return false;
        for (size_t i = 0; i < count; i++)
            if (!accordi_same_bits(in->due[i], in->answer[at + i]))
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
    accordi_inputs *in = &c->asked;
    memcpy(in->x + in->count * c->bytes, x, c->bytes);
    if (y)
        memcpy(in->y + in->count * c->bytes, y, c->bytes);
    in->count++;
}

void accordi_contest_hold(accordi_contest *c, accord_arithmetic **how)
{
    accord_arithmetic_free(c->held);
    c->held = *how;
    c->drawn.count = 0; /* what is drawn, and what is due, follow the model */
    c->agreed = accordi_contest_agreement(c, *how, 0);
    *how = NULL;
}
