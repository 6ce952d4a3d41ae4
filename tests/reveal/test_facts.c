/* Real libraries against what is known of them: orders revealed here are the ones that were found
 * by other means. OpenBLAS is asked under OPENBLAS_CORETYPE=Haswell, which needs AVX2 and FMA; what
 * is not on the machine is skipped by name. Every random input comes back bit for bit. */
#include "base/base.h"
#include "record/record.h"
#include <accord/accord.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct fact {
    const char *target, *shape, *element;
    size_t n;
    bool haswell;
    const char *brackets; /* or: */
    const char *like;     /* the notation of a synthetic order that is the same */
    const char *sums;     /* format of the sums, where it is known */
} fact;

#define EVENS_AND_ODDS                                                                             \
    "((((((((((((0+2)+4)+6)+8)+10)+12)+14)+16)+18)+20)+22)+"                                       \
    "(((((((((((1+3)+5)+7)+9)+11)+13)+15)+17)+19)+21)+23))"
#define NUMPY "command:python3 examples/sum.py"

static const fact facts[] = {
    {"blas:sdot@reference", NULL, NULL, 4, false, "(((0+1)+2)+3)", NULL, "f32"},
    {"blas:ddot@reference", NULL, NULL, 5, false, NULL, "synthetic:lanes:5,fold=sequential", "f64"},
    {"blas:sdot@gsl", NULL, NULL, 40, false, NULL, "synthetic:sequential", "f32"},
    /* four vectors of eight lanes, folded by halves */
    {"blas:sdot@openblas-pthread", NULL, NULL, 32, true,
     "(((((0+4)+(8+12))+((16+20)+(24+28)))+(((1+5)+(9+13))+((17+21)+(25+29))))+"
     "((((2+6)+(10+14))+((18+22)+(26+30)))+(((3+7)+(11+15))+((19+23)+(27+31)))))",
     NULL, "f32"},
    /* the tail of eight is added in double */
    {"blas:sdot@openblas-pthread", NULL, NULL, 40, true, NULL, NULL, "mixed"},
    /* the elements of one product do not share one order */
    {"blas:sgemm@openblas-pthread", "7x13x24", "0,0", 24, true, EVENS_AND_ODDS, NULL, "f32"},
    {"blas:sgemm@openblas-pthread", "7x13x24", "3,7", 24, true, EVENS_AND_ODDS, NULL, "f32"},
    {"blas:sgemm@openblas-pthread", "7x13x24", "4,0", 24, true, NULL, "synthetic:sequential",
     "f32"},
    {"blas:sgemm@openblas-pthread", "7x13x24", "6,12", 24, true, NULL, "synthetic:sequential",
     "f32"},
    {"blas:sgemm@blis-pthread", "7x13x24", "0,0", 24, false, NULL, "synthetic:sequential", "f32"},
    {"blas:sgemm@blis-pthread", "7x13x24", "6,12", 24, false, NULL, "synthetic:sequential", "f32"},
    {"blas:sgemm@atlas", "7x13x24", "6,12", 24, false, NULL, "synthetic:sequential", "f32"},
    /* NumPy: sequence below 8, eight lanes to 128, halves above */
    {NUMPY, NULL, NULL, 7, false, NULL, "synthetic:sequential", "f32"},
    {NUMPY, NULL, NULL, 24, false, NULL, "synthetic:numpy", "f32"},
    {NUMPY, NULL, NULL, 128, false, NULL, "synthetic:numpy", "f32"},
    {NUMPY, NULL, NULL, 1000, false, NULL, "synthetic:numpy", "f32"},
};

static accord_tree *due_order(const fact *f)
{
    accord_tree *tree = NULL;
    accord_error error;
    if (f->brackets) {
        assert_int_equal(accord_tree_read_brackets(f->brackets, strlen(f->brackets), &tree, &error),
                         ACCORD_OK);
    } else if (f->like) {
        accord_target_options options;
        accord_target *target = NULL;
        accord_target_options_init(&options);
        options.n = f->n;
        assert_int_equal(accord_target_open(f->like, &options, &target, &error), ACCORD_OK);
        assert_int_equal(accord_synthetic_tree(target, &tree, &error), ACCORD_OK);
        accord_target_close(target);
    }
    return tree;
}

static bool can_be_haswell(void)
{
    const char *features = accordi_cpu_features();
    return strstr(features, "avx2") && strstr(features, "fma");
}

/* Skips the test, having said why, if the target is not on this machine. */
static void reveal(const fact *f, accord_record *record)
{
    accord_target_options options;
    accord_target *target = NULL;
    accord_error error;
    accord_target_options_init(&options);
    options.n = f->n;
    options.shape = f->shape;
    options.element = f->element;
    if (f->haswell && !can_be_haswell()) {
        print_message("# %s needs AVX2 and FMA\n", f->target);
        skip();
    }
    if (f->haswell)
        setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    enum accord_status status = accord_target_open(f->target, &options, &target, &error);
    if (status == ACCORD_TARGET) {
        unsetenv("OPENBLAS_CORETYPE");
        print_message("# %s: %s\n", f->target, error.text);
        skip();
    }
    assert_int_equal(status, ACCORD_OK);
    status = accord_reveal(target, NULL, record, &error); /* which asks in new processes, too */
    unsetenv("OPENBLAS_CORETYPE");
    if (status != ACCORD_OK)
        fail_msg("%s n=%zu: %s", f->target, f->n, error.text);
    accord_target_close(target);
}

static void test_what_is_known_comes_back(void **state)
{
    const fact *f = *state;
    accord_record record;
    accordi_record_init(&record);
    reveal(f, &record);
    accord_tree *due = due_order(f);
    if (due && !accord_tree_equal(record.tree, due))
        fail_msg("%s n=%zu %s: another order than is known of it", f->target, f->n,
                 f->element ? f->element : "");
    assert_true(record.proven);
    assert_int_equal(record.replays_agreed, record.replays);
    assert_string_equal(record.accumulator, f->sums);
    accord_tree_free(due);
    accord_record_clear(&record);
}

/* A test for each fact, so that those that cannot be asked here are seen to be skipped. */
int main(void)
{
    enum { FACTS = sizeof facts / sizeof *facts };
    static char names[FACTS][100];
    struct CMUnitTest tests[FACTS];
    for (size_t i = 0; i < FACTS; i++) {
        const fact *f = &facts[i];
        snprintf(names[i], sizeof names[i], "%s %s %s n=%zu", f->target, f->shape ? f->shape : "",
                 f->element ? f->element : "", f->n);
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = test_what_is_known_comes_back,
                                       .initial_state = (void *)(uintptr_t)f};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
