/* The devices that kernels of OpenCL were compiled for, as capture.c writes them: a line for each,
 * its fields separated by tabs. */
#include "cli/programs/programs.h"
#include <stdlib.h>
#include <unistd.h>

static char *path_of(const char *numbers)
{
    char *path;
    return asprintf(&path, "%s.device", numbers) < 0 ? cli_need(NULL) : path;
}

/* The next field of a line, a copy without spaces around it; drivers pad their names. */
static char *take(char **line)
{
    char *at = *line, *end = at + strcspn(at, "\t\n");
    *line = end + (*end == '\t');
    at += strspn(at, " ");
    while (end > at && end[-1] == ' ')
        end--;
    char *copy = cli_need(accordi_strdup(at));
    copy[end - at] = 0;
    char *plain = cli_need(accordi_utf8(copy, true));
    free(copy);
    return plain;
}

static bool same(const cli_device *a, const cli_device *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->version, b->version) &&
           !strcmp(a->driver, b->driver) && !strcmp(a->platform, b->platform);
}

static void clear_device(cli_device *d)
{
    free(d->name);
    free(d->version);
    free(d->driver);
    free(d->platform);
}

static cli_device read_device(char *line)
{
    cli_device d;
    d.name = take(&line);
    d.version = take(&line);
    d.driver = take(&line);
    d.platform = take(&line);
    return d;
}

size_t cli_devices_read(const char *numbers, cli_device **out)
{
    char *path = path_of(numbers), *line = NULL;
    size_t room = 0, length = 0, count = 0;
    FILE *file = fopen(path, "re");
    *out = NULL;
    while (file && getline(&line, &length, file) > 0) {
        cli_device d = read_device(line);
        size_t i = 0;
        while (i < count && !same(&(*out)[i], &d))
            i++;
        if (i < count) {
            clear_device(&d);
            continue;
        }
        cli_grow((void **)out, &room, count + 1, sizeof **out);
        (*out)[count++] = d;
    }
    if (file)
        fclose(file);
    free(line);
    free(path);
    return count;
}

void cli_devices_forget(const char *numbers)
{
    char *path = path_of(numbers);
    unlink(path);
    free(path);
}

void cli_devices_free(cli_device *device, size_t count)
{
    for (size_t i = 0; i < count; i++)
        clear_device(&device[i]);
    free(device);
}
