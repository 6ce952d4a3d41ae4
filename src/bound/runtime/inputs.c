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
    uint64_t renewed; /* how many numbers the program assigned anew before it read them */
    uint32_t renewed_at;
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

/* ---- numbers that were set and not read yet ---- */

/* A table by address, whose keys stay. Numbers that find no room in it are not followed. */
enum { MOST_UNREAD = 1 << 20, UNREAD_ROOM = 2 * MOST_UNREAD };
static struct unread {
    char *at;
    bool waits;
} * unread;
static size_t unread_keys, unread_waiting;

static struct unread *find_unread(char *at)
{
    size_t i = (size_t)(((uint64_t)(uintptr_t)at * 0x9e3779b97f4a7c15u) >> 43);
    while (unread[i].at && unread[i].at != at)
        i = (i + 1) % UNREAD_ROOM;
    return &unread[i];
}

static void note_unread(char *at)
{
    unread = unread ? unread : calloc(UNREAD_ROOM, sizeof *unread);
    struct unread *u = unread ? find_unread(at) : NULL;
    if (!u || (!u->at && unread_keys == MOST_UNREAD))
        return;
    unread_keys += !u->at;
    unread_waiting += !u->waits;
    *u = (struct unread){at, true};
}

/* Was it waiting? It is no more. */
static bool drop_unread(char *at)
{
    struct unread *u = unread_waiting ? find_unread(at) : NULL;
    bool waited = u && u->waits;
    if (waited) {
        u->waits = false;
        unread_waiting--;
    }
    return waited;
}

/* ---- those of a shape ---- */

typedef struct span {
    uint32_t input, format, site;
    char *at, *end, *from; /* end NULL: all */
    const uint64_t *shape;
} span;

static uint64_t size_of(uint32_t format)
{
    return format == ACCORDI_INPUT_F64   ? 8
           : format == ACCORDI_INPUT_F32 ? 4
                                         : UINT64_C(1) << (format - ACCORDI_INPUT_I8);
}

static bool is_wanted(const span *s, const char *at)
{
    const uint64_t *dimension = s->shape + 2;
    if (at < s->from + s->shape[0])
        return false;
    uint64_t left = (uint64_t)(at - s->from) - s->shape[0];
    for (uint64_t i = 0; i < s->shape[1]; i++, dimension += 2) {
        uint64_t index = dimension[1] ? left / dimension[1] : 0;
        if (index >= dimension[0])
            return false;
        left -= index * dimension[1];
    }
    return left == 0;
}

typedef void visit(const span *s, char *at);

static void visit_dimension(const span *s, visit *each, char *at, uint64_t i)
{
    if (i == s->shape[1]) {
        if (!s->end || (at >= s->at && at < s->end))
            each(s, at);
        return;
    }
    uint64_t many = s->shape[2 + 2 * i], stride = s->shape[3 + 2 * i], first = 0;
    if (s->end && s->at > at && stride)
        first = (uint64_t)(s->at - at) / stride;
    at += first * stride;
    for (uint64_t k = first; k < many && (!s->end || at < s->end); k++, at += stride)
        visit_dimension(s, each, at, i + 1);
}

static void visit_all(uint32_t i, char *at, uint64_t bytes, char *from, const uint64_t *shape,
                      uint32_t format, uint32_t site, visit *each)
{
    const span s = {i, format, site, at, bytes == UINT64_MAX ? NULL : at + bytes, from, shape};
    if (i >= count)
        return;
    if (bytes != size_of(format))
        visit_dimension(&s, each, from + shape[0], 0);
    else if (is_wanted(&s, at))
        each(&s, at);
}

static void set_one(const span *s, char *at)
{
    if (s->format > ACCORDI_INPUT_F32)
        set_integer(s->input, at, (unsigned)size_of(s->format), s->site, s->format);
    else
        set_float(s->input, at, s->format == ACCORDI_INPUT_F32, s->site);
    note_unread(at);
}

static void read_one(const span *s, char *at)
{
    (void)s;
    drop_unread(at);
}

static void renew_one(const span *s, char *at)
{
    input *in = &inputs[s->input];
    if (!drop_unread(at))
        return;
    if (in->renewed++ == 0)
        in->renewed_at = s->site;
}

void accordi_set_input(uint32_t i, char *at, uint64_t bytes, char *from, const uint64_t *shape,
                       uint32_t format, uint32_t site)
{
    visit_all(i, at, bytes, from, shape, format, site, set_one);
}

void accordi_input_read(uint32_t i, char *at, uint64_t bytes, char *from, const uint64_t *shape,
                        uint32_t format, uint32_t site)
{
    if (unread_waiting)
        visit_all(i, at, bytes, from, shape, format, site, read_one);
}

void accordi_input_assigned(uint32_t i, char *at, uint64_t bytes, char *from, const uint64_t *shape,
                            uint32_t format, uint32_t site)
{
    if (unread_waiting)
        visit_all(i, at, bytes, from, shape, format, site, renew_one);
}

void accordi_put_inputs(void)
{
    static const char *const formats[] = {"f64", "f32", "i8", "i16", "i32", "i64"};
    if (count)
        accordi_name_inputs();
    for (size_t i = 0; i < count; i++)
        accordi_put_input((uint32_t)i, inputs[i].site, inputs[i].set, inputs[i].own,
                          formats[inputs[i].format], inputs[i].renewed, inputs[i].renewed_at);
    for (size_t i = 0; i < kept_count; i++)
        accordi_put_input_value(kept[i].input, kept[i].value);
}
