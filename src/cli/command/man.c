/* The man page, in roff, from the tables of verbs and options. */
#include "cli/command/cli.h"

/* Text that roff takes literally. */
static void put_roff_text(accordi_buffer *out, const char *text)
{
    for (bool begin = true; *text; begin = *text++ == '\n') {
        if (begin && (*text == '.' || *text == '\''))
            accordi_buffer_puts(out, "\\&");
        if (*text == '\\')
            accordi_buffer_puts(out, "\\e");
        else if (*text == '-')
            accordi_buffer_puts(out, "\\-");
        else
            accordi_buffer_append(out, text, 1);
    }
}

static void put_option(const cli_verb *verb, const cli_option *option, accordi_buffer *out)
{
    const char *name;
    accordi_buffer_puts(out, ".TP\n");
    if (option->letter)
        accordi_buffer_printf(out, "\\fB\\-%c\\fR%s", option->letter, option->name ? ", " : "");
    if (option->name) {
        accordi_buffer_puts(out, "\\fB\\-\\-");
        put_roff_text(out, option->name);
        accordi_buffer_puts(out, "\\fR");
    }
    if (option->value)
        accordi_buffer_printf(out, " \\fI%s\\fR", option->value);
    accordi_buffer_puts(out, "\n");
    put_roff_text(out, cli_about(verb, option));
    for (size_t i = 0; (name = cli_option_word(verb, option, i)); i++) {
        accordi_buffer_puts(out, i ? ", " : ": ");
        put_roff_text(out, name);
    }
    if (cli_synonym(verb, option)) {
        accordi_buffer_puts(out, "; \\fB\\-\\-");
        put_roff_text(out, option->synonym);
        accordi_buffer_puts(out, "\\fR is the same");
    }
    accordi_buffer_puts(out, "\n");
}

static void put_verb(const cli_verb *verb, accordi_buffer *out)
{
    accordi_buffer_printf(out, ".SS \"accord %s %s\"\n", verb->name, verb->operands);
    put_roff_text(out, verb->text);
    accordi_buffer_puts(out, "\n");
    for (const enum cli_option_id *o = verb->options; *o != CLI_OPTIONS; o++) {
        const cli_heading *heading = cli_heading_before(verb, *o);
        if (heading) {
            accordi_buffer_puts(out, ".PP\n\\fB");
            put_roff_text(out, heading->text);
            accordi_buffer_puts(out, "\\fR, for example:\n.PP\n.EX\n    ");
            put_roff_text(out, heading->example);
            accordi_buffer_puts(out, "\n.EE\n");
        }
        put_option(verb, &cli_options[*o], out);
    }
    for (const cli_example *e = verb->examples; e < verb->examples + CLI_MOST_EXAMPLES && e->line;
         e++) {
        accordi_buffer_puts(out, ".PP\n");
        put_roff_text(out, e->about);
        accordi_buffer_puts(out, ":\n.PP\n.EX\n    ");
        put_roff_text(out, e->line);
        accordi_buffer_puts(out, "\n.EE\n");
    }
}

static void put_targets(accordi_buffer *out)
{
    const accord_target_kind *kind;
    accordi_buffer_puts(out, ".SH TARGETS\n");
    for (size_t i = 0; (kind = accord_target_kind_at(i)) != NULL; i++) {
        accordi_buffer_puts(out, ".TP\n\\fB");
        put_roff_text(out, kind->notation);
        accordi_buffer_puts(out, "\\fR\n");
        put_roff_text(out, kind->about);
        accordi_buffer_puts(out, "\n");
    }
}

static const char foot[] =
    ".SH EXIT STATUS\n.TP\n0\nyes\n.TP\n1\ndifferent or refuted\n.TP\n2\nwrong usage, a bad file, "
    "or an output that cannot be written\n.TP\n3\nunable to answer\n.TP\n4\nthe target failed or "
    "is missing\n.SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nno colors, whatever else is "
    "set\n.TP\n\\fBCLICOLOR_FORCE\\fR\ncolors even when the output is not a "
    "terminal\n.TP\n\\fBCOLUMNS\\fR\nthe width of the report\n.PP\nVariables of numerical "
    "libraries (OPENBLAS_CORETYPE, OMP_NUM_THREADS and others) are passed on to the target and "
    "saved in the record.\n.SH SEE ALSO\nThe headers in accord/ document the functions of the "
    "library.\n";

void cli_help_man(const cli_verb *const *verbs, accordi_buffer *out)
{
    const cli_verb *verb;
    accordi_buffer_printf(out,
                          ".TH ACCORD 1 \"\" \"accord %s\" \"User Commands\"\n"
                          ".SH NAME\naccord \\- the accumulation order of floating\\-point sums\n"
                          ".SH SYNOPSIS\n.nf\n",
                          accord_version());
    for (size_t i = 0; (verb = verbs[i]) != NULL; i++)
        accordi_buffer_printf(out, "\\fBaccord %s\\fR \\fI%s\\fR [options]\n", verb->name,
                              verb->operands);
    accordi_buffer_puts(out, ".fi\n.SH DESCRIPTION\nData is written to standard output, and "
                             "messages to standard error. \\fB\\-\\-\\fR ends the options.\n");
    for (size_t i = 0; (verb = verbs[i]) != NULL; i++)
        put_verb(verb, out);
    put_targets(out);
    accordi_buffer_puts(out, foot);
}
