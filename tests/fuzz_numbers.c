/* Fuzzer of the readers of numbers: text, raw binary and .npy. The first byte says how: its low two
 * bits choose the reader, the next the format of text or the order of bytes. Text has to be what a
 * second reading word by word says, rounded right into narrower formats; an array of .npy comes
 * back when it is written anew. Seeds: tests/seeds/numbers. */
#include "cli/numbers.c"
#include "cli/numbers_npy.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char said[1024];

void cli_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
}

static void insist(bool true_of_all, const char *what)
{
    if (true_of_all)
        return;
    fprintf(stderr, "%s (%s)\n", what, said);
    abort();
}

bool cli_read_bytes(const char *path, size_t most, const char *instead, accordi_buffer *text)
{
    (void)path, (void)most, (void)instead, (void)text;
    return false;
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Words between gaps and commas, read by strtof or strtod as a whole. */
static void check_text(const cli_file *file, bool narrow, const cli_numbers *numbers)
{
    static const char gaps[] = " \t\n\r\f\v,";
    const char *at = file->bytes.data;
    size_t count = 0;
    for (at += strspn(at, gaps); *at; at += strspn(at, gaps), count++) {
        char *past;
        double want = narrow ? (double)strtof(at, &past) : strtod(at, &past);
        insist(past == at + strcspn(at, gaps), "took a word that is no number");
        insist(count < numbers->columns, "left numbers out");
        double got = numbers->value[count];
        if (narrow)
            got = accord_format_round(ACCORD_F32, ACCORD_NEAREST_EVEN, got);
        insist(same(got, want), "another number");
        at = past;
    }
    insist(count == numbers->columns && strlen(file->bytes.data) == file->bytes.length,
           "counted otherwise");
}

static void check_npy(const cli_numbers *numbers)
{
    size_t count = numbers->rows * numbers->columns;
    cli_file again = {.name = "again"};
    cli_numbers second = {0};
    char header[160];
    int length = snprintf(header, sizeof header,
                          "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }\n",
                          numbers->rows, numbers->columns);
    accordi_buffer_printf(&again.bytes, "\x93NUMPY");
    const char version[4] = {1, 0, (char)length, 0};
    accordi_buffer_append(&again.bytes, version, 4);
    accordi_buffer_append(&again.bytes, header, (size_t)length);
    accordi_buffer_append(&again.bytes, numbers->value, count * sizeof(double));
    insist(cli_read_npy(&again, &second) == CLI_YES, "not read back");
    insist(second.rows == numbers->rows && second.columns == numbers->columns, "other shape");
    for (size_t i = 0; i < count; i++)
        insist(same(second.value[i], numbers->value[i]), "other numbers");
    accordi_buffer_clear(&again.bytes);
    free(second.value);
}

static void check_shape(cli_numbers *numbers)
{
    size_t count = numbers->rows * numbers->columns;
    if (!cli_numbers_shape(numbers, "a", "a sum", 3))
        return;
    insist(numbers->rows * numbers->columns == count && numbers->columns == 3, "shaped otherwise");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    int how = data[0] & 3;
    bool other = data[0] & 4;
    cli_numbers_options options = {.format = other ? ACCORD_F32 : ACCORD_F64};
    cli_file file = {.name = "a"};
    cli_numbers numbers = {0};
    accordi_buffer_append(&file.bytes, (const char *)data + 1, size - 1);
    said[0] = '\0';
    int status = how == 0   ? read_text(&file, &options, &numbers)
                 : how == 1 ? read_raw(&file, other ? 4 : 8, data[0] & 8, &numbers)
                            : cli_read_npy(&file, &numbers);
    if (status != CLI_YES) {
        insist(status == CLI_USAGE && !numbers.value && said[0], "refused without a reason");
    } else {
        insist(numbers.rows > 0 && numbers.columns > 0, "no numbers");
        if (how == 0)
            check_text(&file, other, &numbers);
        else if (how != 1)
            check_npy(&numbers);
        check_shape(&numbers);
    }
    free(numbers.value);
    accordi_buffer_clear(&file.bytes);
    return 0;
}
