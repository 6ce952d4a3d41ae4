/* Orders in which parts arrive, drawn from a seed. */
#include "vary/methods/methods.h"

enum accord_status accord_schedule_parse(const char *text, accord_schedule *out,
                                         accord_error *error)
{
    unsigned workers = 0, burst = 0;
    int end = -1;
    if (strcmp(text, "permutation") == 0) {
        *out = (accord_schedule){0, 0};
        return ACCORD_OK;
    }
    if (sscanf(text, "waves:%9u,%9u%n", &workers, &burst, &end) != 2 || text[end] != 0 ||
        workers == 0 || burst == 0 || strpbrk(text, "+- "))
        return accordi_fail(error, ACCORD_PARSE,
                            "%s: give permutation, or waves:WORKERS,BURST with two numbers of at "
                            "least 1, such as waves:160,4",
                            text);
    *out = (accord_schedule){workers, burst};
    return ACCORD_OK;
}

static void permute(accordi_rng *rng, size_t parts, uint32_t *arrival)
{
    for (size_t i = 0; i < parts; i++)
        arrival[i] = (uint32_t)i;
    accordi_rng_shuffle(rng, arrival, parts);
}

/* held: the first part that each worker holds. */
static void draw_waves(const accord_schedule *schedule, accordi_rng *rng, size_t parts,
                       uint32_t *held, size_t workers, uint32_t *arrival)
{
    size_t burst = schedule->burst ? schedule->burst : 1, taken = 0, done = 0;
    for (size_t w = 0; w < workers; w++, taken += burst)
        held[w] = (uint32_t)taken;
    while (done < parts) {
        size_t w = (size_t)accordi_rng_below(rng, workers), from = held[w];
        for (size_t i = from; i < parts && i - from < burst; i++)
            arrival[done++] = (uint32_t)i;
        if (taken < parts)
            held[w] = (uint32_t)taken;
        else
            held[w] = held[--workers];
        taken += taken < parts ? burst : 0;
    }
}

enum accord_status accord_schedule_draw(const accord_schedule *schedule, uint64_t seed,
                                        uint64_t sample, size_t parts, uint32_t *arrival,
                                        accord_error *error)
{
    accordi_rng rng, seeds;
    accordi_rng_init(&seeds, seed);
    accordi_rng_init(&rng, accordi_rng_next(&seeds) + sample);
    if (schedule->workers == 0) {
        permute(&rng, parts, arrival);
        return ACCORD_OK;
    }
    size_t burst = schedule->burst ? schedule->burst : 1, bursts = (parts + burst - 1) / burst;
    size_t workers = schedule->workers < bursts ? schedule->workers : bursts;
    uint32_t *held = accordi_alloc(workers, sizeof *held);
    if (!held)
        return accordi_nomem(error);
    draw_waves(schedule, &rng, parts, held, workers, arrival);
    free(held);
    return ACCORD_OK;
}
