/* Sums by key: a table that threads share, of compact accumulators.
 *
 * Idea: a key costs what its sum needs. A compact accumulator has 64 bytes as long as the numbers
 * of a key lie within some dozens of binades, and grows on need; it stands, like the key, in memory
 * of the table that is taken in chunks, without a malloc of its own. The table has SHARDS parts by
 * the hash of the key, each with a lock: threads hardly meet, and their number does not matter to
 * memory. In a shard, open addressing with linear probing, at most three quarters full. */
#include "cli/sums/tally.h"
#include "exact/compact/compact.h"
#include <math.h>
#include <pthread.h>

enum { SHARDS = 64, SLOTS = 16, CHUNK = 4096, MOST_CHUNK = 1 << 16 };

typedef struct chunk {
    struct chunk *before;
    size_t used, room;
    char memory[];
} chunk;

typedef struct cli_shard {
    pthread_mutex_t lock;
    cli_group_sum **slot;
    size_t slots, count;
    chunk *chunks;
} cli_shard;

/* What is not binary. */
typedef struct cli_group_more {
    cli_decimal decimal;
    int64_t decimals;
    double naive;
} cli_group_more;

/* ---- memory ---- */

static void *take(cli_shard *s, size_t bytes)
{
    bytes = (bytes + 7) & ~(size_t)7;
    chunk *c = s->chunks;
    if (!c || c->room - c->used < bytes) {
        size_t room = c ? 2 * c->room : CHUNK;
        room = room < MOST_CHUNK ? room : MOST_CHUNK;
        room = room < bytes ? bytes : room;
        c = accordi_alloc(sizeof *c + room, 1);
        if (!c)
            return NULL;
        *c = (chunk){.before = s->chunks, .room = room};
        s->chunks = c;
    }
    c->used += bytes;
    return c->memory + c->used - bytes;
}

/* Of an accumulator in the chunks: it has its first size. */
static bool is_first(const accordi_compact *sum)
{
    return sum->limbs == ACCORDI_COMPACT_LIMBS && !sum->odd;
}

/* An accumulator that grows leaves the chunks. */
static void *resize(void *shard, void *block, size_t bytes)
{
    size_t first = accordi_compact_size(ACCORDI_COMPACT_LIMBS, false);
    if (!block)
        return take(shard, bytes);
    if (!is_first(block))
        return realloc(block, bytes);
    void *grown = accordi_alloc(bytes, 1);
    if (grown)
        memcpy(grown, block, first);
    return grown;
}

/* ---- the table ---- */

static uint64_t hash_key(const char *key, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)key[i]) * 0x100000001b3;
    return hash ^ hash >> 32;
}

static cli_group_sum **slot_of(const cli_shard *s, uint64_t hash, const char *key, size_t length)
{
    for (size_t i = (size_t)(hash / SHARDS);; i++) {
        cli_group_sum **slot = &s->slot[i & (s->slots - 1)];
        if (!*slot || ((*slot)->length == length && memcmp((*slot)->key, key, length) == 0))
            return slot;
    }
}

static bool more_slots(cli_shard *s)
{
    if (4 * (s->count + 1) <= 3 * s->slots)
        return true;
    cli_shard grown = {.slots = s->slots ? 2 * s->slots : SLOTS};
    grown.slot = accordi_calloc(grown.slots, sizeof *grown.slot);
    if (!grown.slot)
        return false;
    for (size_t i = 0; i < s->slots; i++) {
        cli_group_sum *group = s->slot[i];
        if (group)
            *slot_of(&grown, hash_key(group->key, group->length), group->key, group->length) =
                group;
    }
    free(s->slot);
    s->slot = grown.slot;
    s->slots = grown.slots;
    return true;
}

static cli_group_sum *group_new(cli_shard *s, const cli_addition *how, const char *key,
                                size_t length)
{
    const accordi_compact_memory memory = {resize, s};
    bool more = how->decimal || how->naive;
    cli_group_sum *group = length < UINT32_MAX ? take(s, sizeof *group + length + 1) : NULL;
    if (!group)
        return NULL;
    *group = (cli_group_sum){.length = (uint32_t)length};
    memcpy(group->key, length ? key : "", length);
    group->key[length] = '\0';
    group->sum = accordi_compact_new(false, &memory);
    group->more = more ? accordi_calloc(1, sizeof *group->more) : NULL;
    if (group->sum && (group->more || !more))
        return group;
    free(group->more);
    return NULL;
}

/* The sum of that key, made where there is none yet; NULL: no memory. */
static cli_group_sum *group_at(cli_shard *s, const cli_addition *how, uint64_t hash,
                               const char *key, size_t length)
{
    if (!more_slots(s))
        return NULL;
    cli_group_sum **slot = slot_of(s, hash, key, length);
    if (!*slot) {
        *slot = group_new(s, how, key, length);
        s->count += *slot != NULL;
    }
    return *slot;
}

bool cli_groups_make(cli_groups *groups)
{
    groups->shard = accordi_calloc(SHARDS, sizeof *groups->shard);
    for (size_t i = 0; groups->shard && i < SHARDS; i++)
        pthread_mutex_init(&groups->shard[i].lock, NULL);
    return groups->shard;
}

/* ---- adding ---- */

/* Zeros matter only while there is nothing else; they are common, and would make a compact sum
 * longer. */
static bool add_number(cli_shard *s, cli_group_sum *group, double x)
{
    const accordi_compact_memory memory = {resize, s};
    if (x != 0)
        return accordi_compact_add(&group->sum, x, &memory);
    group->zeros++;
    group->plus |= !signbit(x);
    group->minus |= signbit(x) != 0;
    return true;
}

/* x: the number of the entry, where it has been read. */
static bool add(cli_shard *s, cli_group_sum *group, const cli_addition *how, cli_reader *r,
                const cli_entry *entry, double x)
{
    bool binary = !how->decimal;
    double odd = x;
    if (how->decimal &&
        !cli_add_decimal(&group->more->decimal, &group->more->decimals, r, entry, &binary, &odd))
        return false;
    if (how->naive)
        group->more->naive = cli_naive_add(group->more->naive, how->format, x);
    if (!binary || add_number(s, group, odd))
        return true;
    accordi_nomem(&r->error);
    return false;
}

bool cli_groups_entry(cli_groups *groups, const cli_addition *how, cli_reader *r,
                      const cli_entry *entry)
{
    uint64_t hash = hash_key(entry->key, entry->key_length);
    cli_shard *s = groups->shard + hash % SHARDS;
    double x = 0;
    if ((!how->decimal || how->naive) && !cli_reader_number(r, entry, &x))
        return false;
    pthread_mutex_lock(&s->lock);
    cli_group_sum *group = group_at(s, how, hash, entry->key, entry->key_length);
    bool added = group && add(s, group, how, r, entry, x);
    pthread_mutex_unlock(&s->lock);
    if (!group)
        accordi_nomem(&r->error);
    return added;
}

/* Adds what another group holds; false: no memory. */
static bool move(cli_shard *s, const char *key, size_t length, const cli_group_sum *from,
                 const cli_addition *how)
{
    const accordi_compact_memory memory = {resize, s};
    cli_group_sum *group = group_at(s, how, hash_key(key, length), key, length);
    if (!group || !accordi_compact_merge(&group->sum, from->sum, &memory))
        return false;
    group->zeros += from->zeros;
    group->plus |= from->plus;
    group->minus |= from->minus;
    if (!from->more)
        return true;
    group->more->decimals += from->more->decimals;
    return cli_decimal_merge(&group->more->decimal, &from->more->decimal);
}

bool cli_groups_put(cli_groups *groups, const cli_addition *how, const char *key, size_t length,
                    const cli_group_sum *from)
{
    return move(groups->shard + hash_key(key, length) % SHARDS, key, length, from, how);
}

static void clear_shard(cli_shard *s)
{
    for (size_t i = 0; i < s->slots; i++) {
        cli_group_sum *group = s->slot[i];
        if (group && !is_first(group->sum))
            free(group->sum);
        if (group && group->more) {
            cli_decimal_clear(&group->more->decimal);
            free(group->more);
        }
    }
    free(s->slot);
    for (chunk *c = s->chunks, *before; c; c = before) {
        before = c->before;
        free(c);
    }
    s->slot = NULL;
    s->chunks = NULL;
    s->slots = s->count = 0;
}

/* Shard by shard, so that what is moved is not in memory twice for long. */
enum accord_status cli_groups_merge(cli_groups *groups, cli_groups *others, const cli_addition *how,
                                    accord_error *error)
{
    bool good = true;
    for (size_t k = 0; good && k < SHARDS; k++) {
        cli_shard *s = groups->shard + k, *o = others->shard + k;
        if (!s->count) {
            cli_shard empty = *s;
            s->slot = o->slot, s->slots = o->slots, s->count = o->count, s->chunks = o->chunks;
            o->slot = empty.slot, o->slots = empty.slots, o->count = 0, o->chunks = empty.chunks;
        }
        for (size_t i = 0; good && i < o->slots; i++)
            good = !o->slot[i] || move(s, o->slot[i]->key, o->slot[i]->length, o->slot[i], how);
        clear_shard(o);
    }
    return good ? ACCORD_OK : accordi_nomem(error);
}

/* ---- the end ---- */

static int by_key(const void *a, const void *b)
{
    const cli_group_sum *x = *(cli_group_sum *const *)a, *y = *(cli_group_sum *const *)b;
    return strcmp(x->key, y->key);
}

bool cli_groups_sort(cli_groups *groups)
{
    size_t count = 0;
    for (size_t k = 0; k < SHARDS; k++)
        count += groups->shard[k].count;
    groups->sorted = accordi_calloc(count ? count : 1, sizeof *groups->sorted);
    if (!groups->sorted)
        return false;
    for (size_t k = 0; k < SHARDS; k++)
        for (size_t i = 0; i < groups->shard[k].slots; i++)
            if (groups->shard[k].slot[i])
                groups->sorted[groups->count++] = groups->shard[k].slot[i];
    qsort(groups->sorted, groups->count, sizeof *groups->sorted, by_key);
    return true;
}

/* With the zeros; how many of either sign does not matter. */
static void count_terms(const cli_group_sum *group, int64_t count[ACCORD_EXACT_COUNTS])
{
    bool both = group->plus && group->minus, alone = group->sum->terms == 0;
    accordi_compact_view(group->sum, count);
    count[ACCORD_EXACT_TERMS] += group->zeros;
    if (alone && group->plus)
        count[ACCORD_EXACT_PLUS_ZEROS] = group->zeros - both;
    if (alone && group->minus)
        count[ACCORD_EXACT_MINUS_ZEROS] = both ? 1 : group->zeros;
}

/* As a full accumulator. */
static void expand(const cli_group_sum *group, accord_exact *out)
{
    const accordi_compact *sum = group->sum;
    int64_t count[ACCORD_EXACT_COUNTS];
    count_terms(group, count);
    accord_exact_init(out);
    if (sum->first + sum->limbs <= ACCORD_EXACT_LIMBS)
        memcpy(out->limb + sum->first, sum->word, sum->limbs * sizeof *sum->word);
    memcpy(out->count, count, sizeof count);
    accord_exact_canonical(out);
}

void cli_groups_count(const cli_groups *groups, int64_t count[ACCORD_EXACT_COUNTS])
{
    for (size_t i = 0; i < groups->count; i++) {
        const cli_group_sum *group = groups->sorted[i];
        int64_t own[ACCORD_EXACT_COUNTS];
        count_terms(group, own);
        for (int c = 0; c < ACCORD_EXACT_COUNTS; c++)
            count[c] += own[c];
        count[ACCORD_EXACT_TERMS] += group->more ? group->more->decimals : 0;
    }
}

bool cli_group_result(cli_group_sum *group, const cli_addition *how, cli_result *result)
{
    cli_tally tally = {.naive = group->more ? group->more->naive : 0};
    if (group->more) {
        tally.decimal = group->more->decimal;
        tally.decimals = group->more->decimals;
    }
    expand(group, &tally.sum);
    bool good = cli_tally_result(&tally, how, result);
    if (group->more)
        group->more->decimal = tally.decimal;
    result->key = group->key;
    return good;
}

void cli_groups_clear(cli_groups *groups)
{
    for (size_t k = 0; groups->shard && k < SHARDS; k++) {
        clear_shard(&groups->shard[k]);
        pthread_mutex_destroy(&groups->shard[k].lock);
    }
    free(groups->shard);
    free(groups->sorted);
    *groups = (cli_groups){0};
}
