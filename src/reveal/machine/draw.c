/* Draws random questions that tell machines apart, and collects the answers.
 *
 * What a step does to a term depends on how far its exponent lies below the greatest one, and on
 * where both lie in the range. A random question therefore has an anchor, the greatest exponent,
 * often twice with both signs so that it cancels, and terms at distances below it that are drawn
 * mostly near those where something was seen to happen. */
#include "reveal/machine/candidates.h"
#include <math.h>

enum { SUBNORMALS = 8 };

/* A distance at which one of the machines that are left does something. */
static int telling_distance(accordi_space *space)
{
    static const enum accordi_feature bits[] = {
        ACCORDI_FEATURE_FRACTION, ACCORDI_FEATURE_SUM_FRACTION, ACCORDI_FEATURE_C_FRACTION,
        ACCORDI_FEATURE_C_REACH, ACCORDI_FEATURE_OUTPUT_FRACTION};
    accordi_rng *rng = &space->asker->rng;
    if (space->machines == 0)
        return space->kept;
    const accord_fused *machine = &space->machine[accordi_rng_below(rng, space->machines)];
    for (int tries = 0; tries < 3; tries++) {
        enum accordi_feature feature = bits[accordi_rng_below(rng, sizeof bits / sizeof *bits)];
        int value = accordi_feature_value(machine, feature);
        bool of_c = feature == ACCORDI_FEATURE_C_FRACTION || feature == ACCORDI_FEATURE_C_REACH;
        if (value != 0 && accordi_feature_applies(machine, feature) && (space->has_c || !of_c))
            return value;
    }
    return accord_format_get(machine->output)->precision;
}

static int draw_near(accordi_space *space, int value, int least, int most)
{
    return value + accordi_drawn(space, least, most);
}

/* A term that is rough, and negative, by chances that are given in percent. Draws are made one
 * after the other: C leaves open in which order the arguments of a call are evaluated, and what is
 * drawn must not depend on the compiler. */
static void put_drawn(accordi_space *space, accordi_question *question, size_t step, int exponent,
                      int rough, int negative)
{
    bool of_many_bits = rough > 0 && accordi_chance(space, rough);
    bool below_zero = negative > 0 && accordi_chance(space, negative);
    accordi_question_put_in(space, question, step, exponent, of_many_bits, below_zero);
}

/* How far below the anchor a term lies. */
static int draw_distance(accordi_space *space, const accordi_regime *regime)
{
    if (regime->window)
        return accordi_chance(space, 40) ? accordi_drawn(space, 0, 2)
                                         : accordi_drawn(space, 0, regime->window);
    int kind = accordi_drawn(space, 0, 9);
    if (kind >= 6)
        return kind < 8   ? accordi_drawn(space, 0, 4)
               : kind < 9 ? accordi_drawn(space, 0, 48)
                          : accordi_drawn(space, 0, 90); /* farther than a machine keeps */
    if (kind >= 5)
        return draw_near(space, accordi_chance(space, 50) ? space->kept : space->c_kept, -3, 5);
    int first = telling_distance(space);
    if (kind < 3)
        return draw_near(space, first, -2, 3);
    int second = telling_distance(space); /* of a term that tells beside another that does */
    return draw_near(space, abs(first - second), -2, 2);
}

/* The sum so far: exact and away from the ends of its range, or anything. */
static void put_c(accordi_space *space, const accordi_regime *regime, accordi_question *question,
                  int anchor)
{
    size_t step = space->test - 1;
    int count = accordi_drawn(space, 1, 3);
    bool negative = accordi_chance(space, 50);
    const accord_format_info *out = accord_format_get(space->result);
    int bits = out->precision < space->kept ? out->precision : space->kept;
    for (int i = 0; i < count; i++) {
        bool small = regime->window || regime->safe_c;
        int window = regime->window ? regime->window : bits - 3;
        int below = i == 0  ? 0
                    : small ? accordi_drawn(space, 1, window > 1 ? window : 1)
                            : draw_distance(space, regime);
        int turned = negative ? 100 : 0;
        put_drawn(space, question, step, anchor - below, small ? 0 : 50, i > 0 ? 50 : turned);
    }
}

/* The first two of a question: a product and its opposite. */
static void put_pair(accordi_space *space, accordi_question *question, int anchor)
{
    if (!accordi_question_put_in(space, question, space->test, anchor, accordi_chance(space, 40),
                                 false))
        return;
    accordi_entry twin = question->entry[0];
    for (int tries = 0; tries < 8; tries++)
        if (accordi_question_repeat(space, question, twin,
                                    accordi_question_place(space, space->test), -1))
            return;
}

/* Makes a product of powers of two nearly 4 times as great, as far as the format has the factors;
 * exactly 49/16 times where nothing is to be cut. */
static void make_great(accordi_space *space, accordi_entry *entry, bool exact)
{
    enum accord_format format = space->asker->target->format;
    double by = 1.75;
    if (!exact && accordi_chance(space, 50))
        by += accordi_rng_unit(&space->asker->rng) / 4;
    entry->a = accord_format_round(format, ACCORD_TOWARD_ZERO, entry->a * by);
    if (space->products)
        entry->b = accord_format_round(format, ACCORD_TOWARD_ZERO, entry->b * by);
}

/* Many like products, near their exponent's greatest, so that their sum has more bits than any of
 * them, and a few terms at the other end of the window, perhaps as c. Products that scales alone
 * align may be greater than these. */
static void draw_heap(accordi_space *space, const accordi_regime *regime,
                      accordi_question *question)
{
    int anchor = accordi_drawn(space, regime->low, regime->high), base = anchor;
    int few = accordi_drawn(space, 1, 3), places = (int)space->places;
    bool full = regime->heap && accordi_chance(space, 70);
    int many = full ? places : accordi_drawn(space, 1, places);
    bool negative = accordi_chance(space, 50), great = regime->window > 8;
    bool by_scales = space->machines > 0 && space->machine[0].block > 0;
    size_t of_c = regime->c && space->has_c && accordi_chance(space, 75);
    question->entries = 0;
    if (by_scales && accordi_chance(space, 50)) {
        for (size_t slot = 0; slot < space->places; slot += space->share)
            accordi_question_lift(space, question, space->test, slot, anchor);
        base -= space->element_top;
    }
    many -= full && !of_c ? few : 0;
    for (int i = 0; i < many; i++)
        if (full)
            accordi_question_put(space, question, space->test, (size_t)i, anchor, false, negative);
        else
            accordi_question_put_in(space, question, space->test, anchor, false, negative);
    for (size_t i = 0; i < question->entries && great; i++)
        make_great(space, &question->entry[i], regime->safe_c);
    int window =
        regime->heap && accordi_chance(space, 50) ? telling_distance(space) : regime->window;
    for (int i = 0; i < few; i++)
        put_drawn(space, question, space->test - of_c, draw_near(space, base - window, 0, 2), 0,
                  50);
}

/* Two great products that cancel, all at even or all at odd places, and small ones close together
 * at the others: these tell whether even and odd products are aligned apart. */
static void draw_halves(accordi_space *space, const accordi_regime *regime,
                        accordi_question *question)
{
    int anchor = accordi_drawn(space, regime->low, regime->high), half = accordi_drawn(space, 0, 1);
    int pairs = (int)(space->places / 2), below = draw_near(space, telling_distance(space), -2, 6);
    int first = accordi_drawn(space, 0, pairs - 1), second = accordi_drawn(space, 0, pairs - 1);
    question->entries = 0;
    accordi_question_put(space, question, space->test, (size_t)(2 * first + half), anchor, false,
                         true);
    accordi_question_put(space, question, space->test, (size_t)(2 * second + half), anchor, false,
                         false);
    int count = accordi_drawn(space, 1, 4);
    for (int i = 0; i < count; i++) {
        int slot = 2 * accordi_drawn(space, 0, pairs - 1) + 1 - half;
        int exponent = anchor - draw_near(space, below, 0, 3);
        bool negative = accordi_chance(space, 50);
        accordi_question_put(space, question, space->test, (size_t)slot, exponent, false, negative);
    }
}

static void draw_anchored(accordi_space *space, const accordi_regime *regime,
                          accordi_question *question)
{
    question->entries = 0;
    int anchor = accordi_drawn(space, regime->low, regime->high), of_c = anchor;
    bool c = regime->c && space->has_c && accordi_chance(space, 75);
    if (c && !regime->window && accordi_chance(space, 70)) {
        int away = draw_distance(space, regime);
        if (accordi_chance(space, 50))
            of_c -= away;
        else
            anchor -= away;
    }
    int deeper = regime->window + space->element_grain; /* than elements reach below scales */
    if (c && deeper > 0 && space->share >= space->places)
        anchor -= accordi_drawn(space, 0, deeper);
    const accord_format_info *out = accord_format_get(space->result);
    int floor = out->min_exponent + 3;
    of_c = regime->safe_c && of_c < floor ? floor : of_c;
    anchor = regime->safe_c && anchor < floor ? floor : anchor;
    of_c = of_c > space->high ? space->high : of_c;
    if (!regime->window && accordi_chance(space, 60))
        put_pair(space, question, anchor);
    else
        put_drawn(space, question, space->test, anchor, regime->window ? 0 : 50, 50);
    int count = accordi_drawn(space, c ? 0 : 1, accordi_chance(space, 40) ? 2 : 9);
    bool one_sign = accordi_chance(space, 30);
    int turned = accordi_chance(space, 50) ? 100 : 0;
    for (int i = 0; i < count; i++)
        put_drawn(space, question, space->test, anchor - draw_distance(space, regime),
                  regime->window ? 0 : 50, one_sign ? turned : 50);
    if (c)
        put_c(space, regime, question, of_c);
}

/* Often turns a power of two into the next number of the format, so that the product of the two
 * factors has a bit that may be cut far below its first one. */
static void add_last_bit(accordi_space *space, accordi_entry *entry)
{
    int below = accord_format_get(space->asker->target->format)->precision - 1;
    double next = entry->a + ldexp(entry->a, -below);
    if (accordi_chance(space, 50) &&
        accord_format_round(space->asker->target->format, ACCORD_TOWARD_ZERO, next) == next)
        entry->a = next;
}

/* Around the last bit of the least results: whole and half ones, or none, perhaps as a subnormal c,
 * and terms that are cut there. */
static void draw_edge(accordi_space *space, accordi_question *question)
{
    const accord_format_info *out = accord_format_get(space->result);
    int least = out->min_exponent - (out->precision - 1), cut = least - space->kept;
    if (space->machines > 0) {
        size_t any = (size_t)accordi_rng_below(&space->asker->rng, space->machines);
        bool of_c = space->has_c && accordi_chance(space, 50);
        cut = (of_c ? out->min_exponent : space->machine[any].least_exponent) -
              space->machine[any].fraction;
    }
    question->entries = 0;
    int count = accordi_drawn(space, 0, 3),
        tiny = accordi_drawn(space, 1, accordi_chance(space, 50) ? 2 : 10);
    bool c = space->has_c && accordi_chance(space, 50);
    for (int i = 0; i < count; i++)
        put_drawn(space, question, space->test - c, draw_near(space, least, -1, c ? 4 : 1), 20, 50);
    if (c)
        put_drawn(space, question, space->test, least - 1, 20, 50);
    if (c && space->places == 1 && question->entries > 0) /* the only product has to have both */
        add_last_bit(space, &question->entry[question->entries - 1]);
    int turned = accordi_chance(space, 50) ? 100 : 0;
    for (int i = 0; i < tiny; i++)
        put_drawn(space, question, space->test, draw_near(space, cut, -2, 2), 50, turned);
}

/* Makes a product of powers of two 2 and more, if the format has the factors. */
static bool enlarge_entry(const accordi_space *space, accordi_entry *entry)
{
    enum accord_format format = space->asker->target->format;
    double a = 1.5 * entry->a, b = 1.5 * entry->b;
    if (accord_format_round(format, ACCORD_TOWARD_ZERO, a) != a ||
        accord_format_round(format, ACCORD_TOWARD_ZERO, b) != b)
        return false;
    entry->a = a;
    entry->b = b;
    return true;
}

/* Half a last bit below a great c, and products beside c that are cut at a distance where one of
 * the machines does something; or a small c below a great product. */
static void draw_joint(accordi_space *space, bool high, accordi_question *question)
{
    bool great_c = space->has_c && accordi_chance(space, 60);
    size_t great = great_c ? space->test - 1 : space->test;
    bool apart = !great_c && space->has_c && accordi_chance(space, 50);
    size_t small = apart ? space->test - 1 : space->test;
    bool short_last = space->test + 1 < space->steps->count;
    if (short_last && accordi_chance(space, 30)) {
        great += great_c || accordi_chance(space, 50);
        small += great == space->test || accordi_chance(space, 50);
    }
    int low = high || accordi_chance(space, 50) ? space->high - 4 : space->grain + 8;
    int most = accord_format_get(space->result)->max_exponent - 1;
    most = most > 100 ? 100 : most > space->top ? space->top : most;
    int anchor = accordi_drawn(space, low, accordi_chance(space, 40) ? most : space->high);
    int half = accord_format_get(space->result)->precision;
    if (accordi_chance(space, 50))
        half = telling_distance(space) + 1;
    bool negative = accordi_chance(space, 50);
    question->entries = 0;
    accordi_question_put_in(space, question, great, anchor, false, negative);
    if (space->products && question->entries > 0 && accordi_chance(space, 30))
        half -= enlarge_entry(space, &question->entry[0]);
    if (accordi_chance(space, 70))
        put_drawn(space, question, space->test, anchor - half, space->places > 2 ? 0 : 60, 50);
    int count = accordi_chance(space, 60) ? 1 : 2;
    for (int i = 0; i < count; i++) {
        int below = telling_distance(space);
        below += accordi_chance(space, 30) ? half : 0; /* of what was put above */
        put_drawn(space, question, small, anchor - draw_near(space, below, -1, 2), 20, 50);
    }
    if (accordi_chance(space, 20))
        accordi_question_put_in(space, question, space->test, anchor, false, !negative);
}

/* More products like the only one, until there are 2^doublings, if the step has room for them; by
 * how much the exponent of the sum grows. */
static int add_like(accordi_space *space, accordi_question *question, size_t step, int doublings)
{
    size_t terms = space->steps->terms, due = (size_t)1 << doublings;
    if (question->entries == 0 || due > terms) /* all steps but the last are full */
        return 0;
    accordi_entry like = question->entry[0];
    for (size_t slot = 0; slot < terms && question->entries < due; slot++)
        accordi_question_repeat(space, question, like, (uint32_t)(step * terms + slot), 1);
    return doublings;
}

/* Half the last bit that is kept of a great term, or nearly so, and terms at the last bit that any
 * alignment keeps, which then decide how the sum is rounded. */
static void draw_tie(accordi_space *space, accordi_question *question)
{
    const accord_format_info *out = accord_format_get(space->result);
    int most = out->max_exponent - 2 < space->top ? out->max_exponent - 2 : space->top;
    int anchor = accordi_drawn(space, space->high - 8, most < 100 ? most : 100);
    int last = telling_distance(space), deep = space->kept;
    if (space->machines > 0) {
        const accord_fused *any =
            &space->machine[accordi_rng_below(&space->asker->rng, space->machines)];
        deep = any->fraction;
        if (accordi_chance(space, 60))
            last = any->scheme == ACCORD_FUSED_THEN_C ? any->sum_fraction
                   : any->output_fraction             ? any->output_fraction
                                                      : out->precision - 1;
    }
    bool of_c = space->has_c && accordi_chance(space, 40), negative = accordi_chance(space, 50);
    int tiny = accordi_drawn(space, 1, 4), odd = accordi_chance(space, 50);
    question->entries = 0;
    accordi_question_put_in(space, question, space->test - of_c, anchor, false, negative);
    if (of_c && accordi_chance(space, 50)) /* greater than any product */
        anchor += add_like(space, question, space->test - 1, accordi_drawn(space, 1, 3));
    else if (space->products && question->entries > 0 && accordi_chance(space, 30))
        last -= enlarge_entry(space, &question->entry[0]);
    if (odd) /* of two numbers that are equally near the even one is taken */
        put_drawn(space, question, space->test, anchor - last, 0, 50);
    put_drawn(space, question, space->test, anchor - last - 1, 0, 50);
    for (int i = 0; i < tiny; i++)
        put_drawn(space, question, space->test, anchor - draw_near(space, deep, -1, 2), 30, 50);
}

/* A great c, perhaps greater than any product, that several products cancel, so that the sum of
 * products is cut by c alone, and what is left beside it shows where. */
static void draw_cancelled(accordi_space *space, accordi_question *question)
{
    int anchor = accordi_drawn(space, space->high - 4, space->high), grown = 0;
    int parts = accordi_drawn(space, 1, 4), tiny = accordi_drawn(space, 1, 3);
    bool negative = accordi_chance(space, 50);
    question->entries = 0;
    accordi_question_put_in(space, question, space->test - 1, anchor, false, negative);
    if (accordi_chance(space, 50))
        grown = add_like(space, question, space->test - 1, accordi_drawn(space, 1, 4));
    while (parts > 1 && (size_t)1 << parts >= space->places)
        parts--;
    parts = parts < grown ? grown : parts; /* no product is greater than those of c */
    if (accordi_chance(space, 70))
        accordi_question_lift(space, question, space->test, 0, anchor + grown - parts);
    for (int i = 0; i < 1 << parts; i++)
        accordi_question_put_in(space, question, space->test, anchor + grown - parts, false,
                                !negative);
    for (int i = 0; i < tiny; i++) {
        int least = accordi_drawn(space, space->grain, space->grain + 6);
        int near = anchor + grown - draw_near(space, telling_distance(space), -2, 2);
        put_drawn(space, question, space->test, accordi_chance(space, 50) ? least : near, 30, 50);
    }
}

/* All places of the last steps, as a replay has them. */
static void draw_dense(accordi_space *space, accordi_question *question)
{
    const accord_format_info *out = accord_format_get(space->result);
    int low = space->bottom < out->min_exponent - 4 ? space->bottom : out->min_exponent - 4;
    int middles[] = {0,
                     space->bottom + 6,
                     out->min_exponent - 4,
                     space->high - 4,
                     accordi_drawn(space, low, out->min_exponent - 4),
                     out->max_exponent - 3};
    static const int spreads[] = {0, 2, 6, 16, 40};
    int middle = middles[accordi_drawn(space, 0, 5)], spread = spreads[accordi_drawn(space, 0, 4)];
    bool one_sign = accordi_chance(space, 20);
    int turned = accordi_chance(space, 50) ? 100 : 0;
    question->entries = 0;
    size_t terms = space->steps->terms, n = space->steps->n;
    for (size_t at = space->first * terms; at < n && question->entries < ACCORDI_ENTRIES; at++) {
        size_t held = question->entries;
        if (held > 0 && !one_sign && accordi_chance(space, 20)) {
            accordi_entry twin = question->entry[accordi_rng_below(&space->asker->rng, held)];
            if (accordi_question_repeat(space, question, twin, (uint32_t)at, -1))
                continue;
        }
        int exponent = draw_near(space, middle, -spread / 2, spread / 2);
        accordi_question_put(space, question, at / terms, at % terms, exponent, true,
                             accordi_chance(space, one_sign ? turned : 50));
    }
}

/* Zero times a number of any size, in whose place there was a zero times one. */
static void put_zero(accordi_space *space, accordi_question *question)
{
    const accord_format_info *row = accord_format_get(space->asker->target->format);
    int exponent = accordi_chance(space, 50)
                       ? row->max_exponent
                       : accordi_drawn(space, row->min_exponent, row->max_exponent);
    uint32_t place = accordi_question_place(space, space->test);
    if (question->entries == ACCORDI_ENTRIES || !accordi_question_is_free(question, place))
        return;
    bool first = accordi_chance(space, 50), negative = accordi_chance(space, 50);
    double great = ldexp(1, exponent), zero = negative ? -0.0 : 0.0;
    if (space->share) {
        int by = accordi_chance(space, 50) ? space->high
                                           : accordi_drawn(space, space->bottom, space->high);
        accordi_question_unscale(space, question, place, by, true);
    }
    accordi_question_insert(question,
                            (accordi_entry){place, first ? zero : great, first ? great : zero});
}

static void draw_terms(accordi_space *space, const accordi_regime *regime,
                       accordi_question *question)
{
    if (regime->dense)
        draw_dense(space, question);
    else if (regime->great_c)
        draw_cancelled(space, question);
    else if (regime->joint && space->places > 2 && accordi_chance(space, 25))
        draw_tie(space, question);
    else if (regime->joint && space->has_c && accordi_chance(space, 25))
        draw_cancelled(space, question);
    else if (regime->joint && (space->has_c || accordi_chance(space, 50)))
        draw_joint(space, regime->safe_c, question);
    else if (regime->edge)
        draw_edge(space, question);
    else if (regime->heap || (regime->window && !regime->c && accordi_chance(space, 40)))
        draw_heap(space, regime, question);
    else if (!regime->window && space->places >= 4 && accordi_chance(space, 10))
        draw_halves(space, regime, question);
    else
        draw_anchored(space, regime, question);
}

void accordi_question_draw(accordi_space *space, const accordi_regime *regime,
                           accordi_question *question)
{
    space->subnormals = space->products && !regime->window && !regime->safe_c ? SUBNORMALS : 0;
    space->whole = regime->window || regime->safe_c;
    memset(question->scale, 0, sizeof question->scale);
    draw_terms(space, regime, question);
    space->subnormals = 0;
    space->whole = false;
    /* The scales of a zero may be the greatest, and align all others: then sums are cut. */
    bool fits = space->products && !(space->share && regime->window);
    if (fits && accordi_chance(space, 10))
        put_zero(space, question);
}

accordi_regime accordi_regime_any(const accordi_space *space, size_t which)
{
    const accord_format_info *out = accord_format_get(space->result);
    int least = out->min_exponent - (out->precision - 1);
    int window = space->kept > 9 ? space->kept : 9;
    accordi_regime regimes[ACCORDI_REGIMES] = {
        {space->high - 4, space->high, .c = true, .safe_c = true},
        {space->high - 40, space->top, .c = true},
        {space->bottom - 2, space->bottom + 40, .c = true},
        {least - 4, least + 40, .c = true},
        {out->max_exponent - 6, out->max_exponent + 2, .c = true},
        {.edge = true},
        {.edge = true, .joint = true},
        {.dense = true},
        {space->bottom, least, .c = true}, /* only signs are seen */
        {space->high - 4, space->high, .window = window},
        {.joint = true},
        {space->high - 4, space->high, .window = window, .c = true, .heap = true},
    };
    return regimes[which % ACCORDI_REGIMES];
}
