/* What a machine does that no parameter describes: one experiment for each such oddity.
 *
 * In comes a target that no parameters explain; out goes a reason, or none. Each experiment is of
 * its own and takes nothing from the search but how many bits are kept beside the greatest product
 * (`kept`). It asks for something that comes out alike for every machine of the space, whatever its
 * parameters: then what is seen otherwise is what lies outside. Where the ends of the range could
 * interfere, a control shows that the same terms come through unharmed without what is tested. */
#include "reveal/machine/candidates.h"
#include <math.h>
#include <stdarg.h>

enum { NOT_SEEN = -1, BEYOND = 16, STEPS = 8, ANCHORS = 17, PLACES = 14 };

/* A term at a place that is free: 2^exponent, its factors multiplied by these. */
static void put(accordi_space *space, size_t step, size_t slot, int exponent, double a, double b)
{
    accordi_question *q = &space->question[space->questions - 1];
    size_t place = step * space->steps->terms + slot, e = 0;
    if (!accordi_question_put(space, q, step, slot, exponent, false, false))
        return;
    while (q->entry[e].place != place)
        e++;
    q->entry[e].a *= a;
    q->entry[e].b *= b;
}

/* 2^anchor and its opposite, which cancel. */
static void put_pair(accordi_space *space, size_t step, size_t second, int anchor)
{
    put(space, step, 0, anchor, -1, 1);
    put(space, step, second, anchor, 1, 1);
}

static double answer(const accordi_space *space, size_t from, size_t i)
{
    return space->question[from + i].answer;
}

static int lowest(const accordi_space *space)
{
    const accord_format_info *out = accord_format_get(space->result);
    int least = accordi_measure_floor(space, true); /* no term, and no result, is subnormal */
    return least > out->min_exponent ? least : out->min_exponent;
}

/* How many bits below a pair that cancels a step keeps, up to `most`; NOT_SEEN where small terms
 * are lost without the pair too. */
static int measure_depth(accordi_space *space, size_t step, int anchor, int most)
{
    size_t from = space->questions;
    most = most < anchor - lowest(space) ? most : anchor - lowest(space);
    for (int k = 1; k <= most; k++)
        for (int alone = 0; alone < 2 && accordi_question_new(space); alone++) {
            if (!alone)
                put_pair(space, step, 2, anchor);
            put(space, step, 1, anchor - k, 1, 1);
        }
    if (accordi_space_ask(space) != ACCORD_OK)
        return NOT_SEEN;
    for (int k = 1; k <= most; k++) {
        double due = ldexp(1, anchor - k);
        if (answer(space, from, 2 * (size_t)k - 1) != due)
            return NOT_SEEN;
        if (answer(space, from, 2 * (size_t)k - 2) != due)
            return k - 1;
    }
    return most;
}

static bool name(accordi_space *space, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool name(accordi_space *space, const char *format, ...)
{
    char what[240];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    accordi_unable(space->asker->error, ACCORD_REASON_NOT_PLAIN,
                   "this is a fused sum of %zu terms per step, but %s, which is the case for none "
                   "of the machines that accord can describe",
                   space->steps->terms, what);
    return true;
}

/* Every step is like every other. */
static bool steps_differ(accordi_space *space)
{
    int depth = NOT_SEEN;
    size_t count = space->test + 1, of = 0;
    for (size_t i = 0; i < STEPS && i < count; i++) {
        size_t step = i + 1 < STEPS ? space->test - i : 0;
        int found = measure_depth(space, step, space->high, space->kept + BEYOND);
        if (found != NOT_SEEN && depth != NOT_SEEN && found != depth)
            return name(space,
                        "steps keep different numbers of bits below their greatest term: step %zu "
                        "keeps %d, step %zu %d",
                        step, found, of, depth);
        if (depth == NOT_SEEN)
            of = step;
        depth = found != NOT_SEEN ? found : depth;
    }
    return false;
}

/* Where alignment stops at an exponent, less is kept below it; never less above. */
static bool depth_depends_on_exponent(accordi_space *space)
{
    int most = NOT_SEEN, of = 0;
    for (int i = ANCHORS; i-- > 0;) {
        int anchor = space->high - i;
        int found = measure_depth(space, space->test, anchor, space->kept + BEYOND);
        bool capped = found == anchor - lowest(space) || found == space->kept + BEYOND;
        if (found == NOT_SEEN || capped)
            continue;
        if (found < most)
            return name(space,
                        "how many bits are kept depends on the greatest exponent: %d below 2^%d, "
                        "%d below 2^%d",
                        most, of, found, anchor);
        most = found;
        of = anchor;
    }
    return false;
}

/* Is (1 + u)(1 + v) - (1 + u) - (1 + u)v, all of whose bits lie within what is kept, 0? The
 * operands themselves are. */
static double ask_remnant(accordi_space *space, int i, int k, double by, bool *whole)
{
    double u = ldexp(1, -i), v = ldexp(by, -k);
    size_t from = space->questions, step = space->test;
    int high = space->high;
    if (!accordi_question_new(space))
        return 0;
    put(space, step, 1, high, 1 + u, 1 + v);
    put(space, step, 0, high, -(1 + u), 1);
    put(space, step, 2, high - k, -(1 + u), by);
    for (int second = 0; second < 2 && accordi_question_new(space); second++) {
        put(space, step, 1, high, second ? 1 : 1 + u, second ? 1 + v : 1);
        put(space, step, 0, high, -1, 1);
        put(space, step, 2, high - (second ? k : i), -1, second ? by : 1);
    }
    accordi_space_ask(space);
    *whole = answer(space, from, 1) == 0 && answer(space, from, 2) == 0;
    return *whole ? answer(space, from, 0) : 0;
}

/* A product of exact operands is exact. */
static bool products_are_rounded(accordi_space *space)
{
    int bits = accord_format_get(space->asker->target->format)->precision - 1;
    bool whole = space->products;
    for (int sum = 4; sum <= 2 * bits && sum <= space->kept && whole; sum++) {
        int i = sum / 2, k = sum - i;
        if (ask_remnant(space, i, k, 1, &whole) == 0)
            continue;
        double more = k < bits ? ask_remnant(space, i, k, 1.5, &whole) : 0;
        return name(space, "products are %s to %d bits before they are added",
                    more < 0   ? "truncated"
                    : more > 0 ? "rounded"
                               : "rounded or truncated",
                    sum);
    }
    return false;
}

/* The sum so far has the format of the result of a step: no wider one is tried. */
static bool c_is_wider(accordi_space *space)
{
    int bits = accord_format_get(space->result)->precision, high = space->high, k = 1;
    int narrow = accord_format_get(ACCORD_F32)->precision;
    size_t from = space->questions, step = space->test;
    bits = bits > narrow ? bits : narrow;
    for (int j = 1; j <= bits + BEYOND && space->has_c && accordi_question_new(space); j++) {
        put(space, step - 1, 0, high, 1, 1);
        put(space, step - 1, 1, high - j, 1, 1);
        put(space, step, 0, high, -1, 1);
    }
    accordi_space_ask(space);
    while (from + (size_t)k - 1 < space->questions &&
           answer(space, from, (size_t)k - 1) == ldexp(1, high - k))
        k++;
    return k > bits && name(space,
                            "the sum so far is held with at least %d bits between steps, and a "
                            "result has at most %d",
                            k, bits);
}

/* ---- how something is rounded ---- */

/* Six bits for each sign: whether 1/4, 1/2 and 3/4 beside 0, and beside 1, go up. */
enum {
    PATTERN = 6,
    DOWNWARD = 0x00,
    UPWARD = 0x3f,
    TIES_EVEN = 0x34,
    TIES_AWAY = 0x36,
    TIES_ZERO = 0x24,
    TIES_ODD = 0x26,
    SIGNS = 2
};

static const struct {
    int pattern;
    const char *words;
} patterns[] = {{DOWNWARD, "toward zero"},
                {UPWARD, "away from zero"},
                {TIES_EVEN, "to nearest, ties to even"},
                {TIES_AWAY, "to nearest, ties away from zero"},
                {TIES_ZERO, "to nearest, ties toward zero"},
                {TIES_ODD, "to nearest, ties to odd"},
                {0x07, "to odd"}};

static const char *words_of(int pattern)
{
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (patterns[i].pattern == pattern)
            return patterns[i].words;
    return NULL;
}

/* Writes a question whose answer is `sign` times `amount` quanta, rounded. */
typedef void writer(accordi_space *space, int quantum, double sign, double amount);

static void write_term(accordi_space *space, int quantum, double sign, double amount)
{
    put_pair(space, space->test, 2, space->high);
    put(space, space->test, 1, quantum, sign * amount, 1);
}

/* So that it is within reach. */
enum { NEAR = 4 };

static void write_c_alone(accordi_space *space, int quantum, double sign, double amount)
{
    put(space, space->test - 1, 0, quantum, sign * NEAR, 1);
    put(space, space->test - 1, 1, quantum, sign * amount, 1);
}

static void write_c(accordi_space *space, int quantum, double sign, double amount)
{
    put_pair(space, space->test, 2, space->high);
    write_c_alone(space, quantum, sign, amount);
}

/* Beside a c that four smaller terms cancel. */
static void write_beside_c(accordi_space *space, int quantum, double sign, double amount)
{
    put(space, space->test - 1, 0, space->high, 1, 1);
    for (size_t slot = 0; slot < 4; slot++)
        put(space, space->test, slot, space->high - 2, -1, 1);
    put(space, space->test, 4, quantum, sign * amount, 1);
}

static void write_result(accordi_space *space, int quantum, double sign, double amount)
{
    put(space, space->test, 0, space->high, sign, 1);
    put(space, space->test, 1, quantum, sign * amount, 1);
}

static void write_result_later(accordi_space *space, int quantum, double sign, double amount)
{
    put(space, space->test, 1, quantum, sign * amount, 1);
    put(space, space->test, 2, space->high, sign, 1);
}

/* How many bits below 2^high come through. */
static int bits_through(accordi_space *space, writer *write, double beside)
{
    size_t from = space->questions;
    int k = 1, most = space->high - lowest(space) - 2;
    most = most < space->kept + BEYOND ? most : space->kept + BEYOND;
    for (int j = 1; j <= most && accordi_question_new(space); j++)
        write(space, space->high - j, 1, 1);
    if (accordi_space_ask(space) != ACCORD_OK)
        return NOT_SEEN;
    while (k <= most && answer(space, from, (size_t)k - 1) == ldexp(1, space->high - k) + beside)
        k++;
    return k > most ? NOT_SEEN : k - 1;
}

/* The patterns of both signs; false where what comes back is no multiple of the quantum, or what is
 * written otherwise is not exact. `beside`: what the answer has beside that, in quanta. */
static bool read_patterns(accordi_space *space, writer *write, int quantum, double beside,
                          writer *control, int found[SIGNS])
{
    size_t from = space->questions, i = 0;
    for (int pass = 0; pass < 1 + (control != NULL); pass++)
        for (int q = 0; q < SIGNS * PATTERN && accordi_question_new(space); q++)
            (pass ? control : write)(space, quantum, q < PATTERN ? 1 : -1,
                                     q % PATTERN / 3 + (q % 3 + 1) / 4.0);
    if (accordi_space_ask(space) != ACCORD_OK)
        return false;
    found[0] = found[1] = 0;
    for (i = 0; i < SIGNS * PATTERN; i++) {
        double sign = i < PATTERN ? 1 : -1, below = beside + (double)(i % PATTERN / 3);
        double seen = ldexp(sign * answer(space, from, i), -quantum);
        if (seen != below && seen != below + 1)
            return false;
        found[i / PATTERN] |= (seen != below) << i % PATTERN;
        if (control && ldexp(sign * answer(space, from, SIGNS * PATTERN + i), -quantum) !=
                           below + ((double)(i % 3) + 1) / 4)
            return false;
    }
    return true;
}

static bool equal(const int p[SIGNS], int positive, int negative)
{
    return p[0] == positive && p[1] == negative;
}

static bool is_described(const int p[SIGNS])
{
    return equal(p, UPWARD, DOWNWARD) || equal(p, DOWNWARD, UPWARD) ||
           (p[0] == p[1] && (p[0] == DOWNWARD || p[0] == TIES_EVEN || p[0] == TIES_AWAY));
}

/* A pattern that no rounding has may come from parameters that were not found, so nothing is said
 * of it. */
static bool is_known(const int p[SIGNS])
{
    return words_of(p[0]) && words_of(p[1]);
}

/* In words, which may be written into `text`; the patterns are known. */
static const char *describe(const int p[SIGNS], char text[120])
{
    if (equal(p, UPWARD, DOWNWARD) || equal(p, DOWNWARD, UPWARD))
        return p[0] == UPWARD ? "up" : "down";
    if (p[0] == p[1])
        return words_of(p[0]);
    snprintf(text, 120, "%s if positive and %s if negative", words_of(p[0]), words_of(p[1]));
    return text;
}

static bool name_rounding(accordi_space *space, const char *what, const int p[SIGNS])
{
    char text[120];
    return !is_described(p) && is_known(p) && name(space, "%s rounded %s", what, describe(p, text));
}

static bool terms_are_rounded_oddly(accordi_space *space)
{
    int p[SIGNS];
    return !space->capped &&
           read_patterns(space, write_term, space->high - space->kept, 0, NULL, p) &&
           name_rounding(space, "aligned terms are", p);
}

/* If a machine rounds c so, are terms beside c rounded like this? By themselves (WITH_C), or in
 * their sum, which is far below zero (THEN_C). */
static bool is_alike(const int c[SIGNS], const int beside[SIGNS])
{
    if (c[0] == beside[0] && c[1] == beside[1])
        return true;
    return (equal(c, DOWNWARD, DOWNWARD) && equal(beside, UPWARD, DOWNWARD)) ||
           (equal(c, TIES_AWAY, TIES_AWAY) && equal(beside, TIES_ZERO, TIES_AWAY));
}

static bool c_is_rounded_oddly(accordi_space *space)
{
    char text[2][120];
    int p[SIGNS], beside[SIGNS], bits = accord_format_get(space->result)->precision;
    if (!space->has_c || space->c_capped || space->c_kept < NEAR || bits < NEAR + 2 ||
        !read_patterns(space, write_c, space->high - space->c_kept, NEAR, write_c_alone, p))
        return false;
    if (name_rounding(space, "the sum so far is", p))
        return true;
    int kept = space->places > 4 ? bits_through(space, write_beside_c, 0) : NOT_SEEN;
    return kept >= 1 && kept <= space->kept &&
           read_patterns(space, write_beside_c, space->high - kept, 0, NULL, beside) &&
           !is_alike(p, beside) && is_known(p) && is_known(beside) &&
           name(space, "the sum so far is rounded %s where it is aligned, and terms beside it %s",
                describe(p, text[0]), describe(beside, text[1]));
}

static bool results_are_rounded_oddly(accordi_space *space)
{
    int p[SIGNS], later[SIGNS];
    int kept = bits_through(space, write_result, ldexp(1, space->high));
    double beside = ldexp(1, kept);
    if (kept < 1 || kept + 2 > space->kept ||
        !read_patterns(space, write_result, space->high - kept, beside, NULL, p))
        return false;
    if (name_rounding(space, "the result of a step is", p))
        return true;
    return read_patterns(space, write_result_later, space->high - kept, beside, NULL, later) &&
           (p[0] != later[0] || p[1] != later[1]) &&
           name(space, "how the result of a step is rounded depends on the places of its terms");
}

/* Halves of what is kept vanish one by one. Beside a pair at neighboring places two of them either
 * always come through together or never. */
static bool terms_are_grouped(accordi_space *space)
{
    size_t from = space->questions, places = space->places < PLACES ? space->places : PLACES;
    size_t asked = 0, together = 0, pair[2] = {0, 0}, s = 2, t = 2;
    int half = space->high - space->kept - 1;
    for (s = 2; s < places && !space->capped; s++)
        for (t = s; t < places && accordi_question_new(space); t++) {
            put_pair(space, space->test, 1, space->high);
            put(space, space->test, s, half, 1, 1);
            if (t > s)
                put(space, space->test, t, half, 1, 1);
        }
    if (accordi_space_ask(space) != ACCORD_OK)
        return false;
    for (s = 2; from < space->questions; s++)
        for (t = s; t < places && from < space->questions; t++, from++) {
            double seen = answer(space, from, 0);
            if (t == s && seen != 0)
                return false;
            asked += t > s;
            together += seen != 0;
            if (seen != 0) {
                pair[0] = s;
                pair[1] = t;
            }
        }
    return together > 0 && together < asked &&
           name(space,
                "terms are aligned in groups: those at places %zu and %zu of a step are added to "
                "each other before they are aligned with the others",
                pair[0], pair[1]);
}

bool accordi_space_name_oddity(accordi_space *space)
{
    static bool (*const experiments[])(accordi_space *) = {steps_differ,
                                                           depth_depends_on_exponent,
                                                           products_are_rounded,
                                                           c_is_wider,
                                                           terms_are_rounded_oddly,
                                                           terms_are_grouped,
                                                           results_are_rounded_oddly,
                                                           c_is_rounded_oddly};
    bool can = space->steps->scheme == ACCORD_FUSED_THEN_C && space->places > 2 &&
               space->kept > 0 && !space->share;
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments && can; i++)
        if (!space->asker->status && experiments[i](space))
            return true;
    return false;
}
