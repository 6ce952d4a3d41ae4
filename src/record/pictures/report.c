/* Lays out the report for a terminal; its sentences are written in reveal/verdict.c.
 *
 * It shows the question, the tree, the verdict and the evidence. */
#include "record/pictures/report.h"

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

/* "  label        text" */
static enum accord_status put_line(void *context, const char *label, const char *text,
                                   accord_error *error)
{
    const accordi_report *report = context;
    char *clean = tame(report, text);
    if (!clean)
        return accordi_nomem(error);
    accordi_stream_puts(report->out, "  ");
    accordi_report_ink(report, ACCORDI_DIM, label);
    accordi_stream_repeat(report->out, " ", LABEL_WIDTH - strlen(label));
    put_wrapped(report, clean, LABEL_WIDTH + 2, LABEL_WIDTH + 2);
    free(clean);
    return ACCORD_OK;
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

static enum accord_status write_parts(accordi_report *report, accord_error *error)
{
    const accord_record *record = report->record;
    enum accord_status status =
        accordi_report_lines(report, ACCORDI_ABOVE, put_line, report, error);
    if (status == ACCORD_OK && record->tree) {
        accordi_stream_puts(report->out, record->target ? "\n" : "");
        status = accordi_report_tree(report, error);
        accordi_stream_puts(report->out, record->arithmetic ? "\n" : "");
    }
    if (status == ACCORD_OK)
        status = accordi_report_lines(report, ACCORDI_UNDER, put_line, report, error);
    if (status == ACCORD_OK)
        status = put_verdict(report, error);
    accordi_stream_char(report->out, '\n');
    if (status == ACCORD_OK)
        status = accordi_report_lines(report, ACCORDI_ORDER, put_line, report, error);
    if (status == ACCORD_OK)
        status = accordi_report_lines(report, ACCORDI_BELOW, put_line, report, error);
    return status;
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
