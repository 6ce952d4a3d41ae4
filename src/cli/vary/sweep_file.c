/* accord vary --sweep FILE: a JSON object with the options of the command line, by their names. A
 * value is a text, a number, true for an option without a value, or a list of texts and numbers.
 * What the command line gives itself goes before what the file says. */
#include "cli/vary/methods.h"
#include <jansson.h>

static bool put_scalar(accordi_buffer *out, const json_t *value)
{
    if (json_is_string(value))
        accordi_buffer_puts(out, json_string_value(value));
    else if (json_is_integer(value))
        accordi_buffer_printf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        accordi_buffer_printf(out, "%.17g", json_real_value(value));
    else
        return false;
    return true;
}

/* The value as the command line would have it; NULL: it cannot be one. */
static char *text_of(const json_t *value)
{
    accordi_buffer text = {0};
    bool good = true;
    accordi_buffer_puts(&text, "");
    if (json_is_array(value))
        for (size_t i = 0; i < json_array_size(value); i++) {
            accordi_buffer_puts(&text, i ? "," : "");
            good &= put_scalar(&text, json_array_get(value, i));
        }
    else if (!json_is_true(value))
        good = put_scalar(&text, value);
    if (!good)
        accordi_buffer_clear(&text);
    return good ? cli_need(text.data) : NULL;
}

static bool set_all(const char *path, const json_t *all, const cli_args *args, cli_args *out,
                    char **texts)
{
    const char *name;
    json_t *value;
    size_t used = 0;
    json_object_foreach((json_t *)all, name, value)
    {
        char *text = texts[used] = text_of(value);
        if (!text)
            return cli_refuse("%s: the value of \"%s\" is not a text, a number, true, or a list of "
                              "texts and numbers; give one of these",
                              path, name);
        used++;
        if (!cli_set(args, out, path, name, text))
            return false;
    }
    return true;
}

int cli_vary_sweep(const cli_args *args, cli_args *out, char ***texts)
{
    const char *path = args->text[CLI_SWEEP];
    accordi_buffer file = {0};
    json_error_t error;
    *out = *args;
    if (!cli_read_file(path, &file))
        return CLI_USAGE;
    json_t *all = json_loadb(file.data, file.length, JSON_REJECT_DUPLICATES, &error);
    accordi_buffer_clear(&file);
    if (!json_is_object(all)) {
        if (all)
            cli_error("%s: a sweep is a JSON object with options by their names, such as "
                      "{\"method\": \"SPA\", \"n\": 1000}",
                      path);
        else
            cli_error("%s:%d:%d: %s; a sweep is a JSON object", path, error.line, error.column,
                      error.text);
        json_decref(all);
        return CLI_USAGE;
    }
    *texts = cli_need(accordi_calloc(json_object_size(all) + 1, sizeof **texts));
    bool good = set_all(path, all, args, out, *texts);
    json_decref(all);
    return good ? CLI_YES : CLI_USAGE;
}
