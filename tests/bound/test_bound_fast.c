/* Bounds under -ffast-math: random rewritings of random expressions, never outside. A rewriting is
 * made as accord/bound.h has it: sums and products in any order, factors taken out of sums,
 * products distributed over one sum in two parts, fused, wider, with reciprocals; near underflow,
 * too. */
#include "evaluations.h"

typedef struct sum sum;
/* A factor or a divisor: a sum that is rewritten, or a number or root; `cut`: it went away. */
typedef struct factor {
    const node *n;
    sum *s;
    bool below, cut;
} factor;

enum { FACTORS = 64, TERMS = 64, ROOM = 6000 };
typedef struct term {
    bool minus;
    size_t count;
    factor f[FACTORS];
} term;

/* `whole`: factors are neither taken out of it nor multiplied into it. */
struct sum {
    size_t count;
    term *t[TERMS];
    double mass;
    bool whole;
};

static term terms[ROOM];
static sum sums[ROOM];
static size_t terms_used, sums_used;

static term *new_term(const term *from)
{
    assert_true(terms_used < ROOM);
    term *t = &terms[terms_used++];
    *t = from ? *from : (term){.count = 0};
    return t;
}

static sum *new_sum(void)
{
    assert_true(sums_used < ROOM);
    sums[sums_used] = (sum){.count = 0};
    return &sums[sums_used++];
}

static void add_term(sum *s, term *t)
{
    assert_true(s->count < TERMS);
    s->t[s->count++] = t;
}

static void add_factor(term *t, factor f)
{
    assert_true(t->count < FACTORS);
    t->f[t->count++] = f;
}

/* ---- how large ---- */

static double plain(const node *n)
{
    double x = n->a ? plain(n->a) : n->value, y = n->b ? plain(n->b) : 0;
    return n->kind == '+'   ? x + y
           : n->kind == '-' ? x - y
           : n->kind == '*' ? x * y
           : n->kind == '/' ? x / y
           : n->kind == 'r' ? sqrt(x)
                            : x;
}

static double factor_mass(const factor *f)
{
    double x = f->s ? f->s->mass : fabs(plain(f->n));
    return f->below ? 1 / x : x;
}

static double term_mass(const term *t)
{
    double m = 1;
    for (size_t i = 0; i < t->count; i++)
        m *= factor_mass(&t->f[i]);
    return m;
}

/* The greatest product of some of its factors. */
static double reach(const term *t)
{
    double g = 1;
    for (size_t i = 0; i < t->count; i++)
        g *= fmax(1, factor_mass(&t->f[i]));
    return g;
}

static void set_mass(sum *s)
{
    s->mass = 0;
    for (size_t i = 0; i < s->count; i++)
        s->mass += term_mass(s->t[i]);
}

static bool may_move(double size, const sum *s)
{
    return size <= 0x1p32 * fmax(1, s->mass) * (1 - 0x1p-20);
}

static void finish(sum *s)
{
    for (size_t i = 0; i < s->count; i++)
        s->whole |= !may_move(reach(s->t[i]), s);
}

/* ---- rewriting ---- */

static sum *rewrite(const node *n);

/* Multiplies a sum of one term into a product. */
static void merge(term *t, const term *one, bool below)
{
    t->minus = t->minus != one->minus;
    for (size_t i = 0; i < one->count; i++) {
        factor f = one->f[i];
        f.below = f.below != below;
        add_factor(t, f);
    }
}

static void add_sum(term *t, sum *s, bool below)
{
    if (s->count == 1 && !s->whole)
        merge(t, s->t[0], below);
    else
        add_factor(t, (factor){NULL, s, below, false});
}

static void add_factors(term *t, const node *n, bool below)
{
    if (n->kind == '*' || n->kind == '/') {
        add_factors(t, n->a, below);
        add_factors(t, n->b, below != (n->kind == '/'));
    } else if (n->kind == '+' || n->kind == '-') {
        add_sum(t, rewrite(n), below);
    } else {
        add_factor(t, (factor){n, NULL, below, false});
    }
}

/* (x + c) y as x y + c y, where x and c are sums too. */
static term *distribute(term *t)
{
    for (size_t k = 0; k < t->count; k++) {
        sum *s = t->f[k].s, *part[2];
        if (!s || s->whole || s->count < 2 || t->f[k].below || chance(2))
            continue;
        size_t first = 1 + below(s->count - 1), turn = below(s->count);
        t->f[k] = t->f[--t->count];
        term *more = new_term(t);
        for (int i = 0; i < 2; i++) {
            part[i] = new_sum();
            for (size_t j = i ? first : 0; j < (i ? s->count : first); j++)
                add_term(part[i], s->t[(j + turn) % s->count]);
            set_mass(part[i]);
            add_sum(i ? more : t, part[i], false);
        }
        return more;
    }
    return NULL;
}

static bool same_factor(const factor *f, const factor *g)
{
    return f->n && f->n == g->n && f->below == g->below;
}

/* Takes a common factor out of two terms or more, then perhaps another, and makes one term of
 * them. */
static void factor_out(sum *s)
{
    term *first = s->t[below(s->count)], *common = new_term(NULL);
    sum *rest = new_sum();
    bool goes[TERMS] = {false};
    if (first->count == 0)
        return;
    factor taken = first->f[below(first->count)];
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->t[i]->count && !goes[i]; k++)
            if (same_factor(&taken, &s->t[i]->f[k]) && !chance(5)) {
                term *left = new_term(s->t[i]);
                left->f[k] = left->f[--left->count];
                add_term(rest, left);
                goes[i] = true;
            }
    if (rest->count < 2)
        return;
    set_mass(rest);
    if (chance(2))
        factor_out(rest);
    finish(rest);
    add_factor(common, taken);
    add_sum(common, rest, false);
    if (!may_move(reach(common), s))
        return;
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (!goes[i])
            s->t[kept++] = s->t[i];
    s->count = kept;
    add_term(s, common);
}

static void add_terms(sum *s, const node *n, bool minus)
{
    if (n->kind == '+' || n->kind == '-') {
        add_terms(s, n->a, minus);
        add_terms(s, n->b, minus != (n->kind == '-'));
        return;
    }
    term *t = new_term(NULL);
    t->minus = minus;
    add_factors(t, n, false);
    term *more = chance(2) ? distribute(t) : NULL;
    add_term(s, t);
    if (more)
        add_term(s, more);
}

static sum *rewrite(const node *n)
{
    sum *s = new_sum();
    add_terms(s, n, false);
    set_mass(s);
    for (int i = 0; i < 3 && chance(2); i++)
        factor_out(s);
    finish(s);
    return s;
}

/* ---- evaluating ---- */

static double fast(const node *n);
static double value_of_sum(const sum *s);

static double off_by(double x, double ulp)
{
    return (double)(float)(x * (1 + ulp * 0x1p-23 * (2 * accordi_rng_unit(&rng) - 1) * 0.49));
}

static double value_of_factor(const factor *f)
{
    return f->s                ? value_of_sum(f->s)
           : f->n->kind == 'v' ? flushed(f->n->value)
                               : off_by(sqrt(fast(f->n->a)), 2);
}

/* x / y * y, and sqrt(x) * sqrt(x), which leaves x. */
static void cut_factors(factor *f, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++) {
            if (f[i].cut || f[k].cut || f[i].s || f[k].s || chance(2))
                continue;
            if (f[i].n == f[k].n && f[i].below != f[k].below) {
                f[i].cut = f[k].cut = true;
            } else if (f[i].n->kind == 'r' && f[k].n->kind == 'r' && f[i].n->a == f[k].n->a &&
                       f[i].below == f[k].below && f[i].n->a->kind == 'v') {
                f[k].cut = true;
                f[i].n = f[i].n->a;
            }
        }
}

static double product_of(const term *t)
{
    double up[FACTORS], down[FACTORS];
    term cut = *t;
    size_t ups = 0, downs = 0;
    cut_factors(cut.f, cut.count);
    for (size_t i = 0; i < cut.count; i++) {
        if (cut.f[i].cut)
            continue;
        double x = value_of_factor(&cut.f[i]);
        if (!cut.f[i].below)
            up[ups++] = x;
        else if (chance(2))
            up[ups++] = flushed(off_by(1 / x, 2));
        else
            down[downs++] = x;
    }
    for (; ups > 1; ups--) {
        size_t i = below(ups), k = below(ups - 1);
        k += k >= i;
        double x = rounded(up[i] * up[k]);
        up[i < k ? i : k] = x;
        up[i < k ? k : i] = up[ups - 1];
    }
    for (; downs > 1; downs--)
        down[downs - 2] = rounded(down[downs - 2] * down[downs - 1]);
    double x = ups ? up[0] : 1;
    return downs ? rounded(x / down[0]) : x;
}

static double value_of_sum(const sum *s)
{
    entry e[TERMS];
    for (size_t i = 0; i < s->count; i++) {
        const term *t = s->t[i];
        double sign = t->minus ? -1 : 1;
        bool fuses = t->count == 2 && !t->f[0].below && !t->f[1].below;
        e[i] = fuses ? (entry){sign * value_of_factor(&t->f[0]), value_of_factor(&t->f[1]), true}
                     : (entry){sign * product_of(t), 1, false};
    }
    return sum_of(e, s->count);
}

static double fast(const node *n)
{
    size_t terms_before = terms_used, sums_before = sums_used;
    double x = value_of_sum(rewrite(n));
    terms_used = terms_before;
    sums_used = sums_before;
    return x;
}

/* ---- tests ---- */

/* Variables are used again, for factors to be common. */
static node *random_expression(node *const *variable, size_t variables, int depth)
{
    if (depth == 0 || chance(5))
        return variable[below(variables)];
    uint64_t what = below(20);
    node *a = random_expression(variable, variables, depth - 1);
    if (what == 0)
        return make('r', 0, make('*', 0, a, a), NULL);
    node *b = random_expression(variable, variables, depth - 1);
    return make(what < 7 ? '+' : what < 11 ? '-' : what < 18 ? '*' : '/', 0, a, b);
}

static void try_expressions(size_t count, const int scale[4], int spread, unsigned most)
{
    bounded = 0;
    for (size_t i = 0; i < count; i++) {
        node *variable[4], *n;
        nodes = 0;
        keeps_wide = chance(2);
        flushes = chance(5);
        for (size_t k = 0; k < 4; k++) {
            double x = ldexp(number(spread), scale[chance(3) ? below(4) : k]);
            variable[k] = make('v', (double)(float)x, NULL, NULL);
        }
        n = random_expression(variable, 4, 1 + (int)below(most));
        if (chance(2))
            n = cancelled(n, fast);
        try_all(n, ACCORD_BOUND_FAST | (flushes ? ACCORD_BOUND_FTZ : 0), 60, fast);
    }
    printf("# %zu of %zu bounds are finite\n", bounded, count);
    assert_true(bounded > count / 2);
}

static void test_fast(void **state)
{
    (void)state;
    try_expressions(trials(900), (const int[]){0, 0, 0, 0}, 2, 5);
    try_expressions(trials(100), (const int[]){0, 0, 0, 0}, 40, 4);
}

/* Products underflow, and what multiplies them is small or large. */
/* What gcc -ffast-math makes of functions: powers of constants as exponentials, and functions of
 * vectors that err by 4 ulp. */
static void holds(enum accord_format f, const char *text, double x, double value)
{
    const accord_bound_binding binding = {"x", x, x};
    accord_bound_expression *e = NULL;
    assert_int_equal(accord_bound_parse(text, f, 1, &binding, &e, NULL), ACCORD_OK);
    accord_bound *bound = bounds_of(e, ACCORD_BOUND_FAST);
    if (!(bound->low <= value && value <= bound->high))
        fail_msg("%s, x = %a: %a is not in [%a, %a]", text, x, value, bound->low, bound->high);
    accord_bound_free(bound);
    accord_bound_expression_free(e);
}

static void test_functions(void **state)
{
    (void)state;
    for (size_t i = 0; i < trials(300); i++) {
        double x = 300 * (2 * accordi_rng_unit(&rng) - 1), ulp = 0x1p-23;
        holds(ACCORD_F64, "pow(10, x)", x, exp(x * log(10)));
        holds(ACCORD_F64, "pow(0.3, x)", x, exp(x * log(0.3)));
        x = (float)x;
        holds(ACCORD_F32, "sin(x)", x, (float)(sin(x) * (1 + 1.5 * ulp)));
        holds(ACCORD_F32, "log(x*x + 2)", 1000, (float)(log(1000002) * (1 - 1.5 * ulp)));
    }
}

static void test_underflow(void **state)
{
    (void)state;
    try_expressions(trials(400), (const int[]){-74, -76, -74, 1}, 2, 4);
    try_expressions(trials(400), (const int[]){-140, -12, 12, 1}, 3, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fast),
        cmocka_unit_test(test_underflow),
        cmocka_unit_test(test_functions),
    };
    accordi_rng_init(&rng, trials_seed());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
