/* Folders of records: finds, reads and writes their files. A file is read whole and checked: what
 * it holds must have the key of its name, and answer each question once; so finding is unambiguous.
 */
#include "record/record.h"
#include "survey/survey.h"
#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

struct accord_folder {
    char *path;
    accord_folder_file **file;
    size_t count, capacity;
};

accord_folder *accord_folder_new(const char *path)
{
    accord_folder *folder = accordi_calloc(1, sizeof *folder);
    if (folder && !(folder->path = accordi_strdup(path))) {
        free(folder);
        return NULL;
    }
    return folder;
}

static void free_file(accord_folder_file *file)
{
    if (!file)
        return;
    accord_records_clear(&file->records);
    free(file->name);
    free(file->path);
    free(file);
}

void accord_folder_free(accord_folder *folder)
{
    if (!folder)
        return;
    for (size_t i = 0; i < folder->count; i++)
        free_file(folder->file[i]);
    free(folder->file);
    free(folder->path);
    free(folder);
}

char *accord_folder_path(const accord_folder *folder, const char *name, const char *key)
{
    char *path;
    size_t length = strlen(folder->path);
    const char *slash = length && folder->path[length - 1] == '/' ? "" : "/";
    return asprintf(&path, "%s%s%s/%s.json", folder->path, slash, name, key) < 0 ? NULL : path;
}

/* ---- finding ---- */

const accord_folder_file *accord_folder_file_at(const accord_folder *folder, size_t i)
{
    return i < folder->count ? folder->file[i] : NULL;
}

static accord_folder_file *file_of(const accord_folder *folder, const char *name, const char *key)
{
    for (size_t i = 0; i < folder->count; i++)
        if (strcmp(folder->file[i]->name, name) == 0 && strcmp(folder->file[i]->key, key) == 0)
            return folder->file[i];
    return NULL;
}

static accord_record *record_of(const accord_folder_file *file, const accord_record *question)
{
    for (size_t i = 0; i < file->records.count; i++)
        if (accord_record_same_question(file->records.list[i], question))
            return file->records.list[i];
    return NULL;
}

const accord_record *accord_folder_find(const accord_folder *folder, const char *name,
                                        const char *key, const accord_record *question,
                                        const accord_folder_file **file)
{
    for (size_t i = 0; i < folder->count; i++) {
        const accord_folder_file *each = folder->file[i];
        bool named = strcmp(each->name, name) == 0 && (!key || strcmp(each->key, key) == 0);
        const accord_record *found = named ? record_of(each, question) : NULL;
        if (found && file)
            *file = each;
        if (found)
            return found;
    }
    return NULL;
}

/* ---- reading ---- */

static accord_folder_file *new_file(const accord_folder *folder, const char *name, const char *key)
{
    accord_folder_file *file = accordi_calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->name = accordi_strdup(name);
    file->path = accord_folder_path(folder, name, key);
    snprintf(file->key, sizeof file->key, "%s", key);
    if (file->name && file->path)
        return file;
    free_file(file);
    return NULL;
}

static bool add_file(accord_folder *folder, accord_folder_file *file)
{
    void *list = folder->file;
    bool good = accordi_grow(&list, &folder->capacity, folder->count + 1, sizeof *folder->file);
    folder->file = list;
    if (good)
        folder->file[folder->count++] = file;
    return good;
}

/* Of record i of a file: has it a target, the file's key, and a question of its own? */
static enum accord_status check_record(const accord_folder_file *file, size_t i,
                                       accord_error *error)
{
    const accord_record *record = file->records.list[i];
    char key[ACCORD_KEY_SIZE];
    if (!record->target)
        return accordi_fail(error, ACCORD_PARSE,
                            "%s names no target in order %zu; give a file that accord check "
                            "--record wrote",
                            file->path, i + 1);
    enum accord_status status = accord_record_key(record, key, error);
    if (status == ACCORD_OK && strcmp(key, file->key) != 0)
        return accordi_fail(error, ACCORD_PARSE,
                            "%s contains an order for the CPU features and library with the key "
                            "%s; rename the file to %s.json",
                            file->path, key, key);
    for (size_t k = 0; status == ACCORD_OK && k < i; k++)
        if (accord_record_same_question(record, file->records.list[k]))
            status = accordi_fail(error, ACCORD_PARSE,
                                  "%s contains two orders, %zu and %zu, that answer the same "
                                  "question; remove one of them",
                                  file->path, k + 1, i + 1);
    return status;
}

static enum accord_status load_record_file(accord_folder_file *file, accord_error *error)
{
    accordi_buffer text = {0};
    accord_error why;
    enum accord_status status = accordi_read_bytes(file->path, &text, error);
    if (status == ACCORD_OK) {
        status = accord_records_read(text.data, text.length, &file->records, &why);
        if (status != ACCORD_OK)
            accordi_fail(error, status, "%s: %s", file->path, why.text);
    }
    accordi_buffer_clear(&text);
    for (size_t i = 0; status == ACCORD_OK && i < file->records.count; i++)
        status = check_record(file, i, error);
    return status;
}

static bool is_key(const char *text)
{
    return strlen(text) == ACCORD_KEY_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == ACCORD_KEY_SIZE - 1;
}

static enum accord_status read_file(accord_folder *folder, const char *name, const char *key,
                                    accord_error *error)
{
    accord_folder_file *file = new_file(folder, name, key);
    enum accord_status status = file ? load_record_file(file, error) : accordi_nomem(error);
    if (status == ACCORD_OK && !add_file(folder, file))
        status = accordi_nomem(error);
    if (status != ACCORD_OK)
        free_file(file);
    return status;
}

enum accord_status accord_folder_read_file(accord_folder *folder, const char *name, const char *key,
                                           accord_error *error)
{
    if (!is_key(key))
        return accordi_fail(error, ACCORD_ARG, "%s is not the key of a record, which has %d digits",
                            key, ACCORD_KEY_SIZE - 1);
    if (file_of(folder, name, key))
        return ACCORD_OK;
    struct stat st;
    char *path = accord_folder_path(folder, name, key);
    bool lacks = path && stat(path, &st) != 0 && (errno == ENOENT || errno == ENOTDIR);
    enum accord_status status = !path   ? accordi_nomem(error)
                                : lacks ? ACCORD_OK
                                        : read_file(folder, name, key, error);
    free(path);
    return status;
}

/* ---- reading all ---- */

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

/* A file in FOLDER/NAME. */
static enum accord_status read_named(accord_folder *folder, const char *name, const char *entry,
                                     accord_error *error)
{
    char key[ACCORD_KEY_SIZE];
    snprintf(key, sizeof key, "%s", entry);
    if (strlen(entry) != ACCORD_KEY_SIZE - 1 + strlen(".json") || !is_key(key))
        return accordi_fail(error, ACCORD_PARSE,
                            "%s/%s/%s does not have the name of a record; use accord check "
                            "--record, which writes FOLDER/NAME/KEY.json",
                            folder->path, name, entry);
    return file_of(folder, name, key) ? ACCORD_OK : read_file(folder, name, key, error);
}

static enum accord_status read_entries(accord_folder *folder, const char *name,
                                       accord_error *error);

/* What lies in the folder (name NULL), or in its folder NAME. */
static enum accord_status read_entry(accord_folder *folder, const char *name, const char *entry,
                                     const char *path, accord_error *error)
{
    struct stat st;
    bool inner = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    if (name && !inner && is_json(entry))
        return read_named(folder, name, entry, error);
    if (!name && inner)
        return read_entries(folder, entry, error); /* once: below it name is not NULL */
    if (!name && is_json(entry))
        return accordi_fail(error, ACCORD_PARSE,
                            "%s: records belong in %s/NAME/KEY.json; see accord check %s --record",
                            path, folder->path, folder->path);
    return ACCORD_OK;
}

static enum accord_status read_entries(accord_folder *folder, const char *name, accord_error *error)
{
    struct dirent **list;
    accordi_buffer path = {0};
    accordi_buffer_printf(&path, name ? "%s/%s" : "%s", folder->path, name);
    int count = path.failed ? -1 : scandir(path.data, &list, is_visible, by_bytes);
    enum accord_status status = ACCORD_OK;
    if (count < 0)
        status = accordi_fail(error, ACCORD_IO, "cannot read %s: %s; give a folder of records",
                              path.data ? path.data : "", strerror(errno));
    size_t base = path.length;
    for (int i = 0; i < count; i++) {
        path.length = base;
        accordi_buffer_printf(&path, "/%s", list[i]->d_name);
        if (status == ACCORD_OK)
            status = path.failed ? accordi_nomem(error)
                                 : read_entry(folder, name, list[i]->d_name, path.data, error);
        free(list[i]);
    }
    if (count >= 0)
        free(list);
    accordi_buffer_clear(&path);
    return status;
}

enum accord_status accord_folder_read(accord_folder *folder, accord_error *error)
{
    return read_entries(folder, NULL, error);
}

/* ---- putting ---- */

/* Room for one more record. */
static accord_record *new_record(accord_folder_file *file)
{
    accord_records *records = &file->records;
    accord_record **grown = realloc(records->list, (records->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    records->list = grown;
    accord_record *made = accord_record_new();
    if (made)
        grown[records->count++] = made;
    return made;
}

enum accord_status accord_folder_put(accord_folder *folder, const char *name, const char *key,
                                     accord_record *record, accord_error *error)
{
    accord_folder_file *file = file_of(folder, name, key);
    if (!file) {
        file = new_file(folder, name, key);
        if (!file || !add_file(folder, file)) {
            free_file(file);
            return accordi_nomem(error);
        }
    }
    accord_record *to = record_of(file, record);
    if (!to)
        to = new_record(file);
    if (!to)
        return accordi_nomem(error);
    accord_record_clear(to);
    *to = *record;
    accordi_record_init(record);
    file->changed = true;
    return ACCORD_OK;
}
