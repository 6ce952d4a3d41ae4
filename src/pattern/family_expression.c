/* Expressions in n: read, and guessed from values.
 *
 *     expression = term, { ( "+" | "-" ), term } ;
 *     term       = factor, { ( "*" | "/" | "mod" ), factor } ;
 *     factor     = "n" | number | "(", expression, ")" ;
 *
 * Numbers are whole, and / rounds down. Those that are guessed have one shape, in which the sizes
 * of blocks, tails and parts in numerical libraries can be written: a constant plus a multiple of
 * a quotient, c + s * ((x + d) / b), where x is n or (n + e) mod a, and (n + e) / a may be added;
 * or n less a multiple of (n + d) / b. */
#include "pattern/family.h"
#include <ctype.h>

typedef struct reader {
    const char *at, *end;
    int64_t n;
    unsigned depth;
    bool wrong;
} reader;

static bool accept(reader *r, const char *word)
{
    size_t length = strlen(word);
    while (r->at < r->end && *r->at == ' ')
        r->at++;
    if ((size_t)(r->end - r->at) < length || strncmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static int64_t read_expression(reader *r);

static int64_t read_factor(reader *r)
{
    enum { DEEPEST = 16 };
    int64_t value = 0;
    if (accept(r, "("))
        value = ++r->depth < DEEPEST ? read_expression(r) : 0;
    else if (accept(r, "n"))
        return r->n;
    else {
        const char *from = r->at;
        for (; r->at < r->end && isdigit((unsigned char)*r->at); r->at++)
            value = value > INT32_MAX ? value : 10 * value + (*r->at - '0');
        r->wrong = r->wrong || r->at == from || value > INT32_MAX;
        return value;
    }
    r->depth--;
    r->wrong = r->wrong || !accept(r, ")");
    return value;
}

/* Of numbers that are not negative: what is below 0 on the way has no meaning. */
static int64_t read_term(reader *r)
{
    int64_t value = read_factor(r);
    while (!r->wrong) {
        bool times = accept(r, "*"), over = !times && accept(r, "/");
        if (!times && !over && !accept(r, "mod"))
            return value;
        int64_t by = read_factor(r);
        if (times)
            r->wrong = r->wrong || __builtin_mul_overflow(value, by, &value);
        else if (by <= 0 || value < 0)
            r->wrong = true;
        else
            value = over ? value / by : value % by;
    }
    return 0;
}

static int64_t read_expression(reader *r)
{
    int64_t value = read_term(r);
    while (!r->wrong) {
        bool plus = accept(r, "+");
        if (!plus && !accept(r, "-"))
            return value;
        int64_t by = read_term(r);
        r->wrong = r->wrong || (plus ? __builtin_add_overflow(value, by, &value)
                                     : __builtin_sub_overflow(value, by, &value));
    }
    return 0;
}

bool accordi_expression_value(const char *text, size_t length, uint32_t n, uint32_t *value)
{
    reader r = {.at = text, .end = text + length, .n = n};
    int64_t found = read_expression(&r);
    accept(&r, "");
    if (r.wrong || r.at != r.end || found < 0 || found > ACCORD_TREE_MAX_LEAVES)
        return false;
    *value = (uint32_t)found;
    return true;
}

/* ---- guesses ---- */

int64_t accordi_guess_value(const accordi_guess *g, int64_t n)
{
    int64_t x = g->a ? (n + g->e) % g->a : n;
    if (g->less)
        return n - g->s * ((n + g->d) / g->b) + g->c;
    int64_t blocks = g->blocks ? (n + g->e) / g->a : 0;
    return blocks + (g->s ? g->c + g->s * ((x + g->d) / g->b) : g->c);
}

/* n, or (n + e). */
static void put_n(accordi_buffer *out, const accordi_guess *g)
{
    if (g->e)
        accordi_buffer_printf(out, "(n + %lld)", (long long)g->e);
    else
        accordi_buffer_puts(out, "n");
}

static void put_x(accordi_buffer *out, const accordi_guess *g)
{
    put_n(out, g);
    if (g->a)
        accordi_buffer_printf(out, " mod %lld", (long long)g->a);
}

/* x / b, or (x + d) / b. */
static void put_quotient(accordi_buffer *out, const accordi_guess *g)
{
    accordi_buffer_puts(out, g->d ? "(" : "");
    put_x(out, g);
    if (g->d)
        accordi_buffer_printf(out, " + %lld)", (long long)g->d);
    if (g->b > 1)
        accordi_buffer_printf(out, " / %lld", (long long)g->b);
}

void accordi_guess_write(accordi_buffer *out, const accordi_guess *g)
{
    long long b = g->b, s = g->s, d = g->d, c = g->c;
    if (s == 0) {
        accordi_buffer_printf(out, "%lld", c);
        return;
    }
    accordi_buffer_puts(out, "[");
    if (g->blocks) {
        put_n(out, g);
        accordi_buffer_printf(out, " / %lld + ", (long long)g->a);
    }
    if (g->less) {
        accordi_buffer_printf(out, "n - %lld * (", s);
        put_quotient(out, g);
        accordi_buffer_puts(out, ")");
    } else if (s == b && d == 0) {
        put_x(out, g);
        if (b > 1) {
            accordi_buffer_puts(out, " - ");
            if (g->a && g->a % b)
                put_x(out, g);
            else
                put_n(out, g);
            accordi_buffer_printf(out, " mod %lld", b);
        }
    } else {
        bool whole = s == 1 || (b == 1 && !g->a); /* needs no brackets */
        if (s != 1)
            accordi_buffer_printf(out, whole ? "%lld * " : "%lld * (", s);
        put_quotient(out, g);
        accordi_buffer_puts(out, whole ? "" : ")");
    }
    if (c)
        accordi_buffer_printf(out, " %c %lld", c < 0 ? '-' : '+', c < 0 ? -c : c);
    accordi_buffer_puts(out, "]");
}

/* ---- the best guess ---- */

enum { MODULI = 96 };

typedef struct search {
    const accordi_pair *pair;
    size_t count;
    int64_t modulus[MODULI];
    size_t moduli;
    bool blocks; /* what is considered has them */
    accordi_guess best;
    size_t agreed;  /* pairs that the best one explains */
    unsigned words; /* how long the best one is */
} search;

static void add_modulus(search *s, int64_t m)
{
    if (m < 2 || m > INT32_MAX || s->moduli == MODULI)
        return;
    for (size_t i = 0; i < s->moduli; i++)
        if (s->modulus[i] == m)
            return;
    s->modulus[s->moduli++] = m;
}

/* Powers of two, numbers of the steps and twice these, and what divides the distance from n, or the
 * value, so that one of the two is a remainder. */
static void find_moduli(search *s, const uint32_t *hint, size_t hints)
{
    enum { LARGEST = 4096, SMALL = 16 };
    int64_t n = s->pair->n, v = s->pair->v;
    for (int64_t m = 2; m <= LARGEST; m *= 2)
        add_modulus(s, m);
    for (size_t i = 0; i < hints; i++) {
        add_modulus(s, hint[i]);
        add_modulus(s, 2 * (int64_t)hint[i]);
    }
    for (int64_t m = 3; m <= SMALL; m++)
        add_modulus(s, m);
    for (int64_t m = v + 1; n > v && m <= LARGEST; m++)
        if ((n - v) % m == 0)
            add_modulus(s, m);
    for (int64_t m = n - v + 1; v > 0 && m > 0 && m <= LARGEST; m++)
        if (v % m == 0)
            add_modulus(s, m);
}

/* With few words first: what is simple is taken where both explain as many pairs. */
static void consider(search *s, accordi_guess g, unsigned words)
{
    enum { GLANCE = 12, FEWEST = 2 };
    size_t agreed = 1;
    g.blocks = s->blocks;
    g.c = 0;
    g.c = s->pair->v - accordi_guess_value(&g, s->pair->n);
    words += g.c != 0;
    for (size_t i = 1; i < s->count; i++) {
        agreed += accordi_guess_value(&g, s->pair[i].n) == s->pair[i].v;
        if ((i == GLANCE && agreed < FEWEST) || agreed + (s->count - 1 - i) < s->agreed)
            return;
    }
    if (agreed < s->agreed || (agreed == s->agreed && words >= s->words))
        return;
    s->best = g;
    s->agreed = agreed;
    s->words = words;
}

/* x, or twice as many, as the neighbors that are joined so that a power of two is left; multiples
 * of b below x, rounded down or up; their number; half of them. */
static void consider_quotients(search *s, int64_t a, unsigned words)
{
    consider(s, (accordi_guess){.s = 1, .b = 1, .a = a}, words + 1);
    consider(s, (accordi_guess){.s = 2, .b = 1, .a = a}, words + 3);
    for (size_t i = 0; i < s->moduli; i++) {
        int64_t b = s->modulus[i];
        if ((a && b >= a) || (s->agreed == s->count && s->words <= words + 2))
            continue;
        consider(s, (accordi_guess){.s = b, .b = b, .a = a}, words + 2);
        consider(s, (accordi_guess){.s = 1, .b = b, .a = a}, words + 3);
        consider(s, (accordi_guess){.s = b, .d = b - 1, .b = b, .a = a}, words + 4);
        consider(s, (accordi_guess){.s = 1, .d = b - 1, .b = b, .a = a}, words + 4);
        if (a == 0)
            consider(s, (accordi_guess){.less = true, .s = b, .d = b - 1, .b = b}, words + 5);
        if (b % 2 == 0) {
            consider(s, (accordi_guess){.s = b / 2, .b = b, .a = a}, words + 5);
            consider(s, (accordi_guess){.s = b / 2, .d = b - 1, .b = b, .a = a}, words + 5);
        }
    }
}

/* Parts of n / b each, and the last one, which takes the rest. */
static void consider_parts(search *s, unsigned words)
{
    enum { MOST_PARTS = 64 };
    for (int64_t b = 3; b <= MOST_PARTS && s->agreed < s->count; b++)
        for (int64_t k = b - 1; k > 0; k -= k > 8 && k < b - 1 ? k / 2 : 1) {
            consider(s, (accordi_guess){.s = k, .b = b}, words + 4);
            consider(s, (accordi_guess){.less = true, .s = k, .b = b}, words + 5);
        }
}

/* So many blocks, and something of the rest. */
static void consider_blocks(search *s, const uint32_t *hint, size_t hints, unsigned words)
{
    s->blocks = true;
    for (size_t i = 0; i < hints && s->agreed < s->count; i++)
        if (hint[i] > 1)
            consider_quotients(s, hint[i], words + 3);
    s->blocks = false;
}

accordi_guess accordi_guess_best(const accordi_pair *pair, size_t count, const uint32_t *hint,
                                 size_t hints)
{
    enum { SIMPLE = 2 };
    search s = {.pair = pair, .count = count, .best = {.c = pair->v}};
    for (size_t i = 0; i < count; i++)
        s.agreed += pair[i].v == pair->v;
    s.words = 0;
    if (s.agreed == count)
        return s.best;
    find_moduli(&s, hint, hints);
    consider_quotients(&s, 0, 0);
    consider_parts(&s, 0);
    for (size_t i = 0; i < s.moduli && (s.agreed < count || s.words > SIMPLE); i++)
        consider_quotients(&s, s.modulus[i], 1);
    consider_blocks(&s, hint, hints, 1);
    return s.best;
}

/* Where no pair has the remainder 0, as the last block of some is a whole one, it becomes that of a
 * whole block: remainders are counted from 1 to a. */
static void shift_remainders(accordi_guess *g, const accordi_pair *pair, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (pair[i].n % g->a == 0 && accordi_guess_value(g, pair[i].n) == pair[i].v)
            return;
    g->e = g->a - 1;
    g->d += 1;
    g->c -= g->blocks;
}

accordi_guess accordi_guess_other(const accordi_guess *guess, const accordi_pair *pair,
                                  size_t count, bool late)
{
    accordi_guess g = *guess;
    int64_t least = g.b, greatest = 0;
    if (g.s == 0 || g.less)
        return g;
    if (g.a)
        shift_remainders(&g, pair, count);
    for (size_t i = 0; i < count; i++) {
        int64_t n = pair[i].n, rest = ((g.a ? (n + g.e) % g.a : n) + g.d) % g.b;
        if (accordi_guess_value(&g, n) != pair[i].v)
            continue;
        least = rest < least ? rest : least;
        greatest = rest > greatest ? rest : greatest;
    }
    if (least > 0) { /* by `least` later, or by one */
        g.d += g.b - (late ? least : 1);
        g.c -= g.s;
    } else if (late) {
        g.d += g.b - 1 - greatest;
    }
    g.c += g.s * (g.d / g.b);
    g.d %= g.b;
    return g;
}
