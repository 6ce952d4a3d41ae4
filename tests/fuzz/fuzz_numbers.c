/* Fuzzer of the readers of numbers: text, raw binary and .npy. The first byte says how: its low two
 * bits choose the reader, the next the format of text or the order of bytes. Text has to be what a
 * second reading word by word says, rounded right into narrower formats; an array of .npy comes
 * back when it is written anew. Seeds: tests/seeds/numbers.
 * Sources: src/cli/numbers/fields.c src/cli/numbers/numbers.c src/cli/numbers/reader.c
 * Sources: src/cli/numbers/npy_type.c src/cli/numbers/reader_npy.c
 * Sources: src/cli/numbers/reader_open.c
 * Sources: src/cli/numbers/reader_raw.c
 * Sources: src/cli/numbers/reader_saved.c src/cli/numbers/reader_table.c
 * Sources: src/cli/numbers/reader_text.c src/cli/numbers/source.c
 * Sources: src/cli/numbers/written.c */
#include "cli/numbers/numbers.h"
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char said[1024];

void cli_error(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
}

int cli_exit_of(enum accord_status status)
{
    return status == ACCORD_PARSE || status == ACCORD_ARG || status == ACCORD_IO ? CLI_USAGE
                                                                                 : CLI_UNABLE;
}

int cli_signal(void)
{
    return 0;
}

static void insist(bool true_of_all, const char *what)
{
    if (true_of_all)
        return;
    fprintf(stderr, "%s (%s)\n", what, said);
    abort();
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static int read_from(const char *path, const char *data, size_t size,
                     const cli_reader_options *options, cli_numbers *numbers)
{
    cli_reader r = {0};
    *numbers = (cli_numbers){0};
    cli_source_memory(&r.source, path, data, size);
    r.source.block = 256;
    int status =
        cli_reader_begin(&r, path, options) ? cli_numbers_take(&r, numbers) : cli_reader_fail(&r);
    cli_reader_close(&r);
    return status;
}

/* The lines that hold numbers, as cli_numbers counts them. */
typedef struct lines {
    size_t count, first, other, in_other, now, number;
} lines;

static void end_line(lines *l)
{
    if (l->now == 0)
        return;
    if (l->count++ == 0)
        l->first = l->now;
    if (l->now != l->first && l->other == 0) {
        l->other = l->number;
        l->in_other = l->now;
    }
    l->now = 0;
}

static void pass_gap(lines *l, const char *from, const char *to)
{
    for (; from < to; from++)
        if (*from == '\n') {
            end_line(l);
            l->number++;
        }
}

/* Words between gaps and commas, read by strtof or strtod as a whole. */
static void check_text(const char *text, bool narrow, const cli_numbers *numbers)
{
    static const char gaps[] = " \t\n\r\f\v,", ends[] = " \t\n\r\f\v,#";
    size_t count = 0;
    const char *at = strncmp(text, "\xef\xbb\xbf", 3) ? text : text + 3;
    lines l = {.number = 1};
    for (;;) {
        size_t gap = strspn(at, gaps);
        pass_gap(&l, at, at + gap);
        at += gap;
        if (*at == '#') {
            at += strcspn(at, "\n");
            continue;
        }
        if (!*at)
            break;
        char *past;
        double want = narrow ? (double)strtof(at, &past) : strtod(at, &past);
        insist(past == at + strcspn(at, ends), "took a word that is no number");
        insist(count < numbers->columns, "left numbers out");
        double got = numbers->value[count++];
        if (narrow)
            got = accord_format_round(ACCORD_F32, ACCORD_NEAREST_EVEN, got);
        insist(same(got, want), "another number");
        l.now++;
        at = past;
    }
    insist(count == numbers->columns, "counted otherwise");
    end_line(&l);
    insist(l.count == numbers->lines && l.first == numbers->in_first, "other lines");
    insist(l.other == numbers->other_line && l.in_other == numbers->in_other,
           "another uneven line");
}

static void check_npy(const cli_numbers *numbers)
{
    size_t count = numbers->rows * numbers->columns;
    const cli_reader_options options = {0};
    accordi_buffer again = {0};
    cli_numbers second;
    char header[160];
    int length = snprintf(header, sizeof header,
                          "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }\n",
                          numbers->rows, numbers->columns);
    accordi_buffer_printf(&again, "\x93NUMPY");
    const char version[4] = {1, 0, (char)length, 0};
    accordi_buffer_append(&again, version, 4);
    accordi_buffer_append(&again, header, (size_t)length);
    accordi_buffer_append(&again, numbers->value, count * sizeof(double));
    insist(read_from("again", again.data, again.length, &options, &second) == CLI_YES,
           "not read back");
    insist(second.rows == numbers->rows && second.columns == numbers->columns, "other shape");
    for (size_t i = 0; i < count; i++)
        insist(same(second.value[i], numbers->value[i]), "other numbers");
    accordi_buffer_clear(&again);
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
    static const char *const paths[] = {"a", "a.f64", "a.npy", "a.npy"};
    if (size < 2)
        return 0;
    int how = data[0] & 3;
    bool other = data[0] & 4;
    const cli_reader_options options = {.type = how == 1 && other ? "f32" : NULL,
                                        .big_endian = data[0] & 8,
                                        .format = other ? ACCORD_F32 : ACCORD_F64,
                                        .to_odd = other};
    cli_numbers numbers;
    accordi_buffer text = {0};
    accordi_buffer_append(&text, data + 1, size - 1);
    bool magic =
        how < 2 && size > 6 &&
        (!memcmp(text.data, "\x93NUMPY", 6) || (size > 8 && !memcmp(text.data, "accordEX", 8)));
    said[0] = '\0';
    int status = read_from(paths[how], text.data, text.length, &options, &numbers);
    if (status != CLI_YES) {
        insist(status == CLI_USAGE && !numbers.value && said[0], "refused without a reason");
    } else {
        insist(numbers.rows > 0 && numbers.columns > 0, "no numbers");
        if (how == 0 && !magic && strlen(text.data) == text.length)
            check_text(text.data, other, &numbers);
        else if (how != 1 && !magic)
            check_npy(&numbers);
        check_shape(&numbers);
    }
    free(numbers.value);
    accordi_buffer_clear(&text);
    return 0;
}
