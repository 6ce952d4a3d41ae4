/* Numbers from files: which kind of file it is, text, and raw binary; numbers_npy.c reads .npy. */
#include "cli/numbers_file.h"
#include <fenv.h>
#include <math.h>

/* ---- files ---- */

static bool read_file(const char *path, cli_file *file)
{
    if (!cli_read_bytes(path, PTRDIFF_MAX, "a file of numbers, or - for standard input",
                        &file->bytes))
        return false;
    if (file->bytes.length == 0)
        cli_error("%s is empty; numbers were expected", file->name);
    return file->bytes.length > 0;
}

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path), size = strlen(end);
    return length > size && strcmp(path + length - size, end) == 0;
}

/* ---- text ---- */

/* Not to nearest but to odd, where a narrower format is wanted: truncated, with the last bit set
 * if something was cut off, so that rounding once more is rounding the number as written. */
static double parse(const char *text, char **end, bool to_odd)
{
    double x = strtod(text, end);
    if (!to_odd || !isfinite(x))
        return x;
    int mode = fegetround();
    fesetround(FE_DOWNWARD);
    double low = strtod(text, NULL);
    fesetround(FE_UPWARD);
    double high = strtod(text, NULL);
    fesetround(mode);
    if (low == high)
        return x;
    uint64_t bits;
    double inner = signbit(x) ? high : low; /* the one nearer to zero */
    memcpy(&bits, &inner, sizeof bits);
    bits |= 1;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool is_gap(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static int bad_number(const cli_file *file, const char *at, const char *problem)
{
    size_t line = 1;
    const char *start = file->bytes.data;
    for (const char *c = start; c < at; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    size_t length = 0;
    while (length < 24 && at[length] && !is_gap(at[length]) && at[length] != ',')
        length++;
    accordi_buffer word = {0};
    for (size_t i = 0; i < length; i++)
        accordi_buffer_append(&word, at[i] > ' ' && at[i] < 0x7f ? &at[i] : "?", 1);
    cli_error("%s: line %zu, column %zu: %s%s%s%s", file->name, line, (size_t)(at - start) + 1,
              problem, length ? " \"" : "", length ? word.data : "",
              length ? "\"; numbers are decimal or hexadecimal, with white space or commas between"
                     : "");
    accordi_buffer_clear(&word);
    return CLI_USAGE;
}

static int no_memory(const cli_file *file)
{
    cli_error("out of memory for the numbers of %s", file->name);
    return CLI_UNABLE;
}

/* From past a number to the next one; one comma may stand between. */
static const char *next(const char *at, const char *end, bool *comma)
{
    *comma = false;
    while (at < end && (is_gap(*at) || (*at == ',' && !*comma))) {
        *comma = *comma || *at == ',';
        at++;
    }
    return at;
}

static int read_text(const cli_file *file, const cli_numbers_options *options, cli_numbers *numbers)
{
    accordi_buffer values = {0};
    const char *end = file->bytes.data + file->bytes.length;
    bool comma = false, to_odd = options->format != ACCORD_F64;
    const char *at = file->bytes.data;
    while (at < end && is_gap(*at))
        at++;
    while (at < end) {
        char *past;
        double x = parse(at, &past, to_odd);
        bool ends = past == end || is_gap(*past) || *past == ',';
        if (past == at || !ends) {
            accordi_buffer_clear(&values);
            return bad_number(
                file, at, *at == ',' ? "a number is missing before the comma" : "not a number:");
        }
        accordi_buffer_append(&values, &x, sizeof x);
        at = next(past, end, &comma);
    }
    if (values.failed) {
        accordi_buffer_clear(&values);
        return no_memory(file);
    }
    if (comma || values.length == 0) {
        accordi_buffer_clear(&values);
        return bad_number(file, end,
                          comma ? "a number is missing after the comma"
                                : "there are no numbers, only white space");
    }
    numbers->value = (double *)(void *)values.data;
    numbers->rows = 1;
    numbers->columns = values.length / sizeof(double);
    numbers->written = true;
    return CLI_YES;
}

/* ---- raw ---- */

double cli_decode(const unsigned char *bytes, size_t size, bool big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)bytes[i] << 8 * (big_endian ? size - 1 - i : i);
    return accord_format_decode(size == 8 ? ACCORD_F64 : size == 4 ? ACCORD_F32 : ACCORD_F16, bits);
}

static int read_raw(const cli_file *file, size_t size, bool big_endian, cli_numbers *numbers)
{
    size_t count = file->bytes.length / size;
    if (file->bytes.length % size) {
        cli_error("%s has %zu bytes, which is no whole number of f%zu values of %zu bytes; say "
                  "what it holds with --type",
                  file->name, file->bytes.length, 8 * size, size);
        return CLI_USAGE;
    }
    numbers->value = accordi_alloc(count, sizeof(double));
    if (!numbers->value)
        return no_memory(file);
    numbers->rows = 1;
    numbers->columns = count;
    for (size_t i = 0; i < count; i++)
        numbers->value[i] =
            cli_decode((const unsigned char *)file->bytes.data + i * size, size, big_endian);
    return CLI_YES;
}

/* Bytes of a value if the file is raw, else 0. */
static size_t raw_size(const char *path, const cli_numbers_options *options)
{
    if (options->type)
        return strcmp(options->type, "f32") == 0 ? 4 : 8;
    if (ends_in(path, ".bin"))
        return options->format == ACCORD_F32 ? 4 : 8;
    return ends_in(path, ".f32") ? 4 : ends_in(path, ".f64") ? 8 : 0;
}

int cli_numbers_read(const char *path, const cli_numbers_options *options, cli_numbers *numbers)
{
    cli_file file = {strcmp(path, "-") ? path : "standard input", {0}};
    int status = CLI_USAGE;
    *numbers = (cli_numbers){0};
    if (read_file(path, &file)) {
        size_t size = raw_size(path, options);
        if (cli_is_npy(&file) || ends_in(path, ".npy"))
            status = cli_read_npy(&file, numbers);
        else if (size)
            status = read_raw(&file, size, options->big_endian, numbers);
        else
            status = read_text(&file, options, numbers);
    }
    accordi_buffer_clear(&file.bytes);
    return status;
}

bool cli_numbers_shape(cli_numbers *numbers, const char *path, const char *what, size_t columns)
{
    const char *name = strcmp(path, "-") ? path : "standard input";
    if (numbers->shaped && numbers->columns == columns)
        return true;
    if (numbers->shaped) {
        cli_error("%s has %zu numbers in a row; %s takes %zu", name, numbers->columns, what,
                  columns);
        return false;
    }
    size_t count = numbers->columns;
    if (columns == 0 ? count : count % columns) {
        cli_error("%s holds %zu numbers; %s takes %zu, or a multiple of that for several sums",
                  name, count, what, columns);
        return false;
    }
    numbers->rows = columns ? count / columns : 0;
    numbers->columns = columns;
    numbers->shaped = true;
    return true;
}

void cli_put_number(accordi_buffer *out, enum accord_format format, double x)
{
    char text[40];
    int digits = 1;
    if (isnan(x)) {
        accordi_buffer_puts(out, "nan");
        return;
    }
    do
        snprintf(text, sizeof text, "%.*g", digits, x);
    while (accord_format_round(format, ACCORD_NEAREST_EVEN, strtod(text, NULL)) != x &&
           digits++ < 17);
    int whole = fabs(x) >= 1 && fabs(x) < 1e15 ? (int)floor(log10(fabs(x))) + 1 : 0;
    if (whole > digits) /* 10 rather than 1e+01 */
        snprintf(text, sizeof text, "%.*g", whole, x);
    accordi_buffer_puts(out, text);
}
