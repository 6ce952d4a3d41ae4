/* Fuzzer of what accord sum reads: text, tables, raw files, .npy, decimals, saved sums. The first
 * byte chooses the form, the second and third how it is read. Whatever the bytes:
 *   - reading them a few at a time gives the same numbers, keys and errors as all at once;
 *   - parts of a file, one after the other, give the same, or one of them fails: if the whole
 *     fails, one does;
 *   - a written number is what strtod says of it;
 *   - a decimal sum that is printed and read again is the same sum, and rounds as strtod does;
 *   - a saved sum that is taken is saved as the same bytes.
 * Seeds: tests/seeds/sum.
 * Sources: src/cli/numbers/decimal.c src/cli/numbers/decimal_put.c src/cli/numbers/shortest.c
 * Sources: src/cli/numbers/fields.c src/cli/numbers/reader.c
 * Sources: src/cli/numbers/npy_type.c src/cli/numbers/reader_npy.c
 * Sources: src/cli/numbers/reader_open.c
 * Sources: src/cli/numbers/reader_raw.c
 * Sources: src/cli/numbers/reader_saved.c src/cli/numbers/source.c
 * Sources: src/cli/numbers/reader_table.c src/cli/numbers/reader_text.c
 * Sources: src/cli/numbers/written.c */
#include "cli/numbers/decimal.h"
#include "cli/numbers/reader.h"
#include <accord/exact.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the files above need of the command. */
void cli_error(const char *format, ...)
{
    (void)format;
}

int cli_exit_of(enum accord_status status)
{
    return (int)status;
}

int cli_signal(void)
{
    return 0;
}

static void insist(bool true_of_all, const char *what, const char *text)
{
    if (true_of_all)
        return;
    fprintf(stderr, "%s (%s)\n", what, text);
    abort();
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

typedef struct input {
    const char *path;
    const char *data;
    size_t size;
    bool pipe;
    cli_reader_options options;
} input;

/* All that a reader gives: numbers and keys as bytes, one behind the other. */
typedef struct taken {
    accordi_buffer bytes;
    cli_decimal decimal;
    bool decimals; /* all of it was decimal */
    uint64_t skipped;
    accord_error error;
} taken;

static void take_entry(cli_reader *r, const cli_entry *entry, taken *t)
{
    double x = 0, wanted;
    accordi_buffer word = {0};
    accordi_buffer_append(&word, entry->value, entry->length);
    switch (cli_decimal_add(&t->decimal, entry->value, entry->length, false)) {
    case CLI_DECIMAL_ADDED:
        break;
    default:
        t->decimals = false;
    }
    if (cli_reader_number(r, entry, &x)) {
        char *past;
        wanted = strtod(word.data, &past);
        insist(past == word.data + word.length && word.length > 0, "no number", word.data);
        insist(same(x, wanted), "another number", word.data);
        accordi_buffer_append(&t->bytes, &x, sizeof x);
        if (entry->key)
            accordi_buffer_append(&t->bytes, entry->key, entry->key_length);
        accordi_buffer_append(&t->bytes, "|", 1);
    }
    accordi_buffer_clear(&word);
}

static void take_all(cli_reader *r, taken *t)
{
    cli_entry entry;
    cli_block block;
    if (r->form->entry) {
        while (r->error.status == ACCORD_OK && cli_reader_entry(r, &entry))
            take_entry(r, &entry, t);
        insist(r->error.status != ACCORD_OK || !cli_reader_entry(r, &entry), "no end", "");
    } else {
        while (cli_reader_next(r, &block))
            accordi_buffer_append(&t->bytes, block.data,
                                  block.count * (size_t)accord_format_get(block.format)->bytes);
    }
    t->skipped += r->skipped;
    if (t->error.status == ACCORD_OK)
        t->error = r->error;
}

static bool open_input(const input *in, size_t block, cli_reader *r)
{
    *r = (cli_reader){0};
    cli_source_memory(&r->source, in->path, in->data, in->size);
    r->source.block = block;
    r->source.regular = !in->pipe;
    return cli_reader_begin(r, in->path, &in->options);
}

static void read_whole(const input *in, size_t block, taken *t)
{
    cli_reader r;
    *t = (taken){.decimals = true};
    if (open_input(in, block, &r))
        take_all(&r, t);
    else
        t->error = r.error;
    cli_reader_close(&r);
}

static void read_parts(const input *in, size_t parts, taken *t)
{
    cli_reader r, part;
    *t = (taken){.decimals = true};
    if (!open_input(in, 64, &r))
        t->error = r.error;
    for (size_t i = 0; t->error.status == ACCORD_OK && i < parts; i++) {
        if (!cli_reader_part(&r, i, parts, &part)) {
            t->error.status = ACCORD_UNSUPPORTED;
            break;
        }
        take_all(&part, t);
        cli_reader_close(&part);
    }
    cli_reader_close(&r);
}

static bool equal(const accordi_buffer *a, const accordi_buffer *b)
{
    return a->length == b->length && (!a->length || memcmp(a->data, b->data, a->length) == 0);
}

static void forget(taken *t)
{
    accordi_buffer_clear(&t->bytes);
    cli_decimal_clear(&t->decimal);
}

static void check_decimal(cli_decimal *sum)
{
    accordi_buffer text = {0}, again = {0};
    cli_decimal second = {0};
    accord_exact_wide near;
    cli_decimal_put(sum, &text);
    enum cli_decimal_added added = cli_decimal_add(&second, text.data, text.length, false);
    if (added == CLI_DECIMAL_ADDED) { /* sums may reach beyond what terms may */
        second.decimals = sum->decimals;
        cli_decimal_put(&second, &again);
        insist(equal(&text, &again), "printed otherwise when read back", text.data);
    }
    insist(cli_decimal_round(sum, &near), "no memory", "");
    double x = accord_exact_wide_f64(&near, ACCORD_EXACT_NEAREST_EVEN);
    double wanted = strtod(text.data, NULL);
    insist(x == wanted, "rounded otherwise", text.data);
    accordi_buffer_clear(&text);
    accordi_buffer_clear(&again);
    cli_decimal_clear(&second);
}

static void check_saved(const input *in)
{
    accord_exact sum;
    accord_exact_wide wide;
    unsigned char bytes[ACCORD_EXACT_WIDE_BYTES];
    if (accord_exact_load(&sum, in->data, in->size, NULL) == ACCORD_OK) {
        accord_exact_save(&sum, bytes);
        insist(memcmp(bytes, in->data, ACCORD_EXACT_BYTES) == 0, "saved otherwise", "");
    }
    if (accord_exact_wide_load(&wide, in->data, in->size, NULL) == ACCORD_OK) {
        accord_exact_wide_save(&wide, bytes);
        insist(memcmp(bytes, in->data, ACCORD_EXACT_WIDE_BYTES) == 0, "saved otherwise", "");
    }
}

/* What to do about it may depend on what is in the window. */
static bool same_error(const char *a, const char *b)
{
    const char *end = NULL;
    for (const char *c = a; (c = strstr(c, "\"; ")) != NULL; c++)
        end = c;
    return end ? strncmp(a, b, (size_t)(end - a)) == 0 : strcmp(a, b) == 0;
}

static void check(const input *in, size_t block, size_t parts)
{
    taken whole, pieces, cut;
    read_whole(in, 1 << 17, &whole);
    read_whole(in, block, &pieces);
    insist(whole.error.status == pieces.error.status, whole.error.text, pieces.error.text);
    insist(same_error(whole.error.text, pieces.error.text), whole.error.text, pieces.error.text);
    insist(equal(&whole.bytes, &pieces.bytes), "other numbers", whole.error.text);
    insist(whole.skipped == pieces.skipped, "skipped otherwise", "");
    read_parts(in, parts, &cut);
    if (cut.error.status == ACCORD_OK) {
        insist(whole.error.status == ACCORD_OK, "parts hide an error", whole.error.text);
        insist(equal(&whole.bytes, &cut.bytes), "other numbers in parts", "");
        insist(whole.skipped == cut.skipped, "skipped otherwise in parts", "");
    }
    if (whole.error.status == ACCORD_OK && whole.decimals)
        check_decimal(&whole.decimal);
    forget(&whole);
    forget(&pieces);
    forget(&cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"a", "a.csv", "a.tsv",  "a.npy",
                                        "a", "a.f64", "a.bf16", "a.f32"};
    static const char *const columns[] = {NULL, "1", "2", "amount", "3", "b", NULL, "4"};
    if (size < 3)
        return 0;
    unsigned form = data[0] & 7, how = data[1];
    input in = {.path = paths[form], .size = size - 3, .pipe = data[0] & 8};
    bool table = form == 1 || form == 2 || form == 4;
    in.options.big_endian = data[0] & 16;
    in.options.type = data[0] & 32 ? "bf16" : NULL;
    if (table) {
        in.options.column = columns[how & 7];
        in.options.key = in.options.column && how & 8 ? columns[1 + (how >> 4 & 3)] : NULL;
        in.options.header = how & 64;
        in.options.skip_empty = how & 128;
        in.options.separator = data[0] & 64 ? ';' : 0;
    }
    in.options.beyond = data[0] & 128 ? "beyond:" : NULL;
    in.options.empty = "fill it";
    accordi_buffer text = {0};
    accordi_buffer_append(&text, data + 3, size - 3);
    in.data = text.data;
    check(&in, 1 + (data[2] & 15), 2 + (data[2] >> 4 & 3));
    check_saved(&in);
    accordi_buffer_clear(&text);
    return 0;
}
