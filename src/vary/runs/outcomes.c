/* Which runs gave the same results, bit for bit: by SHA-256 of the bits, with NaN as one value. */
#include "vary/runs/runs.h"
#include <math.h>

static void digest_of(const double *result, size_t elements, unsigned char digest[32])
{
    accordi_sha256 sha;
    char hex[65];
    accordi_sha256_init(&sha);
    for (size_t i = 0; i < elements; i++) {
        double x = isnan(result[i]) ? NAN : result[i];
        accordi_sha256_add(&sha, &x, sizeof x);
    }
    accordi_sha256_hex(&sha, hex);
    for (size_t i = 0; i < 32; i++) {
        const char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        digest[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
}

static bool find(const accordi_outcomes *o, const unsigned char digest[32], size_t *place)
{
    uint64_t key;
    memcpy(&key, digest, sizeof key);
    for (*place = key & (o->slots - 1); o->slot[*place]; *place = (*place + 1) & (o->slots - 1))
        if (memcmp(o->list[o->slot[*place] - 1].digest, digest, 32) == 0)
            return true;
    return false;
}

static bool make_room(accordi_outcomes *o)
{
    if (2 * (o->count + 1) <= o->slots)
        return accordi_grow((void **)&o->list, &o->room, o->count + 1, sizeof *o->list);
    size_t slots = o->slots ? 2 * o->slots : 16, place;
    uint32_t *slot = accordi_calloc(slots, sizeof *slot);
    if (!slot || !accordi_grow((void **)&o->list, &o->room, o->count + 1, sizeof *o->list)) {
        free(slot);
        return false;
    }
    free(o->slot);
    o->slot = slot;
    o->slots = slots;
    for (size_t i = 0; i < o->count; i++) {
        find(o, o->list[i].digest, &place);
        slot[place] = (uint32_t)i + 1;
    }
    return true;
}

size_t accordi_outcomes_number(accordi_outcomes *o, const double *result, size_t elements,
                               bool *is_new)
{
    unsigned char digest[32];
    size_t place;
    if (!make_room(o))
        return SIZE_MAX;
    digest_of(result, elements, digest);
    *is_new = !find(o, digest, &place);
    if (*is_new) {
        o->list[o->count] = (accord_vary_outcome){.count = 0};
        memcpy(o->list[o->count].digest, digest, sizeof digest);
        o->slot[place] = (uint32_t)++o->count;
    }
    return o->slot[place] - 1;
}

void accordi_outcomes_clear(accordi_outcomes *outcomes)
{
    free(outcomes->list);
    free(outcomes->slot);
    *outcomes = (accordi_outcomes){0};
}
