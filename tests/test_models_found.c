/* Arithmetics that are no single way for the whole sum come back: alpha that enters in several
 * ways, partial sums that are stored narrower than they are added. */
#include "base/base.h"
#include "trials.h"
#include <accord/accord.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *build_folder(void)
{
    const char *folder = getenv("ACCORD_BUILD");
    return folder ? folder : "build";
}

/* Reveals, and holds what is found against what is known of it; the record is the caller's. */
static void expect_explained(accord_target *target, uint64_t seed, const char *what,
                             accord_record *record)
{
    accord_reveal_options how;
    accord_error error = {.text = ""};
    accord_reveal_options_init(&how);
    how.seed = seed;
    accord_record_init(record);
    if (accord_reveal(target, &how, record, &error))
        fail_msg("%s: %s", what, error.text);
    if (!record->arithmetic || record->replays < 2000 || record->replays_agreed < record->replays)
        fail_msg("%s: %s", what, record->verdict);
}

static void test_alphas(void **state)
{
    static const double factors[][2] = {{1.3, 0}, {-0.7, 0.3}, {0.1, 1}, {3, -1.3}, {-1.9, 0}};
    (void)state;
    uint64_t base = trials_seed() % 100000;
    size_t several = 0, whole = 0, all = trials(40);
    for (size_t t = 0; t < all; t++) {
        accord_target_options options;
        accord_target *target;
        accord_record record;
        accord_error error;
        char notation[512], number[32], shape[32], what[100];
        uint64_t seed = base + t;
        size_t n = 1 + seed % 37;
        const double *by = factors[seed % 5];
        accord_target_options_init(&options);
        options.n = n + (by[1] != 0);
        options.alpha = by[0];
        options.beta = by[1];
        snprintf(shape, sizeof shape, "2x%zu", n);
        options.shape = shape;
        snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
        snprintf(notation, sizeof notation, "blas:%s@%s/tests/targets/libalphas.so",
                 t % 2 ? "sgemv" : "dgemv", build_folder());
        setenv("ALPHAS_SEED", number, 1);
        snprintf(what, sizeof what, "%s, seed %s", shape, number);
        if (accord_target_open(notation, &options, &target, &error))
            fail_msg("%s: %s", what, error.text);
        expect_explained(target, seed, what, &record);
        several += record.arithmetic->alpha_at == ACCORD_ALPHA_NODES;
        whole += by[1] != 0 && record.arithmetic->alpha_at == ACCORD_ALPHA_SUM &&
                 record.arithmetic->alpha_node == record.tree->leaves + record.tree->inner - 1;
        accord_record_clear(&record);
        accord_target_close(target);
    }
    unsetenv("ALPHAS_SEED");
    assert_true(several >= all / 2);
    assert_true(whole > 0);
}

static void test_stored(void **state)
{
    static const struct {
        const char *notation;
        enum accord_format format;
        size_t most;
    } targets[] = {
        {"blocks:8,acc=f64,stored=f32", ACCORD_F32, 60},
        {"blocks:5,products,acc=f64,stored=f32", ACCORD_F32, 60},
        {"blocks:8,fma,acc=f32,stored=bf16", ACCORD_F32, 60},
        {"pairwise,acc=f64,stored=bf16", ACCORD_F32, 12},
        {"pairwise,fma=first,acc=f32,stored=bf16", ACCORD_F32, 60},
        {"pairwise,products,acc=f32,stored=bf16", ACCORD_BF16, 60},
        {"numpy,fma=inner,acc=f32,stored=bf16", ACCORD_BF16, 12},
        {"lanes:8,products,acc=f64,stored=f32,fold=sequential", ACCORD_BF16, 60},
        {"lanes:4,products,acc=f32,stored=f16,out=f32", ACCORD_F16, 60},
        {"blocks:8,acc=f32,stored=f16,out=f32", ACCORD_F16, 60},
    };
    (void)state;
    uint64_t seed = trials_seed();
    size_t stored = 0;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        for (size_t t = 0; t < trials(2); t++) {
            accord_target_options options;
            accord_target *target;
            accord_record record;
            accord_error error;
            accord_arithmetic *truth = NULL;
            char notation[100];
            accord_target_options_init(&options);
            options.n = 9 + (seed + 31 * t + 7 * i) % targets[i].most;
            options.has_format = true;
            options.format = targets[i].format;
            snprintf(notation, sizeof notation, "synthetic:%s", targets[i].notation);
            if (accord_target_open(notation, &options, &target, &error))
                fail_msg("%s: %s", notation, error.text);
            expect_explained(target, seed + t, notation, &record);
            for (size_t k = 0; k < record.arithmetic->operations; k++)
                stored += record.arithmetic->operation[k].stored != ACCORD_F64;
            assert_int_equal(accord_synthetic_arithmetic(target, &truth, &error), ACCORD_OK);
            /* Fusion is told below sums of 8 bits, where results hardly show it. */
            for (uint32_t k = 0; k < record.tree->inner && strstr(notation, "fma"); k++) {
                const accord_arithmetic *found = record.arithmetic;
                int is = found->operation[found->of_node ? found->of_node[k] : 0].fused;
                int was = truth->operation[truth->of_node ? truth->of_node[k] : 0].fused;
                if (targets[i].format == ACCORD_F32 && is != was)
                    fail_msg("%s, n = %zu, node %u: fused %d, should be %d", notation, options.n, k,
                             is, was);
            }
            accord_arithmetic_free(truth);
            accord_record_clear(&record);
            accord_target_close(target);
        }
    assert_true(stored > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alphas),
        cmocka_unit_test(test_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
