/* An order in a page: in words, as a picture that the script draws, and with its evidence. */
#include "record/pictures/page.h"
#include "record/pictures/page_data.h"
#include "record/pictures/report.h"
#include "record/pictures/svg.h"

enum { MOST_STILL = 48 };

static enum accord_status put_fact(void *context, const char *label, const char *text,
                                   accord_error *error)
{
    accordi_stream *s = context;
    if (strcmp(label, "marked") == 0)
        return ACCORD_OK; /* the legend says it */
    accordi_stream_printf(s, "<tr><th scope=\"row\">%s</th><td>", label);
    enum accord_status status = accordi_page_text(s, text, error);
    accordi_stream_puts(s, "</td></tr>\n");
    return status;
}

static enum accord_status put_facts(accordi_stream *s, const accord_record *record,
                                    const accordi_marks *marks, accord_error *error)
{
    const accordi_report report = {.record = record, .utf8 = true, .out = s, .marks = marks};
    enum accord_status status = ACCORD_OK;
    accordi_stream_puts(s, "<div class=\"wide\"><table class=\"facts\"><tbody>\n");
    static const enum accordi_report_part parts[] = {ACCORDI_ABOVE, ACCORDI_UNDER, ACCORDI_BELOW};
    for (size_t i = 0; !status && i < sizeof parts / sizeof *parts; i++)
        status = accordi_report_lines(&report, parts[i], put_fact, s, error);
    accordi_stream_puts(s, "</tbody></table></div>\n");
    return status;
}

/* The order in words and in the notation. */
static enum accord_status put_words(accordi_stream *s, const accord_tree *tree, accord_error *error)
{
    accordi_buffer words = {0}, notation = {0};
    accordi_put_order(tree, &words);
    accordi_put_notation(tree, &notation);
    bool good = !words.failed && !notation.failed;
    if (good) {
        accordi_stream_puts(s, "<p class=\"words\">The order: ");
        accordi_stream_escape(s, words.data);
        accordi_stream_puts(s, ".</p>\n");
    }
    if (good && notation.length)
        accordi_stream_printf(s, "<p class=\"notation\"><code>%s</code></p>\n", notation.data);
    accordi_buffer_clear(&words);
    accordi_buffer_clear(&notation);
    return good ? ACCORD_OK : accordi_nomem(error);
}

static enum accord_status put_verdict(accordi_stream *s, const accord_record *r,
                                      accord_error *error)
{
    bool unable = r->status && strcmp(r->status, "ok") != 0;
    if (!r->verdict)
        return ACCORD_OK;
    accordi_stream_printf(s, "<p class=\"verdict%s\"><b>", r->proven && !unable ? " proven" : "");
    enum accord_status status = accordi_page_text(s,
                                                  !unable ? (r->proven ? "proven" : "not proven")
                                                  : r->reason ? r->reason
                                                              : "no order",
                                                  error);
    accordi_stream_puts(s, "</b>: ");
    if (!status)
        status = accordi_page_text(s, r->verdict, error);
    accordi_stream_puts(s, "</p>\n");
    return status;
}

#define SIGN(class_, frame_, plus_, text_)                                                         \
    "<li><svg viewBox=\"-14 -14 28 28\" class=\"item " class_ "\" aria-hidden=\"true\">" frame_    \
    "<path class=\"p\" d=\"" plus_ "\"/></svg>" text_ "</li>\n"
#define PLUS "M-5 0h10M0 -5v10"

/* The signs that this order uses, and its kinds of arithmetic. */
static void put_legend(accordi_stream *s, const accord_tree *tree, const accordi_kinds *kinds)
{
    bool fused = false, large = tree->leaves > 64;
    for (uint32_t k = 0; k < tree->inner && !fused; k++)
        fused = tree->first[k + 1] - tree->first[k] > 2;
    accordi_stream_puts(
        s, "<ul class=\"legend\">\n" SIGN("n", "<circle r=\"12\"/>", PLUS, "one addition"));
    if (fused)
        accordi_stream_puts(s, SIGN("f", "<circle r=\"12\"/>", PLUS, "one fused sum"));
    if (large)
        accordi_stream_puts(
            s, SIGN("n", "<rect x=\"-8\" y=\"-13\" width=\"16\" height=\"26\" rx=\"8\"/>",
                    "M-4 -5h8M0 -9v8M-4 6h8M0 2v8",
                    "a chain of them") SIGN("n", "<path d=\"M0 -12l13 22h-26z\"/>",
                                            "M-4 3h8M0 -1v8", "levels of them over equal parts")
                   SIGN("b", "<rect x=\"-13\" y=\"-7\" width=\"26\" height=\"14\" rx=\"3\"/>", "",
                        "a part that is not drawn") "<li>× 8: eight copies, one of which is "
                                                    "drawn</li>\n");
    for (uint32_t i = 0; i < kinds->count; i++) {
        char count[ACCORDI_GROUPED];
        const accordi_kind *kind = &kinds->kind[i];
        accordi_put_count(count, kind->count);
        accordi_stream_puts(s, "<li>");
        if (kind->mark)
            accordi_stream_printf(s,
                                  "<svg viewBox=\"-14 -14 28 28\" class=\"item k\" "
                                  "aria-hidden=\"true\"><circle r=\"12\"/></svg>%s: ",
                                  kind->mark);
        accordi_stream_printf(s, "%s %s%s %s ", count, kind->terms ? "term" : "addition",
                              kind->count == 1 ? "" : "s", kind->terms ? "with" : "in");
        accordi_stream_printf(s, "%s</li>\n", kind->words);
    }
    accordi_stream_puts(s, "</ul>\n");
}

/* What the script makes of the data, and what readers without scripts see instead. */
static enum accord_status put_drawing(accordi_stream *s, const accord_record *record,
                                      const accordi_kinds *kinds, accord_error *error)
{
    accord_pattern *pattern = NULL;
    accord_record bare = *record; /* borrows; without a caption */
    bare.target = NULL;
    enum accord_status status = accord_pattern_of(record->tree, kinds->label, &pattern, error);
    if (status)
        return status;
    accordi_stream_puts(s, "<script type=\"application/json\">");
    status = accordi_page_data(s, kinds, pattern, error);
    accordi_stream_puts(s, "</script>\n<div class=\"view\"><noscript>\n");
    if (!status && record->tree->leaves <= MOST_STILL)
        status = accordi_write_svg(&bare, &(accord_write_options){.expand = 1}, s, error);
    else if (!status)
        status = accordi_write_svg_outline(&bare, kinds, pattern, s, error);
    accordi_stream_puts(s, "</noscript></div>\n");
    put_legend(s, record->tree, kinds);
    accord_pattern_free(pattern);
    return status;
}

enum accord_status accordi_page_order(accordi_stream *s, const accord_record *record,
                                      const accordi_section *section,
                                      const accord_write_options *options, accord_error *error)
{
    accordi_kinds kinds = {.label = NULL};
    enum accord_status status =
        record->tree ? accordi_kinds_make(record, &kinds, error) : ACCORD_OK;
    if (status)
        return status;
    accordi_stream_printf(s, "<section class=\"order\" id=\"%s\"%s>\n", section->id,
                          options->expand ? " data-expand" : "");
    if (section->title)
        accordi_stream_printf(s, "<h2>%s</h2>\n", section->title);
    if (record->tree)
        status = put_words(s, record->tree, error);
    if (!status)
        status = put_verdict(s, record, error);
    if (!status && record->tree && section->drawn)
        status = put_drawing(s, record, &kinds, error);
    if (!status)
        status = put_facts(s, record, &kinds.marks, error);
    accordi_stream_puts(s, "</section>\n");
    if (record->tree)
        accordi_kinds_clear(&kinds);
    return status;
}
