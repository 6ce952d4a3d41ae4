/* Refuses work that needs more memory than is available.
 *
 * The available memory is what the system says is available, limited by the control group of this
 * process and by its resource limits. */
#include "base/base.h"
#include <sys/resource.h>

/* The number in a file, after `key` where there is one; UINT64_MAX: none ("max", no such file). */
static uint64_t number_in(const char *path, const char *key)
{
    char line[256];
    uint64_t found = UINT64_MAX;
    unsigned long long value;
    FILE *file = fopen(path, "re");
    while (file && found == UINT64_MAX && fgets(line, sizeof line, file)) {
        const char *at = strncmp(line, key, strlen(key)) == 0 ? line + strlen(key) : NULL;
        if (at && sscanf(at, "%llu", &value) == 1)
            found = value;
    }
    if (file)
        fclose(file);
    return found;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What a group may still use: cached files do not count, they give way. */
static uint64_t left_of(const char *limit, const char *usage, const char *stat, const char *cache)
{
    uint64_t most = number_in(limit, ""), used = number_in(usage, ""),
             files = number_in(stat, cache);
    if (most == UINT64_MAX || used == UINT64_MAX)
        return UINT64_MAX;
    used -= files == UINT64_MAX ? 0 : min_u64(files, used);
    return most > used ? most - used : 0;
}

/* Of the group of this process and of those above it; version 2 of control groups. */
static uint64_t left_of_groups(void)
{
    char line[512], path[3][700];
    uint64_t left = UINT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file)) {
        char *group = strncmp(line, "0::", 3) == 0 ? line + 3 : NULL;
        for (char *end = group ? group + strcspn(group, "\n") : NULL; group && end;) {
            *end = '\0';
            const char *name = strcmp(group, "/") == 0 ? "" : group;
            snprintf(path[0], sizeof path[0], "/sys/fs/cgroup%s/memory.max", name);
            snprintf(path[1], sizeof path[1], "/sys/fs/cgroup%s/memory.current", name);
            snprintf(path[2], sizeof path[2], "/sys/fs/cgroup%s/memory.stat", name);
            left = min_u64(left, left_of(path[0], path[1], path[2], "inactive_file "));
            end = strrchr(group, '/');
        }
    }
    if (file)
        fclose(file);
    return left;
}

uint64_t accordi_memory_available(void)
{
    static const char one[] = "/sys/fs/cgroup/memory/";
    char path[3][64];
    uint64_t kib = number_in("/proc/meminfo", "MemAvailable:");
    uint64_t left = kib > UINT64_MAX / 1024 ? UINT64_MAX : 1024 * kib;
    snprintf(path[0], sizeof path[0], "%smemory.limit_in_bytes", one);
    snprintf(path[1], sizeof path[1], "%smemory.usage_in_bytes", one);
    snprintf(path[2], sizeof path[2], "%smemory.stat", one);
    left = min_u64(left, left_of(path[0], path[1], path[2], "total_inactive_file "));
    left = min_u64(left, left_of_groups());
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        left = min_u64(left, limit.rlim_cur);
    return left;
}

enum accord_status accordi_memory_check(double bytes, const char *what, accord_error *error)
{
    const double gib = 0x1p30;
    uint64_t left =
        bytes < 0x1p26 ? UINT64_MAX : accordi_memory_available(); /* asked if it matters */
    if (left == UINT64_MAX || bytes <= (double)left)
        return ACCORD_OK;
    return accordi_fail(error, ACCORD_NOMEM,
                        "%s needs about %.1f GiB of memory, but only %.1f GiB are available: use "
                        "fewer terms or a smaller shape",
                        what, bytes / gib, (double)left / gib);
}
