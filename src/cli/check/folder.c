/* Folders of records on the disk: each file that changed is written whole or not at all. */
#include "cli/check/check.h"
#include <errno.h>
#include <sys/stat.h>

static bool make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return true;
    return cli_refuse("cannot make the folder %s: %s; give another one", path, strerror(errno));
}

static int save_file(const accord_folder_file *file)
{
    cli_output out;
    accord_error error;
    if (!cli_output_open_of(&out, "another FOLDER", file->path))
        return CLI_USAGE;
    enum accord_status status =
        accord_records_write(&file->records, cli_output_write, &out, &error);
    if (status == ACCORD_OK || out.failure)
        return cli_output_commit(&out);
    cli_output_discard(&out);
    return cli_fail(&error);
}

int cli_folder_save(const accord_folder *folder, const char *path)
{
    int status = CLI_YES;
    const accord_folder_file *file;
    for (size_t i = 0; status == CLI_YES && (file = accord_folder_file_at(folder, i)); i++) {
        if (!file->changed)
            continue;
        char *inner = cli_need(accordi_strdup(file->path));
        *strrchr(inner, '/') = 0;
        status = make_folder(path) && make_folder(inner) ? save_file(file) : CLI_USAGE;
        free(inner);
    }
    return status;
}
