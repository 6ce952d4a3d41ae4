/* Exact sums beside every exact or reproducible peer: numbers of every kind and range, 1 to 3e7
 * terms, f64 and f32, sums and dots, one and two threads.
 *
 * A cell is the time of the fastest peer by that of the library: medians of pairs run in turn. A
 * cell that looks lost, or nearly, is measured again with more pairs, and the second measurement
 * counts. ACCORD_BENCH_TERMS ends the table at fewer terms, ACCORD_BENCH_FROM begins it at more;
 * ACCORD_BENCH_KIND, a part of a name such as "nothing", leaves out all other kinds of numbers. */
#include "bench.h"
#include "numbers.h"
#include <math.h>

enum {
    MOST_TERMS = 30000000,
    MOST_PEERS = 40,
    PAIRS = 7,
    MORE_PAIRS = 31,
    LONG = 100000, /* terms; beyond, a peer that took SLOW times as long is left out */
    SLOW = 4
};

static const size_t lengths[] = {1,   2,   4,    8,     16,     32,      64,
                                 100, 300, 1000, 10000, 100000, 1000000, MOST_TERMS};
static const double decades[] = {0, 15, 30, 60, 90, 300, 600};
enum {
    LENGTHS = sizeof lengths / sizeof *lengths,
    RANGES = sizeof decades / sizeof *decades,
    FEW_RANGES = 4 /* of f32 */
};

enum kind { POSITIVE, MIXED, LITTLE, NOTHING, SORTED, EQUAL, SUBNORMAL, KINDS };
static const struct {
    const char *name;
    bool ranged;
} kinds[KINDS] = {
    [POSITIVE] = {"all positive", true},         [MIXED] = {"of both signs", true},
    [LITTLE] = {"cancelling to a little", true}, [NOTHING] = {"cancelling to nothing", true},
    [SORTED] = {"sorted by size", true},         [EQUAL] = {"all equal", false},
    [SUBNORMAL] = {"subnormal", false},
};

/* What is measured. */
typedef struct question {
    const char *name;
    bool dot, narrow;
    int threads;
} question;

/* What a peer did in all cells of a question. */
typedef struct score {
    double ratio[KINDS * RANGES * LENGTHS];
    size_t cells, others; /* others: cells in which its bits are not accord's */
    bool slow;            /* in this row of lengths */
} score;

/* ---- the library ---- */

static int threads_now = 1;

static double ours_sum(size_t n, const double *x)
{
    accord_exact_options options;
    accord_exact_options_init(&options);
    options.threads = threads_now;
    double sum = 0;
    accord_sum_exact_f64(n, x, 1, threads_now > 1 ? &options : NULL, &sum, NULL);
    return sum;
}

static double ours_dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    accord_dot_exact_f64(n, x, 1, y, 1, NULL, &sum, NULL);
    return sum;
}

static float ours_sum_f32(size_t n, const float *x)
{
    float sum = 0;
    accord_sum_exact_f32(n, x, 1, NULL, &sum, NULL);
    return sum;
}

static float ours_dot_f32(size_t n, const float *x, const float *y)
{
    float sum = 0;
    accord_dot_exact_f32(n, x, 1, y, 1, NULL, &sum, NULL);
    return sum;
}

/* A peer's sum on threads, with the signature of a sum. */
static bench_sum_function_threads *threaded;
static double sum_threaded(size_t n, const double *x)
{
    return threaded(n, x, threads_now);
}

/* The job of a peer; false where it does not offer it. `s` NULL: the library's. */
static bool job_of(const question *q, const bench_sum *s, bench_job *j)
{
    j->sum = NULL;
    j->dot = NULL;
    j->sum_f32 = NULL;
    j->dot_f32 = NULL;
    if (q->threads > 1) {
        j->sum = !s ? ours_sum : s->sum_threads ? sum_threaded : NULL;
        threaded = s ? s->sum_threads : threaded;
    } else if (q->narrow && q->dot) {
        j->dot_f32 = s ? s->dot_f32 : ours_dot_f32;
    } else if (q->narrow) {
        j->sum_f32 = s ? s->sum_f32 : ours_sum_f32;
    } else if (q->dot) {
        j->dot = s ? s->dot : ours_dot;
    } else {
        j->sum = s ? s->sum : ours_sum;
    }
    return j->sum || j->dot || j->sum_f32 || j->dot_f32;
}

/* ---- numbers ---- */

/* n numbers of a kind, magnitudes log-uniform over the range. Arrays of `each` cancel on their own,
 * but for `little` of half of the terms. */
static void fill(double *x, size_t n, size_t each, enum kind kind, double range, double little,
                 uint64_t seed)
{
    accordi_rng rng;
    accordi_rng_init(&rng, seed);
    for (size_t i = 0; i < n; i++) {
        double unit = accordi_rng_unit(&rng);
        bool minus = accordi_rng_next(&rng) >> 63 && kind != POSITIVE;
        if (kind == SORTED)
            unit = ((double)(i % each) + unit) / (double)each;
        double size = range > 0 ? pow(10, range * (unit - 0.5)) : 1 + unit;
        size = kind == EQUAL ? 0.1 : kind == SUBNORMAL ? ldexp(1 + unit, -1040) : size;
        x[i] = minus && kind != EQUAL ? -size : size;
    }
    if ((kind == NOTHING || kind == LITTLE) && each > 1)
        bench_cancel(x, n, each, seed + 1);
    for (size_t i = 0; i < n && kind == LITTLE; i += 2)
        x[i] *= 1 + little;
}

/* In place: a float lies nowhere after the double it is made of. */
static void narrow(double *x, size_t n, int scale)
{
    for (size_t i = 0; i < n; i++) {
        float a = (float)ldexp(x[i], scale);
        memcpy((char *)x + i * sizeof a, &a, sizeof a);
    }
}

static void fill_question(const question *q, double *x, double *y, size_t n, size_t each,
                          enum kind kind, double range)
{
    size_t block = each < LONG ? each : LONG; /* so that a long array cancels in parts */
    bool cancels = kind == NOTHING || kind == LITTLE;
    fill(x, n, kind == SORTED ? each : block, kind, q->dot && !cancels ? range / 2 : range,
         q->narrow ? 1e-4 : 1e-10, 1);
    if (q->dot && (cancels || kind == SUBNORMAL))
        for (size_t i = 0; i < n; i++)
            y[i] = 1.1; /* or the products would not cancel, or vanish */
    else if (q->dot)
        fill(y, n, each, kind == EQUAL ? EQUAL : POSITIVE, range / 2, 0, 2);
    if (q->narrow) {
        narrow(x, n, kind == SUBNORMAL ? 905 : 0); /* to subnormals of f32 */
        narrow(y, q->dot ? n : 0, 0);
    }
}

/* ---- a cell ---- */

static double call(const bench_job *j)
{
    const float *x = (const float *)(const void *)j->x, *y = (const float *)(const void *)j->y;
    return j->sum       ? j->sum(j->n, j->x)
           : j->dot     ? j->dot(j->n, j->x, j->y)
           : j->sum_f32 ? (double)j->sum_f32(j->n, x)
                        : (double)j->dot_f32(j->n, x, y);
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static double ratio_to(const bench_job *peer, const bench_job *ours)
{
    double took, ratio = bench_ratio(peer, ours, ours->n > LONG ? 5 : PAIRS, &took);
    return ratio < 1.2 ? bench_ratio(peer, ours, ours->n > LONG ? PAIRS : MORE_PAIRS, &took)
                       : ratio;
}

/* Whether a peer's bits are accord's, in each array. */
static bool agrees(const bench_job *peer, const bench_job *ours)
{
    size_t size = ours->sum_f32 || ours->dot_f32 ? sizeof(float) : sizeof(double);
    for (size_t a = 0; a < peer->arrays; a++) {
        bench_job one = *peer, other = *ours;
        one.x = other.x =
            (const double *)(const void *)((const char *)ours->x + a * ours->n * size);
        one.y = other.y =
            (const double *)(const void *)((const char *)ours->y + a * ours->n * size);
        if (!same_bits(call(&one), call(&other)))
            return false;
    }
    return true;
}

/* best[promise]: the least ratio. A peer that is not correctly rounded here does not count as such.
 */
static void measure(const question *q, const bench_sum *peers, score *scores, bench_job ours,
                    double best[3], const char *name[3])
{
    job_of(q, NULL, &ours);
    for (size_t p = 0; peers[p].name; p++) {
        bench_job peer = ours;
        score *s = scores + p;
        if (!job_of(q, peers + p, &peer) || (ours.n > LONG && s->slow))
            continue;
        peer.arrays = peers[p].keeps ? 1 : ours.arrays;
        double ratio = ratio_to(&peer, &ours);
        s->slow = ratio > SLOW;
        bool same = agrees(&peer, &ours);
        s->others += !same;
        s->ratio[s->cells++] = ratio;
        if (ratio < best[peers[p].promise] && (same || peers[p].promise != BENCH_EXACT)) {
            best[peers[p].promise] = ratio;
            name[peers[p].promise] = peers[p].name;
        }
    }
}

/* ---- tables ---- */

/* Cells of a question against the fastest peers of one promise. */
typedef struct tally {
    size_t cells, lost, far; /* far: 1.2 or more */
    double least;
} tally;

static void put_ratio(double ratio, tally *t)
{
    if (ratio == INFINITY) {
        printf(" –");
        return;
    }
    printf(ratio < 1 ? " **%.2f**" : " %.2f", ratio);
    t->cells++;
    t->lost += ratio < 1;
    t->far += ratio >= 1.2;
    t->least = ratio < t->least ? ratio : t->least;
}

static void put_tally(const char *what, const tally *t)
{
    if (t->cells)
        printf("- %s: %zu cells, %.1f %% of them at least 1.2, %zu below 1; the least is %.2f.\n",
               what, t->cells, 100 * (double)t->far / (double)t->cells, t->lost, t->least);
}

static void put_scores(const bench_sum *peers, score *scores)
{
    puts("\n| peer | cells | least | median | other bits than accord |\n|---|--:|--:|--:|--:|");
    for (size_t p = 0; peers[p].name; p++) {
        score *s = scores + p;
        if (!s->cells)
            continue;
        double median = bench_median(s->ratio, s->cells); /* sorts */
        printf("| %s%s | %zu | %.2f | %.2f | %zu |\n", peers[p].name,
               peers[p].promise == BENCH_EXACT ? "" : " (not correctly rounded)", s->cells,
               s->ratio[0], median, s->others);
    }
}

/* Threads serve long arrays alone. */
static bool is_asked(const question *q, size_t n, size_t most)
{
    const char *from = getenv("ACCORD_BENCH_FROM");
    return n <= most && !(q->threads > 1 && n < LONG) && !(from && n < (size_t)strtod(from, NULL));
}

static void put_kind(const question *q, enum kind kind, const bench_sum *peers, score *scores,
                     double *x, double *y, size_t most, tally tallies[2])
{
    size_t ranges = !kinds[kind].ranged ? 1 : q->narrow ? FEW_RANGES : RANGES;
    double(*all)[RANGES][2] = bench_reserve(LENGTHS, sizeof *all);
    for (size_t r = 0; r < ranges; r++) {
        for (size_t p = 0; p < MOST_PEERS; p++)
            scores[p].slow = false;
        for (size_t l = 0; l < LENGTHS; l++) {
            size_t n = lengths[l], arrays = bench_places(n);
            double best[3] = {INFINITY, INFINITY, INFINITY};
            const char *name[3] = {"", "", ""};
            if (!is_asked(q, n, most))
                continue;
            fill_question(q, x, y, n * arrays, n, kind, decades[r]);
            bench_job ours = {
                .n = n, .arrays = arrays, .processor_time = q->threads == 1, .x = x, .y = y};
            measure(q, peers, scores, ours, best, name);
            all[l][r][0] = best[BENCH_EXACT];
            all[l][r][1] = best[BENCH_SAME_BITS];
            for (int promise = BENCH_SAME_BITS; promise <= BENCH_EXACT; promise++)
                if (best[promise] < 1) /* what to look into */
                    fprintf(stderr, "%s, %s, 1e%.0f, %zu: %.2f, %s\n", q->name, kinds[kind].name,
                            decades[r], n, best[promise], name[promise]);
        }
    }
    printf("\n%s, %s\n\n| n |", q->name, kinds[kind].name);
    for (size_t r = 0; r < ranges; r++)
        printf(kinds[kind].ranged ? " 1e%.0f |" : " |", decades[r]);
    printf("\n|--:|");
    for (size_t r = 0; r < ranges; r++)
        printf("--:|");
    puts("");
    for (size_t l = 0; l < LENGTHS; l++) {
        if (!is_asked(q, lengths[l], most))
            continue;
        bench_whole("| ", (double)lengths[l], " |");
        for (size_t r = 0; r < ranges; r++) {
            put_ratio(all[l][r][0], tallies);
            printf(" /");
            put_ratio(all[l][r][1], tallies + 1);
            printf(" |");
        }
        puts("");
    }
    fflush(stdout);
    free(all);
}

static void put_question(const question *q, double *x, double *y, size_t most)
{
    const bench_sum *peers = bench_peers();
    score *scores = accordi_calloc(MOST_PEERS, sizeof *scores);
    tally tallies[2] = {{.least = INFINITY}, {.least = INFINITY}};
    if (!scores)
        bench_die("memory", NULL);
    threads_now = q->threads;
    const char *part = getenv("ACCORD_BENCH_KIND");
    for (int kind = 0; kind < KINDS; kind++)
        if (!part || strstr(kinds[kind].name, part))
            put_kind(q, (enum kind)kind, peers, scores, x, y, most, tallies);
    threads_now = 1;
    printf("\n%s, all together\n\n", q->name);
    put_tally("Against correctly rounded sums", tallies);
    put_tally("Against reproducible sums that are not correctly rounded", tallies + 1);
    put_scores(peers, scores);
    fflush(stdout);
    free(scores);
}

static void put_grid(const question *q)
{
    const char *end = getenv("ACCORD_BENCH_TERMS");
    size_t most = end ? (size_t)strtod(end, NULL) : MOST_TERMS;
    double *x = bench_reserve(MOST_TERMS, sizeof *x), *y = bench_reserve(MOST_TERMS, sizeof *y);
    printf(
        "### %s beside every peer, kernels: %s\n\nTime of the fastest peer by accord's: of "
        "those that are correctly rounded here / of reproducible ones that promise less; medians "
        "of pairs run in turn. Columns: magnitudes log-uniform over so many decades, those of "
        "products for dots. Beyond %d terms a peer that took more than %d times as long at fewer "
        "is left out.\n",
        q->name, accord_exact_kernels(), LONG, SLOW);
    put_question(q, x, y, most);
    puts("");
    free(x);
    free(y);
}

#define GRID(name_, ...)                                                                           \
    void bench_grid_##name_(void)                                                                  \
    {                                                                                              \
        put_grid(&(const question){__VA_ARGS__});                                                  \
    }
GRID(sum, "Sums of f64", false, false, 1)
GRID(dot, "Dots of f64", true, false, 1)
GRID(sum_f32, "Sums of f32", false, true, 1)
GRID(dot_f32, "Dots of f32", true, true, 1)
GRID(threads, "Sums of f64 on two threads", false, false, 2)
