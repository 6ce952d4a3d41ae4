/* The CPU: its name and its features.
 *
 * The features are read once, and the texts stay valid; pthread_once makes this thread-safe. */
#include "base/base.h"
#include <pthread.h>
#include <sys/utsname.h>
#if defined __x86_64__ && defined __linux__ && defined __GNUC__
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* What numerical libraries choose their kernels by; a prefix ends with '*'. */
static const char *const wanted[] = {
    "sse2",    "ssse3", "sse4_1", "sse4_2", "avx",     "avx2",    "fma",   "fma4", "f16c",
    "avx512*", "amx*",  "avx_*",  "asimd",  "asimdhp", "asimddp", "fphp",  "sve",  "sve2",
    "svebf16", "sme",   "sme2",   "bf16",   "i8mm",    "neon",    "vfpv4",
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char cpu_name[160] = "unknown";
static char cpu_features[1024] = "unknown";

static bool is_wanted(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        size_t size = strlen(wanted[i]);
        if (wanted[i][size - 1] == '*' ? length >= size && !strncmp(word, wanted[i], size - 1)
                                       : length == size && !strncmp(word, wanted[i], size))
            return true;
    }
    return false;
}

static void keep_features(const char *words)
{
    size_t used = 0;
    for (const char *word = words; *word;) {
        word += strspn(word, " \t\n");
        size_t length = strcspn(word, " \t\n");
        if (length && is_wanted(word, length) && used + length + 2 <= sizeof cpu_features) {
            if (used)
                cpu_features[used++] = ' ';
            memcpy(cpu_features + used, word, length);
            used += length;
            cpu_features[used] = '\0';
        }
        word += length;
    }
}

static void keep_name(const char *text)
{
    text += strspn(text, " \t");
    size_t length = strcspn(text, "\n");
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    if (length)
        snprintf(cpu_name, sizeof cpu_name, "%.*s", (int)length, text);
}

/* Lines are `key<blanks>: value`; those of the first processor are enough. */
static void read_line(const char *line, bool *named, bool *featured)
{
    const char *colon = strchr(line, ':');
    if (!colon)
        return;
    if (!*named && !strncmp(line, "model name", 10)) {
        keep_name(colon + 1);
        *named = true;
    } else if (!*featured && (!strncmp(line, "flags", 5) || !strncmp(line, "Features", 8))) {
        keep_features(colon + 1);
        *featured = true;
    }
}

static void read_machine(void)
{
    bool named = false, featured = false;
    struct utsname machine;
    if (uname(&machine) == 0)
        keep_name(machine.machine);
    FILE *file = fopen("/proc/cpuinfo", "re");
    if (!file)
        return;
    char *line = NULL;
    size_t capacity = 0;
    while (!(named && featured) && getline(&line, &capacity, file) >= 0)
        read_line(line, &named, &featured);
    free(line);
    fclose(file);
}

const char *accordi_cpu_name(void)
{
    pthread_once(&once, read_machine);
    return cpu_name;
}

const char *accordi_cpu_features(void)
{
    pthread_once(&once, read_machine);
    return cpu_features;
}

static bool is_disabled(const char *set)
{
    const char *list = getenv("ACCORD_DISABLE");
    size_t length = strlen(set);
    while (list && *list) {
        size_t word = strcspn(list, ", ");
        if (word == length && strncmp(list, set, length) == 0)
            return true;
        list += word + (list[word] != '\0');
    }
    return false;
}

bool accordi_cpu_has_bit(int subleaf, int word, int bit)
{
#if defined __x86_64__ && defined __GNUC__
    unsigned r[4] = {0};
    return __get_cpuid_count(7, (unsigned)subleaf, &r[0], &r[1], &r[2], &r[3]) &&
           (r[word] >> bit & 1);
#else
    (void)subleaf, (void)word, (void)bit;
    return false;
#endif
}

bool accordi_cpu_has_tiles(void)
{
#if defined __x86_64__ && defined __linux__ && defined __GNUC__
    enum { ASK_FOR = 0x1023, TILE_DATA = 18 }; /* ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA */
    return accordi_cpu_has_bit(0, ACCORDI_CPU_EDX, 24) &&
           syscall(SYS_arch_prctl, ASK_FOR, TILE_DATA) == 0;
#else
    return false;
#endif
}

static bool has(const char *set)
{
#if defined __x86_64__ && defined __GNUC__
    if (strcmp(set, "sse2") == 0)
        return true;
    if (strcmp(set, "avx2") == 0)
        return __builtin_cpu_supports("avx2");
    if (strcmp(set, "fma") == 0)
        return __builtin_cpu_supports("fma");
    if (strcmp(set, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    if (strcmp(set, "amx") == 0)
        return __builtin_cpu_supports("avx512bw") && accordi_cpu_has_bit(0, ACCORDI_CPU_ECX, 1) &&
               accordi_cpu_has_bit(0, ACCORDI_CPU_EDX, 25) && accordi_cpu_has_tiles();
    return false;
#elif defined __aarch64__
    return strcmp(set, "neon") == 0;
#else
    (void)set;
    return false;
#endif
}

bool accordi_cpu_has(const char *set)
{
    return has(set) && !is_disabled(set);
}
