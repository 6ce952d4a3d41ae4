/* Inputs for builds by compilers: the program's sources, with calls where its inputs are set.
 *
 * In: the places where the instrumenter set inputs, and the values that the run had there. Out:
 * copies of the sources in which these numbers come from accord_given_(), a function of a file of
 * its own that gives the same values one after the other. Calls are put at the start of functions
 * (global variables and parameters) and around what is assigned in a line. The copies keep their
 * lines.
 *
 * C is not parsed here, and a place may be inside a macro or in a form that is not known: so a
 * build that computes as written must write the very numbers of the run, or nothing is observed
 * (observe.c). */
#include "cli/bounds/program.h"
#include <ctype.h>
#include <stdlib.h>

static const char giver[] =
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "double accord_given_(unsigned input, double own)\n"
    "{\n"
    "    static struct { unsigned input; double x; } *all;\n"
    "    static unsigned count, next[1024], last[1024];\n"
    "    unsigned i = next[input];\n"
    "    if (!all) {\n"
    "        FILE *in = fopen(getenv(\"ACCORD_GIVEN\"), \"r\");\n"
    "        if (!in || fscanf(in, \"%u\", &count) != 1) abort();\n"
    "        all = calloc(count + 1, sizeof *all);\n"
    "        for (unsigned k = 0; k < count; k++)\n"
    "            if (fscanf(in, \"%u %la\", &all[k].input, &all[k].x) != 2) abort();\n"
    "        fclose(in);\n"
    "    }\n"
    "    while (i < count && all[i].input != input)\n"
    "        i++;\n"
    "    if (i < count) {\n"
    "        last[input] = i + 1;\n"
    "        next[input] = i + 1;\n"
    "    }\n"
    "    return last[input] ? all[last[input] - 1].x : own;\n"
    "}\n";

/* What is put into a source at a place. */
typedef struct insertion {
    size_t at, order;
    char *text;
} insertion;

typedef struct source {
    const char *path;
    accordi_buffer text;
    insertion *put;
    size_t count, room;
} source;

/* ---- reading C as far as it is needed ---- */

static size_t start_of_line(const char *text, unsigned line)
{
    const char *at = text;
    for (unsigned i = 1; i < line && (at = strchr(at, '\n')); i++)
        at++;
    return at ? (size_t)(at - text) : strlen(text);
}

/* Behind a comment, a text or a character constant that begins here, or behind one character. */
static size_t skip(const char *text, size_t at)
{
    char quote = text[at];
    if (text[at] == '/' && text[at + 1] == '*') {
        const char *end = strstr(text + at + 2, "*/");
        return end ? (size_t)(end - text) + 2 : strlen(text);
    }
    if (text[at] == '/' && text[at + 1] == '/')
        return at + strcspn(text + at, "\n");
    if (quote != '"' && quote != '\'')
        return at + 1;
    for (at++; text[at] && text[at] != quote; at++)
        at += text[at] == '\\' && text[at + 1];
    return at + (text[at] != 0);
}

/* Where one of these characters stands outside of brackets; SIZE_MAX: nowhere. */
static size_t find(const char *text, size_t at, const char *ends)
{
    for (int depth = 0; text[at]; at = skip(text, at)) {
        if (depth == 0 && strchr(ends, text[at]))
            return at;
        depth += strchr("([{", text[at]) != NULL;
        depth -= strchr(")]}", text[at]) != NULL;
        if (depth < 0)
            return SIZE_MAX;
    }
    return SIZE_MAX;
}

static size_t skip_space(const char *text, size_t at)
{
    while (isspace((unsigned char)text[at]))
        at++;
    return at;
}

/* What is assigned by the assignment, or the declaration, at this place. */
static bool find_value(const char *text, size_t at, size_t *from, size_t *end)
{
    while (isalnum((unsigned char)text[at]) || text[at] == '_')
        at++;
    at = skip_space(text, at);
    if (text[at] != '=' || text[at + 1] == '=')
        return false;
    *from = skip_space(text, at + 1);
    if (text[*from] == '{')
        return false;
    int depth = 0;
    for (at = *from; text[at]; at = skip(text, at)) {
        if (depth == 0 && strchr(",;)]}", text[at]))
            break;
        depth += strchr("([{", text[at]) != NULL;
        depth -= strchr(")]}", text[at]) != NULL;
    }
    *end = at;
    return text[at] != 0;
}

/* ---- insertions ---- */

static void put(source *s, size_t at, char *text)
{
    cli_grow((void **)&s->put, &s->room, s->count + 1, sizeof *s->put);
    s->put[s->count] = (insertion){at, s->count, cli_need(text)};
    s->count++;
}

static int by_place(const void *a, const void *b)
{
    const insertion *x = a, *y = b;
    int place = (x->at > y->at) - (x->at < y->at);
    return place ? place : (x->order > y->order) - (x->order < y->order);
}

/* for (unsigned i0 = 0; i0 < 3; i0++) a[i0].x = accord_given_(0, a[i0].x); */
static char *assignment(unsigned long id, const char *counts, const char *path)
{
    accordi_buffer out = {0}, name = {0};
    unsigned loops = 0, index = 0;
    for (char *end; isdigit((unsigned char)*counts); counts = end + 1)
        accordi_buffer_printf(&out,
                              " for (unsigned accord_%u_ = 0; accord_%u_ < %lluu; accord_%u_++)",
                              loops, loops, strtoull(counts, &end, 10), loops),
            loops++;
    for (; *path; path++)
        if (*path == '#')
            accordi_buffer_printf(&name, "accord_%u_", index++);
        else
            accordi_buffer_append(&name, path, 1);
    accordi_buffer_printf(&out, " %s = accord_given_(%luu, %s);", name.data, id, name.data);
    accordi_buffer_clear(&name);
    return out.data;
}

/* At the start of the function in this line, or where a number is assigned; false: in a form that
 * is not known. */
static bool put_place(source *s, const cli_site *site)
{
    char *at, *counts, *path;
    const char *text = s->text.data;
    unsigned long id = strtoul(site->kind + 6, &at, 10), function = strtoul(at, &at, 10);
    counts = at + (*at == ' ');
    path = strchr(counts, ' ');
    if (!path)
        return false;
    if (function) {
        size_t brace = find(text, start_of_line(text, (unsigned)function), "{");
        if (brace != SIZE_MAX)
            put(s, brace + 1, assignment(id, counts, path + 1));
        return brace != SIZE_MAX;
    }
    size_t from, end, place = start_of_line(text, site->line) + site->column - 1;
    char *begin;
    if (!site->column || place >= s->text.length || !find_value(text, place, &from, &end))
        return false;
    if (asprintf(&begin, "accord_given_(%luu, (", id) < 0)
        begin = NULL;
    put(s, from, begin);
    put(s, end, accordi_strdup("))"));
    return true;
}

/* ---- sources ---- */

static bool read_source(source *s, const char *path)
{
    FILE *file = fopen(path, "re");
    char block[4096];
    size_t got;
    *s = (source){.path = path};
    while (file && (got = fread(block, 1, sizeof block, file)) > 0)
        accordi_buffer_append(&s->text, block, got);
    accordi_buffer_puts(&s->text, "\n");
    if (file)
        fclose(file);
    return file && strlen(s->text.data) == s->text.length;
}

static bool write_text(const char *path, const accordi_buffer *text)
{
    FILE *file = fopen(path, "we");
    bool good = file && fwrite(text->data, 1, text->length, file) == text->length;
    return (!file || fclose(file) == 0) && good;
}

static bool write_source(source *s, const char *path)
{
    accordi_buffer out = {0};
    size_t from = 0;
    accordi_buffer_printf(&out, "double accord_given_(unsigned, double);\n#line 1 \"%s\"\n",
                          s->path);
    if (s->count)
        qsort(s->put, s->count, sizeof *s->put, by_place);
    for (size_t i = 0; i < s->count; i++) {
        accordi_buffer_append(&out, s->text.data + from, s->put[i].at - from);
        accordi_buffer_puts(&out, s->put[i].text);
        from = s->put[i].at;
    }
    accordi_buffer_puts(&out, s->text.data + from);
    bool good = write_text(path, &out);
    accordi_buffer_clear(&out);
    return good;
}

static void clear_source(source *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->put[i].text);
    free(s->put);
    accordi_buffer_clear(&s->text);
}

/* Is this the file of a site? Its paths do not begin with the folder where the command runs. */
static bool is_file(const cli_site *site, const char *path)
{
    char *a = realpath(site->file, NULL), *b = realpath(path, NULL);
    bool same = a && b && strcmp(a, b) == 0;
    free(a);
    free(b);
    return same;
}

static bool give_source(const cli_raw *raw, const char *path, const char *to, size_t *places)
{
    source s;
    bool good = read_source(&s, path);
    for (size_t i = 0; good && i < raw->sites; i++) {
        const cli_site *site = &raw->site[i];
        if (!site->file || cli_input_of_site(raw, (unsigned)i) == SIZE_MAX || !is_file(site, path))
            continue;
        good = put_place(&s, site);
        ++*places;
    }
    good = good && write_source(&s, to);
    clear_source(&s);
    return good;
}

static bool write_values(const cli_raw *raw, const char *path)
{
    accordi_buffer out = {0};
    size_t count = 0;
    bool whole = true;
    for (size_t i = 0; i < raw->inputs; i++) {
        whole = whole && raw->input[i].values == raw->input[i].set;
        count += raw->input[i].values;
    }
    accordi_buffer_printf(&out, "%zu\n", count);
    for (size_t i = 0; i < raw->inputs; i++)
        for (size_t k = 0; k < raw->input[i].values; k++)
            accordi_buffer_printf(&out, "%zu %a\n", i, raw->input[i].value[k]);
    whole = whole && write_text(path, &out);
    accordi_buffer_clear(&out);
    return whole;
}

static void add_folder(cli_feed *g, const char *path)
{
    char *real = realpath(path, NULL), *slash = real ? strrchr(real, '/') : NULL;
    if (slash) {
        *slash = 0;
        cli_words_add(&g->flags, "-I");
        cli_words_add(&g->flags, slash > real ? real : "/");
    }
    free(real);
}

bool cli_feed_new(cli_feed *g, const cli_raw *raw, const cli_args *args, const cli_scratch *scratch)
{
    size_t places = 0, wanted = 0;
    accordi_buffer text = {0};
    *g = (cli_feed){.values = cli_scratch_path(scratch, "given-values")};
    bool good = write_values(raw, g->values);
    for (size_t i = 0; good && i < args->operands; i++) {
        char *to = cli_scratch_path(scratch, "given-%zu.c", i);
        good = give_source(raw, args->operand[i], to, &places);
        cli_words_add(&g->sources, to);
        add_folder(g, args->operand[i]);
        free(to);
    }
    for (size_t i = 0; i < raw->sites; i++)
        wanted += raw->site[i].file && cli_input_of_site(raw, (unsigned)i) != SIZE_MAX;
    char *to = cli_scratch_path(scratch, "given.c");
    accordi_buffer_puts(&text, giver);
    good = good && places == wanted && write_text(to, &text);
    cli_words_add(&g->sources, to);
    accordi_buffer_clear(&text);
    free(to);
    return good;
}

void cli_feed_clear(cli_feed *g)
{
    cli_words_clear(&g->sources);
    cli_words_clear(&g->flags);
    free(g->values);
    *g = (cli_feed){.values = NULL};
}
