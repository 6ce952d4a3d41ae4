/* accord-bench NAME…: runs the benchmarks named, or lists them. */
#include "bench.h"
#include "record/record.h"
#include "reveal/discover/auto.h"

static const struct {
    const char *name;
    void (*run)(void);
} benches[] = {
    {"calls", bench_calls},
    {"reverse", bench_reverse},
    {"algorithms", bench_algorithms},
    {"share", bench_share},
    {"tree", bench_tree},
    {"map", bench_map},
    {"bits", bench_bits},
    {"exact", bench_exact},
    {"exact-cells", bench_exact_cells},
    {"grid-sum", bench_grid_sum},
    {"grid-dot", bench_grid_dot},
    {"grid-sum-f32", bench_grid_sum_f32},
    {"grid-dot-f32", bench_grid_dot_f32},
    {"grid-threads", bench_grid_threads},
    {"exact-peers", bench_peers_table},
    {"exact-lengths", bench_exact_lengths},
    {"exact-ranges", bench_exact_ranges},
};
enum { BENCHES = sizeof benches / sizeof *benches };

void bench_die(const char *what, const accord_error *error)
{
    fflush(stdout);
    fprintf(stderr, "accord-bench: %s: %s\n", what, error ? error->text : "wrong answer");
    exit(1);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *x, size_t count)
{
    qsort(x, count, sizeof *x, ascending);
    return (x[(count - 1) / 2] + x[count / 2]) / 2;
}

void bench_whole(const char *before, double value, const char *after)
{
    long long whole = (long long)(value + 0.5);
    fputs(before, stdout);
    if (value < 0)
        fputs("–", stdout);
    else if (whole >= 1000000)
        printf("%lld,%03lld,%03lld", whole / 1000000, whole / 1000 % 1000, whole % 1000);
    else if (whole >= 1000)
        printf("%lld,%03lld", whole / 1000, whole % 1000);
    else
        printf("%lld", whole);
    fputs(after, stdout);
}

/* ---- asking ---- */

static accord_tree *split(accord_target *target, uint64_t seed, bench_answer *answer)
{
    accordi_asker asker;
    accord_tree *tree = NULL;
    accord_error error;
    double from = accordi_now();
    accordi_ask_init(&asker, target, seed, &error);
    if (accordi_calibrate(&asker) || accordi_auto_split(&asker, &tree))
        bench_die(target->notation, &error);
    accordi_ask_clear(&asker);
    answer->seconds = accordi_now() - from;
    answer->calls = (double)target->calls;
    answer->target_seconds = target->seconds;
    return tree;
}

static accord_tree *reveal(accord_target *target, const bench_question *q, bench_answer *answer)
{
    accord_reveal_options options;
    accord_record record;
    accord_error error;
    accord_reveal_options_init(&options);
    options.algorithm = q->algorithm;
    options.seed = q->seed;
    options.no_certificate = !q->certificate;
    accordi_record_init(&record);
    if (accord_reveal(target, &options, &record, &error))
        bench_die(q->target, &error);
    answer->calls = (double)record.discovery_calls;
    answer->seconds = record.discovery_seconds;
    answer->target_seconds = record.target_seconds;
    answer->certificate_calls = (double)record.certificate_calls;
    accord_tree *tree = record.tree;
    record.tree = NULL;
    accord_record_clear(&record);
    return tree;
}

void bench_ask(const bench_question *q, bench_answer *answer)
{
    accord_target_options options;
    accord_target *target;
    accord_tree *truth = NULL;
    accord_error error;
    accord_target_options_init(&options);
    options.n = q->n;
    options.has_format = strncmp(q->target, "blas:", 5) != 0;
    options.format = q->format;
    options.seed = q->seed;
    if (accord_target_open(q->target, &options, &target, &error))
        bench_die(q->target, &error);
    *answer = (bench_answer){0};
    bool splits = strcmp(q->algorithm, "split") == 0;
    accord_tree *tree = splits ? split(target, q->seed, answer) : reveal(target, q, answer);
    if (!accord_synthetic_tree(target, &truth, &error) && !accord_tree_equal(tree, truth))
        bench_die(q->target, NULL);
    accord_tree_free(truth);
    accord_tree_free(tree);
    accord_target_close(target);
}

int main(int argc, char **argv)
{
    for (int a = 1; a < argc; a++) {
        size_t i = 0;
        while (i < BENCHES && strcmp(benches[i].name, argv[a]) != 0)
            i++;
        if (i == BENCHES)
            return fprintf(stderr, "accord-bench: there is no benchmark '%s'\n", argv[a]), 2;
        benches[i].run();
        fflush(stdout);
    }
    for (size_t i = 0; argc < 2 && i < BENCHES; i++)
        printf("%s\n", benches[i].name);
    return 0;
}
