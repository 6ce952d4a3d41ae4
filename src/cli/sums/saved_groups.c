/* Saved sums by key. The file, version 1; integers are little-endian:
 *   bytes 0-7    "accordGS"
 *         8-11   version, 1
 *         12-15  0
 *         16-23  number of keys
 *         then for each key, in the order of their bytes:
 *                4 bytes   the length K of the key
 *                4 bytes   the length S of the sum
 *                8 bytes   the number of zeros among the terms
 *                4 bytes   their signs (1: +0, 2: -0, 3: both)
 *                K bytes   the key
 *                S bytes   the compact form of the sum of the other terms (exact/compact)
 *         then   the first 16 bytes of the SHA-256 of all bytes before.
 * The same terms give the same bytes. Reading trusts nothing: sums are added to a table of their
 * own, which counts only if the checksum is right. */
#include "cli/sums/work.h"
#include "exact/compact/compact.h"

enum { VERSION = 1, HEADER = 24, RECORD = 20, CHECK = 16, MOST_KEY = 1 << 22 };
static const char magic[] = "accordGS";

static void checksum(accordi_sha256 *sha, unsigned char out[CHECK])
{
    char hex[65], two[3] = "";
    accordi_sha256_hex(sha, hex);
    for (int i = 0; i < CHECK; i++) {
        memcpy(two, hex + 2 * i, 2);
        out[i] = (unsigned char)strtoul(two, NULL, 16);
    }
}

/* ---- writing ---- */

typedef struct writer {
    cli_output out;
    accordi_sha256 sha;
} writer;

static void put(writer *w, const void *bytes, size_t length)
{
    accordi_sha256_add(&w->sha, bytes, length);
    cli_output_write(&w->out, bytes, length);
}

static void put_group(writer *w, const cli_group_sum *group)
{
    unsigned char head[RECORD], sum[ACCORDI_COMPACT_BYTES];
    size_t length = accordi_compact_write(group->sum, sum);
    accordi_put_bytes(head, group->length, 4);
    accordi_put_bytes(head + 4, length, 4);
    accordi_put_bytes(head + 8, (uint64_t)group->zeros, 8);
    accordi_put_bytes(head + 16, (uint64_t)(group->plus | group->minus << 1), 4);
    put(w, head, sizeof head);
    put(w, group->key, group->length);
    put(w, sum, length);
}

int cli_save_groups(const cli_args *args, const cli_groups *groups)
{
    writer w;
    unsigned char head[HEADER] = {0}, check[CHECK];
    if (!args->text[CLI_SAVE])
        return CLI_YES;
    if (!cli_output_open_of(&w.out, "--save", args->text[CLI_SAVE]))
        return CLI_USAGE;
    accordi_sha256_init(&w.sha);
    memcpy(head, magic, 8);
    accordi_put_bytes(head + 8, VERSION, 4);
    accordi_put_bytes(head + 16, groups->count, 8);
    put(&w, head, sizeof head);
    for (size_t i = 0; i < groups->count; i++)
        put_group(&w, groups->sorted[i]);
    checksum(&w.sha, check);
    cli_output_write(&w.out, (const char *)check, sizeof check);
    return cli_output_commit(&w.out);
}

/* ---- reading ---- */

typedef struct loader {
    cli_reader *r;
    accordi_sha256 sha;
    accordi_buffer last; /* key */
    bool any;
} loader;

static bool damaged(cli_reader *r)
{
    return cli_reader_refuse(r, ACCORD_PARSE,
                             "%s: the saved sums are damaged or cut short; save them again",
                             r->source.name);
}

/* The next bytes of the file, valid until the next call; NULL with r->error filled. */
static const unsigned char *take(loader *l, size_t length, bool summed)
{
    cli_source *s = &l->r->source;
    enum cli_more more = cli_source_need(s, length, &l->r->error);
    if (more == CLI_NO_MORE)
        damaged(l->r);
    if (more != CLI_MORE)
        return NULL;
    const char *at = s->data + s->head;
    s->head += length;
    if (summed)
        accordi_sha256_add(&l->sha, at, length);
    return (const unsigned char *)at;
}

static void *resize(void *context, void *block, size_t bytes)
{
    (void)context;
    if (bytes)
        return realloc(block, bytes);
    free(block);
    return NULL;
}

/* Keys ascend and hold no zero bytes. */
static bool is_next_key(loader *l, const char *key, size_t length)
{
    if (memchr(key, '\0', length))
        return false;
    const char *before = l->last.data ? l->last.data : "";
    size_t most = length < l->last.length ? length : l->last.length;
    int order = memcmp(before, key, most);
    bool ascends = !l->any || order < 0 || (order == 0 && l->last.length < length);
    l->any = true;
    l->last.length = 0;
    accordi_buffer_append(&l->last, key, length);
    return ascends && !l->last.failed;
}

static bool load_group(loader *l, cli_groups *groups, const cli_addition *how)
{
    const accordi_compact_memory memory = {resize, NULL};
    const unsigned char *head = take(l, RECORD, true);
    if (!head)
        return false;
    uint64_t length = accordi_get_bytes(head, 4), bytes = accordi_get_bytes(head + 4, 4);
    uint64_t zeros = accordi_get_bytes(head + 8, 8), signs = accordi_get_bytes(head + 16, 4);
    if (length > MOST_KEY || bytes > ACCORDI_COMPACT_BYTES || zeros > (uint64_t)1 << 62 ||
        signs > 3 || !zeros != !signs)
        return damaged(l->r);
    const unsigned char *at = take(l, (size_t)(length + bytes), true);
    accordi_compact *sum;
    if (!at)
        return false;
    if (!is_next_key(l, (const char *)at, (size_t)length) ||
        accordi_compact_read(&sum, at + length, (size_t)bytes, false, &memory, NULL) != ACCORD_OK)
        return damaged(l->r);
    cli_group_sum group = {
        .sum = sum, .zeros = (int64_t)zeros, .plus = signs & 1, .minus = (uint8_t)(signs >> 1)};
    bool empty = !zeros && !sum->terms;
    bool good = !empty && cli_groups_put(groups, how, (const char *)at, (size_t)length, &group);
    free(sum);
    if (!good && !empty)
        accordi_nomem(&l->r->error);
    return good || (empty && damaged(l->r));
}

static bool load_all(loader *l, cli_groups *groups, const cli_addition *how)
{
    const unsigned char *head = take(l, HEADER, true);
    if (!head)
        return false;
    if (accordi_get_bytes(head + 8, 4) != VERSION)
        return cli_reader_refuse(l->r, ACCORD_UNSUPPORTED,
                                 "%s was saved in version %u of the form, but this is version %d; "
                                 "use the release that saved it",
                                 l->r->source.name, (unsigned)accordi_get_bytes(head + 8, 4),
                                 VERSION);
    uint64_t count = accordi_get_bytes(head + 16, 8);
    if (accordi_get_bytes(head + 12, 4))
        return damaged(l->r);
    for (uint64_t i = 0; i < count; i++)
        if (!load_group(l, groups, how))
            return false;
    unsigned char check[CHECK];
    checksum(&l->sha, check);
    const unsigned char *saved = take(l, CHECK, false);
    if (!saved || memcmp(saved, check, CHECK) != 0)
        return saved ? damaged(l->r) : false;
    return cli_source_need(&l->r->source, 1, &l->r->error) == CLI_NO_MORE || damaged(l->r);
}

bool cli_load_groups(cli_reader *r, cli_groups *groups, const cli_addition *how)
{
    cli_groups loaded = {0};
    loader l = {.r = r};
    accordi_sha256_init(&l.sha);
    bool good = cli_groups_make(&loaded);
    if (!good)
        accordi_nomem(&r->error);
    good = good && load_all(&l, &loaded, how) &&
           cli_groups_merge(groups, &loaded, how, &r->error) == ACCORD_OK;
    cli_groups_clear(&loaded);
    accordi_buffer_clear(&l.last);
    return good;
}
