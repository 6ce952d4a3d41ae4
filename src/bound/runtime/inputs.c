/* Inputs: numbers of the program that get a value or an interval from outside.
 *
 * In: the file named by ACCORD_BOUND_INPUTS: its first line is a seed, and each further line an
 * input: "list v w v w ..." or "range|uniform|normal low high low high mean deviation". Values
 * and ends come twice, for doubles and for floats; those for floats are rounded here, ends outward
 * (they were rounded to odd before, so that this does not round twice).
 *
 * A number in an interval runs as the program's own value if that lies inside, else as the middle;
 * with a distribution it is drawn. Its shadow is the interval, so bounds hold for every value in it
 * on the path of the run. On the tape it is a node without operands, whose spread is the distance
 * to the farther end. */
#include "bound/runtime/inputs.h"
#include "base/base.h"
#include "bound/runtime/records.h"
#include "bound/runtime/tape.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INPUTS = 1024, MOST_KEPT = 4096 };
enum kind { LIST, RANGE, UNIFORM, NORMAL };

typedef struct pair {
    double wide, narrow;
} pair;

typedef struct input {
    enum kind kind;
    pair *value; /* of a list */
    size_t values;
    pair low, high;
    double mean, deviation;
    accordi_rng rng;
    /* what happened */
    uint64_t set, own; /* how many numbers, and how many of them kept their own value */
    uint32_t site, format;
} input;
static input *inputs;
static size_t count;

/* The numbers that were set first. */
static struct {
    uint32_t input;
    double value;
} kept[MOST_KEPT];
static size_t kept_count;

/* ---- the file ---- */

static bool read_list(input *in, char *at)
{
    char *end;
    in->kind = LIST;
    for (;; at = end) {
        double wide = strtod(at, &end);
        if (end == at)
            break;
        double narrow = strtod(at = end, &end);
        pair *more = end == at ? NULL : realloc(in->value, (in->values + 1) * sizeof *more);
        if (!more)
            return false;
        in->value = more;
        in->value[in->values++] = (pair){wide, narrow};
    }
    return in->values > 0;
}

static bool read_input(input *in, char *line, uint64_t seed)
{
    static const char *const names[] = {"list", "range", "uniform", "normal"};
    double *const to[] = {&in->low.wide,    &in->high.wide, &in->low.narrow,
                          &in->high.narrow, &in->mean,      &in->deviation};
    size_t length = strcspn(line, " "), kind = 0;
    char *at = line + length;
    while (kind < 4 && (strlen(names[kind]) != length || strncmp(line, names[kind], length) != 0))
        kind++;
    accordi_rng_init(&in->rng, seed + count);
    if (kind == LIST)
        return read_list(in, at);
    in->kind = (enum kind)kind;
    for (size_t i = 0; i < 6 && kind < 4; i++) {
        char *end;
        *to[i] = strtod(at, &end);
        if (end == at)
            return false;
        at = end;
    }
    return kind < 4;
}

/* Before main, so that no file of the program has another number because of it. */
__attribute__((constructor(102))) static void read_inputs(void)
{
    const char *path = getenv("ACCORD_BOUND_INPUTS");
    FILE *file = path ? fopen(path, "re") : NULL;
    char *line = NULL;
    size_t room = 0;
    bool good = true;
    if (!file)
        return;
    inputs = calloc(MOST_INPUTS, sizeof *inputs);
    uint64_t seed = inputs && getline(&line, &room, file) > 0 ? strtoull(line, NULL, 10) : 0;
    while (inputs && good && count < MOST_INPUTS && getline(&line, &room, file) > 0) {
        good = read_input(&inputs[count], line, seed);
        count++;
    }
    free(line);
    fclose(file);
    if (!inputs || !good)
        accordi_give_up("the values of its inputs cannot be read");
}

/* ---- a value ---- */

typedef struct given {
    double x, low, high;
} given;

static double float_not_above(double x)
{
    float f = (float)x;
    return (double)f > x ? (double)nextafterf(f, -INFINITY) : (double)f;
}

static double draw(input *in)
{
    if (in->kind == UNIFORM)
        return in->low.wide + accordi_rng_unit(&in->rng) * (in->high.wide - in->low.wide);
    double x;
    do
        x = in->mean + in->deviation * accordi_rng_normal(&in->rng);
    while (!(x >= in->low.wide && x <= in->high.wide));
    return x;
}

static given choose(input *in, double own, bool narrow)
{
    given g;
    if (in->kind == LIST) {
        const pair *p = &in->value[in->set < in->values ? in->set : in->values - 1];
        g.x = g.low = g.high = narrow ? (double)(float)p->narrow : p->wide;
        return g;
    }
    g.low = narrow ? float_not_above(in->low.narrow) : in->low.wide;
    g.high = narrow ? -float_not_above(-in->high.narrow) : in->high.wide;
    if (in->kind == RANGE)
        g.x = own >= g.low && own <= g.high ? own : g.low / 2 + g.high / 2;
    else
        g.x = draw(in);
    g.x = narrow ? (double)(float)g.x : g.x;
    g.x = fmin(fmax(g.x, g.low), g.high);
    return g;
}

/* ---- numbers ---- */

static void note(uint32_t i, double x, bool own, uint32_t site, uint32_t format)
{
    input *in = &inputs[i];
    in->set++;
    in->own += own;
    in->site = site;
    in->format = format;
    if (kept_count < MOST_KEPT) {
        kept[kept_count].input = i;
        kept[kept_count++].value = x;
    }
}

static uint64_t node_of(const given *g, uint32_t site)
{
    union {
        double x;
        uint64_t bits;
    } spread = {fmax(g->x - g->low, g->high - g->x)};
    if (!accordi_taped || !(spread.x > 0))
        return 0;
    if (accordi_tape.next >= accordi_tape.end)
        accordi_tape_full();
    accordi_tape_node *n = accordi_tape.next++;
    *n = (accordi_tape_node){.spread = (uint32_t)(spread.bits >> 32), .site = site};
    return accordi_tape.before + (uint64_t)(n - accordi_tape.node);
}

static void set_float(uint32_t i, char *at, bool narrow, uint32_t site)
{
    double own = narrow ? (double)*(float *)(void *)at : *(double *)(void *)at;
    given g = choose(&inputs[i], own, narrow);
    accordi_shadow shadow;
    accordi_input(&shadow, g.x);
    if (shadow.kind == ACCORDI_PLAIN)
        shadow.end = (accordi_ends){-g.low, g.high};
    note(i, g.x, own == g.x, site, narrow);
    if (narrow)
        *(float *)(void *)at = (float)g.x;
    else
        *(double *)(void *)at = g.x;
    accordi_keep(at, &shadow, narrow);
    if (accordi_taped)
        *accordi_mark_at(accordi_map_chunk(at), at) = (accordi_mark){node_of(&g, site), 0};
}

/* Only single values are given to integers. */
static void set_integer(uint32_t i, char *at, unsigned bytes, uint32_t site, uint32_t format)
{
    double x = choose(&inputs[i], 0, false).x, limit = ldexp(1, 8 * (int)bytes);
    if (!(x == floor(x) && x >= -limit / 2 && x < limit))
        accordi_give_up("an input that is an integer was given a number that it cannot hold");
    uint64_t value = x < 0 ? (uint64_t)(int64_t)x : (uint64_t)x;
    bool own = memcmp(at, &value, bytes) == 0;
    memcpy(at, &value, bytes);
    accordi_clear(at, bytes);
    note(i, x, own, site, format);
}

void accordi_set_input(uint32_t i, char *at, uint64_t n, char *from, uint64_t first, uint64_t many,
                       uint32_t format, uint32_t site)
{
    uint64_t size = format == ACCORDI_INPUT_F64   ? 8
                    : format == ACCORDI_INPUT_F32 ? 4
                                                  : UINT64_C(1) << (format - ACCORDI_INPUT_I8);
    char *low = from + first * size;
    if (i >= count)
        return;
    for (; n > 0; n--, at += size) {
        if (at < low || (uint64_t)(at - low) / size >= many)
            continue;
        if (format > ACCORDI_INPUT_F32)
            set_integer(i, at, (unsigned)size, site, format);
        else
            set_float(i, at, format == ACCORDI_INPUT_F32, site);
    }
}

void accordi_put_inputs(void)
{
    static const char *const formats[] = {"f64", "f32", "i8", "i16", "i32", "i64"};
    for (size_t i = 0; i < count; i++)
        accordi_put_input((uint32_t)i, inputs[i].site, inputs[i].set, inputs[i].own,
                          formats[inputs[i].format]);
    for (size_t i = 0; i < kept_count; i++)
        accordi_put_input_value(kept[i].input, kept[i].value);
}
