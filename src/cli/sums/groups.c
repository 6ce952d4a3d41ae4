/* Sums by key: a table of slots with linear probing, at most half full. */
#include "cli/sums/tally.h"

static size_t hash_key(const char *key, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)key[i]) * 0x100000001b3;
    return (size_t)(hash ^ hash >> 32);
}

static size_t *slot_of(const cli_groups *g, const char *key, size_t length)
{
    size_t i = hash_key(key, length);
    for (;; i++) {
        size_t *slot = &g->slot[i & (g->slots - 1)];
        if (*slot == 0)
            return slot;
        const cli_group_sum *there = g->group[*slot - 1];
        if (there->length == length && memcmp(there->key, key, length) == 0)
            return slot;
    }
}

static bool double_slots(cli_groups *g)
{
    if (2 * g->count < g->slots)
        return true;
    size_t slots = g->slots ? 2 * g->slots : 64;
    size_t *slot = accordi_calloc(slots, sizeof *slot);
    if (!slot)
        return false;
    free(g->slot);
    g->slot = slot;
    g->slots = slots;
    for (size_t i = 0; i < g->count; i++)
        *slot_of(g, g->group[i]->key, g->group[i]->length) = i + 1;
    return true;
}

static cli_group_sum *group_new(const char *key, size_t length)
{
    cli_group_sum *group = accordi_calloc(1, sizeof *group);
    char *copy = accordi_alloc(length + 1, 1);
    if (!group || !copy) {
        free(group);
        free(copy);
        return NULL;
    }
    if (length)
        memcpy(copy, key, length);
    copy[length] = '\0';
    group->key = copy;
    group->length = length;
    return group;
}

cli_tally *cli_groups_at(cli_groups *groups, const char *key, size_t length)
{
    if (!double_slots(groups))
        return NULL;
    size_t *slot = slot_of(groups, key, length);
    if (*slot)
        return &groups->group[*slot - 1]->tally;
    if (!accordi_grow((void **)&groups->group, &groups->room, groups->count + 1,
                      sizeof(cli_group_sum *)))
        return NULL;
    cli_group_sum *group = group_new(key, length);
    if (!group)
        return NULL;
    groups->group[groups->count++] = group;
    *slot = groups->count;
    return &group->tally;
}

enum accord_status cli_groups_merge(cli_groups *groups, const cli_groups *others,
                                    accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; status == ACCORD_OK && i < others->count; i++) {
        const cli_group_sum *other = others->group[i];
        cli_tally *tally = cli_groups_at(groups, other->key, other->length);
        status = tally ? cli_tally_merge(tally, &other->tally, error) : accordi_nomem(error);
    }
    return status;
}

static int by_key(const void *a, const void *b)
{
    const cli_group_sum *x = *(cli_group_sum *const *)a, *y = *(cli_group_sum *const *)b;
    return strcmp(x->key, y->key);
}

void cli_groups_sort(cli_groups *groups)
{
    if (groups->count)
        qsort(groups->group, groups->count, sizeof *groups->group, by_key);
}

void cli_groups_clear(cli_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        cli_tally_clear(&groups->group[i]->tally);
        free(groups->group[i]->key);
        free(groups->group[i]);
    }
    free(groups->group);
    free(groups->slot);
    *groups = (cli_groups){0};
}
