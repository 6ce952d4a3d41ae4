/* accord info: describes this build and the machine it runs on. */
#include "cli/command/cli.h"
#include <jansson.h>

typedef const char *namer(size_t i, const char **about);

static const char *described_format_name(size_t i, const char **about)
{
    *about = NULL;
    return i < ACCORD_FORMAT_COUNT ? accord_format_get((enum accord_format)i)->name : NULL;
}

static const char *algorithm_name(size_t i, const char **about)
{
    const accord_algorithm *algorithm = accord_algorithm_at(i);
    *about = algorithm ? algorithm->about : NULL;
    return algorithm ? algorithm->name : NULL;
}

static const char *writer_name(size_t i, const char **about)
{
    const accord_writer *writer = accord_writer_at(i);
    *about = writer ? writer->about : NULL;
    return writer ? writer->name : NULL;
}

static const struct list {
    const char *key, *title;
    namer *name;
} lists[] = {{"formats", "Formats", described_format_name},
             {"algorithms", "Algorithms", algorithm_name},
             {"outputs", "Output forms", writer_name}};
enum { LISTS = sizeof lists / sizeof lists[0] };

static void put_info_report(accordi_buffer *out)
{
    const char *name, *about;
    accordi_buffer_printf(out, "accord %s\nCPU       %s\nFeatures  %s\n", accord_version(),
                          accordi_cpu_name(), accordi_cpu_features());
    for (size_t k = 0; k < LISTS; k++) {
        accordi_buffer_printf(out, "\n%s\n", lists[k].title);
        for (size_t i = 0; (name = lists[k].name(i, &about)) != NULL; i++)
            accordi_buffer_printf(out, about ? "  %-10s %s\n" : "  %s\n", name, about);
    }
}

static void put_info_json(accordi_buffer *out)
{
    const char *name, *about;
    json_t *all = json_pack("{s:i, s:s, s:s, s:s, s:s}", "accord", CLI_SCHEMA, "verb", "info",
                            "version", accord_version(), "cpu", accordi_cpu_name(), "cpu_features",
                            accordi_cpu_features());
    for (size_t k = 0; k < LISTS; k++) {
        json_t *names = json_array();
        for (size_t i = 0; (name = lists[k].name(i, &about)) != NULL; i++)
            json_array_append_new(names, json_string(name));
        json_object_set_new(all, lists[k].key, names);
    }
    cli_put_json(out, all);
}

static int run_info(const cli_args *args)
{
    accordi_buffer text = {0};
    (cli_wants_json(args) ? put_info_json : put_info_report)(&text);
    return cli_output_text(args, &text);
}

const cli_verb cli_info = {
    .name = "info",
    .operands = "",
    .about = "show the version, formats, algorithms and this CPU",
    .text = "Shows what this build can do and on which CPU it runs. Include this in bug reports.",
    .options = {CLI_OUTPUT, CLI_JSON, CLI_TO, CLI_HELP, CLI_OPTIONS},
    .examples = {{"accord info", "for people"}, {"accord info --json", "for programs"}},
    .run = run_info,
};
