/* Which form a file has: the table of forms. */
#include "cli/numbers/reader.h"

/* The first that fits. Magic numbers come before names, names before what is left: text. A saved
 * sum is known by its magic number alone, whatever its name. */
static const cli_form *const forms[] = {&cli_form_saved, &cli_form_groups, &cli_form_npy,
                                        &cli_form_raw,   &cli_form_table,  &cli_form_text};

enum { MAGIC = 8 };

bool cli_reader_begin(cli_reader *r, const char *path, const cli_reader_options *options)
{
    r->options = options;
    r->path = path;
    r->end = CLI_UNKNOWN;
    if (cli_source_need(&r->source, MAGIC, &r->error) == CLI_MORE_FAILED)
        return false;
    size_t i = 0;
    while (!forms[i]->is(r))
        i++;
    r->form = forms[i];
    bool table = options->key || options->separator || options->header ||
                 (options->column && !r->form->columns);
    if (table && !r->form->entry)
        return cli_reader_refuse(
            r, ACCORD_ARG, "%s is %s and %s--group-by, --separator and --header out",
            r->source.name, r->form->name,
            r->form->columns ? "no table; leave " : "has no columns; leave --column, ");
    return r->form->open(r);
}

bool cli_reader_open(cli_reader *r, const char *path, const cli_reader_options *options)
{
    *r = (cli_reader){0};
    return cli_source_open(&r->source, path, &r->error) == ACCORD_OK &&
           cli_reader_begin(r, path, options);
}
