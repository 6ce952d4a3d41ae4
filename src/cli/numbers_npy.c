/* NumPy's .npy: a magic string, the length of a header, the header (a Python dictionary in text:
 * {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }), then the values. */
#include "cli/numbers_file.h"
#include <limits.h>

static const char magic[] = "\x93NUMPY";

typedef struct npy {
    const char *header;
    size_t length;             /* of the header */
    const unsigned char *data; /* past it */
    size_t bytes;
    size_t size; /* of a value */
    bool big_endian, fortran;
    size_t rows, columns, dimensions;
} npy;

bool cli_is_npy(const cli_file *file)
{
    return file->bytes.length >= 6 && memcmp(file->bytes.data, magic, 6) == 0;
}

static int bad(const cli_file *file, const char *problem)
{
    cli_error("%s: not a .npy file that can be read: %s", file->name, problem);
    return CLI_USAGE;
}

static bool find_header(const cli_file *file, npy *n)
{
    const unsigned char *b = (const unsigned char *)file->bytes.data;
    size_t all = file->bytes.length, start = 10;
    if (!cli_is_npy(file) || all < 10 || b[6] < 1 || b[6] > 3)
        return false;
    n->length = b[8] | (size_t)b[9] << 8;
    if (b[6] > 1) {
        if (all < 12)
            return false;
        n->length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
        start = 12;
    }
    if (n->length > all - start)
        return false;
    n->header = file->bytes.data + start;
    n->data = b + start + n->length;
    n->bytes = all - start - n->length;
    return true;
}

/* What stands behind 'key': in the header, up to its end; NULL if nothing does. */
static const char *find(const npy *n, const char *key)
{
    size_t size = strlen(key);
    for (size_t i = 0; i + size + 3 < n->length; i++) {
        const char *at = n->header + i;
        if ((*at != '\'' && *at != '"') || memcmp(at + 1, key, size) != 0 || at[size + 1] != *at)
            continue;
        for (i += size + 2; i < n->length && (n->header[i] == ' ' || n->header[i] == ':'); i++) {
        }
        return i < n->length ? n->header + i : NULL;
    }
    return NULL;
}

static bool read_type(npy *n)
{
    const char *at = find(n, "descr"), *end = n->header + n->length;
    if (!at || end - at < 5 || (*at != '\'' && *at != '"') || at[4] != *at || at[2] != 'f' ||
        !memchr("<>=|", at[1], 4) || !memchr("248", at[3], 3))
        return false;
    n->size = (size_t)(at[3] - '0');
    n->big_endian = at[1] == '>';
    return true;
}

static bool read_order(npy *n)
{
    const char *at = find(n, "fortran_order"), *end = n->header + n->length;
    if (!at || end - at < 5)
        return false;
    n->fortran = *at == 'T';
    return memcmp(at, "True", 4) == 0 || memcmp(at, "False", 5) == 0;
}

/* "(3, 4)", "(3,)" or "()". */
static bool read_shape(npy *n)
{
    const char *at = find(n, "shape"), *end = n->header + n->length;
    size_t side[2] = {1, 1};
    if (!at || *at != '(')
        return false;
    for (at++; at < end && *at != ')';) {
        size_t value = 0, digits = 0;
        for (; at < end && *at >= '0' && *at <= '9' && value < SIZE_MAX / 100; at++, digits++)
            value = 10 * value + (size_t)(*at - '0');
        if (!digits || n->dimensions == 2 || (at < end && *at >= '0' && *at <= '9'))
            return false;
        side[n->dimensions++] = value;
        for (; at < end && (*at == ',' || *at == ' ' || *at == 'L'); at++) {
        }
    }
    n->rows = n->dimensions == 2 ? side[0] : 1;
    n->columns = n->dimensions == 2 ? side[1] : side[0];
    return at < end && (n->columns == 0 || n->rows <= SIZE_MAX / 64 / n->columns);
}

static int take_values(const cli_file *file, const npy *n, cli_numbers *numbers)
{
    size_t count = n->rows * n->columns;
    if (count == 0)
        return bad(file, "it holds no numbers; give a row for each sum");
    if (n->bytes / n->size != count || n->bytes % n->size) {
        cli_error("%s: its header promises %zu numbers of %zu bytes, %zu bytes follow; save it "
                  "again",
                  file->name, count, n->size, n->bytes);
        return CLI_USAGE;
    }
    numbers->value = accordi_alloc(count, sizeof(double));
    if (!numbers->value) {
        cli_error("out of memory");
        return CLI_UNABLE;
    }
    for (size_t r = 0; r < n->rows; r++)
        for (size_t c = 0; c < n->columns; c++) {
            size_t at = n->fortran ? c * n->rows + r : r * n->columns + c;
            numbers->value[r * n->columns + c] =
                cli_decode(n->data + at * n->size, n->size, n->big_endian);
        }
    numbers->rows = n->rows;
    numbers->columns = n->columns;
    numbers->shaped = true;
    return CLI_YES;
}

int cli_read_npy(const cli_file *file, cli_numbers *numbers)
{
    npy n = {0};
    if (!find_header(file, &n))
        return bad(file, "the header is missing or cut short; save it again with numpy.save");
    if (!read_type(&n))
        return bad(file, "its type is none of f2, f4, f8; convert it with astype");
    if (!read_order(&n))
        return bad(
            file,
            "the header has no fortran_order of True or False; save it again with numpy.save");
    if (!read_shape(&n))
        return bad(file, "its shape is not of one or two dimensions; reshape it");
    return take_values(file, &n, numbers);
}
