/* accord-discovery-calls TARGET FORMAT SHAPE ELEMENT N...: reveals the order of TARGET for each
 * number of terms N, or A-B/STEP, and prints the calls that discovery took (calibration included),
 * one row of a table: the most of SEEDS seeds for each N. SHAPE is what stands before the number of
 * terms in --shape, as in 7x9x; - for vectors. Each order is proven, too. */
#include <accord/accord.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 5 };

/* The calls, or -1 where there is no proven order. */
static long long calls_of(char **argument, size_t n, unsigned seed)
{
    accord_target_options options;
    accord_reveal_options how;
    accord_target *target = NULL;
    accord_record *record = accord_record_new();
    accord_error error;
    char shape[64];
    long long calls = -1;
    accord_target_options_init(&options);
    accord_reveal_options_init(&how);
    how.seed = seed;
    how.replays = 1;
    options.n = n;
    options.has_format = accord_format_by_name(argument[2], &options.format);
    snprintf(shape, sizeof shape, "%s%zu", argument[3], n);
    if (strcmp(argument[3], "-") != 0) {
        options.shape = shape;
        options.element = argument[4];
    }
    if (!record || accord_target_open(argument[1], &options, &target, &error) != ACCORD_OK ||
        accord_reveal(target, &how, record, &error) != ACCORD_OK)
        fprintf(stderr, "%s %s %zu: %s\n", argument[1], argument[2], n, error.text);
    else if (record->tree && record->nodes_confirmed == record->nodes)
        calls = record->discovery_calls;
    accord_target_close(target);
    accord_record_free(record);
    return calls;
}

static void show(char **argument, size_t n)
{
    long long most = 0;
    for (unsigned seed = 1; seed <= SEEDS && most >= 0; seed++) {
        long long calls = calls_of(argument, n, seed);
        most = calls < 0 || calls > most ? calls : most;
    }
    if (most < 0)
        printf(" – |");
    else
        printf(most > 300 ? " **%lld** |" : " %lld |", most);
    fflush(stdout);
}

int main(int count, char **argument)
{
    if (count < 6)
        return 2;
    printf("| %s | %s |", argument[1], argument[2]);
    for (int i = 5; i < count; i++) {
        size_t first = 0, last = 0, step = 1;
        int given = sscanf(argument[i], "%zu-%zu/%zu", &first, &last, &step);
        last = given < 2 ? first : last;
        for (size_t n = first; n > 0 && n <= last && step > 0; n += step)
            show(argument, n);
    }
    puts("");
    return 0;
}
