/* Options that are settings in the notation of a target: --length 100 of mpi:allreduce makes
 * mpi:allreduce,length=100 of it. The rows of options.c say which they are. */
#include "cli/command/cli.h"

bool cli_list_setting(const cli_option *option)
{
    return option->setting_of && option->type != CLI_FLAG && !option->rest;
}

/* What follows a comma may be text with commas, so settings come first. */
void cli_put_settings(accordi_buffer *out, const char *notation, const char *settings)
{
    size_t head = strcspn(notation, ",");
    accordi_buffer_append(out, notation, head);
    accordi_buffer_puts(out, settings ? settings : "");
    accordi_buffer_puts(out, notation + head);
}

static bool of_kind(const char *notation, const char *kind)
{
    size_t length = strlen(kind);
    return strncmp(notation, kind, length) == 0 && notation[length] == ':';
}

/* Does the notation itself have the setting? What follows one that takes the rest has none. */
static bool has_setting(const char *notation, const char *name)
{
    const char *at = notation + strcspn(notation, ",");
    size_t length = strlen(name);
    for (; *at; at += strcspn(at, ",")) {
        const char *word = ++at;
        if (strncmp(word, name, length) == 0 && strchr(",=", word[length]))
            return true;
        for (size_t i = 0; i < CLI_OPTIONS; i++) {
            const cli_option *o = &cli_options[i];
            size_t size = o->rest && o->name ? strlen(o->name) : 0;
            if (size && strncmp(word, o->name, size) == 0 && word[size] == '=')
                return false;
        }
    }
    return false;
}

static bool check_setting(const cli_option *option, const char *notation, const char *value,
                          bool lists)
{
    if (!of_kind(notation, option->setting_of))
        return cli_refuse("--%s is for %s: targets, not for %s", option->name, option->setting_of,
                          notation);
    if (has_setting(notation, option->name))
        return cli_refuse("--%s %s: %s says that already; give it once", option->name, value,
                          notation);
    if (!lists && cli_list_setting(option) && strchr(value, ','))
        return cli_refuse("--%s %s: give one value; accord sweep takes several", option->name,
                          value);
    return true;
}

char *cli_with_settings(const cli_args *args, const char *notation, bool lists)
{
    accordi_buffer settings = {0}, rest = {0}, out = {0};
    bool good = true;
    for (size_t i = 0; good && i < args->saids; i++) {
        const cli_option *o = &cli_options[args->said[i].id];
        if (!o->setting_of)
            continue;
        good = check_setting(o, notation, args->said[i].text, lists);
        if (!lists || !cli_list_setting(o))
            accordi_buffer_printf(o->rest ? &rest : &settings, ",%s%s%s", o->name,
                                  o->type == CLI_FLAG ? "" : "=", args->said[i].text);
    }
    cli_put_settings(&out, notation, settings.data);
    accordi_buffer_puts(&out, rest.data ? rest.data : "");
    bool failed = settings.failed || rest.failed || out.failed;
    accordi_buffer_clear(&settings);
    accordi_buffer_clear(&rest);
    char *made = good ? cli_need(failed ? NULL : out.data) : NULL;
    if (!good)
        accordi_buffer_clear(&out);
    return made;
}
