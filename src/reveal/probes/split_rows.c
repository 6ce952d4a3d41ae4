/* Asks the calls of splits (splits.c).
 *
 * Noise on a term is an odd number of `bits` bits with a sign, the sum of +-1, +-2, +-4 …, all
 * equally likely. If a call has terms that the target loses though the tree keeps them, or the
 * other way round, their sum is 0 with a probability of 2^-bits at most: so much for any value of
 * one of them, whatever the others are. Which call of which level that is depends on the two trees
 * alone, so all calls of a round share their noise. Sums of noise must stay below what masks
 * swallow, which leaves fewer bits the more terms there are.
 *
 * Bound: O(n) time a call. */
#include "base/parallel.h"
#include "reveal/probes/dense_rows.h"
#include "reveal/probes/splits.h"
#include <math.h>

/* Rows a batch; and from so many terms on, two threads are worth starting. Of fewer terms, the rows
 * of a batch stay in the cache. */
enum { MOST_ROWS = 256, MANY = 1 << 15, MOST_BITS = 30 };
enum { TERMS_A_BATCH = 1 << 17, TERMS_OF_THREADS = 1 << 20 };

#define RARE 1e-9

/* ---- planning ---- */

static int least_precision(const accordi_asker *asker)
{
    int term = accord_format_get(asker->format)->precision;
    int result = accord_format_get(asker->target->output)->precision;
    return term < result ? term : result;
}

const char *accordi_not_plain(const accordi_asker *asker, const accord_tree *tree)
{
    if (tree->inner + 1 != tree->leaves)
        return "some nodes have more than two children";
    if (tree->leaves < 3)
        return "there are fewer than three terms";
    if (asker->term != ACCORD_TERM_VALUE && asker->term != ACCORD_TERM_PRODUCT)
        return "terms are neither values nor products";
    if (asker->sign != 1 || asker->scale != 1 || asker->terms)
        return "the result is not the plain sum of all terms";
    return NULL;
}

const char *accordi_splits_unsuited(const accordi_asker *asker, const accord_tree *tree)
{
    double terms = tree->leaves, most = ldexp(1, least_precision(asker));
    const char *why = accordi_not_plain(asker, tree);
    if (why)
        return why;
    if (asker->mask == 0 || asker->moves != ACCORDI_MOVES_UNSEEN ||
        asker->factors != ACCORDI_ONE_FACTOR || asker->two_widths)
        return "masks do not swallow terms of both signs";
    if (terms > asker->headroom || terms > most) /* so many masks have an exact sum */
        return "the range of the format is too small";
    return NULL;
}

/* The chance that some sum of noise has more than `most` units, at most: the noise of a term is
 * sub-Gaussian, as a sum of signs is, and there are two sums a node. */
static double overflows(double terms, int bits, double most)
{
    if (terms * (ldexp(1, bits) - 1) <= most)
        return 0;
    return 4 * terms * exp(-1.5 * most * most / ((ldexp(1, 2 * bits) - 1) * terms));
}

accordi_weights accordi_splits_weigh(const accordi_asker *asker, size_t terms, double error)
{
    accordi_weights best = {0};
    double most = ldexp(1, asker->bits) - 1;
    for (int bits = 1; bits <= MOST_BITS && bits < least_precision(asker); bits++) {
        double beyond = overflows((double)terms, bits, most);
        double rounds = ceil(log(error) / log(ldexp(1, -bits) + beyond));
        bool seldom = beyond < RARE; /* a right tree would be refuted */
        if (seldom && (best.rounds == 0 || rounds < best.rounds))
            best = (accordi_weights){bits, (uint32_t)rounds};
    }
    return best;
}

/* ---- asking ---- */

typedef struct prover {
    accordi_asker *asker;
    accordi_splits *splits;
    const accordi_weights *weights;
    accordi_dense dense;
    bool fast; /* the processor has AVX2 */
    int threads;
    size_t filled, row; /* rows of the batch, and the first one of those that are written */
    int32_t *noise;     /* of the terms in some rounds, `apart` numbers from one to the next */
    size_t apart;
    const int32_t *noise_of[MOST_ROWS]; /* per row */
    uint32_t call[MOST_ROWS];
    double due[MOST_ROWS];
    uint64_t *asked;
    bool holds;
} prover;

/* Noise is drawn for so many terms at once, and kept of so many terms of all rounds. */
enum { CHUNK = 1024, FEW_BITS = 20, KEPT = 1 << 22 };

#if defined __x86_64__ && defined __GNUC__
#define AVX2 __attribute__((target("avx2")))
#endif

/* The noise of so many terms, of words of `width` random bits. */
#define DRAW_NOISE(width)                                                                          \
    static void draw_noise_##width(accordi_rng *rng, int bits, int32_t noise[CHUNK])               \
    {                                                                                              \
        uint##width##_t word[CHUNK];                                                               \
        const uint##width##_t low = (uint##width##_t)((UINT64_C(1) << bits) - 1);                  \
        const int32_t least = 1 - (int32_t)(UINT32_C(1) << bits);                                  \
        for (size_t i = 0; i < CHUNK; i += 64 / width) {                                           \
            uint64_t some = accordi_rng_next(rng);                                                 \
            memcpy(word + i, &some, sizeof some);                                                  \
        }                                                                                          \
        for (size_t i = 0; i < CHUNK; i++)                                                         \
            noise[i] = least + 2 * (int32_t)(word[i] & low);                                       \
    }
DRAW_NOISE(16)
DRAW_NOISE(32)

static void draw_round(const prover *p, int32_t *noise)
{
    const int bits = p->weights->bits;
    for (size_t from = 0; from < p->apart; from += CHUNK)
        (bits <= 16 ? draw_noise_16 : draw_noise_32)(&p->asker->rng, bits, noise + from);
}

/* A row without the masks that are not like the others; returns the sum of its noise. That of a
 * chunk fits 32 bits where the noise has few. */
#define WRITE_TERMS(name, T)                                                                       \
    static int64_t name(const prover *p, size_t row)                                               \
    {                                                                                              \
        const uint8_t *role = p->splits->role;                                                     \
        const int32_t *noise = p->noise_of[row];                                                   \
        const size_t n = p->asker->n, most = p->weights->bits > FEW_BITS ? 1 : CHUNK;              \
        const accordi_split_call call = accordi_split_calls[p->call[row]];                         \
        const T mask = (T)p->asker->mask, unit = (T)p->asker->unit;                                \
        T *x = accordi_dense_first(&p->dense, row);                                                \
        int64_t sum = 0;                                                                           \
        for (size_t i = 0; i < n;) {                                                               \
            size_t end = n - i < most ? n : i + most;                                              \
            int32_t some = 0;                                                                      \
            for (; i < end; i++) {                                                                 \
                int32_t kept = noise[i] & -((role[i] & call.noisy) != 0);                          \
                x[i] = (T)kept * unit + (role[i] & call.masked ? mask : (T)0);                     \
                some += kept;                                                                      \
            }                                                                                      \
            sum += some;                                                                           \
        }                                                                                          \
        return sum;                                                                                \
    }
WRITE_TERMS(write_f32, float)
WRITE_TERMS(write_f64, double)
#ifdef AVX2
AVX2 WRITE_TERMS(write_f32_avx2, float) AVX2 WRITE_TERMS(write_f64_avx2, double)
#endif

    static int64_t write_terms(const prover *p, size_t row)
{
#ifdef AVX2
    if (p->fast)
        return p->dense.f32 ? write_f32_avx2(p, row) : write_f64_avx2(p, row);
#endif
    return p->dense.f32 ? write_f32(p, row) : write_f64(p, row);
}

static void write_row(void *context, size_t item, int worker)
{
    prover *p = context;
    const accordi_dense *d = &p->dense;
    size_t row = p->row + item, n = p->asker->n;
    uint32_t call = p->call[row];
    double multiple;
    (void)worker;
    p->due[row] = (double)write_terms(p, row) * p->asker->unit;
    for (uint32_t i = 0; i < p->splits->splits; i++) {
        const accordi_split *s = &p->splits->split[i];
        if (accordi_split_mask(s, call, ACCORDI_LARGER, &multiple))
            accordi_set_number(d->x, d->f32, row * n + s->larger, multiple * p->asker->mask);
        if (accordi_split_mask(s, call, ACCORDI_SMALLER, &multiple))
            accordi_set_number(d->x, d->f32, row * n + s->smaller, multiple * p->asker->mask);
    }
    if (accordi_split_calls[call].masked == 0)
        p->due[row] = 0; /* every node swallows all noise in it */
    if (p->asker->target->has_start)
        accordi_dense_put(d, row, n - 1,
                          accordi_dense_get(d, d->x, row, n - 1) * p->asker->start_factor, 1);
}

static void ask_rows(prover *p)
{
    accordi_asker *asker = p->asker;
    if (!p->holds || accordi_dense_ask_some(&p->dense, 0, p->filled, p->dense.seen))
        return;
    for (size_t i = 0; i < p->filled; i++)
        p->holds = p->holds && p->dense.seen[i] * asker->result_factor == p->due[i];
    *p->asked += p->filled;
    p->filled = 0;
}

/* The calls of a level, in so many rounds. */
static void ask_level(prover *p, uint32_t level, uint32_t rounds)
{
    static const uint32_t all[] = {0, 1, 2}, fewer[] = {0, 2};
    const bool both = p->splits->both[level];
    const uint32_t *call = both ? all : fewer, calls = both ? 3 : 2;
    uint32_t left = calls * rounds;
    accordi_splits_enter(p->splits, level);
    while (left > 0 && p->holds && !p->asker->status) {
        size_t room = p->dense.room - p->filled, count = left < room ? left : room;
        p->row = p->filled;
        for (size_t i = p->row; i < p->row + count; i++) {
            left--;
            p->noise_of[i] = p->noise + left / calls * p->apart;
            p->call[i] = call[left % calls];
        }
        accordi_parallel(count, p->threads, write_row, p);
        p->filled += count;
        if (p->filled == p->dense.room)
            ask_rows(p);
    }
}

/* All levels in each round, and as many rounds at once as noise is kept of. */
static void ask_rounds(prover *p, uint32_t levels)
{
    size_t kept = KEPT / p->asker->n, rounds = p->weights->rounds;
    kept = kept < 1 ? 1 : kept > rounds ? rounds : kept;
    p->apart = (p->asker->n + CHUNK - 1) / CHUNK * CHUNK;
    p->noise = accordi_ask_alloc(p->asker, kept * p->apart, sizeof *p->noise);
    for (size_t done = 0; done < rounds && p->holds && !p->asker->status; done += kept) {
        kept = kept < rounds - done ? kept : rounds - done;
        for (size_t i = 0; i < kept; i++)
            draw_round(p, p->noise + i * p->apart);
        for (uint32_t level = 0; level < levels && p->holds && !p->asker->status; level++)
            ask_level(p, level, (uint32_t)kept);
        ask_rows(p); /* their noise is drawn anew */
    }
    free(p->noise);
}

enum accord_status accordi_splits_prove(accordi_asker *asker, accordi_splits *splits,
                                        uint32_t levels, const accordi_weights *weights,
                                        uint64_t *asked, bool *holds)
{
    prover p = {
        .asker = asker, .splits = splits, .weights = weights, .asked = asked, .holds = true};
    uint64_t calls = accordi_splits_calls(splits, levels) * weights->rounds;
    size_t room = (asker->n < MANY ? TERMS_A_BATCH : TERMS_OF_THREADS) / asker->n;
    room = room < 2 ? 2 : room > MOST_ROWS ? MOST_ROWS : room;
    room = calls < room ? calls : room;
    p.fast = accordi_cpu_has("avx2");
    p.threads = asker->n < MANY ? 1 : accordi_threads(0);
    splits->role = accordi_ask_alloc(asker, asker->n, 1);
    splits->split = accordi_ask_alloc(asker, splits->most, sizeof *splits->split);
    if (!asker->status && !accordi_dense_share(&p.dense, asker, room, false))
        ask_rounds(&p, levels);
    *holds = p.holds;
    accordi_dense_clear(&p.dense);
    return asker->status;
}
