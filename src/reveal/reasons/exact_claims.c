/* Checks the reasons "exact" and "compensated" with ordinary numbers.
 *
 * Both are read off masks and units. A target that sorts large terms, say, looks exact there and
 * adds plainly elsewhere.
 *
 * Exact, or independent of the order: then permutations of rows of every kind change nothing, and
 * between ordinary masks that cancel no unit is lost.
 *
 * Compensated: a row shows it if several plain orders, terms by size among them, all miss the
 * correctly rounded sum, and the known ways to compensate do not. A compensated sum gives that sum
 * nearly always, whatever kind the row is of; a sum in yet another order gives it now and then. One
 * in a wider accumulator gives it always, but keeps a unit between ordinary masks if that is within
 * its bits, and loses it if it is not, which no compensated sum does: that loses both, or keeps
 * both. What is done to products, and to the sum at the end, is not known: each way is a reading,
 * and one of them must hold. */
#include "exact/accumulator/exact.h"
#include "format/wide.h"
#include "reveal/probes/dense_rows.h"
#include "reveal/prove/certificate.h"
#include <math.h>

enum {
    MOST = 1 << 16,
    PLAIN = 5,
    READINGS = 8,
    FAR = 70,
    MANY = 40,
    MOST_OF_KIND = 400,
    MOST_STAIRS = 12,
    SPARE = 3
};

typedef struct bench {
    accordi_asker *asker;
    accordi_draw draw;
    enum accord_format format;  /* of sums */
    accordi_dense row;          /* one */
    double *term, *low, *spare; /* terms rounded, what that left of them, and their order by size */
    double magnitude;           /* of the terms, together */
} bench;

/* The sum of the row by the neutral factors. */
static double ask_row(bench *b)
{
    accordi_asker *asker = b->asker;
    accordi_dense *d = &b->row;
    size_t last = b->draw.n - 1;
    double start = accordi_dense_get(d, d->x, 0, last);
    if (asker->target->has_start)
        accordi_set_number(d->x, d->f32, last, start * asker->start_factor);
    bool answered = !accordi_dense_ask(d);
    accordi_set_number(d->x, d->f32, last, start);
    return answered ? d->seen[0] * asker->result_factor : 0;
}

/* So many rows, kinds in turn; of few terms few rows tell, so more may be asked. */
static size_t count_rows(size_t n, size_t most_of_kind)
{
    enum { ENOUGH = 1 << 16, LEAST = 6 };
    size_t of_kind = ENOUGH / n / 4;
    of_kind = of_kind < LEAST ? LEAST : of_kind > most_of_kind ? most_of_kind : of_kind;
    return of_kind * ACCORDI_DRAW_KINDS;
}

/* ---- units between ordinary masks ---- */

/* Exponents: of a mask, of one that it covers (if `nested`), of the unit that both cover. */
typedef struct masks {
    int mask, middle, unit;
    bool nested;
} masks;

static void ask_unit(accordi_asker *asker, const masks *m)
{
    uint32_t k[5];
    accordi_ask_pick(asker, k, m->nested ? 5 : 3);
    accordi_ask_own(asker, k[0], ldexp(1, m->mask));
    accordi_ask_own(asker, k[1], -ldexp(1, m->mask));
    accordi_ask_own(asker, k[2], ldexp(1, m->unit));
    if (m->nested) {
        accordi_ask_own(asker, k[3], ldexp(1, m->middle));
        accordi_ask_own(asker, k[4], -ldexp(1, m->middle));
    }
    accordi_ask_end(asker);
}

/* Is the unit kept, wherever it and the masks stand among terms of `fill`? */
static enum accord_status keeps_among(accordi_asker *asker, const masks *m, double fill, bool *all)
{
    enum { TIMES = 32 };
    accordi_ask_begin(asker, fill);
    for (int i = 0; i < TIMES; i++)
        ask_unit(asker, m);
    if (accordi_ask_run(asker))
        return asker->status;
    for (size_t i = 0; i < asker->probes; i++)
        *all = *all && fabs(asker->result[i]) > fabs(asker->scale) * ldexp(0.5, m->unit);
    return ACCORD_OK;
}

/* How many binades lie between the least unit and the greatest mask. */
static int binades_for_masks(const accordi_asker *asker)
{
    accordi_exponents range = accordi_ask_exponents(asker, asker->format);
    return range.most - SPARE - range.least;
}

enum surroundings { AMONG_ZEROS = 1, AMONG_LESS = 2, AMONG_BOTH = 3 };

/* Is a unit kept beside a mask 2^down times as large, among zeros, among numbers that are far less
 * (if the format has any), or both? Masks are 2^size, or in narrow formats as large as need be. */
static enum accord_status keeps_units(accordi_asker *asker, int size, int down, bool nested,
                                      enum surroundings among, bool *all)
{
    enum { LESS = 20 };
    accordi_exponents range = accordi_ask_exponents(asker, asker->format);
    int least = range.least, mask = least + down > size ? least + down : size;
    mask = mask > range.most - SPARE ? range.most - SPARE : mask;
    const masks m = {mask, mask - down / 2, mask - down, nested};
    *all = true;
    if (among & AMONG_ZEROS)
        keeps_among(asker, &m, 0, all);
    if (*all && !asker->status && (among & AMONG_LESS) && m.unit - LESS >= least)
        keeps_among(asker, &m, ldexp(1, m.unit - LESS), all);
    return asker->status;
}

/* A unit below so many masks, each of which covers the next one and cancels. */
static void ask_stairs(accordi_asker *asker, size_t count, int top, int step)
{
    uint32_t k[2 * MOST_STAIRS + 1];
    accordi_ask_pick(asker, k, 2 * count + 1);
    for (size_t i = 0; i < count; i++) {
        double mask = ldexp(1, top - (int)i * step);
        accordi_ask_own(asker, k[2 * i], mask);
        accordi_ask_own(asker, k[2 * i + 1], -mask);
    }
    accordi_ask_own(asker, k[2 * count], ldexp(1, top - (int)count * step));
    accordi_ask_end(asker);
}

enum accord_status accordi_keeps_stairs(accordi_asker *asker, size_t *count, int *step, bool *yes)
{
    enum { TIMES = 24, LEAST = 3 };
    accordi_exponents range = accordi_ask_exponents(asker, asker->format);
    int top = range.most - SPARE;
    *step = accord_format_get(asker->target->output)->precision + 4;
    *count = (asker->n - 1) / 2 < MOST_STAIRS ? (asker->n - 1) / 2 : MOST_STAIRS;
    while (*count > 0 && top - (int)*count * *step < range.least)
        --*count;
    *yes = true;
    if (*count < LEAST || (asker->term != ACCORD_TERM_VALUE && asker->term != ACCORD_TERM_PRODUCT))
        return asker->status;
    accordi_ask_begin(asker, 0);
    for (int i = 0; i < TIMES; i++)
        ask_stairs(asker, *count, top, *step);
    if (accordi_ask_run(asker))
        return asker->status;
    double half = fabs(asker->scale) * ldexp(0.5, top - (int)*count * *step);
    for (size_t i = 0; i < asker->probes; i++)
        *yes = *yes && fabs(asker->result[i]) > half && fabs(asker->result[i]) < 4 * half;
    return ACCORD_OK;
}

static bool has_signs(const bench *b)
{
    return b->asker->term == ACCORD_TERM_VALUE || b->asker->term == ACCORD_TERM_PRODUCT;
}

/* More than the bits of the result are kept, but not as many as compensation keeps; or, where the
 * range is too narrow for that, also a unit that two masks cover, one of them covered itself. */
static bool is_wide_among(bench *b, int size, enum surroundings among)
{
    accordi_asker *asker = b->asker;
    bool near = false, far = false, both = true;
    int precision = accord_format_get(b->format)->precision, most = binades_for_masks(asker);
    int beyond = precision + 4, twice = 2 * precision + 4;
    if (!has_signs(b))
        return false;
    if (beyond > most || keeps_units(asker, size, beyond, false, among, &near) || !near)
        return beyond > most;
    if (keeps_units(asker, size, most < FAR ? most : FAR, false, among, &far) || !far ||
        most >= FAR)
        return !far;
    if (b->draw.n >= 5 && twice <= most)
        keeps_units(asker, size, twice, true, among, &both);
    return both;
}

/* A target may choose its arithmetic by how large the terms are, and by how many of them are 0, or
 * whole numbers. */
static bool is_wide(bench *b)
{
    static const int sizes[] = {0, -3, -10, 10};
    bool wide = false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !wide && !b->asker->status; i++)
        wide = is_wide_among(b, sizes[i], AMONG_BOTH) ||
               (binades_for_masks(b->asker) >= FAR && is_wide_among(b, sizes[i], AMONG_LESS));
    return wide;
}

/* ---- what is due of a row ---- */

static double round_to(const bench *b, double x)
{
    return accord_format_round(b->format, ACCORD_NEAREST_EVEN, x);
}

static double add_rounded(const bench *b, double x, double y)
{
    return accord_format_add(b->format, ACCORD_NEAREST_EVEN, x, y);
}

static int by_size(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return x < y ? -1 : x > y;
}

static void take_terms(bench *b)
{
    size_t n = b->draw.n;
    const accordi_dense *d = &b->row;
    bool squares = b->asker->term == ACCORD_TERM_SQUARE;
    b->magnitude = 0;
    for (size_t i = 0; i < n; i++) {
        bool start = b->asker->target->has_start && i == n - 1;
        if (d->y && start)
            accordi_set_number(d->y, d->f32, i, 1);
        double x = accordi_dense_get(d, d->x, 0, i);
        double y = d->y ? accordi_dense_get(d, d->y, 0, i) : squares ? x : 1;
        double p = x * y;
        b->term[i] = round_to(b, p);
        b->low[i] = p - b->term[i] + fma(x, y, -p);
        if (b->asker->term == ACCORD_TERM_ABSOLUTE)
            b->term[i] = fabs(x);
        b->magnitude += fabs(b->term[i]);
    }
    memcpy(b->spare, b->term, n * sizeof *b->spare);
    qsort(b->spare, n, sizeof *b->spare, by_size);
}

/* In f64; `whole`: of products that are not rounded. Rounding to odd keeps what a narrower format
 * needs to be rounded to once. */
static double careful_sum(const bench *b, bool whole, int rounding)
{
    return accordi_exact_sum(ACCORD_F64, (enum accord_rounding)rounding, b->term,
                             b->draw.n << whole); /* b->low follows */
}

/* From the front, from the back, in four lanes; by size either way. */
static double plain_sum(const bench *b, int how)
{
    double lane[4] = {0, 0, 0, 0};
    const double *term = how < 3 ? b->term : b->spare;
    for (size_t i = 0, n = b->draw.n; i < n; i++) {
        size_t at = how % 3 == 1 ? n - 1 - i : i, l = how == 2 ? i % 4 : 0;
        lane[l] = add_rounded(b, lane[l], term[at]);
    }
    for (int l = 1; l < 4; l++)
        lane[0] = add_rounded(b, lane[0], lane[l]);
    return lane[0];
}

/* Kahan 1965, which loses the sum so far beside a greater term. */
static double kahan_sum(const bench *b)
{
    double sum = 0, carried = 0;
    for (size_t i = 0; i < b->draw.n; i++) {
        double y = add_rounded(b, b->term[i], -carried), next = add_rounded(b, sum, y);
        carried = add_rounded(b, add_rounded(b, next, -sum), -y);
        sum = next;
    }
    return sum;
}

/* Neumaier 1974, which adds up all errors first: of many terms of few bits it loses some of them.
 */
static double neumaier_sum(const bench *b)
{
    double sum = b->term[0], errors = 0;
    for (size_t i = 1; i < b->draw.n; i++) {
        double x = b->term[i], next = add_rounded(b, sum, x);
        bool less = fabs(sum) < fabs(x);
        double error = add_rounded(b, add_rounded(b, less ? x : sum, -next), less ? sum : x);
        errors = add_rounded(b, errors, error);
        sum = next;
    }
    return add_rounded(b, sum, errors);
}

/* What a sum was rounded to leaves so much. */
static double rest_of_sum(const bench *b, bool whole, double sum)
{
    double *after = b->term + (b->draw.n << whole), kept = *after;
    *after = -sum;
    double rest =
        accordi_exact_sum(ACCORD_F64, ACCORD_NEAREST_EVEN, b->term, (b->draw.n << whole) + 1);
    *after = kept;
    return isfinite(rest) ? rest : 0;
}

/* A sum and what its rounding left, times the scale, or divided by the inverse of that if it is a
 * whole number; likewise in two parts. */
static void scale_sum(double *sum, double *rest, double scale)
{
    double inverse = rint(1 / scale);
    bool divided = inverse > 1 && fabs(scale * inverse - 1) < 1e-3;
    double scaled = divided ? *sum / inverse : *sum * scale;
    *rest = divided ? (fma(-scaled, inverse, *sum) + *rest) / inverse
                    : fma(*sum, scale, -scaled) + *rest * scale;
    *sum = scaled;
}

/* What becomes of a sum at the end: `way` 0 nothing but the scale, 1 that after it was rounded, 2
 * and 3 so with the root of a sum, or mean, of squares. */
static double finish_sum(const bench *b, int way, double sum, double rest)
{
    double scale = b->asker->scale;
    sum = way % 2 ? round_to(b, sum) : sum;
    rest = way % 2 ? 0 : rest;
    scale_sum(&sum, &rest, way < 2 ? scale : scale * scale);
    if (way % 2)
        return round_to(b, way < 2 ? sum : sqrt(round_to(b, sum)));
    double root = sqrt(sum);
    double more = way < 2 ? rest : (fma(-root, root, sum) + rest) / (2 * root);
    return round_to(b, (way < 2 ? sum : root) + (isfinite(more) ? more : 0));
}

typedef struct reading {
    size_t tell[ACCORDI_DRAW_KINDS], right[ACCORDI_DRAW_KINDS];
    /* where some plain order errs, not all, and nothing cancels */
    size_t differ[ACCORDI_DRAW_KINDS], kept[ACCORDI_DRAW_KINDS];
    size_t wrong; /* of all rows */
    /* of those that do not cancel: all, those that are wrong even if f64 came in between, and those
     * that are by more than two last places */
    size_t sound, missed, off;
} reading;

/* Reading r: products rounded or whole, and a way to finish. */
static void read_row(const bench *b, enum accordi_draw_kind kind, double given, reading *readings)
{
    double plain[PLAIN], careful[2], rest[2], twice[2];
    double kahan = kahan_sum(b), neumaier = neumaier_sum(b);
    int once = b->format == ACCORD_F64 ? ACCORD_NEAREST_EVEN : ACCORDI_TO_ODD;
    const accord_format_info *info = accord_format_get(b->format);
    double places = ldexp(2, 1 - info->precision), least = ldexp(1, info->min_exponent);
    for (int whole = 0; whole < 2; whole++) {
        careful[whole] = careful_sum(b, whole, once);
        rest[whole] = b->format == ACCORD_F64 ? rest_of_sum(b, whole, careful[whole]) : 0;
        twice[whole] = careful_sum(b, whole, ACCORD_NEAREST_EVEN);
    }
    bool cancels = fabs(careful[0]) < ldexp(b->magnitude, -20);
    for (int how = 0; how < PLAIN; how++)
        plain[how] = plain_sum(b, how);
    for (int r = 0; r < READINGS; r++) {
        bool whole = r / 4;
        double due = finish_sum(b, r % 4, careful[whole], rest[whole]);
        bool tells = isfinite(due) && (whole || (finish_sum(b, r % 4, kahan, 0) == due &&
                                                 finish_sum(b, r % 4, neumaier, 0) == due));
        bool sound = isfinite(due) && fabs(due) >= least && !cancels;
        bool careful_agree = tells, differ = false;
        for (int how = 0; how < PLAIN; how++) {
            bool errs = finish_sum(b, r % 4, plain[how], 0) != due;
            tells = tells && errs;
            differ = differ || errs;
        }
        differ = differ && careful_agree && sound;
        readings[r].tell[kind] += tells;
        readings[r].right[kind] += tells && given == due;
        readings[r].differ[kind] += differ;
        readings[r].kept[kind] += differ && given == due;
        readings[r].wrong += isfinite(due) && given != due;
        readings[r].sound += sound;
        readings[r].missed +=
            sound && given != due && given != finish_sum(b, r % 4, twice[whole], 0);
        readings[r].off += sound && !(fabs(given - due) <= fabs(due) * places);
    }
}

static size_t total_of_kinds(const size_t *of_kind)
{
    size_t sum = 0;
    for (int kind = 0; kind < ACCORDI_DRAW_KINDS; kind++)
        sum += of_kind[kind];
    return sum;
}

/* ---- exact ---- */

/* Exchanges terms of both operands; a start value stays. */
static void permute_terms(bench *b)
{
    char spare[sizeof(double)], *operand[] = {b->row.x, b->row.y};
    size_t size = b->row.bytes / b->draw.n;
    for (size_t i = b->draw.n - b->asker->target->has_start; i > 1; i--) {
        size_t j = accordi_rng_below(&b->asker->rng, i);
        for (int o = 0; o < 2 && operand[o]; o++) {
            memcpy(spare, operand[o] + (i - 1) * size, size);
            memcpy(operand[o] + (i - 1) * size, operand[o] + j * size, size);
            memcpy(operand[o] + j * size, spare, size);
        }
    }
}

/* Rounded to nearest no sum is wrong, and cut off half of them are, by a place. What is the same in
 * any order, and wrong now and then, may be sorted. */
static bool is_right(const reading *r)
{
    return r->missed == 0 || (r->off == 0 && 4 * r->missed >= r->sound);
}

static bool is_exact(bench *b)
{
    reading readings[READINGS] = {0};
    bool same = true, right = false;
    if (has_signs(b) && binades_for_masks(b->asker) >= FAR &&
        keeps_units(b->asker, 0, FAR, false, AMONG_BOTH, &same))
        return false;
    size_t rows = count_rows(b->draw.n, MANY);
    for (size_t row = 0; row < rows && same && !b->asker->status; row++) {
        accordi_draw_rows(&b->draw, row, 1, b->row.x, b->row.y);
        double before = ask_row(b);
        enum accordi_draw_kind kind = accordi_draw_kind_of(&b->draw, row);
        take_terms(b);
        if (kind != ACCORDI_DRAW_TINY)
            read_row(b, kind, before, readings);
        permute_terms(b);
        same = accordi_same_bits(before, ask_row(b));
    }
    for (int r = 0; r < READINGS; r++)
        right = right || is_right(&readings[r]);
    return same && right;
}

/* ---- compensated ---- */

/* Four of five, in all; and of no kind fewer than half. */
static bool are_mostly(const size_t *right, const size_t *of)
{
    enum { LEAST = 12, LEAST_OF_KIND = 8 };
    for (int kind = 0; kind < ACCORDI_DRAW_KINDS; kind++)
        if (of[kind] >= LEAST_OF_KIND && 2 * right[kind] < of[kind])
            return false;
    return total_of_kinds(of) >= LEAST && 5 * total_of_kinds(right) >= 4 * total_of_kinds(of);
}

/* Of few terms some plain order is nearly always right: what errs now and then may be that order,
 * and wider only for the few rows on which all orders err. */
static bool is_compensated_reading(const reading *r)
{
    return are_mostly(r->right, r->tell) && are_mostly(r->kept, r->differ);
}

/* What never errs carries more bits, or more errors, than a plain sum with its own error. */
static bool is_compensated(bench *b)
{
    reading readings[READINGS] = {0};
    bool kept = true;
    size_t most = count_rows(b->draw.n, MOST_OF_KIND), least = count_rows(b->draw.n, MANY);
    const reading *found = NULL;
    for (size_t row = 0; row < most && !found && !b->asker->status; row++) {
        enum accordi_draw_kind kind = accordi_draw_kind_of(&b->draw, row);
        if (kind == ACCORDI_DRAW_TINY)
            continue;
        accordi_draw_rows(&b->draw, row, 1, b->row.x, b->row.y);
        take_terms(b);
        read_row(b, kind, ask_row(b), readings);
        for (int r = 0; r < READINGS && row + 1 >= least; r++)
            found = is_compensated_reading(&readings[r]) ? &readings[r] : found;
    }
    if (!found || is_wide(b))
        return false;
    if (found->wrong == 0 && has_signs(b) && binades_for_masks(b->asker) >= FAR)
        keeps_units(b->asker, 0, FAR, false, AMONG_BOTH, &kept);
    return kept;
}

enum accord_status accordi_borne_out(accordi_asker *asker, enum accord_reason reason, bool *yes)
{
    const accord_target *target = asker->target;
    bool products = asker->term == ACCORD_TERM_PRODUCT;
    bench b = {.asker = asker,
               .draw = {.n = asker->n,
                        .seed = accordi_rng_next(&asker->rng),
                        .format = target->format,
                        .is_f32 = target->storage_f32,
                        .products = products,
                        .block = 1},
               .format = target->output};
    *yes = true;
    if (asker->n < 3 || asker->n > MOST)
        return asker->status;
    b.term = accordi_ask_alloc(asker, 3 * asker->n, sizeof *b.term);
    if (b.term && !accordi_dense_init(&b.row, asker, 1, products)) {
        b.row.rows = 1;
        b.low = b.term + asker->n;
        b.spare = b.low + asker->n;
        *yes = reason == ACCORD_REASON_EXACT ? is_exact(&b) : is_compensated(&b);
    }
    accordi_dense_clear(&b.row);
    free(b.term);
    return asker->status;
}
