/* Revealing: whatever tree, format and algorithm, the tree that adds is the tree that comes back.
 */
#include "record/record.h"
#include "targets/synthetic/synthetic.h"
#include "trials.h"
#include <accord/reveal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { BUCKETS = 4, CERTIFIED_UP_TO = 100, CERTIFIED = 20 };

/* Terms, accumulator, and the units that a probe can count exactly, in bits: those of the
 * accumulator, less where the range of the terms leaves no room for them below a mask. With none
 * the answer must be OUT_OF_RANGE: 2^8 does not swallow 2^-9 in f32. */
static const struct {
    enum accord_format terms, accumulator;
    int bits;
} pairs[] = {
    {ACCORD_F64, ACCORD_F64, 53},  {ACCORD_F32, ACCORD_F32, 24},   {ACCORD_F16, ACCORD_F16, 11},
    {ACCORD_BF16, ACCORD_BF16, 8}, {ACCORD_TF32, ACCORD_TF32, 11}, {ACCORD_E4M3, ACCORD_E4M3, 4},
    {ACCORD_E5M2, ACCORD_E5M2, 3}, {ACCORD_F16, ACCORD_F32, 14},   {ACCORD_BF16, ACCORD_F32, 24},
    {ACCORD_F32, ACCORD_F64, 53},  {ACCORD_E5M2, ACCORD_F32, 6},   {ACCORD_E4M3, ACCORD_F32, 0},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* What the algorithms ask for: binary trees; that all terms can be counted; that a mask swallows a
 * unit on every term, counted or not; that random sums in the accumulator are rounded, else they
 * do not tell orders apart. */
enum need { BINARY = 1, COUNTS = 2, RANGE = 4, ROUNDING = 8 };

/* With the greatest n tried here (most are quadratic), and how rarely. */
static const struct {
    const char *name;
    unsigned needs;
    uint32_t most, rare;
} algorithms[] = {
    {"auto", 0, 300, 1},
    {"wide", 0, 300, 1},
    {"fprev", COUNTS, 150, 1},
    {"refined", BINARY | COUNTS, 100, 1},
    {"modified", RANGE, 100, 1},
    {"basic", BINARY | COUNTS, 60, 2},
    {"naive", BINARY | ROUNDING, 6, 20},
};
enum { ALGORITHMS = sizeof algorithms / sizeof *algorithms };

/* 1 … 300, half of them below 16. */
static uint32_t draw_n(accordi_rng *rng)
{
    static const uint32_t most[BUCKETS] = {5, 15, 60, 300};
    return 1 + (uint32_t)accordi_rng_below(rng, most[accordi_rng_below(rng, BUCKETS)]);
}

typedef struct trial {
    uint32_t n;
    size_t kind, pair, algorithm;
    bool certified;
    uint64_t seed;
    accord_tree *tree;
} trial;

static bool claims(const trial *t)
{
    unsigned needs = algorithms[t->algorithm].needs;
    enum accord_format accumulator = pairs[t->pair].accumulator;
    int bits = pairs[t->pair].bits;
    bool binary = t->tree->inner + 1 == t->n;
    bool counts = t->n <= ((uint64_t)1 << bits) + 1; /* two of them carry masks */
    bool wide = bits == accord_format_get(accumulator)->precision;
    return t->n <= algorithms[t->algorithm].most && (!(needs & BINARY) || binary) &&
           (!(needs & COUNTS) || counts) && (!(needs & RANGE) || counts || wide) &&
           (!(needs & ROUNDING) || pairs[t->pair].terms == accumulator);
}

static trial draw(accordi_rng *rng)
{
    trial t = {.n = draw_n(rng), .kind = (size_t)accordi_rng_below(rng, ACCORDI_TREE_KINDS)};
    t.pair = (size_t)accordi_rng_below(rng, PAIRS);
    t.seed = accordi_rng_next(rng);
    assert_int_equal(accordi_random_tree(rng, (enum accordi_tree_kind)t.kind, t.n, &t.tree, NULL),
                     ACCORD_OK);
    do
        t.algorithm = (size_t)accordi_rng_below(rng, ALGORITHMS);
    while (!claims(&t) || accordi_rng_below(rng, algorithms[t.algorithm].rare));
    t.certified = t.n <= CERTIFIED_UP_TO && accordi_rng_below(rng, CERTIFIED) == 0;
    return t;
}

static bool right(const trial *t, enum accord_status status, const accord_error *error,
                  const accord_record *record)
{
    if (pairs[t->pair].bits == 0 && t->n > 2)
        return status == ACCORD_UNABLE && error->reason == ACCORD_REASON_OUT_OF_RANGE &&
               !record->tree;
    if (status || !accord_tree_equal(record->tree, t->tree))
        return false;
    bool explained = record->arithmetic != NULL; /* or nothing is called proven */
    return !t->certified ||
           (record->proven == explained && record->nodes_confirmed == record->nodes &&
            record->nodes == t->tree->inner);
}

static bool print_piece(void *context, const char *text, size_t length)
{
    (void)context;
    printf("%.*s", (int)length, text);
    return true;
}

static void describe(const trial *t, enum accord_status status, const accord_error *error,
                     const accord_record *record)
{
    printf("# n %u kind %zu %s/%s %s%s seed %llu: %s, %s\n", t->n, t->kind,
           accord_format_get(pairs[t->pair].terms)->name,
           accord_format_get(pairs[t->pair].accumulator)->name, algorithms[t->algorithm].name,
           t->certified ? " certified" : "", (unsigned long long)t->seed,
           accord_status_name(status),
           status         ? error->text
           : record->tree ? "another tree"
                          : "no tree");
    printf("# ");
    accord_tree_write_brackets(t->tree, print_piece, NULL, NULL);
    printf("\n");
}

static bool reveal(const trial *t)
{
    accord_target *target = NULL;
    accord_record record;
    accord_reveal_options options;
    accord_error error = {.status = ACCORD_OK};
    accordi_record_init(&record);
    accord_reveal_options_init(&options);
    options.loose = true; /* of fused nodes only some are a machine's, which replays explain */
    options.algorithm = algorithms[t->algorithm].name;
    options.no_certificate = !t->certified;
    options.seed = t->seed;
    assert_int_equal(accordi_synthetic_from_tree(t->tree, pairs[t->pair].terms,
                                                 pairs[t->pair].accumulator, &target, NULL),
                     ACCORD_OK);
    enum accord_status status = accord_reveal(target, &options, &record, &error);
    bool good = right(t, status, &error, &record);
    if (!good)
        describe(t, status, &error, &record);
    accord_record_clear(&record);
    accord_target_close(target);
    return good;
}

static void test_every_tree_comes_back(void **state)
{
    (void)state;
    accordi_rng rng;
    accordi_rng_init(&rng, trials_seed());
    size_t wrong = 0;
    for (size_t left = trials(4000); left > 0; left--) {
        trial t = draw(&rng);
        wrong += !reveal(&t);
        accord_tree_free(t.tree);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_tree_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
