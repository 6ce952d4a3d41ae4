/* Sums of blocks that are added plainly, while the sums of the blocks carry their rounding errors
 * along, are compensated in part, and that is said. Blocks whose sums are added plainly too are
 * proven; blocks whose errors are added in other ways are never called so. */
#include "base/base.h"
#include "trials.h"
#include <accord/accord.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum way { CARRIED, PLAIN, TWICE, WAYS };

typedef struct box {
    enum way way;
    bool is_f32;
    size_t block;
} box;

static double add(const box *b, double x, double y)
{
    return b->is_f32 ? (double)((float)x + (float)y) : x + y;
}

static double call(void *context, const void *x, size_t n)
{
    const box *b = context;
    double sum = 0, lost = 0;
    for (size_t at = 0; at < n; at += b->block) {
        double part = 0;
        for (size_t i = at; i < n && i < at + b->block; i++)
            part = add(b, part, b->is_f32 ? (double)((const float *)x)[i] : ((const double *)x)[i]);
        double whole = b->way == CARRIED ? add(b, part, -lost)
                       : b->way == TWICE ? add(b, add(b, part, -lost), -lost)
                                         : part;
        double total = add(b, sum, whole);
        lost = add(b, add(b, total, -sum), -whole);
        sum = total;
    }
    return sum;
}

static void test_blocks(void **state)
{
    (void)state;
    static const size_t counts[] = {24, 65, 200, 600};
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    for (size_t i = 0; i < trials(8 * WAYS); i++) {
        size_t n = counts[i / WAYS % 4];
        box b = {(enum way)(i % WAYS), i / (4 * WAYS) % 2,
                 4 + (size_t)accordi_rng_below(&rng, n / 4)};
        /* at least three blocks: of two no error is carried */
        accord_target *target = NULL;
        accord_error error = {.status = ACCORD_OK};
        accord_record *record = accord_record_new();
        accord_reveal_options options;
        accord_reveal_options_init(&options);
        options.seed = accordi_rng_below(&rng, 1 << 30);
        assert_non_null(record);
        assert_int_equal(accord_target_from_callback(call, &b, n, b.is_f32, &target, NULL),
                         ACCORD_OK);
        enum accord_status status = accord_reveal(target, &options, record, &error);
        bool said = error.reason == ACCORD_REASON_COMPENSATED && strstr(error.text, "in part");
        bool good = b.way == CARRIED ? status == ACCORD_UNABLE && said
                    : b.way == PLAIN ? status == ACCORD_OK && record->proven
                                     : !record->proven && !said;
        if (!good)
            print_message("# way %d, n %zu, blocks of %zu, %s: %s\n", (int)b.way, n, b.block,
                          b.is_f32 ? "f32" : "f64", status ? error.text : record->verdict);
        assert_true(good);
        accord_record_free(record);
        accord_target_close(target);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
