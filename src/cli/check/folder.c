/* Folders of records: FOLDER/NAME/KEY.json.
 *
 * What a target does may depend on the CPU's features and on the version of its library, and the
 * machines of one CI differ in both. So there is a file for each such key, and a machine looks at
 * those of its own. Machines never write the same file, so what several of them have recorded can
 * simply be copied together. A file is an array of orders as accord reveal writes it. */
#include "cli/check/check.h"
#include "record/record.h"
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

bool cli_key(const accord_record *record, char key[CLI_KEY_SIZE])
{
    /* As a file would give them back. */
    char *features = accordi_utf8(record->cpu_features ? record->cpu_features : "", false);
    char *version = accordi_utf8(record->library_version ? record->library_version : "", false);
    bool good = features && version;
    char hex[65];
    if (good) {
        accordi_sha256 sha;
        accordi_sha256_init(&sha);
        accordi_sha256_add(&sha, features, strlen(features));
        accordi_sha256_add(&sha, "\n", 1);
        accordi_sha256_add(&sha, version, strlen(version));
        accordi_sha256_hex(&sha, hex);
        snprintf(key, CLI_KEY_SIZE, "%.*s", CLI_KEY_SIZE - 1, hex);
    }
    free(features);
    free(version);
    return good;
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool cli_same_question(const accord_record *a, const accord_record *b)
{
    return a->n == b->n && a->alpha == b->alpha && a->beta == b->beta &&
           (a->alignment > 0 ? a->alignment : 0) == (b->alignment > 0 ? b->alignment : 0) &&
           same_text(a->target, b->target) && same_text(a->format, b->format) &&
           same_text(a->shape, b->shape) && same_text(a->element, b->element) &&
           same_text(a->transpose, b->transpose) && same_text(a->strides, b->strides) &&
           same_text(a->signature, b->signature);
}

cli_order *cli_folder_find(const cli_folder *folder, const char *name, const char *key,
                           const accord_record *question, const cli_kept **file)
{
    for (size_t i = 0; i < folder->count; i++) {
        const cli_kept *kept = &folder->files[i];
        if (strcmp(kept->name, name) != 0 || (key && strcmp(kept->key, key) != 0))
            continue;
        for (size_t k = 0; k < kept->count; k++)
            if (cli_same_question(&kept->orders[k].record, question)) {
                if (file)
                    *file = kept;
                return &kept->orders[k];
            }
    }
    return NULL;
}

char *cli_folder_file(const cli_folder *folder, const char *name, const char *key)
{
    char *path;
    const char *slash = folder->path[strlen(folder->path) - 1] == '/' ? "" : "/";
    return asprintf(&path, "%s%s%s/%s.json", folder->path, slash, name, key) < 0 ? NULL : path;
}

/* ---- reading ---- */

static cli_kept *add_file(cli_folder *folder, const char *name, const char *key)
{
    cli_kept *grown = realloc(folder->files, (folder->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    folder->files = grown;
    cli_kept *kept = &grown[folder->count];
    *kept = (cli_kept){.name = accordi_strdup(name), .path = cli_folder_file(folder, name, key)};
    snprintf(kept->key, sizeof kept->key, "%s", key);
    folder->count++;
    return kept->name && kept->path ? kept : NULL;
}

static int check_records(const cli_kept *kept)
{
    char key[CLI_KEY_SIZE];
    for (size_t i = 0; i < kept->count; i++) {
        const accord_record *record = &kept->orders[i].record;
        bool good = false;
        if (!record->target)
            cli_error("%s names no target in order %zu; give a file that accord check --record "
                      "wrote",
                      kept->path, i + 1);
        else if (!cli_key(record, key))
            cli_error("out of memory");
        else if (strcmp(key, kept->key) != 0)
            cli_error("%s holds an order of CPU features and a library of key %s; name the file "
                      "%s.json",
                      kept->path, key, key);
        else
            good = true;
        for (size_t k = 0; good && k < i; k++)
            if (cli_same_question(record, &kept->orders[k].record)) {
                cli_error("%s holds two answers to one question, orders %zu and %zu; take one out",
                          kept->path, k + 1, i + 1);
                good = false;
            }
        if (!good)
            return CLI_USAGE;
    }
    return CLI_YES;
}

static int load_file(cli_folder *folder, const char *name, const char *file)
{
    char key[CLI_KEY_SIZE];
    size_t length = strlen(file) - strlen(".json");
    if (length != CLI_KEY_SIZE - 1 || strspn(file, "0123456789abcdef") != length) {
        cli_error("%s/%s/%s is no file of records by its name; use accord check --record, which "
                  "writes FOLDER/NAME/KEY.json",
                  folder->path, name, file);
        return CLI_USAGE;
    }
    snprintf(key, sizeof key, "%.*s", (int)length, file);
    cli_kept *kept = add_file(folder, name, key);
    if (!kept) {
        cli_error("out of memory");
        return CLI_UNABLE;
    }
    int status = cli_load(kept->path, &kept->orders, &kept->count);
    return status == CLI_YES ? check_records(kept) : status;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* By bytes, so that the order is the same in every locale. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_json(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

/* Each entry of folder->path (name NULL), or of the folder NAME in it. */
static int load_entries(cli_folder *folder, const char *name)
{
    struct dirent **list;
    struct stat st;
    accordi_buffer path = {0};
    accordi_buffer_printf(&path, name ? "%s/%s" : "%s", folder->path, name);
    int count = path.failed ? -1 : scandir(path.data, &list, is_visible, by_bytes);
    int status = count < 0 ? CLI_USAGE : CLI_YES;
    if (count < 0)
        cli_error("cannot read %s: %s; give a folder of records", path.data ? path.data : "",
                  strerror(errno));
    size_t base = path.length;
    for (int i = 0; i < count; i++) {
        const char *entry = list[i]->d_name;
        path.length = base;
        accordi_buffer_printf(&path, "/%s", entry);
        bool inner = !path.failed && stat(path.data, &st) == 0 && S_ISDIR(st.st_mode);
        if (status == CLI_YES && name && !inner && is_json(entry))
            status = load_file(folder, name, entry);
        else if (status == CLI_YES && !name && inner)
            status = load_entries(folder, entry); /* once: below it name is not NULL */
        else if (status == CLI_YES && !name && is_json(entry)) {
            cli_error("%s: records lie in %s/NAME/KEY.json; see accord check %s --record",
                      path.data, folder->path, folder->path);
            status = CLI_USAGE;
        }
        free(list[i]);
    }
    if (count >= 0)
        free(list);
    accordi_buffer_clear(&path);
    return status;
}

int cli_folder_load(cli_folder *folder, const char *path, bool may_lack)
{
    struct stat st;
    *folder = (cli_folder){.path = path};
    if (may_lack && stat(path, &st) != 0 && errno == ENOENT)
        return CLI_YES;
    return load_entries(folder, NULL);
}

void cli_folder_clear(cli_folder *folder)
{
    for (size_t i = 0; i < folder->count; i++) {
        cli_orders_free(folder->files[i].orders, folder->files[i].count);
        free(folder->files[i].name);
        free(folder->files[i].path);
    }
    free(folder->files);
    *folder = (cli_folder){0};
}

/* ---- writing ---- */

static cli_kept *file_of(cli_folder *folder, const char *name, const char *key)
{
    for (size_t i = 0; i < folder->count; i++)
        if (strcmp(folder->files[i].name, name) == 0 && strcmp(folder->files[i].key, key) == 0)
            return &folder->files[i];
    return add_file(folder, name, key);
}

bool cli_folder_put(cli_folder *folder, const char *name, const char *key, cli_order *order)
{
    cli_kept *kept = file_of(folder, name, key);
    cli_order *to = kept ? cli_folder_find(folder, name, key, &order->record, NULL) : NULL;
    if (kept && !to) {
        cli_order *grown = realloc(kept->orders, (kept->count + 1) * sizeof *grown);
        if (grown) {
            kept->orders = grown;
            to = &grown[kept->count++];
            memset(to, 0, sizeof *to);
            accord_record_init(&to->record);
        }
    }
    if (!to)
        return false;
    cli_order_clear(to);
    *to = *order;
    accord_target_close(to->target);
    to->target = NULL;
    memset(order, 0, sizeof *order);
    accord_record_init(&order->record);
    kept->changed = true;
    return true;
}

static bool make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    cli_error("cannot make the folder %s: %s; give another one", path, strerror(errno));
    return false;
}

static int save_file(const cli_kept *kept)
{
    cli_output out;
    accord_error error;
    const accord_writer *json = accord_writer_by_name("json");
    enum accord_status status = ACCORD_OK;
    if (!cli_output_open_of(&out, "another FOLDER", kept->path))
        return CLI_USAGE;
    for (size_t i = 0; i < kept->count && status == ACCORD_OK; i++) {
        cli_output_write(&out, i ? ",\n" : "[\n", 2);
        status = accord_record_write(&kept->orders[i].record, json, NULL, cli_output_write, &out,
                                     &error);
    }
    cli_output_write(&out, "]\n", 2);
    if (status == ACCORD_OK || out.failure)
        return cli_output_commit(&out);
    cli_output_discard(&out);
    return cli_fail(&error);
}

int cli_folder_save(cli_folder *folder)
{
    int status = CLI_YES;
    for (size_t i = 0; i < folder->count && status == CLI_YES; i++) {
        cli_kept *kept = &folder->files[i];
        if (!kept->changed)
            continue;
        char *inner = accordi_strdup(kept->path);
        if (inner)
            *strrchr(inner, '/') = 0;
        else
            cli_error("out of memory");
        status =
            inner && make_folder(folder->path) && make_folder(inner) ? save_file(kept) : CLI_USAGE;
        free(inner);
        kept->changed = false;
    }
    return status;
}
