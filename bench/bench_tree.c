/* A tree of 10^6 leaves: written to a file, read back, compared, fingerprinted. Each step runs in a
 * child of its own, whose peak memory the system tells. */
#include "bench.h"
#include "record/record.h"
#include "targets/synthetic/synthetic.h"
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEAVES = 1000000, RUNS = 5 };

static const struct {
    const char *name;
    accordi_order_maker *make;
} orders[] = {
    {"NumPy-like", accordi_order_numpy},
    {"sequential", accordi_order_sequential},
    {"random uniform", accordi_order_uniform},
};
enum { ORDERS = sizeof orders / sizeof *orders };

static accord_tree *grow(size_t order)
{
    accordi_rng rng;
    accord_tree *tree;
    accord_error error;
    accordi_rng_init(&rng, 1);
    if (accordi_order_make(orders[order].make, LEAVES, 0, NULL, &rng, &tree, &error))
        bench_die(orders[order].name, &error);
    return tree;
}

static bool to_file(void *context, const char *text, size_t length)
{
    return fwrite(text, 1, length, context) == length;
}

static double write_order(const char *path, accord_tree *tree, const char *form)
{
    accord_record record;
    accord_error error;
    accordi_record_init(&record);
    record.tree = tree;
    record.n = tree->leaves;
    double from = accordi_now();
    FILE *file = fopen(path, "w");
    if (!file ||
        accord_record_write(&record, accord_writer_by_name(form), NULL, to_file, file, &error))
        bench_die(form, file ? &error : NULL);
    if (fclose(file) != 0)
        bench_die("the temporary file could not be written", NULL);
    return accordi_now() - from;
}

static accord_tree *read_order(const char *path, double *took)
{
    accord_record record;
    accord_error error;
    accordi_record_init(&record);
    double from = accordi_now();
    if (accord_record_load(path, &record, &error))
        bench_die("reading", &error);
    *took = accordi_now() - from;
    accord_tree *tree = record.tree;
    record.tree = NULL;
    accord_record_clear(&record);
    return tree;
}

static double compare(const accord_tree *a, const accord_tree *b)
{
    accord_tree_difference difference;
    accord_error error;
    bool differ, swapped;
    double from = accordi_now();
    if (accord_tree_diff(a, b, &differ, &swapped, &difference, &error))
        bench_die("comparing", &error);
    return accordi_now() - from;
}

enum step { WRITE_TEXT, READ_TEXT, WRITE_JSON, READ_JSON, COMPARE, FINGERPRINT, STEPS };

static const char *const step_names[STEPS] = {"write text", "read text", "write JSON",
                                              "read JSON",  "compare",   "fingerprint"};

/* What a child tells. Every step ends with the fingerprint of its tree, which must agree. */
typedef struct report {
    double seconds;
    char print[ACCORD_FINGERPRINT_SIZE];
} report;

static void work(enum step step, size_t order, const char *path, report *out)
{
    bool reads = step == READ_TEXT || step == READ_JSON;
    accord_tree *tree = reads ? read_order(path, &out->seconds) : grow(order);
    accord_error error;
    if (step == COMPARE)
        out->seconds = compare(tree, grow((order + 1) % ORDERS));
    if (step == WRITE_TEXT || step == WRITE_JSON)
        out->seconds = write_order(path, tree, step == WRITE_JSON ? "json" : "text");
    double from = accordi_now();
    if (accord_tree_fingerprint(tree, out->print, &error))
        bench_die("fingerprint", &error);
    if (step == FINGERPRINT)
        out->seconds = accordi_now() - from;
}

static void in_child(enum step step, size_t order, const char *path, report *out, double *mb)
{
    int ends[2], fate;
    struct rusage usage;
    fflush(stdout);
    if (pipe(ends) != 0)
        bench_die("no pipe", NULL);
    pid_t child = fork();
    if (child == 0) {
        report own = {0};
        work(step, order, path, &own);
        _exit(write(ends[1], &own, sizeof own) == sizeof own ? 0 : 1);
    }
    close(ends[1]);
    bool heard = read(ends[0], out, sizeof *out) == sizeof *out;
    close(ends[0]);
    if (child < 0 || wait4(child, &fate, 0, &usage) != child || !heard || fate != 0)
        bench_die(step_names[step], NULL);
    *mb = (double)usage.ru_maxrss / 1024;
}

static void row(size_t order, const char *path)
{
    report first;
    printf("| %s |", orders[order].name);
    for (enum step step = 0; step < STEPS; step++) {
        double took[RUNS], mb, most = 0;
        for (size_t r = 0; r < RUNS; r++) {
            report now;
            in_child(step, order, path, &now, &mb);
            if (step == WRITE_TEXT && r == 0)
                first = now;
            if (strcmp(first.print, now.print) != 0)
                bench_die(step_names[step], NULL);
            took[r] = now.seconds;
            most = mb > most ? mb : most;
        }
        printf(" %.3f s, %.0f MB |", bench_median(took, RUNS), most);
    }
    puts("");
}

void bench_tree(void)
{
    char path[] = "/tmp/accord-bench-XXXXXX";
    int file = mkstemp(path);
    if (file < 0)
        bench_die("no temporary file", NULL);
    close(file);
    puts("### A tree of 10^6 leaves\n\nMedians of 5 runs and peak memory; each step in a child "
         "process of its own, which makes the tree first unless it reads it; compared with the "
         "next order of the table. Goals: text written and read in 1 s, JSON in 2 s, compared and "
         "fingerprinted in 1 s, 200 MB.\n");
    printf("| order |");
    for (enum step step = 0; step < STEPS; step++)
        printf(" %s |", step_names[step]);
    puts("\n|---|--:|--:|--:|--:|--:|--:|");
    for (size_t order = 0; order < ORDERS; order++)
        row(order, path);
    puts("");
    unlink(path);
}
