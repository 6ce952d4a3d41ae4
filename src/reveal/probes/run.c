/* Runs batches of probes, and asks again where sums that are rounded toward zero have moved masks.
 *
 * A small term moves a mask of the other sign by a place there, but none of its own. Where that
 * happens to one of the two masks of a probe, the probe is asked again with the signs of its masks
 * exchanged. Where it happens to both, nearer masks are asked for, whose last place P is a little
 * more than all other terms together: the sum is e P + r then, where e additions have moved a mask,
 * and r is what no mask has met, which is what the probe would give with a rounding to nearest. It
 * is taken if e is what the first masks show, and if the result holds all of it; but only once
 * nothing else has shown an order, since sums that are rounded up move masks as well. */
#include "reveal/probes/ask.h"
#include <math.h>

static bool is_mask(const accordi_asker *asker, double value)
{
    return fabs(value) >= asker->mask / 4;
}

/* Are there masks of both signs? They are likely to be the last entries. */
static bool masks_cancel(const accordi_asker *asker)
{
    bool sign[2] = {false, false};
    for (size_t i = asker->entries; i-- > 0 && !(sign[0] && sign[1]);)
        if (is_mask(asker, asker->value[i]))
            sign[asker->value[i] < 0] = true;
    return sign[0] && sign[1];
}

static double scale_of(const accordi_asker *asker)
{
    return asker->scale != 0 ? fabs(asker->scale) : 1;
}

/* The most that is left of the terms of a probe whose masks cancel; looks no further once it is
 * `enough`. */
static double most_left(const accordi_asker *asker, double enough)
{
    enum { STRIDE = 64 };
    double most = fabs(asker->fill) * (double)asker->n, scale = scale_of(asker);
    for (size_t i = 0; i < asker->entries && most * scale < enough;) {
        size_t end = asker->entries - i < STRIDE ? asker->entries : i + STRIDE;
        for (; i < end; i++)
            most += is_mask(asker, asker->value[i]) ? 0 : fabs(asker->value[i]);
    }
    return most * scale;
}

/* More than terms can leave, but far less than a mask: a sum was rounded away from it. */
static bool is_displaced(const accordi_asker *asker, double most, double result)
{
    double mask = asker->mask * scale_of(asker);
    return fabs(result) > 2 * most && fabs(result) < mask / 16;
}

/* The greatest result that is less than masks leave. */
static double greatest_small(const accordi_asker *asker)
{
    double greatest = 0;
    for (size_t p = 0; p < asker->probes; p++)
        if (is_displaced(asker, greatest / 2, asker->result[p]))
            greatest = fabs(asker->result[p]);
    return greatest;
}

static size_t count_displaced(const accordi_asker *asker, double most)
{
    size_t displaced = 0;
    for (size_t p = 0; p < asker->probes; p++)
        displaced += is_displaced(asker, most, asker->result[p]);
    return displaced;
}

/* The batch once more, with each mask times a factor. */
static enum accord_status ask_scaled(accordi_asker *asker, double factor, double *again)
{
    double *kept = accordi_ask_alloc(asker, asker->entries, sizeof *kept);
    if (!kept)
        return asker->status;
    memcpy(kept, asker->value, asker->entries * sizeof *kept);
    for (size_t i = 0; i < asker->entries; i++)
        if (is_mask(asker, kept[i]))
            asker->value[i] *= factor;
    if (accordi_ask_goes_on(asker, asker->probes))
        accordi_ask_once(asker, again);
    memcpy(asker->value, kept, asker->entries * sizeof *kept);
    free(kept);
    return asker->status;
}

static enum accord_status exchange_masks(accordi_asker *asker, double most, double *again)
{
    ask_scaled(asker, -1, again);
    for (size_t p = 0; p < asker->probes && !asker->status; p++)
        if (is_displaced(asker, most, asker->result[p]) && fabs(again[p]) <= 2 * most)
            asker->result[p] = again[p];
    return asker->status;
}

/* The least of the terms that are not zero, of which the others are taken to be multiples. */
static double least_term(const accordi_asker *asker)
{
    double least = asker->fill != 0 ? fabs(asker->fill) : INFINITY;
    for (size_t i = 0; i < asker->entries; i++)
        if (asker->value[i] != 0)
            least = fmin(least, fabs(asker->value[i]));
    return least;
}

/* Of the sums that moved masks: that of the result, or of f64 where a move is less than sums of
 * that can make. */
static int precision_of_moves(const accordi_asker *asker, double most)
{
    int precision = accord_format_get(asker->target->output)->precision;
    double least = ldexp(asker->mask, -precision);
    for (size_t p = 0; p < asker->probes; p++)
        if (is_displaced(asker, most, asker->result[p]) && fabs(asker->result[p]) < least)
            return accord_format_get(ACCORD_F64)->precision;
    return precision;
}

static enum accord_status ask_nearer(accordi_asker *asker, double most, double *again)
{
    int precision = precision_of_moves(asker, most);
    int seen = accord_format_get(asker->target->output)->precision;
    double place = ldexp(1, ilogb(most) + 2), near = ldexp(place, precision);
    double step = ldexp(asker->mask, -precision), whole = ldexp(least_term(asker), seen);
    if ((asker->scale != 0 && asker->scale != 1) || near > asker->mask / 16 ||
        ask_scaled(asker, near / asker->mask, again))
        return asker->status;
    for (size_t p = 0; p < asker->probes; p++) {
        bool moved = is_displaced(asker, most, asker->result[p]) && asker->result[p] > 0 &&
                     floor(again[p] / place) == asker->result[p] / step;
        if (moved && asker->moves == ACCORDI_MOVES_UNSEEN)
            asker->moves = ACCORDI_MOVES_SEEN;
        bool counts = asker->moves == ACCORDI_MOVES_COUNTED;
        if (moved && counts && again[p] < whole && again[p] < near / 4)
            asker->result[p] = fmod(again[p], place);
    }
    return asker->status;
}

/* Asks again for what sums that are rounded toward zero have made of masks. */
static enum accord_status mend_displaced(accordi_asker *asker)
{
    if (!masks_cancel(asker))
        return asker->status;
    double greatest = greatest_small(asker), most = most_left(asker, greatest);
    if (2 * most >= greatest || !accordi_ask_goes_on(asker, asker->probes))
        return asker->status;
    double *again = accordi_ask_alloc(asker, asker->probes, sizeof *again);
    if (again && !exchange_masks(asker, most, again) && asker->moves != ACCORDI_MOVES_SEEN &&
        count_displaced(asker, most) > 0)
        ask_nearer(asker, most, again);
    free(again);
    return asker->status;
}

enum accord_status accordi_ask_run(accordi_asker *asker)
{
    if (asker->status || asker->probes == 0)
        return asker->status;
    if (!accordi_ask_goes_on(asker, asker->probes))
        return asker->status;
    if (!accordi_ask_grow(asker, (void **)&asker->result, &asker->result_capacity, asker->probes,
                          sizeof *asker->result))
        return asker->status;
    return accordi_ask_once(asker, asker->result) ? asker->status : mend_displaced(asker);
}
