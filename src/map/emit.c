/* C for a whole product: a function for the shape, in it one for each class, and which class an
 * element has.
 *
 * Idea: the kernels of a library cut the result into rectangles, so the classes are distinguished
 * by comparisons of i and j: greedy rectangles, the largest class being what is left. Where that
 * takes too many, rows that are alike share a number, columns too, and a small table says which
 * class a pair of numbers has. */
#include "model/emit/emit.h"
#include <accord/map.h>

enum { MOST_RECTANGLES = 12 };

typedef struct rectangle {
    uint32_t row, column, rows, columns;
    uint16_t class;
} rectangle;

typedef struct region {
    const accord_map *map;
    uint16_t usual; /* the class of most elements */
    rectangle cut[MOST_RECTANGLES];
    size_t count;
} region;

static uint16_t class_at(const accord_map *map, uint32_t i, uint32_t j)
{
    return map->class_of[(size_t)i * map->columns + j];
}

static bool is_covered(const region *r, uint32_t i, uint32_t j)
{
    for (size_t k = 0; k < r->count; k++) {
        const rectangle *c = &r->cut[k];
        if (i - c->row < c->rows && j - c->column < c->columns && i >= c->row && j >= c->column)
            return true;
    }
    return false;
}

/* The largest of two rectangles of one class from (i, j) on: first right, or first down. */
static rectangle grow_rectangle(const accord_map *map, uint32_t i, uint32_t j)
{
    uint16_t class = class_at(map, i, j);
    rectangle best = {i, j, 0, 0, class};
    for (int down_first = 0; down_first < 2; down_first++) {
        uint32_t rows = 1, columns = 1;
        bool more = true;
        while (!down_first && j + columns < map->columns && class_at(map, i, j + columns) == class)
            columns++;
        while (down_first && i + rows < map->rows && class_at(map, i + rows, j) == class)
            rows++;
        while (more) {
            more = down_first ? j + columns < map->columns : i + rows < map->rows;
            for (uint32_t k = 0; more && k < (down_first ? rows : columns); k++)
                more = class_at(map, down_first ? i + k : i + rows,
                                down_first ? j + columns : j + k) == class;
            rows += more && !down_first;
            columns += more && down_first;
        }
        if ((uint64_t)rows * columns > (uint64_t)best.rows * best.columns) {
            best.rows = rows;
            best.columns = columns;
        }
    }
    return best;
}

/* False where there are too many. */
static bool find_rectangles(region *r)
{
    const accord_map *map = r->map;
    for (size_t k = 0; k < map->classes; k++)
        if (map->each[k].members > map->each[r->usual].members)
            r->usual = (uint16_t)k;
    for (uint32_t i = 0; i < map->rows; i++)
        for (uint32_t j = 0; j < map->columns; j++) {
            if (class_at(map, i, j) == r->usual || is_covered(r, i, j))
                continue;
            if (r->count == MOST_RECTANGLES)
                return false;
            r->cut[r->count++] = grow_rectangle(map, i, j);
        }
    return true;
}

/* ---- kinds of rows and columns ---- */

typedef struct kinds {
    uint32_t rows, columns;           /* how many kinds */
    uint32_t *row, *column;           /* of each row, of each column */
    uint32_t *row_like, *column_like; /* a row, a column of each kind */
} kinds;

static bool rows_alike(const accord_map *map, uint32_t a, uint32_t b)
{
    return memcmp(map->class_of + (size_t)a * map->columns,
                  map->class_of + (size_t)b * map->columns,
                  map->columns * sizeof *map->class_of) == 0;
}

/* Columns need to be compared in one row of each kind only. */
static bool columns_alike(const accord_map *map, const kinds *k, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < k->rows; i++)
        if (class_at(map, k->row_like[i], a) != class_at(map, k->row_like[i], b))
            return false;
    return true;
}

static bool find_kinds(const accord_map *map, kinds *k)
{
    k->row = accordi_alloc(map->rows, sizeof *k->row);
    k->row_like = accordi_alloc(map->rows, sizeof *k->row_like);
    k->column = accordi_alloc(map->columns, sizeof *k->column);
    k->column_like = accordi_alloc(map->columns, sizeof *k->column_like);
    if (!k->row || !k->row_like || !k->column || !k->column_like)
        return false;
    for (uint32_t i = 0; i < map->rows; i++) {
        uint32_t at = 0;
        while (at < k->rows && !rows_alike(map, k->row_like[at], i))
            at++;
        if (at == k->rows)
            k->row_like[k->rows++] = i;
        k->row[i] = at;
    }
    for (uint32_t j = 0; j < map->columns; j++) {
        uint32_t at = 0;
        while (at < k->columns && !columns_alike(map, k, k->column_like[at], j))
            at++;
        if (at == k->columns)
            k->column_like[k->columns++] = j;
        k->column[j] = at;
    }
    return true;
}

static void clear_kinds(kinds *k)
{
    free(k->row);
    free(k->row_like);
    free(k->column);
    free(k->column_like);
}

/* ---- text ---- */

/* What the map is of: a product, a matrix times a vector, sums of rows. */
typedef struct writing {
    const accord_map *map;
    const char *name;
    const accord_arithmetic *how; /* of the first class */
    bool matrix, product;
    accordi_buffer *out;
} writing;

static void put_class_name(const char *name, size_t class, accordi_buffer *out)
{
    if (class < 26)
        accordi_buffer_printf(out, "%s_%c", name, (char)('a' + class));
    else
        accordi_buffer_printf(out, "%s_class%zu", name, class);
}

static void put_list(const char *what, uint32_t count, const uint32_t *value, accordi_buffer *out)
{
    accordi_buffer_printf(out, "    static const unsigned short %s[%u] = {", what, count);
    for (uint32_t i = 0; i < count; i++)
        accordi_buffer_printf(out, "%s%u,", i % 24 == 0 ? "\n        " : " ", value[i]);
    accordi_buffer_puts(out, "\n    };\n");
}

static void put_tables(const writing *w, const kinds *k)
{
    put_list("row", w->map->rows, k->row, w->out);
    put_list("column", w->map->columns, k->column, w->out);
    accordi_buffer_printf(w->out, "    static const unsigned short kind[%u][%u] = {\n", k->rows,
                          k->columns);
    for (uint32_t i = 0; i < k->rows; i++) {
        accordi_buffer_puts(w->out, "        {");
        for (uint32_t j = 0; j < k->columns; j++)
            accordi_buffer_printf(w->out, "%s%u",
                                  j == 0        ? ""
                                  : j % 24 == 0 ? ",\n         "
                                                : ", ",
                                  class_at(w->map, k->row_like[i], k->column_like[j]));
        accordi_buffer_puts(w->out, "},\n");
    }
    accordi_buffer_puts(w->out, "    };\n");
}

static void put_range(char name, uint32_t from, uint32_t count, uint32_t all, bool *some,
                      accordi_buffer *out)
{
    if (from > 0)
        accordi_buffer_printf(out, "%s%c >= %u", *some ? " && " : "", name, from);
    *some = *some || from > 0;
    if (from + count < all)
        accordi_buffer_printf(out, "%s%c < %u", *some ? " && " : "", name, from + count);
    *some = *some || from + count < all;
}

/* "i < 4 && j < 8", or of several rectangles "(…) ||\n (…)". */
static void put_condition(const region *r, uint16_t class, accordi_buffer *out)
{
    size_t count = 0, done = 0;
    for (size_t k = 0; k < r->count; k++)
        count += r->cut[k].class == class;
    for (size_t k = 0; k < r->count; k++) {
        const rectangle *c = &r->cut[k];
        bool some = false;
        if (c->class != class)
            continue;
        if (done++ > 0)
            accordi_buffer_puts(out, " ||\n                ");
        accordi_buffer_puts(out, count > 1 ? "(" : "");
        put_range('i', c->row, c->rows, r->map->rows, &some, out);
        put_range('j', c->column, c->columns, r->map->columns, &some, out);
        accordi_buffer_puts(out, count > 1 ? ")" : "");
    }
}

static void put_call(const writing *w, size_t class)
{
    accordi_buffer_puts(w->out, w->matrix ? "c[i * ldc + j] = " : "y[i] = ");
    put_class_name(w->name, class, w->out);
    accordi_buffer_puts(w->out, "(a + i * lda");
    if (w->product)
        accordi_buffer_puts(w->out, w->matrix ? ", b + j, ldb" : ", x");
    if (w->how->beta != 0)
        accordi_buffer_puts(w->out, w->matrix ? ", c[i * ldc + j]" : ", y[i]");
    accordi_buffer_puts(w->out, ");\n");
}

static void put_branches(const writing *w, const region *r)
{
    const char *indent = w->matrix ? "            " : "        ";
    const char *word = "if (";
    for (size_t k = 0; k < w->map->classes; k++) {
        if (k == r->usual)
            continue;
        accordi_buffer_printf(w->out, "%s%s", indent, word);
        put_condition(r, (uint16_t)k, w->out);
        accordi_buffer_printf(w->out, ")\n%s    ", indent);
        put_call(w, k);
        word = "else if (";
    }
    if (w->map->classes > 1)
        accordi_buffer_printf(w->out, "%selse\n    ", indent);
    accordi_buffer_puts(w->out, indent);
    put_call(w, r->usual);
}

static void put_switch(const writing *w)
{
    const char *indent = w->matrix ? "            " : "        ";
    accordi_buffer_printf(w->out, "%sswitch (kind[row[i]][column[%s]]) {\n", indent,
                          w->matrix ? "j" : "0");
    for (size_t k = 0; k < w->map->classes; k++) {
        accordi_buffer_printf(w->out, "%scase %zu:\n%s    ", indent, k, indent);
        put_call(w, k);
        accordi_buffer_printf(w->out, "%s    break;\n", indent);
    }
    accordi_buffer_printf(w->out, "%s}\n", indent);
}

static void put_head(const writing *w)
{
    const char *type = accordi_type((uint8_t)w->how->input);
    const char *result = accordi_type((uint8_t)w->how->output);
    accordi_buffer_printf(w->out, "void %s(const %s *a, size_t lda, ", w->name, type);
    if (w->matrix)
        accordi_buffer_printf(w->out, "const %s *b, size_t ldb, %s *c, size_t ldc)\n", type,
                              result);
    else if (w->product)
        accordi_buffer_printf(w->out, "const %s *x, %s *y)\n", type, result);
    else
        accordi_buffer_printf(w->out, "%s *y)\n", result);
}

static void put_loops(const writing *w, const region *r, const kinds *k)
{
    put_head(w);
    accordi_buffer_puts(w->out, "{\n");
    if (k)
        put_tables(w, k);
    accordi_buffer_printf(w->out, "    for (size_t i = 0; i < %u; i++)\n", w->map->rows);
    if (w->matrix)
        accordi_buffer_printf(w->out, "        for (size_t j = 0; j < %u; j++)\n", w->map->columns);
    if (k)
        put_switch(w);
    else
        put_branches(w, r);
    accordi_buffer_puts(w->out, "}\n");
}

static enum accord_status put_product(const writing *w, accord_error *error)
{
    region r = {.map = w->map};
    kinds k = {0};
    enum accord_status status = ACCORD_OK;
    if (find_rectangles(&r))
        put_loops(w, &r, NULL);
    else if (find_kinds(w->map, &k))
        put_loops(w, NULL, &k);
    else
        status = accordi_nomem(error);
    clear_kinds(&k);
    return status;
}

/* ---- classes ---- */

static enum accord_status check_classes(const accord_map *map, accord_error *error)
{
    if (map->classes == 0)
        return accordi_fail(error, ACCORD_ARG, "a map without classes cannot be written as C");
    for (size_t k = 0; k < map->classes; k++) {
        const accord_record *record = &map->each[k].record;
        if (!record->tree || !record->arithmetic)
            return accordi_fail(error, ACCORD_UNSUPPORTED,
                                "class %zu of the map has no %s, so it cannot be written as C", k,
                                record->tree ? "known arithmetic" : "order");
        const accord_arithmetic *first = map->each[0].record.arithmetic, *own = record->arithmetic;
        if (own->input != first->input || own->output != first->output ||
            own->term != first->term || (own->beta != 0) != (first->beta != 0) ||
            record->tree->leaves != map->each[0].record.tree->leaves)
            return accordi_fail(error, ACCORD_ARG,
                                "class %zu of the map has other operands than class 0", k);
    }
    return ACCORD_OK;
}

static enum accord_status emit_class(const writing *w, size_t class, accord_error *error)
{
    const accord_record *record = &w->map->each[class].record;
    const accord_model model = {record->tree, record->arithmetic};
    accordi_buffer name = {0}, comment = {0};
    char fingerprint[ACCORD_FINGERPRINT_SIZE] = "";
    enum accord_status status = accord_tree_fingerprint(record->tree, fingerprint, error);
    put_class_name(w->name, class, &name);
    accordi_buffer_printf(&comment, "/* %llu of %llu elements. Order %s. */\n",
                          (unsigned long long)w->map->each[class].members,
                          (unsigned long long)w->map->rows * w->map->columns, fingerprint);
    if (status == ACCORD_OK && (name.failed || comment.failed))
        status = accordi_nomem(error);
    if (status == ACCORD_OK) {
        accordi_emission emission = {.name = name.data,
                                     .is_static = true,
                                     .comment = comment.data,
                                     .operands = {.x = "a",
                                                  .y = w->matrix ? "b" : "x",
                                                  .y_stride = w->matrix ? "ldb" : NULL,
                                                  .start = w->how->beta != 0 ? "start" : NULL}};
        status = accordi_emit_function(&model, &emission, w->out, error);
    }
    accordi_buffer_puts(w->out, "\n");
    accordi_buffer_clear(&name);
    accordi_buffer_clear(&comment);
    return status;
}

static void put_comment(const writing *w)
{
    const accord_arithmetic *how = w->how;
    uint32_t terms = w->map->each[0].record.tree->leaves - (how->beta != 0);
    accordi_buffer_printf(w->out, "/* %s: ", w->name);
    if (w->matrix)
        accordi_buffer_printf(w->out,
                              "C, %u x %u, from A, %u x %u, and B, %u x %u:\n"
                              " * rows of A at a + i * lda, of B at b + k * ldb, of C at "
                              "c + i * ldc",
                              w->map->rows, w->map->columns, w->map->rows, terms, terms,
                              w->map->columns);
    else if (w->product)
        accordi_buffer_printf(w->out,
                              "y, %u values, from A, %u x %u, and x, %u values:\n"
                              " * rows of A at a + i * lda",
                              w->map->rows, w->map->rows, terms, terms);
    else
        accordi_buffer_printf(w->out, "y, the sums of %u rows of %u terms at a + i * lda",
                              w->map->rows, terms);
    if (how->alpha != 1 || how->beta != 0)
        accordi_buffer_printf(w->out, "; alpha is %.17g, beta %.17g", how->alpha, how->beta);
    accordi_buffer_puts(w->out, ". */\n");
}

static bool is_matrix(const accord_map *map)
{
    const char *shape = map->each[0].record.shape;
    const char *x = shape ? strchr(shape, 'x') : NULL;
    return map->columns > 1 || !x || strchr(x + 1, 'x') != NULL;
}

enum accord_status accord_map_emit_c(const accord_map *map, const char *name, accord_sink *sink,
                                     void *context, accord_error *error)
{
    accordi_buffer functions = {0}, text = {0};
    enum accord_status status = accordi_emit_name(name, error);
    if (status == ACCORD_OK)
        status = check_classes(map, error);
    if (status != ACCORD_OK)
        return status;
    writing w = {
        .map = map, .name = name, .how = map->each[0].record.arithmetic, .out = &functions};
    w.product = w.how->term == ACCORD_TERM_PRODUCT;
    w.matrix = w.product && is_matrix(map);
    if (!w.product && map->columns > 1)
        return accordi_fail(
            error, ACCORD_UNSUPPORTED,
            "sums without products can be written as C only if they are a column of sums");
    for (size_t k = 0; status == ACCORD_OK && k < map->classes; k++)
        status = emit_class(&w, k, error);
    if (status == ACCORD_OK) {
        put_comment(&w);
        status = put_product(&w, error);
    }
    accordi_emit_file(&functions, &text);
    accordi_buffer_clear(&functions);
    if (status == ACCORD_OK && text.failed)
        status = accordi_nomem(error);
    if (status == ACCORD_OK && !sink(context, text.data, text.length))
        status = accordi_fail(error, ACCORD_IO, "the C function could not be written");
    accordi_buffer_clear(&text);
    return status;
}
