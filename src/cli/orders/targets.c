/* accord targets: lists what can be revealed. */
#include "cli/command/cli.h"
#include <glob.h>
#include <jansson.h>

/* BLAS libraries as distributions name them, below a folder of libraries. */
static const char *const names[] = {
    "openblas*/libopenblas*.so.0",
    "blis*/libblis*.so.4",
    "atlas/libblas.so.3",
    "blas/libblas.so.3",
    "libblas.so.3",
    "libopenblas*.so.0",
    "libblis*.so.4",
    "libcblas.so.3",
    "libgslcblas.so.0",
    "libmkl_rt.so*",
};

typedef struct libraries {
    char **path;
    size_t count, room;
} libraries;

/* Several names often lead to one file: the first that does stands for it. */
static void add_library(libraries *found, const char *path)
{
    char *real = realpath(path, NULL);
    bool known = !real;
    for (size_t i = 0; !known && i < found->count; i++) {
        char *other = realpath(found->path[i], NULL);
        known = other && strcmp(other, real) == 0;
        free(other);
    }
    free(real);
    if (known)
        return;
    if (!accordi_grow((void **)&found->path, &found->room, found->count + 1, sizeof *found->path))
        return;
    found->path[found->count] = accordi_strdup(path);
    found->count += found->path[found->count] != NULL;
}

static void search_folder(libraries *found, const char *folder)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char pattern[4400];
        glob_t hits;
        snprintf(pattern, sizeof pattern, "%.4200s/%s", folder, names[i]);
        if (glob(pattern, 0, NULL, &hits) == 0)
            for (size_t k = 0; k < hits.gl_pathc; k++)
                add_library(found, hits.gl_pathv[k]);
        globfree(&hits);
    }
}

static void search_all(libraries *found)
{
    const char *path = getenv("LD_LIBRARY_PATH");
    while (path && *path) {
        char listed[4096];
        size_t length = strcspn(path, ":");
        if (length > 0 && length < sizeof listed) {
            memcpy(listed, path, length);
            listed[length] = 0;
            search_folder(found, listed);
        }
        path += length + (path[length] == ':');
    }
    const char *folder;
    for (size_t i = 0; (folder = accord_library_folder_at(i)); i++)
        search_folder(found, folder);
}

/* ---- in words ---- */

static const char *kind_row(size_t i, bool *plain, const char **about)
{
    const accord_target_kind *kind = accord_target_kind_at(i);
    *plain = true;
    if (kind)
        *about = kind->about;
    return kind ? kind->notation : NULL;
}

static const char *synthetic_row(size_t i, bool *plain, const char **about)
{
    return accord_synthetic_at(i, plain, about);
}

/* A table of the rows that are `plain` or not, in columns. */
static void put_rows(accordi_buffer *out, const char *title,
                     const char *(*row)(size_t, bool *, const char **), bool plain,
                     const char *prefix)
{
    const char *name, *about;
    int width = 0;
    bool is_plain;
    accordi_buffer_printf(out, "%s\n", title);
    for (size_t i = 0; (name = row(i, &is_plain, &about)) != NULL; i++)
        if (is_plain == plain && (int)strlen(name) > width)
            width = (int)strlen(name);
    for (size_t i = 0; (name = row(i, &is_plain, &about)) != NULL; i++)
        if (is_plain == plain)
            accordi_buffer_printf(out, "  %s%-*s  %s\n", prefix, width, name, about);
}

static void put_targets_report(accordi_buffer *out, const libraries *found)
{
    put_rows(out, "Kinds of targets", kind_row, true, "");
    put_rows(out, "\nSynthetic orders", synthetic_row, true, "synthetic:");
    put_rows(out, "\nSynthetic targets that are not plain sums", synthetic_row, false,
             "synthetic:");
    accordi_buffer_puts(out, found->count ? "\nBLAS libraries on this machine\n"
                                          : "\nNo BLAS library was found in the usual places.\n");
    for (size_t i = 0; i < found->count; i++)
        accordi_buffer_printf(out, "  blas:sdot@%s\n", found->path[i]);
}

/* ---- as JSON ---- */

static void put_targets_json(accordi_buffer *out, const libraries *found)
{
    const accord_target_kind *kind;
    const char *name, *about;
    bool plain;
    json_t *kinds = json_array(), *synthetic = json_array(), *blas = json_array();
    for (size_t i = 0; (kind = accord_target_kind_at(i)) != NULL; i++)
        json_array_append_new(kinds, json_pack("{s:s, s:s, s:s}", "name", kind->name, "notation",
                                               kind->notation, "about", kind->about));
    for (size_t i = 0; (name = accord_synthetic_at(i, &plain, &about)) != NULL; i++)
        json_array_append_new(
            synthetic, json_pack("{s:s, s:b, s:s}", "name", name, "plain", plain, "about", about));
    for (size_t i = 0; i < found->count; i++)
        json_array_append_new(blas, cli_json_text(found->path[i]));
    json_t *all = json_pack("{s:i, s:s, s:o, s:o, s:o}", "accord", CLI_SCHEMA, "verb", "targets",
                            "kinds", kinds, "synthetic", synthetic, "blas", blas);
    cli_put_json(out, all);
}

static int run_targets(const cli_args *args)
{
    accordi_buffer text = {0};
    libraries found = {0};
    search_all(&found);
    (cli_wants_json(args) ? put_targets_json : put_targets_report)(&text, &found);
    for (size_t i = 0; i < found.count; i++)
        free(found.path[i]);
    free(found.path);
    return cli_output_text(args, &text);
}

const cli_verb cli_targets = {
    .name = "targets",
    .operands = "",
    .about = "list the kinds of targets, synthetic orders and BLAS libraries",
    .text = "Lists the kinds of targets with their notation, the synthetic orders, and the BLAS "
            "libraries found in the usual places and in LD_LIBRARY_PATH, in the form that accord "
            "reveal takes.",
    .options = {CLI_OUTPUT, CLI_JSON, CLI_TO, CLI_HELP, CLI_OPTIONS},
    .examples = {{"accord targets", "for people"}, {"accord targets --json", "for programs"}},
    .run = run_targets,
};
