/* Exact sums and dots are exact: every method, instruction set, number of threads, split, stride
 * and alignment against MPFR.
 *
 * A case is one pass of the library over one array: by a kernel of some row, by some method,
 * through accumulators in up to eight parts, or in one call with some number of threads. What comes
 * out is compared with what MPFR and a sum in integers agree upon: all bytes of the canonical
 * accumulator and its roundings to four formats in five directions, or the one number of one call.
 *
 * 20000 cases by default; ACCORD_TEST_SCALE=50 makes it the million. Each array has a seed of its
 * own, which a failure tells. */
#include "exact_samples.h"
#include "trials.h"

enum { PASSES = 20, ROWS = 8, SLOTS = 4 + 14 };

static struct {
    size_t direct[KINDS][ROWS][SLOTS]; /* by rows of kernels and methods */
    size_t by_method[KINDS][SLOTS], by_threads[9], by_kind[KINDS];
    size_t accumulators, calls, patterns;
} done;

static expected truth;

/* What a pass did, for whoever has to repeat it. */
static char story[600];

static void tell(const char *format, ...) ACCORDI_PRINTF(1, 2);
static void tell(const char *format, ...)
{
    size_t used = strlen(story);
    va_list list;
    va_start(list, format);
    vsnprintf(story + used, sizeof story - used, format, list);
    va_end(list);
}

static int slot_of(const accord_exact_options *how)
{
    return how->method < ACCORD_EXACT_EXPANSION
               ? (int)how->method
               : 4 + 2 * (how->expansion - 2) + !how->no_early_exit;
}

static void tell_how(const accord_exact_options *how)
{
    tell(", %s", accord_exact_method_name(how->method));
    if (how->method == ACCORD_EXACT_EXPANSION)
        tell(" of %d%s", how->expansion, !how->no_early_exit ? " with early exit" : "");
}

/* Passes through accumulators. */

static bool part_by_kernel(const sample *s, accumulator *sum, size_t from, size_t n)
{
    int row = below(usable_rows());
    const accordi_exact_kernels *kernels = usable_row((size_t)row);
    accord_exact_options how = any_options();
    if (!s->kind->direct)
        return false;
    accordi_environment before = accordi_environment_enter();
    bool taken = s->kind->direct(kernels, &how, view_of(sum), n, s->x + from * s->kind->size,
                                 s->y + from * s->kind->size);
    accordi_environment_leave(before);
    if (!taken)
        return false;
    done.direct[s->kind - all_kinds][row][slot_of(&how)]++;
    tell("; [%zu, +%zu) kernels %s", from, n, kernels->name);
    tell_how(&how);
    return true;
}

static strided laid_out(const kind *k, const char *from, size_t n, int which);

static void part_by_method(const sample *s, accumulator *sum, size_t from, size_t n)
{
    accord_exact_options how = any_options();
    strided x = laid_out(s->kind, s->x + from * s->kind->size, n, 0);
    strided y = laid_out(s->kind, s->y + from * s->kind->size, s->kind->dot ? n : 0, 1);
    tell("; [%zu, +%zu) strides %td %td", from, n, x.stride, y.stride);
    if (!below(3) && s->kind->added(sum, n, x, y))
        return;
    s->kind->routed(&how, view_of(sum), n, x, y);
    done.by_method[s->kind - all_kinds][slot_of(&how)]++;
    tell_how(&how);
}

static void merge(accumulator *sum, accumulator *part)
{
    assert_int_equal(sum->is_wide ? accord_exact_wide_add(&sum->wide, &part->wide, NULL)
                                  : accord_exact_add(&sum->small, &part->small, NULL),
                     ACCORD_OK);
}

static void add_parts(const sample *s, accumulator *sum)
{
    int parts = below(2) ? 1 : 1 + below(8);
    bool apart = below(2);
    for (size_t from = 0; parts > 0; parts--) {
        size_t n = parts == 1 ? s->n - from : (size_t)accordi_rng_below(&rng, s->n - from + 1);
        accumulator part, *to = sum;
        if (apart)
            accumulator_init(to = &part, sum->is_wide);
        if (below(3) == 0 || !part_by_kernel(s, to, from, n))
            part_by_method(s, to, from, n);
        if (apart)
            merge(sum, to);
        from += n;
    }
}

/* Terms that are there before: as many as can wait in the limbs, and heavy. */
static void preload(accumulator *sum, accumulator *copy)
{
    double value = below(2) ? sign() * ldexp(0x1.fffffffffffffp0, below(2045) - 1022)
                            : from_bits(accordi_rng_next(&rng) & 0xbfffffffffffffff);
    for (int i = below(3) ? 1000 : below(2000); i > 0; i--)
        if (sum->is_wide)
            accord_exact_wide_add_f64(&sum->wide, value);
        else
            accord_exact_add_f64(&sum->small, value);
    *copy = *sum;
    tell("; %lld times %a before", (long long)sum->small.count[0] + sum->wide.count[0], value);
}

static void failed(const sample *s, const char *what)
{
    fail_msg("%s: %s, %s, n %zu%s", what, s->kind->name, s->fill, s->n, story);
}

static void compare_bytes(const sample *s, accumulator *sum)
{
    accord_exact_canonical(&sum->small);
    accord_exact_wide_canonical(&sum->wide);
    if (sum->is_wide ? memcmp(&sum->wide, &truth.wide, sizeof sum->wide)
                     : memcmp(&sum->small, &truth.small, sizeof sum->small))
        failed(s, "another sum");
}

static void compare_patterns(const sample *s, const accumulator *sum)
{
    for (int f = 0; f < FORMATS; f++)
        for (int r = 0; r < ROUNDINGS; r++) {
            uint64_t found =
                sum->is_wide ? wide_pattern_of(&sum->wide, f, r) : pattern_of(&sum->small, f, r);
            if (found != truth.pattern[f][r])
                failed(s, "another rounding");
        }
    done.patterns += FORMATS * ROUNDINGS;
}

/* What was there before is taken away again; but zeros are not counted beside it, and it is counted
 * as terms twice. */
static void take_away(accumulator *sum, const accumulator *before)
{
    int64_t *count = sum->is_wide ? sum->wide.count : sum->small.count;
    const int64_t *right = truth.wide.count;
    int64_t terms = right[ACCORD_EXACT_TERMS];
    enum accord_status status = sum->is_wide
                                    ? accord_exact_wide_subtract(&sum->wide, &before->wide, NULL)
                                    : accord_exact_subtract(&sum->small, &before->small, NULL);
    assert_int_equal(status, ACCORD_OK);
    const int64_t *twice = sum->is_wide ? before->wide.count : before->small.count;
    count[ACCORD_EXACT_TERMS] -= 2 * twice[ACCORD_EXACT_TERMS];
    if (count[ACCORD_EXACT_TERMS] == terms && twice[ACCORD_EXACT_TERMS])
        for (int i = ACCORD_EXACT_PLUS_ZEROS; i <= ACCORD_EXACT_MINUS_ZEROS; i++)
            count[i] = right[i];
}

static void pass_of_accumulators(const sample *s)
{
    accumulator sum, before;
    accumulator_init(&sum, s->kind->needs_wide || !below(4));
    accumulator_init(&before, sum.is_wide);
    tell("; %s", sum.is_wide ? "wide" : "small");
    bool loaded = !below(4);
    if (loaded)
        preload(&sum, &before);
    add_parts(s, &sum);
    if (loaded)
        take_away(&sum, &before);
    else
        compare_patterns(s, &sum);
    compare_bytes(s, &sum);
    done.accumulators++;
}

/* Passes in one call. */

/* The same numbers some other way in memory; NaNs in between. */
static strided laid_out(const kind *k, const char *from, size_t n, int which)
{
    static const ptrdiff_t strides[] = {-1, 2, -2, 3, -3, 7};
    static char rooms[2][7 * 8 * LONGEST];
    char *room = rooms[which];
    if (below(2) || !n)
        return (strided){n || below(2) ? from : NULL, 1};
    ptrdiff_t stride = strides[below(6)];
    size_t apart = (size_t)(stride < 0 ? -stride : stride) * k->size;
    memset(room, 0xff, apart * n);
    for (size_t i = 0; i < n; i++)
        memcpy(room + apart * (stride < 0 ? n - 1 - i : i), from + i * k->size, k->size);
    return (strided){stride < 0 ? room + apart * (n - 1) : room, stride};
}

static void pass_of_one_call(const sample *s)
{
    accord_exact_options how = any_options();
    bool defaults = !below(8), likely_short = !below(2);
    if (likely_short && s->n <= 1024)
        how.method = ACCORD_EXACT_AUTO;
    if (defaults)
        accord_exact_options_init(&how);
    strided x = laid_out(s->kind, s->x, s->n, 0);
    strided y = laid_out(s->kind, s->y, s->kind->dot ? s->n : 0, 1);
    if (s->constant && below(2))
        x = (strided){s->x, 0}, y = (strided){s->y, 0};
    tell("; one call, rounding %d, threads %d, strides %td %td", (int)how.rounding, how.threads,
         x.stride, y.stride);
    tell_how(&how);
    uint64_t found = s->kind->once(defaults ? NULL : &how, s->n, x, y);
    if (found != truth.pattern[s->kind->format][how.rounding])
        failed(s, "another result");
    done.by_threads[how.threads]++;
    done.by_method[s->kind - all_kinds][slot_of(&how)]++;
    done.calls++;
    done.patterns++;
}

/* The same terms in another order. */
static void permute(sample *s)
{
    size_t size = s->kind->size;
    for (size_t i = s->n; i > 1; i--) {
        size_t j = (size_t)accordi_rng_below(&rng, i);
        for (int a = 0; a < 1 + s->kind->dot; a++) {
            char *x = a ? s->y : s->x, kept[8];
            memcpy(kept, x + (i - 1) * size, size);
            memcpy(x + (i - 1) * size, x + j * size, size);
            memcpy(x + j * size, kept, size);
        }
    }
}

static void test_passes(void **state)
{
    uint64_t seed = **(uint64_t **)state;
    size_t arrays = trials(20000) / PASSES;
    for (size_t a = 0; a < arrays; a++) {
        uint64_t own = seed ^ a * 0x9e3779b97f4a7c15;
        sample s;
        accordi_rng_init(&rng, own);
        sample_draw(&s, any_sample_length());
        sample_expect(&s, &truth);
        for (int p = 0; p < PASSES; p++) {
            snprintf(story, sizeof story, "; ACCORD_TEST_SEED=%" PRIu64 ", pass %d", own, p);
            if (p == 3 * PASSES / 4)
                permute(&s);
            (below(5) < 3 ? pass_of_accumulators : pass_of_one_call)(&s);
        }
        done.by_kind[s.kind - all_kinds] += PASSES;
        sample_free(&s);
    }
    printf("# %zu cases: %zu through accumulators, %zu in one call; %zu roundings\n",
           done.accumulators + done.calls, done.accumulators, done.calls, done.patterns);
}

/* That nothing was left out; only where enough was drawn to tell. */
static void test_coverage(void **state)
{
    (void)state;
    const char *disabled = getenv("ACCORD_DISABLE");
    printf("# chosen: kernels %s\n", accord_exact_kernels());
    assert_true(!disabled || !strstr(disabled, accord_exact_kernels()));
    for (int k = 0; k < KINDS; k++)
        printf("# %s: %zu cases\n", all_kinds[k].name, done.by_kind[k]);
    if (!trials_are_all())
        return;
    for (int t = 0; t <= 8; t++)
        assert_true(done.by_threads[t] > 0);
    for (int k = 0; k < KINDS; k++)
        for (int m = 0; m < SLOTS; m++)
            assert_true(done.by_method[k][m] > 0);
    assert_true(usable_rows() <= ROWS);
    for (int k = 0; k < KINDS; k++)
        for (int r = 0; r < usable_rows() && all_kinds[k].direct; r++) {
            size_t least = SIZE_MAX, total = 0;
            int slots = all_kinds[k].format == ACCORD_F64 ? SLOTS : ACCORD_EXACT_EXPANSION;
            for (int m = 0; m < slots; m++) {
                size_t count = done.direct[k][r][m];
                if (all_kinds[k].size == 2 && !(levels_of[m] & ACCORDI_EXACT_WINDOW))
                    continue; /* no kernel */
                least = count < least ? count : least;
                total += count;
            }
            printf("# %s, kernels %s: %zu calls, at least %zu of each method\n", all_kinds[k].name,
                   usable_row((size_t)r)->name, total, least);
            assert_true(least > 0);
        }
}

int main(void)
{
    static uint64_t seed;
    static uint64_t *state = &seed;
    seed = trials_seed();
    const struct CMUnitTest tests[] = {
        {"test_passes", test_passes, NULL, NULL, &state},
        cmocka_unit_test(test_coverage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
