/* The lines of a report: what is known about the question, the order and the evidence. */
#include "pattern/pattern.h"
#include "record/pictures/report.h"
#include "record/pictures/view.h"
#include <accord/notation.h>
#include <math.h>

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

void accordi_put_order(const accord_tree *tree, accordi_buffer *out)
{
    accord_order_measures m;
    char name[ACCORD_ORDER_WORDS_SIZE];
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

static void line_order(const accordi_report *report, accordi_buffer *out)
{
    if (report->record->tree)
        accordi_put_order(report->record->tree, out);
}

void accordi_put_notation(const accord_tree *tree, accordi_buffer *out)
{
    enum { MOST = 240 };
    char *text = NULL;
    bool regular = false;
    if (accord_notation_write(tree, NULL, &text, &regular, NULL) != ACCORD_OK)
        out->failed = true;
    else if (regular || strlen(text) <= MOST)
        accordi_buffer_puts(out, text);
    accord_notation_free(text);
}

static void line_notation(const accordi_report *report, accordi_buffer *out)
{
    if (report->record->tree)
        accordi_put_notation(report->record->tree, out);
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

static void line_names(const accordi_report *report, accordi_buffer *out)
{
    char *text = NULL;
    if (!report->record->tree)
        return;
    if (accord_order_names(report->record->tree, &text, NULL))
        out->failed = true;
    else
        add_items(text, "; ", out);
    accord_notation_free(text);
}

/* Order and arithmetic; where the line cannot say all of it, the row is left out. */
static void line_model(const accordi_report *report, accordi_buffer *out)
{
    enum { MOST = 240 };
    const accord_record *r = report->record;
    char *text = NULL;
    bool regular = false;
    if (!r->tree || !r->arithmetic)
        return;
    enum accord_status status =
        accord_model_line_write(&(accord_model){r->tree, r->arithmetic}, &text, &regular, NULL);
    if (status == ACCORD_NOMEM)
        out->failed = true;
    else if (!status && (regular || strlen(text) <= MOST))
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

static void line_fingerprint(const accordi_report *report, accordi_buffer *out)
{
    char fingerprint[ACCORD_FINGERPRINT_SIZE];
    if (!report->record->tree)
        return;
    if (accord_tree_fingerprint(report->record->tree, fingerprint, NULL) != ACCORD_OK)
        out->failed = true;
    else
        accordi_buffer_puts(out, fingerprint);
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
static const line above[] = {{.label = "target", .fill = line_target},
                             {.label = "library", .fill = line_library},
                             {.label = "machine", .fill = line_machine},
                             LIST("environment", environment, " ")};
static const line under[] = {{.label = "arithmetic", .fill = line_arithmetic},
                             {.label = "alternatives", .fill = line_alternatives},
                             {.label = "marked", .fill = line_marked}};
static const line order[] = {{.label = "order", .fill = line_order},
                             {.label = "collective", .fill = line_names},
                             {.label = "notation", .fill = line_notation},
                             {.label = "model", .fill = line_model}};
static const line below[] = {{.label = "orders", .fill = line_orders},
                             {.label = "probes", .fill = line_probes},
                             {.label = "proven", .fill = line_proven},
                             {.label = "confirmed", .fill = line_confirmed},
                             {.label = "repeated", .fill = line_repeated},
                             {.label = "replayed", .fill = line_replayed},
                             LIST("inputs", inputs, ", "),
                             {.label = "accumulator", .fill = line_accumulator},
                             {.label = "scale", .fill = line_scale},
                             LIST("assumes", assumes, "; "),
                             LIST("holds also", circumstances, "; "),
                             LIST("warning", warnings, "; "),
                             {.label = "fingerprint", .fill = line_fingerprint}};

enum accord_status accordi_report_lines(const accordi_report *report, enum accordi_report_part part,
                                        accordi_put_line *put, void *context, accord_error *error)
{
    static const struct {
        const line *line;
        size_t count;
    } parts[] = {[ACCORDI_ABOVE] = {above, sizeof above / sizeof *above},
                 [ACCORDI_UNDER] = {under, sizeof under / sizeof *under},
                 [ACCORDI_ORDER] = {order, sizeof order / sizeof *order},
                 [ACCORDI_BELOW] = {below, sizeof below / sizeof *below}};
    enum accord_status status = ACCORD_OK;
    for (size_t i = 0; status == ACCORD_OK && i < parts[part].count; i++) {
        const line *l = &parts[part].line[i];
        accordi_buffer text = {0};
        if (l->fill)
            l->fill(report, &text);
        else
            add_items(*(char *const *)((const char *)report->record + l->list), l->between, &text);
        if (text.failed)
            status = accordi_nomem(error);
        else if (text.length > 0)
            status = put(context, l->label, text.data, error);
        accordi_buffer_clear(&text);
    }
    return status;
}
