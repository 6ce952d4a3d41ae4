/* Targets: notation, batches, callbacks, shared objects in a worker process, commands; and what
 * happens when they misbehave. */
#include "batches.h"
#include "record/record.h"
#include "targets/foreign/foreign.h"
#include "trials.h"
#include <accord/pattern.h>
#include <accord/reveal.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- helpers ---- */

static const char *so(const char *symbol)
{
    static char text[4300];
    snprintf(text, sizeof text, "so:%s/tests/support/boxes/libsums.so:%s", build_folder(), symbol);
    return text;
}

static accord_target *open_with(const char *notation, const accord_target_options *options)
{
    accord_target *target = NULL;
    accord_error error = {0};
    if (accord_target_open(notation, options, &target, &error) != ACCORD_OK)
        fail_msg("%s: %s", notation, error.text);
    return target;
}

static accord_target *open_n(const char *notation, size_t n)
{
    return open_with(notation, &(accord_target_options){.n = n});
}

/* One sum of ones. */
static enum accord_status ask_once(accord_target *target, double *result, accord_error *error)
{
    uint32_t start[3] = {0};
    return accord_target_run(target, &(accord_batch){.probes = 1, .fill = 1, .start = start},
                             result, error);
}

static double ones(accord_target *target)
{
    double result = 0;
    accord_error error = {0};
    if (ask_once(target, &result, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    return result;
}

static void one_line(const accord_error *error, enum accord_status status, const char *words)
{
    if (error->status != status || !strstr(error->text, words) || strchr(error->text, '\n'))
        fail_msg("expected %s with '%s', got %s: %s", accord_status_name(status), words,
                 accord_status_name(error->status), error->text);
}

static void no_child_left(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static void dense_agrees(accord_target *target, accordi_rng *rng, bool in_arena)
{
    size_t n = target->n, rows = 5, size = target->storage_f32 ? 4 : 8;
    double expected[5] = {0}, result[5];
    void *own = accordi_alloc(rows * n, size), *x = own;
    if (in_arena && target->kind->arena && target->kind->arena(target, rows * n * size))
        x = target->kind->arena(target, rows * n * size);
    for (size_t i = 0; i < rows * n; i++) {
        double value = (double)accordi_rng_below(rng, 17) - 8;
        expected[i / n] += value;
        if (target->storage_f32)
            ((float *)x)[i] = (float)value;
        else
            ((double *)x)[i] = value;
    }
    assert_int_equal(
        accord_target_run(target, &(accord_batch){.probes = rows, .dense = x}, result, NULL),
        ACCORD_OK);
    for (size_t r = 0; r < rows; r++)
        assert_true(result[r] == expected[r]);
    free(own);
}

static void batches_agree(accord_target *target, accordi_rng *rng, size_t batches)
{
    for (size_t i = 0; i < batches; i++) {
        size_t probes = 1 + (size_t)accordi_rng_below(rng, i % 4 ? 20 : 300);
        random_batch r = random_batch_new(rng, target->n, probes);
        double *result = accordi_alloc(probes, sizeof *result);
        accord_error error = {0};
        if (accord_target_run(target, &r.batch, result, &error) != ACCORD_OK)
            fail_msg("%s: %s", target->notation, error.text);
        for (size_t p = 0; p < probes; p++)
            if (result[p] != r.expected[p])
                fail_msg("%s, probe %zu of %zu: %g, not %g", target->notation, p, probes, result[p],
                         r.expected[p]);
        random_batch_free(&r);
        free(result);
        dense_agrees(target, rng, i % 2);
    }
}

/* ---- notation and arguments ---- */

static void test_notation(void **state)
{
    static const struct {
        const char *text, *kind, *head, *tail;
    } rows[] = {
        {"synthetic:lanes=8:x", "synthetic", "lanes=8:x", NULL},
        {"so:./a:b.so:sum", "so", "./a:b.so", "sum"},
        {"blas:sdot", "blas", "sdot", NULL},
        {"blas:sdot@/a@b/lib.so", "blas", "sdot", "/a@b/lib.so"},
        {"command:a b@c:d", "command", "a b@c:d", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        accordi_notation parts;
        assert_int_equal(accordi_notation_parse(rows[i].text, &parts, NULL), ACCORD_OK);
        assert_string_equal(parts.row->kind->name, rows[i].kind);
        assert_string_equal(parts.head, rows[i].head);
        assert_int_equal(parts.tail == NULL, rows[i].tail == NULL);
        if (parts.tail)
            assert_string_equal(parts.tail, rows[i].tail);
        accordi_notation_clear(&parts);
    }
}

static void test_open_refuses(void **state)
{
    static const struct {
        const char *notation;
        accord_target_options options;
        enum accord_status status;
        const char *words;
    } rows[] = {
        {"", {.n = 4}, ACCORD_ARG, "KIND:NAME"},
        {"blsa:sdot", {.n = 4}, ACCORD_ARG, "did you mean blas:"},
        {"quux:sdot", {.n = 4}, ACCORD_ARG, "synthetic, so, blas, command"},
        {"blas", {.n = 4}, ACCORD_ARG, "blas:ROUTINE[@LIBRARY]"},
        {"so:x.so", {.n = 4}, ACCORD_ARG, "so:PATH:SYMBOL"},
        {"so::f", {.n = 4}, ACCORD_ARG, "so:PATH:SYMBOL"},
        {"command:", {.n = 4}, ACCORD_ARG, "command:CMD"},
        {"blas:sdt", {.n = 4}, ACCORD_ARG, "did you mean sdot"},
        {"synthetic:pairwise", {.n = 0}, ACCORD_ARG, "n = 32"},
        {"synthetic:pairwise", {.n = 4, .timeout = -1}, ACCORD_ARG, "timeout"},
        {"so:/nowhere/x.so:f", {.n = 4}, ACCORD_TARGET, "No such file"},
        {"so:/usr:f", {.n = 4}, ACCORD_TARGET, "directory"},
        {"so:tests/targets/test_target.c:f", {.n = 4}, ACCORD_TARGET, "cannot be loaded"},
        {"so:x.so:f", {.n = 4, .signature = "product"}, ACCORD_ARG, "neither sum, dot"},
        {"so:x.so:f", {.n = 4, .shape = "4x4"}, ACCORD_ARG, "shape"},
        {"so:x.so:f", {.n = 4, .signature = "dot", .element = "1"}, ACCORD_ARG, "element"},
        {"so:x.so:f", {.n = 4, .signature = "rows", .shape = "4"}, ACCORD_ARG, "MxK"},
        {"so:x.so:f", {.n = 4, .signature = "rows", .shape = "4x5"}, ACCORD_ARG, "n is 4"},
        {"so:x.so:f", {.n = 4, .signature = "columns", .element = "4"}, ACCORD_ARG, "outside"},
        {"so:x.so:f", {.n = 4, .signature = "columns", .lda = 4}, ACCORD_ARG, "stride"},
        {"so:x.so:f", {.n = 4, .alpha = 2}, ACCORD_ARG, "no alpha and beta"},
        {"so:x.so:f", {.n = 4, .signature = "rows", .beta = 1}, ACCORD_ARG, "no alpha and beta"},
        {"command:cat", {.n = 4, .beta = 2}, ACCORD_ARG, "no alpha and beta"},
        {"so:x.so:f", {.n = 4, .alignment = 3}, ACCORD_ARG, "alignment"},
        {"so:x.so:f", {.n = 4, .alignment = 64}, ACCORD_ARG, "alignment"},
        {"so:x.so:f",
         {.n = 4, .has_format = true, .format = ACCORD_TF32, .signature = "dot:encoded"},
         ACCORD_ARG,
         "no encoding"},
        {"so:x.so:f", {.n = 4, .signature = "gemm:encoded"}, ACCORD_ARG, "neither sum, dot"},
        {"blas:sdot",
         {.n = 4, .has_result = true},
         ACCORD_ARG,
         "only for so:, command: and python:"},
        {"python:", {.n = 4}, ACCORD_ARG, "python:MODULE.ATTR"},
        {"opencl:x.cl", {.n = 4}, ACCORD_ARG, "opencl:FILE.cl:KERNEL"},
        {"opencl::f", {.n = 4}, ACCORD_ARG, "opencl:FILE.cl:KERNEL"},
        {"opencl:x.cl:,local=2", {.n = 4}, ACCORD_ARG, "opencl:FILE.cl:KERNEL"},
        {"opencl:x.cl:f,width=2", {.n = 4}, ACCORD_ARG, "not a setting"},
        {"opencl:x.cl:f,", {.n = 4}, ACCORD_ARG, "not a setting"},
        {"opencl:x.cl:f,local=0", {.n = 4}, ACCORD_ARG, "from 1 to"},
        {"opencl:x.cl:f,local=", {.n = 4}, ACCORD_ARG, "from 1 to"},
        {"opencl:x.cl:f,local=2x", {.n = 4}, ACCORD_ARG, "'2x'"},
        {"opencl:x.cl:f,local=2x2x2x", {.n = 4}, ACCORD_ARG, "'2x2x2x'"},
        {"opencl:x.cl:f,local=2x2x2x2", {.n = 4}, ACCORD_ARG, "one, two or three"},
        {"opencl:x.cl:f,local=2y2", {.n = 4}, ACCORD_ARG, "'2y2'"},
        {"opencl:x.cl:f,global=5000x5000", {.n = 4}, ACCORD_ARG, "work-items"},
        {"opencl:x.cl:f,global=999999999", {.n = 4}, ACCORD_ARG, "work-items"},
        {"opencl:x.cl:f,local=2x3,global=8x8", {.n = 4}, ACCORD_ARG, "global=8 is not a multiple"},
        {"opencl:x.cl:f,local=2x3,global=8", {.n = 4}, ACCORD_ARG, "global=1 is not a multiple"},
        {"opencl:x.cl:f,rows=5000,columns=5000", {.n = 4}, ACCORD_ARG, "results"},
        {"opencl:x.cl:f,rows=0", {.n = 4}, ACCORD_ARG, "from 1 to"},
        {"opencl:x.cl:f,arguments=x+out+outt", {.n = 4}, ACCORD_ARG, "exactly one out"},
        {"opencl:x.cl:f,parts=2,then=g,then-local=2,then-global=3",
         {.n = 4},
         ACCORD_ARG,
         "then-global=3"},
        {"opencl:x.cl:f,local=3,global=8", {.n = 4}, ACCORD_ARG, "whole groups"},
        {"opencl:x.cl:f,arguments=x+z+out", {.n = 4}, ACCORD_ARG, "'z' is not an argument"},
        {"opencl:x.cl:f,arguments=x+out+", {.n = 4}, ACCORD_ARG, "is not an argument"},
        {"opencl:x.cl:f,arguments=x+n", {.n = 4}, ACCORD_ARG, "exactly one out"},
        {"opencl:x.cl:f,arguments=out+n", {.n = 4}, ACCORD_ARG, "need x"},
        {"opencl:x.cl:f,then=g", {.n = 4}, ACCORD_ARG, "parts="},
        {"opencl:/no/such/x.cl:f,build=-D A=1,2", {.n = 4}, ACCORD_TARGET, "cannot read"},
        {"python:numpy.sum;ls", {.n = 4}, ACCORD_ARG, "not name a callable"},
        {"python:numpy..sum", {.n = 4}, ACCORD_ARG, "not name a callable"},
        {"python:numpy.", {.n = 4}, ACCORD_ARG, "not name a callable"},
        {"python:a:b:c", {.n = 4}, ACCORD_ARG, "not name a callable"},
        {"python:$(ls)", {.n = 4}, ACCORD_ARG, "not name a callable"},
        {"python:x", {.n = 4, .shape = "4x4"}, ACCORD_ARG, "shape"},
        {"python:x", {.n = 4, .signature = "dot"}, ACCORD_UNSUPPORTED, "doc/python.md"},
        {"python:x", {.n = 4, .python = "/no/such python"}, ACCORD_TARGET, "no interpreter"},
        {"command:cat", {.n = 4, .incx = 2}, ACCORD_ARG, "stride"},
        {"command:cat", {.n = 4, .alignment = 4}, ACCORD_ARG, "alignment"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        accord_target *target = NULL;
        accord_error error = {0};
        assert_int_not_equal(
            accord_target_open(rows[i].notation, &rows[i].options, &target, &error), ACCORD_OK);
        one_line(&error, rows[i].status, rows[i].words);
        assert_null(target);
        no_child_left();
    }
    accord_target *target = NULL;
    accord_error error = {0};
    assert_int_equal(
        accord_target_open(so("nothing"), &(accord_target_options){.n = 4}, &target, &error),
        ACCORD_TARGET);
    one_line(&error, ACCORD_TARGET, "no function nothing");
}

static double add(void *context, const void *x, size_t n)
{
    bool f32 = *(bool *)context;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += f32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
    return sum;
}

static void add_lines(void *context, const accord_grid *grid, double *results)
{
    (void)context;
    (void)grid;
    *results = 0;
}

static void test_callback(void **state)
{
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    (void)state;
    for (size_t i = 0; i < trials(40); i++) {
        bool f32 = i % 2;
        accord_target *target;
        size_t n = 1 + (size_t)accordi_rng_below(&rng, 40);
        assert_int_equal(accord_target_from_callback(add, &f32, n, f32, &target, NULL), ACCORD_OK);
        batches_agree(target, &rng, 4);
        accord_target_close(target);
    }
    accord_target *target = NULL;
    accord_error error;
    assert_int_equal(accord_target_from_callback(NULL, NULL, 1, true, &target, &error), ACCORD_ARG);
}

/* No sum has no terms, or more than a tree has leaves: whatever opens a target says so at once. */
static void test_numbers_of_terms(void **state)
{
    static const char *const notations[] = {"synthetic:pairwise", "so:x.so:f",
                                            "blas:sdot",          "blas:dgemm",
                                            "command:cat",        "python:numpy.sum"};
    static const size_t counts[] = {0, (size_t)ACCORD_TREE_MAX_LEAVES + 1, UINT32_MAX,
                                    (size_t)UINT32_MAX + 1, SIZE_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        accord_target *target = NULL;
        accord_error error;
        const accord_grid_callback grid = {
            .call = add_lines, .rows = 1, .columns = 1, .n = counts[i]};
        for (size_t k = 0; k < sizeof notations / sizeof *notations; k++) {
            const accord_target_options options = {.n = counts[i]};
            accord_target_open(notations[k], &options, &target, &error);
            one_line(&error, ACCORD_ARG, "1 to 2147483647 terms");
        }
        accord_target_from_callback(add, NULL, counts[i], true, &target, &error);
        one_line(&error, ACCORD_ARG, "1 to 2147483647 terms");
        accord_target_from_grid(&grid, &target, &error);
        one_line(&error, ACCORD_ARG, "1 to 2147483647 terms");
        assert_null(target);
    }
}

static void test_run_checks(void **state)
{
    bool f32 = true;
    accord_target *target;
    accord_error error;
    double result[2] = {42, 42}, value[2] = {1, 1};
    uint32_t index[2] = {0, 4}, falling[5] = {0, 1, 0, 0, 0}, start[3] = {0, 0, 2};
    (void)state;
    assert_int_equal(accord_target_from_callback(add, &f32, 4, f32, &target, NULL), ACCORD_OK);
    accord_batch none = {0},
                 outside = {.probes = 1, .start = start, .index = index, .value = value},
                 falls = {.probes = 2, .start = falling, .index = index, .value = value},
                 bare = {.probes = 1};
    assert_int_equal(accord_target_run(target, &none, NULL, &error), ACCORD_OK);
    assert_int_equal(accord_target_run(target, &outside, result, &error), ACCORD_ARG);
    one_line(&error, ACCORD_ARG, "term 4");
    assert_int_equal(accord_target_run(target, &falls, result, &error), ACCORD_ARG);
    assert_int_equal(accord_target_run(target, &bare, result, &error), ACCORD_ARG);
    assert_true(result[0] == 42 && target->calls == 0);
    index[1] = 3;
    assert_int_equal(accord_target_run(target, &outside, result, &error), ACCORD_OK);
    assert_true(result[0] == 2 && target->calls == 1);
    accord_target_close(target);
}

/* ---- shared objects ---- */

static void test_functions(void **state)
{
    static const struct {
        const char *symbol, *signature;
        enum accord_format format;
    } rows[] = {{"sum_float", NULL, ACCORD_F32},
                {"sum_double", "sum", ACCORD_F64},
                {"dot_float", "dot", ACCORD_F32},
                {"dot_double", "dot", ACCORD_F64},
                {"chatty_float", NULL, ACCORD_F32}};
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int no_fork = 0; no_fork < 2; no_fork++) {
            bool chatty = strstr(rows[i].symbol, "chatty");
            if (chatty && no_fork)
                continue;
            accord_target_options options = {.n = 1 + (size_t)accordi_rng_below(&rng, 100),
                                             .has_format = true,
                                             .format = rows[i].format,
                                             .signature = rows[i].signature,
                                             .no_fork = no_fork};
            accord_target *target = open_with(so(rows[i].symbol), &options);
            assert_int_equal(target->storage_f32, rows[i].format == ACCORD_F32);
            batches_agree(target, &rng, chatty ? 1 : trials(10));
            assert_true(target->seconds > 0);
            accord_target_close(target);
        }
    no_child_left();
}

/* Real numbers this time: the same bits in the worker and here. */
static void test_worker_agrees(void **state)
{
    accordi_rng rng;
    float x[50 * 97];
    double far[50], here[50];
    accordi_rng_init(&rng, trials_seed());
    for (size_t i = 0; i < 50 * 97; i++)
        x[i] = (float)accordi_rng_normal(&rng);
    (void)state;
    accord_target_options options = {.n = 97};
    accord_batch batch = {.probes = 50, .dense = x};
    accord_target *target = open_with(so("sum_float"), &options);
    assert_int_equal(accord_target_run(target, &batch, far, NULL), ACCORD_OK);
    accord_target_close(target);
    options.no_fork = true;
    target = open_with(so("sum_float"), &options);
    assert_int_equal(accord_target_run(target, &batch, here, NULL), ACCORD_OK);
    accord_target_close(target);
    assert_memory_equal(far, here, sizeof far);
}

/* The shared memory grows as it must. */
static void test_large_batches(void **state)
{
    static const size_t sizes[] = {1, 10, 3000, 20};
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    accord_target *target = open_n(so("sum_float"), 3);
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        random_batch r = random_batch_new(&rng, 3, sizes[i]);
        double *result = accordi_alloc(sizes[i], sizeof *result);
        assert_int_equal(accord_target_run(target, &r.batch, result, NULL), ACCORD_OK);
        for (size_t p = 0; p < sizes[i]; p++)
            assert_true(result[p] == r.expected[p]);
        random_batch_free(&r);
        free(result);
    }
    size_t rows = 200000;
    float *x = target->kind->arena(target, rows * 3 * sizeof *x);
    double *result = accordi_alloc(rows, sizeof *result);
    for (size_t i = 0; i < 3 * rows; i++)
        x[i] = (float)(i / 3);
    accord_batch batch = {.probes = rows - 1, .dense = x + 3};
    assert_int_equal(accord_target_run(target, &batch, result, NULL), ACCORD_OK);
    for (size_t r = 0; r < rows - 1; r++)
        assert_true(result[r] == 3 * (double)(r + 1));
    free(result);
    accord_target_close(target);
}

static void test_alignment(void **state)
{
    (void)state;
    for (int64_t past = 0; past < 64; past += 4)
        for (int no_fork = 0; no_fork < 2; no_fork++) {
            accord_target_options options = {.n = 9, .alignment = past, .no_fork = no_fork};
            accord_target *target = open_with(so("address_float"), &options);
            assert_true(ones(target) == (double)past);
            accord_target_close(target);
        }
}

static void test_standard_input_is_empty(void **state)
{
    (void)state;
    accord_target *target = open_n(so("input_float"), 4);
    assert_true(ones(target) == 0);
    accord_target_close(target);
}

static void test_not_a_number(void **state)
{
    (void)state;
    accord_target *target = open_n(so("nan_float"), 4);
    assert_true(isnan(ones(target)));
    accord_target_close(target);
}

/* Only what never answers waits for the limit; all else may take its time on a busy machine. */
static double limit_of(const char *words)
{
    return strstr(words, "within 1 s") ? 1 : 60;
}

static void test_misbehaving_functions(void **state)
{
    static const struct {
        const char *symbol, *words;
    } rows[] = {{"segfault", "crashed with signal 11 (Segmentation fault)"},
                {"abort_float", "crashed with signal 6 (Aborted)"},
                {"exit_three", "exited with status 3"},
                {"sleep_for_ever", "did not answer within 1 s"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        accord_target *target =
            open_with(so(rows[i].symbol),
                      &(accord_target_options){.n = 4, .timeout = limit_of(rows[i].words)});
        double result = 42, from = accordi_now();
        accord_error error = {0};
        for (int again = 0; again < 2; again++) { /* the second time it is remembered */
            assert_int_equal(ask_once(target, &result, &error), ACCORD_TARGET);
            one_line(&error, ACCORD_TARGET, rows[i].words);
        }
        assert_true(accordi_now() - from < 100);
        assert_true(result == 42 && target->calls == 0);
        accord_target_close(target);
        no_child_left();
    }
}

static void test_crash_names_the_probe(void **state)
{
    uint32_t start[9] = {0, 0, 0, 0, 0, 0, 1, 1, 1}, index[1] = {0};
    double value[1] = {7}, result[4];
    accord_error error = {0};
    accord_target *target = open_n(so("crash_at_seven"), 4);
    accord_batch batch = {.probes = 4, .fill = 1, .start = start, .index = index, .value = value};
    (void)state;
    assert_int_equal(accord_target_run(target, &batch, result, &error), ACCORD_TARGET);
    one_line(&error, ACCORD_TARGET, "sum 3 of a batch of 4");
    accord_target_close(target);
}

/* Slow is not hung: each answer starts the limit anew. */
static void test_slow(void **state)
{
    enum { PROBES = 20 };
    uint32_t start[2 * PROBES + 1] = {0};
    double result[PROBES];
    accord_target *target =
        open_with(so("slow_float"), &(accord_target_options){.n = 4, .timeout = 1.5});
    accord_batch batch = {.probes = PROBES, .fill = 1, .start = start};
    (void)state;
    assert_int_equal(accord_target_run(target, &batch, result, NULL), ACCORD_OK);
    assert_true(result[PROBES - 1] == 4 && target->seconds > 1.9);
    accord_target_close(target);
}

static pid_t first_child(void)
{
    int pid = 0;
    FILE *file = fopen("/proc/thread-self/children", "r");
    if (file && fscanf(file, "%d", &pid) != 1)
        pid = 0;
    if (file)
        fclose(file);
    return pid;
}

static bool is_alive(pid_t pid)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    if (fscanf(file, "%*d %*s %c", &state) != 1)
        state = 'Z';
    fclose(file);
    return state != 'Z';
}

/* A killed program leaves no worker behind, not even one that is stuck in foreign code. */
static void dies_with(const char *notation)
{
    int report[2];
    pid_t worker = 0;
    assert_int_equal(pipe(report), 0);
    pid_t user = fork();
    if (user == 0) {
        accord_target *target;
        double result;
        if (accord_target_open(notation, &(accord_target_options){.n = 4}, &target, NULL))
            _exit(1);
        worker = first_child();
        if (write(report[1], &worker, sizeof worker) == (ssize_t)sizeof worker)
            ask_once(target, &result, NULL);
        _exit(2);
    }
    close(report[1]);
    assert_int_equal(read(report[0], &worker, sizeof worker), sizeof worker);
    close(report[0]);
    usleep(20000);
    assert_true(worker > 1 && is_alive(worker));
    kill(user, SIGKILL);
    waitpid(user, NULL, 0);
    for (int i = 0; i < 200 && is_alive(worker); i++)
        usleep(10000);
    assert_false(is_alive(worker));
}

static void test_dies_with_parent(void **state)
{
    (void)state;
    if (access("/proc/thread-self/children", R_OK) != 0)
        skip();
    dies_with(so("sleep_for_ever"));
    dies_with("command:read x; echo accord 1 text; while :; do sleep 1; done");
}

static void test_describe(void **state)
{
    char real[PATH_MAX], path[4200];
    accord_record record;
    snprintf(path, sizeof path, "%s/tests/support/boxes/libsums.so", build_folder());
    assert_non_null(realpath(path, real));
    accordi_record_init(&record);
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    accord_target *target = open_with(
        so("dot_float"), &(accord_target_options){.n = 4, .signature = "dot", .alignment = 8});
    (void)state;
    assert_int_equal(accord_target_describe(target, &record, NULL), ACCORD_OK);
    unsetenv("OPENBLAS_CORETYPE");
    assert_string_equal(record.target, target->notation);
    assert_string_equal(record.library, real);
    assert_string_equal(record.signature, "dot");
    assert_string_equal(record.format, "f32");
    assert_non_null(strstr(record.environment, "OPENBLAS_CORETYPE=Haswell"));
    assert_non_null(strstr(record.library_build, "build id "));
    assert_non_null(record.cpu);
    assert_true(record.n == 4 && record.alignment == 8 && record.threads >= 1);
    assert_null(record.shape);
    assert_true(record.alpha == 1 && record.beta == 0);
    accord_target_close(target);
    accord_record_clear(&record);
    target = open_with(
        so("columns_float"),
        &(accord_target_options){.n = 4, .signature = "columns", .shape = "3x4", .element = "2"});
    assert_int_equal(accord_target_describe(target, &record, NULL), ACCORD_OK);
    assert_string_equal(record.signature, "columns");
    assert_string_equal(record.shape, "3x4");
    assert_string_equal(record.element, "2");
    assert_null(record.strides);
    accord_target_close(target);
    accord_record_clear(&record);
}

static void test_worker_missing(void **state)
{
    accord_target *target;
    accord_error error = {0};
    (void)state;
    setenv("ACCORD_WORKER", "/nowhere/accord-worker", 1);
    assert_int_equal(
        accord_target_open(so("sum_float"), &(accord_target_options){.n = 4}, &target, &error),
        ACCORD_TARGET);
    unsetenv("ACCORD_WORKER");
    one_line(&error, ACCORD_TARGET, "/nowhere/accord-worker");
}

/* ---- commands ---- */

static bool runs(const char *command)
{
    char line[256];
    snprintf(line, sizeof line, "%s >/dev/null 2>&1", command);
    return system(line) == 0;
}

static void test_python_example(void **state)
{
    accordi_rng rng;
    accord_record record;
    accordi_rng_init(&rng, trials_seed());
    (void)state;
    if (!runs("python3 -c 'import numpy'")) {
        printf("# skipped: no NumPy\n");
        skip();
    }
    for (int f = 0; f < 3; f++) {
        static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64, ACCORD_F16};
        accord_target_options options = {
            .n = 1 + (size_t)accordi_rng_below(&rng, 60), .has_format = true, .format = formats[f]};
        accord_target *target = open_with("command:python3 examples/sum.py", &options);
        batches_agree(target, &rng, trials(10));
        accordi_record_init(&record);
        assert_int_equal(accord_target_describe(target, &record, NULL), ACCORD_OK);
        assert_non_null(strstr(record.library_version, "NumPy"));
        accord_record_clear(&record);
        accord_target_close(target);
    }
    no_child_left();
}

static double drawn_from(accordi_rng *rng, const double *of, size_t count)
{
    return (accordi_rng_below(rng, 2) ? 1 : -1) * of[accordi_rng_below(rng, count)];
}

/* The example's blocks of 32, as it adds them. */
static double scaled_sum(size_t n, const double *a, const double *b, const double *scale_a,
                         const double *scale_b)
{
    float total = 0;
    for (size_t k = 0; k < n / 32; k++) {
        double block = 0;
        for (size_t i = 32 * k; i < 32 * k + 32; i++)
            block += a[i] * b[i];
        total += (float)(block * (scale_a ? scale_a[k] : 1) * (scale_b ? scale_b[k] : 1));
    }
    return (double)total;
}

/* Scales travel with each sum, in dense batches and, all 1, in sparse ones. */
static void test_scaled_example(void **state)
{
    enum { N = 96, BLOCKS = 3, MOST = 40 };
    static const double elements[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    static double a[MOST * N], b[MOST * N], scale[2][MOST * BLOCKS];
    const uint32_t start[] = {0, 1, 2, 2, 3}, index[] = {5, 70, 5};
    const double value[] = {3, -6, 1.5};
    double result[MOST];
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    (void)state;
    if (!runs("python3 -c 'import numpy'")) {
        printf("# skipped: no NumPy\n");
        skip();
    }
    accord_target_options options = {.n = N, .has_format = true, .format = ACCORD_E2M1};
    accord_target *target = open_with("command:python3 examples/scaled.py", &options);
    assert_int_equal(target->scale_block, 32);
    assert_int_equal(target->scale, ACCORD_E8M0);
    assert_int_equal(target->term, ACCORD_TERM_PRODUCT);
    for (size_t t = 0; t < trials(5); t++) {
        size_t probes = 1 + (size_t)accordi_rng_below(&rng, MOST);
        for (size_t i = 0; i < probes * N; i++) {
            a[i] = drawn_from(&rng, elements, 8);
            b[i] = drawn_from(&rng, elements, 8);
        }
        for (size_t i = 0; i < 2 * MOST * BLOCKS; i++)
            scale[i % 2][i / 2] = ldexp(1, (int)accordi_rng_below(&rng, 255) - 127);
        accord_batch batch = {.size = sizeof batch,
                              .probes = probes,
                              .dense = a,
                              .dense_second = b,
                              .scale_first = scale[0],
                              .scale_second = t % 2 ? NULL : scale[1]};
        assert_int_equal(accord_target_run(target, &batch, result, NULL), ACCORD_OK);
        for (size_t p = 0; p < probes; p++) {
            double due = scaled_sum(N, a + p * N, b + p * N, scale[0] + p * BLOCKS,
                                    batch.scale_second ? scale[1] + p * BLOCKS : NULL);
            assert_true(result[p] == due || (isnan(due) && isnan(result[p])));
        }
    }
    const accord_batch sparse = {
        .probes = 2, .fill = 0.5, .start = start, .index = index, .value = value, .second = 2};
    assert_int_equal(accord_target_run(target, &sparse, result, NULL), ACCORD_OK);
    assert_true(result[0] == 94 + 2 * (3 - 6));
    assert_true(result[1] == 95 + 2 * 1.5);
    accord_target_close(target);
    no_child_left();
}

/* Elements that have no sums of their own are refused where there are no scales. */
static void test_elements_need_scales(void **state)
{
    static const struct {
        const char *notation, *words;
    } rows[] = {{"command:read q; echo accord 1 binary", "announces no scales"},
                {"python:numpy.sum", "take no terms of e2m1"},
                {"blas:sdot", "take no terms of e2m1"},
                {"synthetic:pairwise", "e2m1"}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        accord_error error = {0};
        accord_target *target = NULL;
        accord_target_options options = {.n = 64, .has_format = true, .format = ACCORD_E2M1};
        assert_int_not_equal(accord_target_open(rows[i].notation, &options, &target, &error),
                             ACCORD_OK);
        assert_non_null(strstr(error.text, rows[i].words));
    }
    no_child_left();
}

static void test_awk_example(void **state)
{
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    (void)state;
    for (size_t n = 1; n < 40; n = 3 * n + 1) {
        accord_target_options options = {.n = n, .has_format = true, .format = ACCORD_F64};
        accord_target *target = open_with("command:sh examples/sum.sh", &options);
        batches_agree(target, &rng, trials(5));
        accord_target_close(target);
    }
    no_child_left();
}

/* A command that keeps both requests of so many bytes in a file and answers 1 and 1. */
static void keeping(char *command, size_t room, const char *path, size_t bytes)
{
    snprintf(command, room,
             "command:read x; echo accord 1 binary; for i in 1 2; do head -c %zu >>%s; "
             "printf 'acca\\001\\000\\000\\000\\000\\000\\000\\000\\000\\000\\360\\077'; "
             "done",
             bytes, path);
}

/* Dense rows arrive as the page says, byte by byte, also where they are larger than a pipe. */
static void rows_arrive(size_t n, enum accord_format format)
{
    char command[512], path[] = "/tmp/accord-test-XXXXXX";
    char head[24] = "accq\1\0\0\0\0\0\0\0\1", heard[sizeof head];
    size_t row = n * (format == ACCORD_F64 ? 8 : 4);
    double result[2] = {0};
    int file = mkstemp(path);
    assert_true(file >= 0);
    keeping(command, sizeof command, path, sizeof head + row);
    accord_target_options options = {.n = n, .has_format = true, .format = format};
    accord_target *target = open_with(command, &options);
    char *x = accordi_alloc(4, row), *came = x + 2 * row;
    for (size_t i = 0; i < 2 * row; i++)
        x[i] = (char)(i % 251 % 100); /* finite, whatever the type */
    assert_int_equal(
        accord_target_run(target, &(accord_batch){.probes = 2, .dense = x}, result, NULL),
        ACCORD_OK);
    assert_true(result[0] == 1 && result[1] == 1);
    for (size_t r = 0; r < 2; r++) {
        assert_int_equal(read(file, heard, sizeof heard), sizeof heard);
        assert_memory_equal(heard, head, sizeof head);
        assert_int_equal(read(file, came, row), row);
        assert_memory_equal(came, x + r * row, row);
    }
    free(x);
    accord_target_close(target);
    close(file);
    unlink(path);
}

static void test_rows_arrive(void **state)
{
    (void)state;
    rows_arrive(3, ACCORD_F32);
    rows_arrive(3, ACCORD_F64);
    rows_arrive(1, ACCORD_BF16);
    rows_arrive(400000, ACCORD_F64);
    no_child_left();
}

static char *read_all(const char *path)
{
    accordi_buffer text = {0};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (int c = getc(file); c != EOF; c = getc(file))
        accordi_buffer_append(&text, &(char){(char)c}, 1);
    fclose(file);
    return text.data;
}

/* The page shows the examples as they are. */
static void test_page_shows_examples(void **state)
{
    static const char *const examples[] = {"examples/sum.py", "examples/sum.sh"};
    char *page = read_all("doc/command-protocol.md");
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char *example = read_all(examples[i]);
        assert_non_null(strstr(page, example));
        free(example);
    }
    free(page);
}

static void test_misbehaving_greetings(void **state)
{
    static const struct {
        const char *command, *words;
    } rows[] = {
        {"command:echo hello", "answered 'hello.'"},
        {"command:cat", "answered 'accord 1 n=4 format=f32 highest=2.'"},
        {"command:echo accord 2 text", "answered 'accord 2 text.'"},
        {"command:echo accord 2 binary", "answered 'accord 2 binary.'"},
        {"command:echo accord 2 binary rows=2 share=none", "answered 'accord 2 binary rows=2"},
        {"command:read q; echo accord 2 binary rows=0 columns=1 share=none copies=columns",
         "no size"},
        {"command:echo accord 2 binary rows=2 columns=2 share=all", "answered 'accord 2 binary"},
        {"command:read q; echo accord 2 binary rows=0 columns=2 share=none", "a grid of no size"},
        {"command:read q; echo accord 2 binary rows= columns=2 share=none", "a grid of no size"},
        {"command:read q; echo accord 2 binary rows=-1 columns=2 share=none", "a grid of no size"},
        {"command:read q; echo accord 2 binary rows=5000 columns=5000 share=none",
         "16777216 results"},
        {"command:read q; echo accord 2 binary rows=9999999999999999 columns=1 share=none",
         "of no size"},
        {"command:read q; echo accord 2 binary rows=1 columns=2 share=none window=0",
         "a window of no size"},
        {"command:read q; echo accord 2 binary rows=1 columns=2 share=none window=4k",
         "a window of no size"},
        {"command:read q; echo accord 2 binary rows=1 columns=1 share=none block=0 scales=e8m0",
         "blocks of no size"},
        {"command:read q; echo accord 2 binary rows=1 columns=1 share=none block=1 scales=e8m0",
         "blocks of no size"},
        {"command:read q; echo accord 2 binary rows=1 columns=1 share=none block=-2 scales=e8m0",
         "blocks of no size"},
        {"command:read q; echo accord 2 binary rows=1 columns=1 share=none block=5 scales=e8m0",
         "of more products than the 4"},
        {"command:read q; echo accord 2 binary rows=1 columns=1 share=none "
         "block=99999999999999999999 scales=e8m0",
         "blocks of no size"},
        {"command:read q; echo accord 2 binary rows=1 columns=1 share=none block=2",
         "scales of no known format"},
        {"command:read q; echo accord 2 binary rows=1 columns=1 share=none block=2 scales=e8m01",
         "scales of no known format"},
        {"command:read q; echo accord 2 binary rows=1 columns=1 share=none block=2 scales=f32",
         "scales of no known format"},
        {"command:read q; echo accord 2 binary rows=2 columns=1 share=none block=2 scales=e8m0",
         "a grid of 2 x 1 results"},
        {"command:echo accord 3 binary", "answered 'accord 3 binary.'"},
        {"command:echo accord 1 texts", "answered 'accord 1 texts.'"},
        {"command:printf 'accord 1 text'", "exited with status 0"},
        {"command:yes", "does not follow the protocol"},
        {"command:head -c 100000 /dev/zero", "does not follow the protocol"},
        {"command:exit 3", "exited with status 3"},
        {"command:kill -SEGV $$", "crashed with signal 11 (Segmentation fault)"},
        {"command:no-such-program-here 2>/dev/null", "status 127 (command not found)"},
        {"command:sleep 1000", "did not answer within 1 s"},
        {"command:sleep 1000 | cat", "did not answer within 1 s"},
        {"command:exec >&-; sleep 1000", "closed its standard output"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        accord_target *target = NULL;
        accord_error error = {0};
        accord_target_options options = {.n = 4, .timeout = limit_of(rows[i].words)};
        double from = accordi_now();
        assert_int_equal(accord_target_open(rows[i].command, &options, &target, &error),
                         ACCORD_TARGET);
        one_line(&error, ACCORD_TARGET, rows[i].words);
        assert_true(accordi_now() - from < 100);
        no_child_left();
    }
}

/* The interpreter gets -m accord.serve and the name, whatever is in its own. */
static void test_interpreters(void **state)
{
    static const char script[] =
        "#!/bin/sh\n"
        "[ \"$*\" = '-m accord.serve package.module:a.b' ] || exit 9\n"
        "read x; echo accord 1 text of its own; while read a b c; do echo $((a + b + c)); done\n";
    char folder[] = "/tmp/accord-python-XXXXXX", path[64];
    accord_error error = {0};
    accord_record record;
    double result = 0;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/it's $(me)", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(script, 1, sizeof script - 1, file), sizeof script - 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    for (int by_environment = 0; by_environment < 2; by_environment++) {
        accord_target *target = NULL;
        accord_target_options options = {.n = 3, .signature = "sum"};
        float x[] = {1, 2, 4};
        accord_batch batch = {.probes = 1, .dense = x};
        if (by_environment)
            setenv("ACCORD_PYTHON", path, 1);
        else
            options.python = path;
        assert_int_equal(accord_target_open("python:package.module:a.b", &options, &target, &error),
                         ACCORD_OK);
        assert_int_equal(accord_target_run(target, &batch, &result, &error), ACCORD_OK);
        assert_true(result == 7);
        accordi_record_init(&record);
        assert_int_equal(accord_target_describe(target, &record, &error), ACCORD_OK);
        assert_string_equal(record.target, "python:package.module:a.b");
        assert_string_equal(record.signature, "sum");
        assert_string_equal(record.library_version, "of its own");
        accord_record_clear(&record);
        accord_target_close(target);
        no_child_left();
    }
    unsetenv("ACCORD_PYTHON");
    unlink(path);
    rmdir(folder);
}

#define TEXT "command:read x; echo accord 1 text; "
#define BINARY "command:read x; echo accord 1 binary; "
#define WINDOW "command:read x; echo accord 2 binary rows=1 columns=2 share=none window=20; "

/* Numbers with as few digits as those of the format of the result have are of that format. */
static void test_digits_of_answers(void **state)
{
    static const struct {
        const char *written;
        enum accord_format output;
        double read;
    } rows[] = {
        {"0.1", ACCORD_F32, (double)0.1f},
        {"0.100000001", ACCORD_F32, (double)0.1f},
        {"-1.17549435e-38", ACCORD_F32, -0x1p-126},
        {"0.1000000001", ACCORD_F32, 0.1000000001},
        {"0.10000000149011612", ACCORD_F32, (double)0.1f},
        {"0.1", ACCORD_F64, 0.1},
        {"1e39", ACCORD_F32, 1e39},
        {"-inf", ACCORD_F32, -(double)INFINITY},
        {"0.33325", ACCORD_F16, 0x1.554p-2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char command[120];
        accord_target_options options = {.n = 4};
        accord_error error = {0};
        double result = 42;
        snprintf(command, sizeof command, TEXT "while read x; do echo %s; done", rows[i].written);
        accord_target *target = open_with(command, &options);
        target->output = rows[i].output;
        assert_int_equal(ask_once(target, &result, &error), ACCORD_OK);
        assert_true(result == rows[i].read);
        accord_target_close(target);
        no_child_left();
    }
}

static void test_misbehaving_answers(void **state)
{
    static const struct {
        const char *command, *words;
    } rows[] = {
        {TEXT "read x; echo 1 2", "answered '1 2.'"},
        {TEXT "read x; echo; sleep 1000", "does not follow the protocol"},
        {TEXT "read x; printf 4; exit 5", "exited with status 5"},
        {TEXT "read x; exec >&-; sleep 1000", "closed its standard output"},
        {TEXT "exec <&-; sleep 1000", "closed its standard input"},
        {TEXT "read x; sleep 1000", "did not answer within 1 s"},
        {TEXT "read x; kill -9 $$", "signal 9"},
        {BINARY "head -c 32 >/dev/null; echo debugging here; sleep 1000", "answered 'debugging"},
        {BINARY "head -c 32 >/dev/null; printf acc; sleep 1000",
         "did not finish its answer, of which 3 bytes came, within 1 s"},
        {BINARY "head -c 32 >/dev/null; printf 'acca\\002\\000\\000\\000'; sleep 1000",
         "answered for 2 sums and was asked for 1"},
        {BINARY "head -c 32 >/dev/null; printf 'acca\\001\\000\\000\\00012345678+'; sleep 1000",
         "wrote more than the answer for 1 numbers"},
        {BINARY "head -c 32 >/dev/null; printf 'acca\\001\\000\\000\\0001234'", "exited with"},
        {WINDOW "head -c 8 >/dev/null; sleep 1000", "did not answer within 1 s"},
        {WINDOW "head -c 20 >/dev/null; printf ++; sleep 1000", "answered '+'"},
        {WINDOW "head -c 20 >/dev/null; printf +; head -c 12 >/dev/null; printf +; sleep 1000",
         "answered '+'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        accord_target_options options = {.n = 500000, .timeout = limit_of(rows[i].words)};
        bool large = strstr(rows[i].words, "standard input") != NULL;
        options.n = large ? options.n : 4;
        accord_target *target = open_with(rows[i].command, &options);
        accord_error error = {0};
        double result = 42, from = accordi_now();
        usleep(large ? 50000 : 0);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(ask_once(target, &result, &error), ACCORD_TARGET);
            one_line(&error, ACCORD_TARGET, rows[i].words);
        }
        accord_target_close(target);
        assert_true(result == 42 && accordi_now() - from < 100);
        no_child_left();
    }
}

/* More answers than questions: found out at the next question, at the latest. */
static void test_answers_to_nothing(void **state)
{
    accord_error error = {0};
    double result = 0;
    accord_target *target = open_n(TEXT "while read x; do echo 4; sleep 0.05; echo 4; done", 4);
    (void)state;
    assert_int_equal(ask_once(target, &result, &error), ACCORD_OK);
    sleep(1); /* much longer than the second answer takes */
    assert_int_equal(ask_once(target, &result, &error), ACCORD_TARGET);
    one_line(&error, ACCORD_TARGET, "answered '4.'");
    accord_target_close(target);
}

static void test_odd_answers(void **state)
{
    (void)state;
    accord_target *target = open_n(TEXT "while read x; do echo nan; done", 4);
    assert_true(isnan(ones(target)));
    accord_target_close(target);
    target = open_n(TEXT "while read x; do printf ' -inf \\r\\n'; done", 4);
    assert_true(isinf(ones(target)));
    accord_target_close(target);
    target = open_n(TEXT "while read a b c d; do echo $((a + b + c + d)); done", 4);
    assert_true(ones(target) == 4);
    accord_target_close(target);
}

/* A program may tidy up when its input ends. */
static void test_polite_end(void **state)
{
    char command[4300], path[] = "/tmp/accord-test-XXXXXX";
    (void)state;
    int file = mkstemp(path);
    assert_true(file >= 0);
    snprintf(command, sizeof command, TEXT "while read x; do echo 1; done; echo bye >%s", path);
    accord_target *target = open_n(command, 4);
    assert_true(ones(target) == 1);
    accord_target_close(target);
    char said[4] = "";
    assert_int_equal(read(file, said, 3), 3);
    assert_string_equal(said, "bye");
    close(file);
    unlink(path);
}

/* Sanitizers, where this is built with them, would turn signals in the worker into exits. */
static void let_signals_through(void)
{
    const char *set = getenv("ASAN_OPTIONS");
    char options[512];
    snprintf(options, sizeof options, "%.400s%shandle_segv=0:handle_abort=0", set ? set : "",
             set ? ":" : "");
    setenv("ASAN_OPTIONS", options, 1);
}

/* ---- a kind of the program's own ---- */

enum { OWN_TERMS = 9 };
typedef struct own {
    size_t closed, asked;
    const accord_outside_access *found;
} own;

/* From the last term to the first. */
static enum accord_status run_own(accord_target *target, const accord_batch *batch, double *result,
                                  accord_error *error)
{
    own *state = target->state;
    double lasting[OWN_TERMS];
    (void)error;
    assert_true(batch->size == sizeof *batch && target->n == OWN_TERMS);
    for (size_t k = 0; k < target->n; k++)
        lasting[k] = batch->fill;
    for (size_t p = 0; p < batch->probes; p++) {
        double x[OWN_TERMS];
        const uint32_t *at = batch->dense ? NULL : batch->start + 2 * p;
        for (uint32_t w = at ? at[0] : 0; at && w < at[1]; w++)
            lasting[batch->index[w]] = batch->value[w];
        memcpy(x, at ? lasting : (const double *)batch->dense + p * target->n, sizeof x);
        for (uint32_t w = at ? at[1] : 0; at && w < at[2]; w++)
            x[batch->index[w]] = batch->value[w];
        for (size_t k = target->n - 1; k > 0; k--)
            x[k - 1] += x[k];
        result[p] = x[0];
    }
    state->asked += batch->probes;
    return ACCORD_OK;
}

static void close_own(accord_target *target)
{
    ((own *)target->state)->closed++;
}

static void test_own_kind(void **state)
{
    (void)state;
    own seen = {0};
    accord_error error;
    accord_target *target = NULL;
    /* As of a header that ends with close: what lies behind must not be read. */
    accord_target_kind kind = {.size = offsetof(accord_target_kind, examine),
                               .name = "own",
                               .run = run_own,
                               .close = close_own};
    memset(&kind.examine, 0xff, sizeof kind.examine);
    assert_int_equal(
        accord_target_new(&kind, &seen, "own:sum", OWN_TERMS, ACCORD_F64, &target, &error),
        ACCORD_OK);
    kind.run = NULL; /* it was copied */
    accord_record record;
    accordi_record_init(&record);
    assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_OK);
    assert_true(record.proven && seen.asked == target->calls && seen.asked > 100);
    assert_string_equal(record.target, "own:sum");
    char words[ACCORD_ORDER_WORDS_SIZE];
    assert_true(accord_order_words(record.tree, words));
    assert_string_equal(words, "sequential from the last term");
    accord_record_clear(&record);
    accord_target_close(target);
    assert_true(seen.closed == 1);
}

/* A kind of somebody's own may have the name of one of the library's, and a notation like theirs:
 * what lies behind its state is not looked for. */
static void test_own_kind_of_a_known_name(void **state)
{
    (void)state;
    for (size_t i = 0; accord_target_kind_at(i); i++) {
        own seen = {0};
        accord_error error;
        accord_target *target = NULL;
        char notation[64];
        accord_target_kind kind = {.name = accord_target_kind_at(i)->name, .run = run_own};
        snprintf(notation, sizeof notation, "%s:sum", kind.name);
        assert_int_equal(
            accord_target_new(&kind, &seen, notation, OWN_TERMS, ACCORD_F64, &target, &error),
            ACCORD_OK);
        accord_record record;
        accordi_record_init(&record);
        assert_int_equal(accord_reveal(target, NULL, &record, &error), ACCORD_OK);
        assert_true(record.proven);
        accord_target_options options = {.n = OWN_TERMS + 1, .format = ACCORD_F64};
        assert_int_equal(accord_target_resize(target, &options, &error), ACCORD_UNSUPPORTED);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

/* What a kind of the program's own says about its memory counts as that of the library's kinds. */
static enum accord_status examine_own(accord_target *target, accord_outside_access *out,
                                      accord_error *error)
{
    (void)error;
    assert_true(out->reads == 0 && out->writes == 0 && out->beyond == 0 && !out->writes_input);
    *out = *((own *)target->state)->found;
    return ACCORD_OK;
}

static void test_own_kind_examines(void **state)
{
    static const struct {
        accord_outside_access found;
        enum accord_reason reason;
    } rows[] = {
        {{.calls = 7}, ACCORD_REASON_NONE},
        {{.beyond = 1u << ACCORD_ZONE_AFTER}, ACCORD_REASON_NONE},
        {{.reads = 1u << ACCORD_ZONE_BETWEEN}, ACCORD_REASON_READS_OUTSIDE},
        {{.writes = 1u << ACCORD_ZONE_BEFORE}, ACCORD_REASON_WRITES_OUTSIDE},
        {{.writes_input = true}, ACCORD_REASON_WRITES_INPUT},
    };
    const accord_target_kind kind = {.name = "own", .run = run_own, .examine = examine_own};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        own seen = {.found = &rows[i].found};
        accord_error error = {.reason = ACCORD_REASON_NONE};
        accord_record record;
        accord_target *target = NULL;
        assert_int_equal(
            accord_target_new(&kind, &seen, "own:sum", OWN_TERMS, ACCORD_F64, &target, &error),
            ACCORD_OK);
        accordi_record_init(&record);
        enum accord_status status = accord_reveal(target, NULL, &record, &error);
        assert_int_equal(status, rows[i].reason ? ACCORD_UNABLE : ACCORD_OK);
        assert_int_equal(error.reason, rows[i].reason);
        if (status == ACCORD_OK)
            assert_true(target->calls == seen.asked + rows[i].found.calls);
        assert_true(!record.warnings == !rows[i].found.beyond);
        accord_record_clear(&record);
        accord_target_close(target);
    }
}

static void test_own_kind_is_refused(void **state)
{
    (void)state;
    own seen = {0};
    accord_error error;
    accord_target *target = NULL;
    const accord_target_kind kind = {.run = run_own, .close = close_own}, none = {.name = "none"};
    assert_int_equal(accord_target_new(&none, &seen, "own", 9, ACCORD_F64, &target, &error),
                     ACCORD_ARG);
    assert_int_equal(accord_target_new(&kind, &seen, NULL, 9, ACCORD_F64, &target, &error),
                     ACCORD_ARG);
    assert_int_equal(accord_target_new(&kind, &seen, "own", 0, ACCORD_F64, &target, &error),
                     ACCORD_ARG);
    assert_int_equal(accord_target_new(&kind, &seen, "own", 9, ACCORD_E8M0, &target, &error),
                     ACCORD_ARG);
    assert_true(!target && !seen.closed);
}

int main(void)
{
    let_signals_through();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_notation),
        cmocka_unit_test(test_open_refuses),
        cmocka_unit_test(test_callback),
        cmocka_unit_test(test_numbers_of_terms),
        cmocka_unit_test(test_run_checks),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_worker_agrees),
        cmocka_unit_test(test_large_batches),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_standard_input_is_empty),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_misbehaving_functions),
        cmocka_unit_test(test_crash_names_the_probe),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_dies_with_parent),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_worker_missing),
        cmocka_unit_test(test_python_example),
        cmocka_unit_test(test_awk_example),
        cmocka_unit_test(test_scaled_example),
        cmocka_unit_test(test_elements_need_scales),
        cmocka_unit_test(test_rows_arrive),
        cmocka_unit_test(test_page_shows_examples),
        cmocka_unit_test(test_misbehaving_greetings),
        cmocka_unit_test(test_interpreters),
        cmocka_unit_test(test_digits_of_answers),
        cmocka_unit_test(test_misbehaving_answers),
        cmocka_unit_test(test_answers_to_nothing),
        cmocka_unit_test(test_odd_answers),
        cmocka_unit_test(test_polite_end),
        cmocka_unit_test(test_own_kind),
        cmocka_unit_test(test_own_kind_of_a_known_name),
        cmocka_unit_test(test_own_kind_examines),
        cmocka_unit_test(test_own_kind_is_refused),
    };
    return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
