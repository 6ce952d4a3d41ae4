/* An order as one page of HTML. */
#include "record/pictures/page.h"

enum accord_status accordi_write_html(const accord_record *record,
                                      const accord_write_options *options, accordi_stream *stream,
                                      accord_error *error)
{
    const char *const script[] = {accordi_page_script(), "startOrder();\n"};
    const size_t parts = sizeof script / sizeof *script;
    accordi_buffer title = {0};
    char terms[ACCORDI_GROUPED];
    accordi_put_count(terms, record->tree->leaves);
    accordi_buffer_puts(&title, record->target ? record->target : "An order of ");
    accordi_buffer_printf(&title, "%s%s term%s", record->target ? ", " : "", terms,
                          record->tree->leaves == 1 ? "" : "s");
    if (title.failed)
        return accordi_nomem(error);
    enum accord_status status = accordi_page_head(stream, title.data, script, parts, error);
    accordi_buffer_clear(&title);
    const accordi_section section = {.id = "order", .drawn = true};
    if (!status)
        status = accordi_page_order(stream, record, &section, options, error);
    accordi_page_end(stream, script, parts);
    return status;
}
