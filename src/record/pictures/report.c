/* Lays out the report for a terminal; its sentences are written in reveal/verdict.c.
 *
 * It shows the question, the tree, the verdict and the evidence. */
#include "record/pictures/report.h"
#include "pattern/pattern.h"
#include "record/pictures/view.h"
#include <accord/notation.h>
#include <math.h>

#define LABEL_WIDTH 13

/* Foreign text without anything that could steer a terminal; ASCII alone if it has to be. */
static char *tame(const accordi_report *report, const char *text)
{
    char *clean = accordi_utf8(text, true), *to = clean;
    if (!clean || report->utf8)
        return clean;
    for (const char *c = clean; *c; c++)
        if (((unsigned char)*c & 0xc0) != 0x80)
            *to++ = (unsigned char)*c < 0x80 ? *c : '?';
    *to = '\0';
    return clean;
}

/* `text` from column `at` on, wrapped between words, later lines indented by `indent`. */
static void put_wrapped(const accordi_report *report, const char *text, size_t at, size_t indent)
{
    size_t limit = report->columns > 40 ? (size_t)report->columns : 40, column = at;
    while (*text) {
        size_t word = strcspn(text, " "), wide = accordi_columns(text, word);
        if (word > 0 && column > at && column + 1 + wide > limit) {
            accordi_stream_char(report->out, '\n');
            accordi_stream_repeat(report->out, " ", indent);
            column = at = indent;
        } else if (word > 0 && column > at) {
            accordi_stream_char(report->out, ' ');
            column++;
        }
        accordi_stream_put(report->out, text, word);
        column += wide;
        text += word;
        text += strspn(text, " ");
    }
    accordi_stream_char(report->out, '\n');
}

/* "  label        text"; takes the buffer over. */
static enum accord_status put_line(const accordi_report *report, const char *label,
                                   accordi_buffer *text, accord_error *error)
{
    char *clean = text->failed || !text->data ? NULL : tame(report, text->data);
    accordi_buffer_clear(text);
    if (!clean)
        return accordi_nomem(error);
    accordi_stream_puts(report->out, "  ");
    accordi_report_ink(report, ACCORDI_DIM, label);
    accordi_stream_repeat(report->out, " ", LABEL_WIDTH - strlen(label));
    put_wrapped(report, clean, LABEL_WIDTH + 2, LABEL_WIDTH + 2);
    free(clean);
    return ACCORD_OK;
}

static void add_seconds(const accordi_report *report, accordi_buffer *out, double seconds)
{
    long long micro = seconds > 0 && seconds < 1e9 ? llround(seconds * 1e6) : 0;
    if (micro < 1000)
        accordi_buffer_printf(out, "%lld %ss", micro, report->utf8 ? "µ" : "u");
    else if (micro < 1000000)
        accordi_buffer_printf(out, "%lld.%lld ms", micro / 1000, micro / 100 % 10);
    else
        accordi_buffer_printf(out, "%lld.%02lld s", micro / 1000000, micro / 10000 % 100);
}

/* "part" after a comma, if there is one. */
static void append_after_comma(accordi_buffer *out, const char *before, const char *part)
{
    if (!part || !*part)
        return;
    accordi_buffer_puts(out, out->length > 0 ? ", " : "");
    accordi_buffer_puts(out, before);
    accordi_buffer_puts(out, part);
}

/* "3 of 4 …", where there is a whole. */
static void add_share(accordi_buffer *out, int64_t part, int64_t whole, const char *words)
{
    if (whole <= 0)
        return;
    accordi_count(out, part);
    accordi_buffer_puts(out, " of ");
    accordi_count(out, whole);
    accordi_buffer_puts(out, words);
}

static void line_target(const accordi_report *report, accordi_buffer *out)
{
    const accord_record *r = report->record;
    if (!r->target)
        return;
    accordi_buffer_puts(out, r->target);
    accordi_buffer_puts(out, ", ");
    accordi_count(out, r->n);
    accordi_buffer_puts(out, r->n == 1 ? " term" : " terms");
    if (r->format)
        accordi_buffer_printf(out, " of %s", r->format);
    append_after_comma(out, "shape ", r->shape);
    append_after_comma(out, "element ", r->element);
    append_after_comma(out, "transposed ", r->transpose);
    append_after_comma(out, "", r->strides);
}

static void line_library(const accordi_report *report, accordi_buffer *out)
{
    const accord_record *r = report->record;
    append_after_comma(out, "", r->library);
    append_after_comma(out, "", r->library_version);
    append_after_comma(out, "", r->library_build);
}

static void line_machine(const accordi_report *report, accordi_buffer *out)
{
    const accord_record *r = report->record;
    append_after_comma(out, "", r->cpu);
    if (r->cpu && r->threads > 0)
        accordi_buffer_printf(out, ", %lld thread%s", (long long)r->threads,
                              r->threads == 1 ? "" : "s");
}

static void line_order(const accordi_report *report, accordi_buffer *out)
{
    const accord_tree *tree = report->record->tree;
    accord_order_measures m;
    char name[ACCORD_ORDER_WORDS_SIZE];
    if (!tree)
        return;
    if (accord_order_measure(tree, &m, NULL) != ACCORD_OK) {
        out->failed = true;
        return;
    }
    if (accord_order_words(tree, name) && tree->inner > 1)
        accordi_buffer_printf(out, "%s: ", name);
    accordi_count(out, tree->leaves);
    accordi_buffer_puts(out, tree->leaves == 1 ? " term" : " terms, ");
    accordi_put_measures(name, &m);
    accordi_buffer_puts(out, name);
}

/* As far as it is short. */
static void line_notation(const accordi_report *report, accordi_buffer *out)
{
    enum { MOST = 240 };
    char *text = NULL;
    bool regular = false;
    if (!report->record->tree)
        return;
    if (accord_notation_write(report->record->tree, NULL, &text, &regular, NULL) != ACCORD_OK)
        out->failed = true;
    else if (regular || strlen(text) <= MOST)
        accordi_buffer_puts(out, text);
    accord_notation_free(text);
}

static void line_probes(const accordi_report *report, accordi_buffer *out)
{
    const accord_record *r = report->record;
    if (r->discovery_calls <= 0 && r->certificate_calls <= 0)
        return;
    accordi_count(out, r->discovery_calls);
    accordi_buffer_puts(out, " to discover in ");
    add_seconds(report, out, r->discovery_seconds);
    if (r->certificate_calls > 0) {
        accordi_buffer_puts(out, ", ");
        accordi_count(out, r->certificate_calls);
        accordi_buffer_puts(out, " to certify in ");
        add_seconds(report, out, r->certificate_seconds);
    }
    if (r->target_seconds > 0) {
        accordi_buffer_puts(out, "; ");
        add_seconds(report, out, r->target_seconds);
        accordi_buffer_puts(out, " of that in the target");
    }
}

static void line_proven(const accordi_report *report, accordi_buffer *out)
{
    const accord_record *r = report->record;
    add_share(out, r->nodes_confirmed, r->proven ? r->nodes : 0, " additions confirmed");
    if (r->proven && r->proof_error > 0)
        accordi_buffer_printf(out, ", all at once, with a probability of error of at most %g",
                              r->proof_error);
}

/* What is not proven does not begin with that word. */
static void line_confirmed(const accordi_report *report, accordi_buffer *out)
{
    const accord_record *r = report->record;
    add_share(out, r->nodes_confirmed, r->proven ? 0 : r->nodes, " additions confirmed by probes");
}

static void line_repeated(const accordi_report *report, accordi_buffer *out)
{
    const accord_record *r = report->record;
    add_share(out, r->repeats_agreed, r->repeats, " repeated inputs gave the same bits");
}

static void line_replayed(const accordi_report *report, accordi_buffer *out)
{
    const accord_record *r = report->record;
    add_share(out, r->replays_agreed, r->replays, " random inputs replayed bit for bit");
}

static void line_accumulator(const accordi_report *report, accordi_buffer *out)
{
    const accord_record *r = report->record;
    append_after_comma(out, "", r->accumulator);
    if (r->accumulator_bits > 0)
        accordi_buffer_printf(out, "%s%lld bits seen by probes", out->length > 0 ? ", " : "",
                              (long long)r->accumulator_bits);
}

static void line_arithmetic(const accordi_report *report, accordi_buffer *out)
{
    char words[ACCORD_DESCRIPTION_SIZE];
    if (!report->record->arithmetic || !report->record->tree)
        return;
    const accord_model model = {report->record->tree, report->record->arithmetic};
    accord_model_describe(&model, words, sizeof words);
    accordi_buffer_puts(out, words);
}

/* "1: times 0.1; 2: times 0.10000000149011612", as accord emit --alternative takes them. */
static void line_alternatives(const accordi_report *report, accordi_buffer *out)
{
    size_t count = accord_record_alternatives(report->record);
    for (size_t i = 0; i < count; i++) {
        char words[ACCORD_DESCRIPTION_SIZE];
        accord_alternative_words(report->record, i, words, sizeof words);
        accordi_buffer_printf(out, "%s%zu: %s", i ? "; " : "", i + 1, words);
    }
}

/* "a: f64 (8 additions), b: fma (1 addition)". */
static void line_marked(const accordi_report *report, accordi_buffer *out)
{
    const accordi_marks *marks = report->marks;
    for (size_t i = 0; i < marks->kinds; i++)
        accordi_buffer_printf(out, "%s%c: %s (%u addition%s)", i ? ", " : "", (char)('a' + i),
                              marks->label[i], marks->count[i], marks->count[i] == 1 ? "" : "s");
}

static void line_scale(const accordi_report *report, accordi_buffer *out)
{
    double scale = report->record->scale;
    char text[ACCORDI_DECIMAL];
    if (scale == 1 || !isfinite(scale))
        return;
    accordi_put_decimal(text, scale, 1, false);
    accordi_buffer_printf(out, "the result is %s times the sum", text);
}

/* The items of a list. */
static void add_items(const char *text, const char *between, accordi_buffer *out)
{
    for (; text && *text; text++)
        if (*text == '\n')
            accordi_buffer_puts(out, between);
        else
            accordi_buffer_append(out, text, 1);
}

/* Each on terms of one size, as far as it is short. */
static void line_orders(const accordi_report *report, accordi_buffer *out)
{
    enum { SHOWN = 60 };
    for (const char *item = report->record->orders; item && *item;) {
        int length = (int)strcspn(item, "\n"), size = (int)strcspn(item, " ");
        accordi_buffer_printf(out, "%swith terms near %.*s:%.*s%s", out->length ? "; " : "", size,
                              item, (length < SHOWN ? length : SHOWN) - size, item + size,
                              length < SHOWN ? "" : " ...");
        item += length + (item[length] == '\n');
    }
}

/* A line is made by a function, or is the items of a list of the record; an empty one is left out.
 */
typedef struct line {
    const char *label;
    void (*fill)(const accordi_report *report, accordi_buffer *out);
    size_t list; /* offset in the record */
    const char *between;
} line;

#define LIST(label_, member, between_)                                                             \
    {                                                                                              \
        .label = label_, .list = offsetof(accord_record, member), .between = between_              \
    }
static const line head[] = {{.label = "target", .fill = line_target},
                            {.label = "library", .fill = line_library},
                            {.label = "machine", .fill = line_machine},
                            LIST("environment", environment, " ")};
static const line under[] = {{.label = "arithmetic", .fill = line_arithmetic},
                             {.label = "alternatives", .fill = line_alternatives},
                             {.label = "marked", .fill = line_marked}};
static const line tail[] = {{.label = "order", .fill = line_order},
                            {.label = "notation", .fill = line_notation},
                            {.label = "orders", .fill = line_orders},
                            {.label = "probes", .fill = line_probes},
                            {.label = "proven", .fill = line_proven},
                            {.label = "confirmed", .fill = line_confirmed},
                            {.label = "repeated", .fill = line_repeated},
                            {.label = "replayed", .fill = line_replayed},
                            LIST("inputs", inputs, ", "),
                            {.label = "accumulator", .fill = line_accumulator},
                            {.label = "scale", .fill = line_scale},
                            LIST("assumes", assumes, "; "),
                            LIST("warning", warnings, "; ")};

static enum accord_status put_lines(const accordi_report *report, const line *lines, size_t count,
                                    accord_error *error)
{
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; status == ACCORD_OK && i < count; i++) {
        accordi_buffer text = {0};
        if (lines[i].fill)
            lines[i].fill(report, &text);
        else
            add_items(*(char *const *)((const char *)report->record + lines[i].list),
                      lines[i].between, &text);
        if (text.failed || text.length > 0)
            status = put_line(report, lines[i].label, &text, error);
        accordi_buffer_clear(&text);
    }
    return status;
}

/* The verdict, behind a word that says in one color how it ended. */
static enum accord_status put_verdict(const accordi_report *report, accord_error *error)
{
    const accord_record *r = report->record;
    bool unable = r->status && strcmp(r->status, "ok") != 0;
    if (!r->verdict)
        return ACCORD_OK;
    char *clean = tame(report, r->verdict);
    char *reason = tame(report, unable && r->reason ? r->reason : "no order");
    if (!clean || !reason) {
        free(clean);
        free(reason);
        return accordi_nomem(error);
    }
    const char *word = unable ? reason : r->proven ? "proven" : "not proven";
    accordi_stream_puts(report->out, "\n  ");
    enum accordi_ink ink = unable ? ACCORDI_BAD : r->proven ? ACCORDI_GOOD : ACCORDI_FUSED;
    accordi_report_ink(report, ink, word);
    accordi_stream_puts(report->out, ": ");
    size_t at = 4 + accordi_columns(word, strlen(word));
    put_wrapped(report, clean, at, 2);
    free(clean);
    free(reason);
    return ACCORD_OK;
}

static enum accord_status put_fingerprint(const accordi_report *report, accord_error *error)
{
    char fingerprint[ACCORD_FINGERPRINT_SIZE];
    accordi_buffer text = {0};
    if (!report->record->tree)
        return ACCORD_OK;
    enum accord_status status = accord_tree_fingerprint(report->record->tree, fingerprint, error);
    if (status != ACCORD_OK)
        return status;
    accordi_buffer_puts(&text, fingerprint);
    return put_line(report, "fingerprint", &text, error);
}

static enum accord_status write_parts(const accordi_report *report, accord_error *error)
{
    const accord_record *record = report->record;
    enum accord_status status = put_lines(report, head, sizeof head / sizeof *head, error);
    if (status == ACCORD_OK && record->tree) {
        accordi_stream_puts(report->out, record->target ? "\n" : "");
        status = accordi_report_tree(report, error);
        accordi_stream_puts(report->out, record->arithmetic ? "\n" : "");
    }
    if (status == ACCORD_OK)
        status = put_lines(report, under, sizeof under / sizeof *under, error);
    if (status == ACCORD_OK)
        status = put_verdict(report, error);
    accordi_stream_char(report->out, '\n');
    if (status == ACCORD_OK)
        status = put_lines(report, tail, sizeof tail / sizeof *tail, error);
    return status == ACCORD_OK ? put_fingerprint(report, error) : status;
}

enum accord_status accordi_write_report(const accord_record *record,
                                        const accord_write_options *options, accordi_stream *stream,
                                        accord_error *error)
{
    accordi_marks marks;
    accordi_report report = {record,         options->columns > 0 ? options->columns : 80,
                             options->color, !options->ascii,
                             stream,         &marks};
    enum accord_status status = accordi_marks_make(record, &marks, error);
    if (status == ACCORD_OK)
        status = write_parts(&report, error);
    accordi_marks_clear(&marks);
    return status;
}
