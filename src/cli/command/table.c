/* Tables: aligned text for people, Markdown and CSV for other programs. */
#include "cli/command/cli.h"

struct cli_table {
    size_t columns, cells, room;
    char **cell;  /* row by row, the head first */
    size_t *wide; /* of columns, at least; NULL: as wide as their cells */
    bool headed;  /* the head has been written */
};

cli_table *cli_table_new(size_t columns)
{
    cli_table *table = cli_need(accordi_calloc(1, sizeof *table));
    table->columns = columns;
    return table;
}

static void drop(cli_table *table)
{
    for (size_t i = 0; i < table->cells; i++)
        free(table->cell[i]);
    table->cells = 0;
}

void cli_table_free(cli_table *table)
{
    drop(table);
    free(table->wide);
    free(table->cell);
    free(table);
}

void cli_table_put(cli_table *table, const char *text)
{
    cli_table_printf(table, "%s", text);
}

void cli_table_printf(cli_table *table, const char *format, ...)
{
    char *cell;
    va_list args;
    va_start(args, format);
    if (vasprintf(&cell, format, args) < 0)
        cell = NULL;
    va_end(args);
    cli_grow((void **)&table->cell, &table->room, table->cells + 1, sizeof *table->cell);
    table->cell[table->cells++] = cli_need(cell);
}

static size_t width(const char *text)
{
    return accordi_columns(text, strlen(text));
}

static void measure(const cli_table *table, size_t *wide)
{
    for (size_t i = 0; i < table->cells; i++) {
        size_t w = width(table->cell[i]), c = i % table->columns;
        wide[c] = w > wide[c] ? w : wide[c];
    }
}

void cli_table_measure(cli_table *table)
{
    if (!table->wide)
        table->wide = cli_need(accordi_calloc(table->columns, sizeof *table->wide));
    measure(table, table->wide);
    drop(table);
}

static void put_table_text(const cli_table *table, accordi_buffer *out)
{
    size_t *wide = cli_need(accordi_calloc(table->columns, sizeof *wide));
    if (table->wide)
        memcpy(wide, table->wide, table->columns * sizeof *wide);
    measure(table, wide);
    for (size_t i = 0; i < table->cells; i++) {
        size_t c = i % table->columns;
        bool last = c + 1 == table->columns;
        accordi_buffer_printf(out, "  %s", table->cell[i]);
        if (last)
            accordi_buffer_puts(out, "\n");
        else
            accordi_buffer_printf(out, "%*s", (int)(wide[c] - width(table->cell[i])), "");
    }
    free(wide);
}

static void put_markdown(const cli_table *table, accordi_buffer *out)
{
    for (size_t i = 0; i < table->cells; i++) {
        size_t c = i % table->columns;
        accordi_buffer_puts(out, c ? " | " : "| ");
        for (const char *p = table->cell[i]; *p; p++)
            accordi_buffer_printf(out, *p == '|' ? "\\%c" : "%c", *p);
        if (c + 1 < table->columns)
            continue;
        accordi_buffer_puts(out, " |\n");
        bool head = i + 1 == table->columns && !table->headed;
        for (size_t k = 0; head && k < table->columns; k++)
            accordi_buffer_puts(out, k + 1 < table->columns ? "|---" : "|---|\n");
    }
}

/* As RFC 4180 has it, with plain newlines. */
static void put_csv(const cli_table *table, accordi_buffer *out)
{
    for (size_t i = 0; i < table->cells; i++) {
        const char *text = table->cell[i];
        bool quoted = strpbrk(text, ",\"\n\r") != NULL;
        accordi_buffer_puts(out, quoted ? "\"" : "");
        for (const char *p = text; *p; p++)
            accordi_buffer_append(out, *p == '"' ? "\"\"" : p, *p == '"' ? 2 : 1);
        accordi_buffer_puts(out, quoted ? "\"" : "");
        accordi_buffer_puts(out, (i + 1) % table->columns ? "," : "\n");
    }
}

static const struct form {
    const char *name;
    void (*put)(const cli_table *table, accordi_buffer *out);
} forms[] = {{"report", put_table_text}, {"markdown", put_markdown}, {"csv", put_csv}};

void cli_table_write(const cli_table *table, const char *form, accordi_buffer *out)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(forms[i].name, form) == 0)
            forms[i].put(table, out);
}

void cli_table_flush(cli_table *table, const char *form, accordi_buffer *out)
{
    cli_table_write(table, form, out);
    table->headed = true;
    drop(table);
}
