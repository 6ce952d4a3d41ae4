/* Fuzzer of saved sums by key (accord sum --group-by --save). The first byte says whether the
 * checksum is put right first (bit 0), and how many bytes are read at a time. What is accepted is
 * saved as the same bytes, and every sum can be rounded; what is not says why.
 * Seeds: tests/seeds/sum_groups.
 * Sources: src/cli/sums/saved_groups.c src/cli/sums/groups.c src/cli/sums/tally.c
 * Sources: src/cli/sums/result.c
 * Sources: src/cli/numbers/decimal.c src/cli/numbers/decimal_put.c src/cli/numbers/shortest.c
 * Sources: src/cli/numbers/decimal_hex.c src/cli/numbers/fields.c src/cli/numbers/reader.c
 * Sources: src/cli/numbers/npy_type.c src/cli/numbers/reader_npy.c
 * Sources: src/cli/numbers/reader_open.c
 * Sources: src/cli/numbers/reader_raw.c
 * Sources: src/cli/numbers/reader_saved.c src/cli/numbers/source.c
 * Sources: src/cli/numbers/reader_table.c src/cli/numbers/reader_text.c
 * Sources: src/cli/numbers/written.c */
#include "cli/sums/work.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHECK = 16 };

/* What the files above need of the command. */
static accordi_buffer saved;

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

bool cli_output_open_of(cli_output *out, const char *option, const char *path)
{
    (void)out, (void)option, (void)path;
    return true;
}

bool cli_output_write(void *out, const char *text, size_t length)
{
    (void)out;
    accordi_buffer_append(&saved, text, length);
    return true;
}

int cli_output_commit(cli_output *out)
{
    (void)out;
    return 0;
}

static void insist(bool true_of_all, const char *what)
{
    if (true_of_all)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void seal(char *bytes, size_t length)
{
    accordi_sha256 sha;
    char hex[65];
    accordi_sha256_init(&sha);
    accordi_sha256_add(&sha, bytes, length - CHECK);
    accordi_sha256_hex(&sha, hex);
    for (size_t i = 0; i < CHECK; i++) {
        char two[] = {hex[2 * i], hex[2 * i + 1], '\0'};
        bytes[length - CHECK + i] = (char)strtoul(two, NULL, 16);
    }
}

static void use(cli_groups *groups, const cli_addition *how, const char *data, size_t size)
{
    cli_args args = {0};
    args.text[CLI_SAVE] = "file";
    insist(cli_groups_sort(groups), "no memory");
    saved.length = 0;
    insist(cli_save_groups(&args, groups) == 0 && !saved.failed, "not saved");
    insist(saved.length == size && memcmp(saved.data, data, size) == 0, "saved as other bytes");
    for (size_t i = 0; i < groups->count; i++) {
        cli_result result;
        insist(cli_group_result(groups->sorted[i], how, &result), "no result");
        free(result.decimal);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char magic[] = "accordGS"; /* by which the command knows such files */
    if (size < 9 || memcmp(data + 1, magic, 8) != 0)
        return 0;
    size_t length = size - 1;
    char *copy = malloc(size); /* nothing lies behind it */
    memcpy(copy, data + 1, length);
    if (data[0] & 1 && length >= CHECK)
        seal(copy, length);
    const cli_addition how = {.format = ACCORD_F64};
    cli_groups groups = {0};
    cli_reader r = {0};
    cli_source_memory(&r.source, "a", copy, length);
    r.source.block = 1 + (size_t)(data[0] >> 1);
    insist(cli_groups_make(&groups), "no memory");
    if (cli_load_groups(&r, &groups, &how))
        use(&groups, &how, copy, length);
    else
        insist(r.error.status != ACCORD_OK && *r.error.text, "refused without a word");
    cli_groups_clear(&groups);
    cli_reader_close(&r);
    free(copy);
    return 0;
}
