/* accord emit: a saved order, or a map, as a function in C. */
#include "cli/command/cli.h"
#include <ctype.h>
#include <jansson.h>

/* What a file held: one order, or a map. */
typedef struct model_file {
    accord_record *record;
    accord_map *map;
    bool is_map;
    bool chosen; /* the arithmetic is an alternative that was asked for */
} model_file;

static bool holds_map(const accordi_buffer *text)
{
    json_t *document = json_loadb(text->data, text->length, 0, NULL);
    bool is_map = json_is_object(json_object_get(document, "map"));
    json_decref(document);
    return is_map;
}

static int read_model(const char *path, model_file *file)
{
    accordi_buffer text = {0};
    accord_error error;
    enum accord_status status;
    if (!cli_read_file(path, &text)) {
        accordi_buffer_clear(&text);
        return CLI_USAGE;
    }
    file->is_map = holds_map(&text);
    if (file->is_map)
        status = accord_map_read(text.data, text.length, file->map, &error);
    else
        status = accord_record_read(text.data, text.length, file->record, &error);
    int end = status == ACCORD_OK ? CLI_YES : cli_bad_file(path, &text, &error);
    accordi_buffer_clear(&text);
    return end;
}

/* ---- names ---- */

/* The routine of a target: what stands after the last colon before any @ or comma. */
static void put_routine(const char *target, accordi_buffer *out)
{
    size_t length = target ? strcspn(target, "@, ") : 0, from = length;
    while (from > 0 && target[from - 1] != ':')
        from--;
    if (from == length || isdigit((unsigned char)target[from]))
        accordi_buffer_puts(out, "sum");
    for (size_t i = from; i < length; i++) {
        char c = isalnum((unsigned char)target[i]) ? target[i] : '_';
        accordi_buffer_append(out, &c, 1);
    }
}

/* "sdot_40", "sgemm_7x13x24". */
static char *default_name(const model_file *file)
{
    const accord_record *r =
        file->is_map ? &accord_map_class_at(file->map, 0)->record : file->record;
    accordi_buffer name = {0};
    put_routine(r->target, &name);
    if (file->is_map && r->shape)
        accordi_buffer_printf(&name, "_%s", r->shape);
    else if (r->tree)
        accordi_buffer_printf(&name, "_%u", r->tree->leaves);
    if (name.failed)
        accordi_buffer_clear(&name);
    return name.data;
}

/* ---- where it comes from ---- */

/* Text inside a comment: it must not end it. */
static void put_comment_text(const char *text, accordi_buffer *out)
{
    for (size_t i = 0; text[i]; i++) {
        bool ends = text[i] == '*' && text[i + 1] == '/';
        accordi_buffer_puts(out, ends ? "* " : "");
        if (!ends)
            accordi_buffer_append(out, text[i] == '\n' ? " " : &text[i], 1);
    }
}

/* A word, and the text beside it, as many lines as it takes. */
static void put_fact(const char *word, const char *text, accordi_buffer *out)
{
    enum { WIDTH = 80 };
    while (text && *text) {
        size_t length = strlen(text), at = length;
        for (size_t i = 0; length > WIDTH && i <= WIDTH; i++)
            if (text[i] == ' ')
                at = i;
        char *line = strndup(text, at);
        accordi_buffer_printf(out, " * %-12s ", word);
        put_comment_text(line ? line : "", out);
        accordi_buffer_puts(out, "\n");
        out->failed |= !line;
        free(line);
        word = "";
        text += at + (at < length);
    }
}

static void put_origin(const char *path, const model_file *file, accordi_buffer *out)
{
    const accord_record *r =
        file->is_map ? &accord_map_class_at(file->map, 0)->record : file->record;
    char words[ACCORD_DESCRIPTION_SIZE] = "";
    accordi_buffer_printf(out, "/* Written by accord %s; the same bits as\n *\n", accord_version());
    put_fact("target", r->target ? r->target : path, out);
    put_fact("library", r->library, out);
    put_fact("version", r->library_version, out);
    put_fact("build", r->library_build, out);
    put_fact("CPU", r->cpu, out);
    put_fact("settings", r->environment, out);
    put_fact("shape", r->shape, out);
    put_fact("transposes", r->transpose, out);
    if (!file->is_map && r->tree) {
        accord_order_words(r->tree, words);
        put_fact("order", words, out);
    }
    put_fact("arithmetic", r->accumulator, out);
    if (file->chosen) {
        const accord_model model = {r->tree, r->arithmetic};
        accord_model_describe(&model, words, sizeof words);
        put_fact("alternative", words, out);
    }
    put_fact("verdict", file->is_map ? NULL : r->verdict, out);
    accordi_buffer_puts(out, " */\n");
}

/* ---- emission ---- */

/* An order without its arithmetic is a plain sum if the user says of what. */
static enum accord_status complete(const cli_args *args, accord_record *record, accord_error *error)
{
    enum accord_format format = ACCORD_F32;
    const char *word = args->text[CLI_FORMAT];
    if (!record->tree)
        return accordi_fail(
            error, ACCORD_UNSUPPORTED,
            "%s contains no order, so there is nothing to emit; give a file with an order",
            args->operand[0]);
    if (record->arithmetic)
        return ACCORD_OK;
    if (!word || !accord_format_by_name(word, &format))
        return accordi_fail(error, ACCORD_UNSUPPORTED,
                            "%s does not contain the arithmetic of its order; reveal it again, or "
                            "give --format f32 (or f64) for a plain sum",
                            args->operand[0]);
    return accord_arithmetic_plain(ACCORD_TERM_VALUE, format, format, format, &record->arithmetic,
                                   error);
}

static enum accord_status emit(const cli_args *args, model_file *file, const char *name,
                               accordi_buffer *out, accord_error *error)
{
    if (file->is_map)
        return accord_map_emit_c(file->map, name, accordi_buffer_write, out, error);
    enum accord_status status = complete(args, file->record, error);
    if (status)
        return status;
    const accord_model model = {file->record->tree, file->record->arithmetic};
    return accord_model_emit_c(&model, name, accordi_buffer_write, out, error);
}

/* Puts the arithmetic that was asked for in the place of the file's own. */
static int choose_alternative(const cli_args *args, model_file *file)
{
    const char *which = args->text[CLI_ALTERNATIVE];
    if (which && file->is_map)
        return cli_misuse("%s is a map, and each of its classes has its own alternatives; leave "
                          "--alternative out",
                          args->operand[0]);
    file->chosen = which && strcmp(which, "0") != 0;
    return cli_choose(args, file->record);
}

static int emit_file(const cli_args *args, model_file *file)
{
    accord_error error;
    accordi_buffer text = {0};
    char *own = args->text[CLI_NAME] ? NULL : default_name(file);
    const char *name = args->text[CLI_NAME] ? args->text[CLI_NAME] : own;
    put_origin(args->operand[0], file, &text);
    enum accord_status status =
        name ? emit(args, file, name, &text, &error) : accordi_nomem(&error);
    free(own);
    if (status == ACCORD_OK)
        return cli_output_text(args, &text);
    accordi_buffer_clear(&text);
    return cli_fail(&error);
}

static int run_emit(const cli_args *args)
{
    model_file file = {.is_map = false};
    file.record = cli_need(accord_record_new());
    file.map = cli_need(accord_map_new());
    int status = read_model(args->operand[0], &file);
    if (status == CLI_YES)
        status = choose_alternative(args, &file);
    if (status == CLI_YES)
        status = emit_file(args, &file);
    accord_record_free(file.record);
    accord_map_free(file.map);
    return status;
}

const cli_verb cli_emit = {
    .name = "emit",
    .operands = "FILE",
    .about = "write a saved order or map as a C function with the same bits",
    .text =
        "Reads an order with its arithmetic (JSON from accord reveal) or a map (JSON from "
        "accord map), and writes a C function that gives the same bits. The function needs only "
        "the C library, and its results do not depend on compiler flags other than fast-math "
        "(and clang's -ffp-contract=fast). An order without arithmetic (brackets) needs "
        "--format and then uses plain additions in f32 or f64. No target is run. If several "
        "kinds of arithmetic fit and no input was found that distinguishes them (accord show "
        "lists them), --alternative selects one other than the first. If the arithmetic cannot "
        "be written in C, the exit status is 3 and the reason is given.",
    .least = 1,
    .most = 1,
    .options = {CLI_LANGUAGE, CLI_NAME, CLI_ALTERNATIVE, CLI_FORMAT, CLI_TO, CLI_HELP, CLI_OPTIONS},
    .examples = {{"accord emit sdot.json --language c -o sdot.c", "a dot product"},
                 {"accord emit map.json --name product -o product.c", "a product, by its map"},
                 {"accord emit mean.json --alternative 1", "the other arithmetic that fits"},
                 {"accord reveal synthetic:numpy -n 1000 --json | accord emit - --format f32",
                  "to standard output"}},
    .run = run_emit,
};
