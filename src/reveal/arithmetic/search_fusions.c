/* Explains replays by elimination. For what probes at single nodes cannot show (where alpha enters,
 * how a mean divides) every possibility is tried, and where no probe found an arithmetic, so are
 * the plain ones. An arithmetic is accepted only if all rows agree. */
#include "reveal/arithmetic/search.h"
#include "reveal/arithmetic/alphas.h"
#include "reveal/arithmetic/node_arithmetic.h"
#include "reveal/arithmetic/stored_sums.h"
#include <math.h>

typedef struct search {
    accordi_asker *asker;
    const accord_tree *tree;
    const accordi_replays *replays;
    accordi_explanation *e;
} search;

/* ---- one try ---- */

static enum accord_status keep(search *s, const accord_arithmetic *a, size_t agreed)
{
    accord_arithmetic *copy = NULL;
    accordi_asker *asker = s->asker;
    asker->status = accord_arithmetic_copy(a, a->of_node ? s->tree->inner : 0, &copy, asker->error);
    if (asker->status)
        return asker->status;
    accord_arithmetic_free(s->e->best);
    s->e->best = copy;
    s->e->agreed = agreed;
    return ACCORD_OK;
}

/* A few rows first: most tries fail there. */
static enum accord_status try_as_it_is(search *s, const accord_arithmetic *a, bool whole)
{
    size_t rows = s->replays->rows, few = 8 * s->replays->draw.block, agree = 0;
    const accord_model model = {s->tree, a};
    if (s->e->agreed == rows)
        return s->asker->status;
    if (!whole && rows > few) {
        if (accordi_replays_agree(s->asker, s->replays, &model, few, &agree) || agree < few)
            return s->asker->status;
    }
    if (!accordi_replays_agree(s->asker, s->replays, &model, rows, &agree) && agree > s->e->agreed)
        keep(s, a, agree);
    return s->asker->status;
}

/* With what is known of subnormals. */
static enum accord_status try(search *s, const accord_arithmetic *a, bool whole)
{
    accord_arithmetic *flushed = NULL;
    accordi_asker *asker = s->asker;
    if (!s->e->flushes || a->extended || s->e->agreed == s->replays->rows)
        return try_as_it_is(s, a, whole);
    asker->status =
        accord_arithmetic_copy(a, a->of_node ? s->tree->inner : 0, &flushed, asker->error);
    if (!asker->status && !accordi_flushes_apply(asker, s->tree, s->e->flushes, flushed))
        try_as_it_is(s, flushed, whole);
    accord_arithmetic_free(flushed);
    return asker->status;
}

/* ---- the ways of alpha ---- */

/* The nodes from the root to the leaf where sums start: the start value's, else the first. */
static enum accord_status try_path(search *s, accord_arithmetic a)
{
    const accord_tree *tree = s->tree;
    uint32_t node = tree->leaves + tree->inner - 1, n = tree->leaves;
    bool start = s->asker->target->has_start;
    a.alpha_at = ACCORD_ALPHA_SUM;
    for (int fused = 0; start && fused < 2; fused++) {
        a.alpha_node = node; /* the start is multiplied by beta / alpha before */
        a.alpha_fused = fused;
        try(s, &a, false);
    }
    for (int fused = 0; start && fused < 2; fused++) {
        a.alpha_node = n - 1;
        a.alpha_fused = fused;
        try(s, &a, false);
    }
    while (!start && !s->asker->status && s->e->agreed < s->replays->rows) {
        for (int fused = 0; fused < 2; fused++) {
            a.alpha_node = node;
            a.alpha_fused = fused;
            try(s, &a, false);
        }
        if (node < n)
            break;
        node = tree->child[tree->first[node - n]];
    }
    return s->asker->status;
}

static enum accord_status try_alphas(search *s, accord_arithmetic a, bool whole)
{
    if (a.alpha == 1) {
        a.alpha_at = ACCORD_ALPHA_ONE;
        return try(s, &a, whole);
    }
    try_path(s, a);
    a.alpha_at = ACCORD_ALPHA_X;
    try(s, &a, false);
    a.alpha_at = ACCORD_ALPHA_Y;
    return try(s, &a, whole);
}

bool accordi_alpha_hides(const accordi_asker *asker)
{
    return asker->alpha != 1 && fabs(frexp(asker->alpha, &(int){0})) == 0.5;
}

/* Products with a power of two are exact: then probes ask with another alpha nearby, for which
 * libraries have the same code. */
static double telling_alpha(const accordi_asker *asker)
{
    double by = fabs(asker->alpha) == 1 ? 0.7 : 1.3; /* still above 1, or not */
    return accordi_alpha_hides(asker)
               ? accord_format_round(asker->target->format, ACCORD_NEAREST_EVEN, by * asker->alpha)
               : asker->alpha;
}

/* Alpha enters in one way here and in another there: probes tell. */
static enum accord_status find_alphas(search *s, const accord_arithmetic *found,
                                      accord_arithmetic **made)
{
    accordi_asker *asker = s->asker;
    double own = asker->alpha;
    asker->target->alpha = asker->alpha = telling_alpha(asker);
    if (!accordi_alphas(asker, s->tree, found, made) && !*made)
        accordi_retaken(asker, s->tree, found, made);
    asker->target->alpha = asker->alpha = own;
    if (*made)
        (*made)->alpha = own;
    return asker->status;
}

/* Where a product of alpha vanishes the sign of its zero depends on where sums start. */
static enum accord_status ask_alphas(search *s, const accord_arithmetic *found)
{
    accord_arithmetic *made = NULL;
    accordi_asker *asker = s->asker;
    if (!found || asker->alpha == 1 || s->e->agreed == s->replays->rows ||
        find_alphas(s, found, &made) || !made)
        return asker->status;
    for (int zero = 0; zero < 4 && !asker->status; zero++) {
        made->zero_last = zero == 0 ? s->e->zero_last : zero == 1;
        made->negative_zero = made->zero_last || (zero == 0 ? s->e->negative_zero : zero == 2);
        try(s, made, true);
    }
    accord_arithmetic_free(made);
    return asker->status;
}

enum accord_status accordi_explain_alpha(accordi_asker *asker, const accord_tree *tree,
                                         const accordi_replays *replays, accordi_explanation *e)
{
    search s = {asker, tree, replays, e};
    return ask_alphas(&s, e->found);
}

/* ---- the ways of a mean, and of a norm ---- */

static void set_factors(const accordi_asker *asker, const accordi_explanation *e,
                        accord_arithmetic *a)
{
    a->negative_zero = e->negative_zero || e->zero_last;
    a->zero_last = e->zero_last;
    a->alpha = asker->alpha;
    a->beta = asker->beta;
    a->alpha_at = a->alpha == 1 ? ACCORD_ALPHA_ONE : ACCORD_ALPHA_SUM;
    a->alpha_node = 0;
    a->finish = asker->scale == 1 ? ACCORD_FINISH_NONE : ACCORD_FINISH_TIMES;
    a->factor = asker->scale;
}

/* A root may be taken of what is a result already: a sum or a mean in the output's format. */
static enum accord_status try_ending(search *s, accord_arithmetic *a, enum accord_finish finish,
                                     double factor, bool whole)
{
    accord_arithmetic with = *a;
    with.finish = finish;
    with.factor = factor;
    try_alphas(s, with, whole);
    with.radicand = with.output;
    if (finish >= ACCORD_FINISH_ROOT && with.operations > 0 &&
        with.operation->format != with.output)
        try_alphas(s, with, whole);
    return s->asker->status;
}

/* Times what the probes saw, times the inverse of a whole number as a format has it, or divided by
 * that number. */
static enum accord_status try_factors(search *s, accord_arithmetic a, double scale, bool root,
                                      bool whole)
{
    const enum accord_format formats[] = {a.output, ACCORD_F32,
                                          a.operations ? a.operation->format : a.output};
    enum accord_finish times = root ? ACCORD_FINISH_ROOT_TIMES : ACCORD_FINISH_TIMES;
    enum accord_finish over = root ? ACCORD_FINISH_ROOT_OVER : ACCORD_FINISH_OVER;
    double inverse = rint(1 / scale), near = inverse >= 1 ? 1 / inverse : scale;
    try_ending(s, &a, times, scale, whole);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        double factor = accord_format_round(formats[f], ACCORD_NEAREST_EVEN, near);
        bool old = factor == scale;
        for (size_t i = 0; i < f; i++)
            old = old || factor == accord_format_round(formats[i], ACCORD_NEAREST_EVEN, near);
        if (!old)
            try_ending(s, &a, times, factor, whole);
    }
    return inverse >= 1 ? try_ending(s, &a, over, inverse, whole) : s->asker->status;
}

/* A negative alpha turns the sign of the zero that was asked for, unless +0 is added last. */
static enum accord_status try_zeros(search *s, accord_arithmetic a, bool whole)
{
    try_alphas(s, a, whole);
    for (int zero = 0; zero < 3 && !s->asker->status; zero++) {
        a.zero_last = zero == 1;
        a.negative_zero = zero > 0;
        try_alphas(s, a, false);
    }
    return s->asker->status;
}

/* Of squares the result may be a root; then the scale that probes see is one too. */
static enum accord_status try_finishes(search *s, accord_arithmetic a, bool whole)
{
    double scale = s->asker->scale;
    bool square = a.term == ACCORD_TERM_SQUARE;
    set_factors(s->asker, s->e, &a);
    if (scale == 1 && a.alpha < 0)
        return try_zeros(s, a, whole);
    if (scale == 1 && !try_ending(s, &a, ACCORD_FINISH_NONE, a.factor, whole) && square)
        try_ending(s, &a, ACCORD_FINISH_ROOT, a.factor, whole);
    if (scale != 1 && !try_factors(s, a, scale, false, whole) && square)
        try_factors(s, a, scale * scale, true, whole);
    /* Where a sum starts at 0, and a mean is added to 0 too, no sum of -0 tells. */
    a.zero_last = a.negative_zero = !a.zero_last;
    if (scale != 1 && !s->e->negative_zero)
        try_factors(s, a, scale, false, whole);
    return s->asker->status;
}

/* ---- the ways of narrow formats inside ---- */

static bool contains(enum accord_format wide, enum accord_format narrow)
{
    const accord_format_info *a = accord_format_get(wide), *b = accord_format_get(narrow);
    return a->precision >= b->precision && a->max_exponent >= b->max_exponent &&
           a->least <= b->least;
}

/* What terms lose on their way (kept.c) is lost by the sums; or the operands are rounded before
 * anything else, into the format that probes were written in or, where the sums lose the rest, into
 * one that contains it. */
static enum accord_status try_operands(search *s, accord_arithmetic a, bool whole)
{
    static const enum accord_rounding roundings[] = {ACCORD_NEAREST_EVEN, ACCORD_TOWARD_ZERO,
                                                     ACCORD_NEAREST_AWAY};
    enum accord_format given = s->asker->target->format, kept = s->asker->format;
    try_finishes(s, a, whole);
    for (int f = 0; f < ACCORD_FORMAT_COUNT && kept != given; f++) {
        enum accord_format format = (enum accord_format)f;
        if (format == given || !contains(given, format) || !contains(format, kept))
            continue;
        for (size_t r = 0; r < sizeof roundings / sizeof *roundings; r++) {
            a.operand = format;
            a.operand_rounding = roundings[r];
            try_finishes(s, a, false);
        }
    }
    return s->asker->status;
}

/* With products rounded into the format. */
static enum accord_status try_products(search *s, const accord_arithmetic *a,
                                       enum accord_format product)
{
    accordi_asker *asker = s->asker;
    accord_arithmetic *other = NULL;
    asker->status =
        accord_arithmetic_copy(a, a->of_node ? s->tree->inner : 0, &other, asker->error);
    for (size_t i = 0; !asker->status && i < other->operations; i++)
        other->operation[i].product = product;
    if (!asker->status)
        try_operands(s, *other, false);
    accord_arithmetic_free(other);
    return asker->status;
}

/* With products as found, and rounded into f32 or the format of the interface on the way: before
 * sums narrow them, or where they are exact but for their range. Squares that are rounded before a
 * wider sum, as in mean(x * x), are tried too. */
static enum accord_status try_narrow(search *s, const accord_arithmetic *a, bool whole)
{
    accordi_asker *asker = s->asker;
    enum accord_format given = asker->target->format;
    bool product = asker->term == ACCORD_TERM_PRODUCT && asker->format != given;
    bool square = asker->term == ACCORD_TERM_SQUARE && a->operations > 0 &&
                  a->operation->format != given && contains(a->operation->format, given);
    if (try_operands(s, *a, whole) || !(product || square))
        return asker->status;
    if (!try_products(s, a, given) && given != ACCORD_F32)
        try_products(s, a, ACCORD_F32);
    return asker->status;
}

/* With products of zero left out. An alpha that multiplies a sum without rounding may multiply
 * operands too, which shows only in what is left out. */
static void try_skips(search *s, accord_arithmetic a)
{
    bool hides = a.alpha_at == ACCORD_ALPHA_SUM && (a.alpha == -1 || accordi_alpha_hides(s->asker));
    a.skips_zero = true;
    for (int skips = 0; skips < 3 && !s->asker->status; skips++) {
        a.skips = (enum accord_skips)skips;
        try(s, &a, false);
        for (int at = ACCORD_ALPHA_X; hides && at <= ACCORD_ALPHA_Y; at++) {
            accord_arithmetic one = a;
            one.alpha_at = (enum accord_alpha)at;
            one.alpha_node = 0;
            one.alpha_fused = false;
            try(s, &one, false);
        }
    }
}

/* With subnormals as zero, of operands or of results, and with products of zero left out. */
static void try_flushed(search *s, accord_arithmetic a, unsigned first)
{
    for (unsigned way = s->e->flushes ? 4 : first; way < 8 && !s->asker->status;
         way += s->e->flushes ? 4 : 1) {
        a.flush = (way & 1 ? ACCORD_FLUSH_X | ACCORD_FLUSH_Y : 0) |
                  (way & 2 ? ACCORD_FLUSH_PRODUCTS | ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT : 0);
        if (way & 4)
            try_skips(s, a);
        else
            try(s, &a, false);
    }
}

/* What most rows agree with may be right but for subnormals, or for zero factors: an eighth of the
 * rows is tiny. */
static bool nearly(const search *s)
{
    size_t rows = s->replays->rows;
    return !s->asker->status && s->e->agreed < rows && s->e->agreed >= rows - rows / 6;
}

/* A zero of the other sign agrees with some of what is flushed or left out. So after the zeros of
 * the best try come those that were asked for and, as a negative alpha turns signs, all. */
static enum accord_status try_flushes(search *s)
{
    enum { ZEROS = 3 }; /* +0 first, nothing, +0 last */
    accord_arithmetic *best = NULL;
    if (!nearly(s))
        return s->asker->status;
    s->asker->status = accord_arithmetic_copy(s->e->best, s->e->best->of_node ? s->tree->inner : 0,
                                              &best, s->asker->error);
    if (s->asker->status)
        return s->asker->status;
    unsigned first = (unsigned)best->negative_zero + best->zero_last;
    unsigned asked = s->e->zero_last ? 2 : s->e->negative_zero;
    for (unsigned i = 0; i < ZEROS && !s->asker->status; i++) {
        unsigned zeros = (first + i) % ZEROS;
        best->negative_zero = zeros > 0;
        best->zero_last = zeros == 2;
        if (i == 0 || zeros == asked || best->alpha < 0)
            try_flushed(s, *best, 1);
    }
    accord_arithmetic_free(best);
    return s->asker->status;
}

/* ---- the ways of fusion ---- */

/* A leaf that a sum takes enters unrounded, and of two leaves the one in place `of_two` (-1: none)
 * does. Nodes that fuse stay as they are; the tail does with `no_tail`: the nodes from the root
 * down as long as one of their children is a leaf, which is the loop over what is left of a vector
 * when its body is done. */
static void fuse(const accord_tree *tree, const accord_arithmetic *a, int of_two, bool no_tail,
                 accord_operation *of_node)
{
    for (uint32_t k = 0; k < tree->inner; k++) {
        const uint32_t *child = tree->child + tree->first[k];
        accord_operation *op = &of_node[k];
        *op = a->operation[a->of_node ? a->of_node[k] : 0];
        if (op->fused != -1 || tree->first[k + 1] - tree->first[k] != 2)
            continue;
        bool leaf[2] = {child[0] < tree->leaves, child[1] < tree->leaves};
        op->fused = leaf[0] && leaf[1] ? of_two : leaf[0] ? 0 : leaf[1] ? 1 : -1;
    }
    for (uint32_t k = tree->inner - 1; no_tail;) {
        const uint32_t *child = tree->child + tree->first[k];
        bool first = child[0] < tree->leaves, second = child[1] < tree->leaves;
        if (tree->first[k + 1] - tree->first[k] != 2 || first == second)
            break;
        of_node[k] = a->operation[a->of_node ? a->of_node[k] : 0];
        k = child[first] - tree->leaves;
    }
}

/* Does the root add a leaf, and is that not so down to the end? */
static bool has_tail(const accord_tree *tree)
{
    uint32_t k = tree->inner - 1, length = 0;
    for (; tree->inner > 0; length++) {
        const uint32_t *child = tree->child + tree->first[k];
        bool first = child[0] < tree->leaves, second = child[1] < tree->leaves;
        if (tree->first[k + 1] - tree->first[k] != 2 || first == second)
            return length > 0 && !(first && second);
        k = child[first] - tree->leaves;
    }
    return false;
}

static enum accord_status try_fused(search *s, const accord_arithmetic *base, bool flushed)
{
    accordi_asker *asker = s->asker;
    int ways = has_tail(s->tree) ? 6 : 3;
    accord_operation *of_node = accordi_alloc(s->tree->inner + 1, sizeof *of_node);
    if (!of_node)
        asker->status = accordi_nomem(asker->error);
    for (int way = 0; way < ways && !asker->status; way++) {
        accord_arithmetic *fused = NULL;
        fuse(s->tree, base, 1 - way % 3, way >= 3, of_node);
        asker->status = accord_arithmetic_copy(base, 0, &fused, asker->error);
        if (!asker->status && !accordi_arithmetic_tabulate(asker, s->tree, of_node, fused)) {
            try(s, fused, false);
            if (flushed)
                try_flushed(s, *fused, 1);
        }
        accord_arithmetic_free(fused);
    }
    free(of_node);
    return asker->status;
}

static void set_root(const accordi_asker *asker, accord_arithmetic *a)
{
    double inverse = rint(1 / (asker->scale * asker->scale));
    a->finish = asker->scale == 1 ? ACCORD_FINISH_ROOT : ACCORD_FINISH_ROOT_OVER;
    a->factor = asker->scale == 1 ? 1 : inverse;
}

/* Plain arithmetic with fusion, with a root at the end or without. */
static enum accord_status try_plain_fused(search *s, enum accord_format format, bool root)
{
    accordi_asker *asker = s->asker;
    accord_arithmetic *plain = NULL;
    asker->status = accord_arithmetic_plain(asker->term, asker->target->format, format,
                                            asker->target->output, &plain, asker->error);
    if (asker->status)
        return asker->status;
    set_factors(asker, s->e, plain);
    if (root)
        set_root(asker, plain);
    try_fused(s, plain, nearly(s));
    accord_arithmetic_free(plain);
    return asker->status;
}

/* Whether products enter unrounded, probes show where rounding tells. It does not where products
 * are exact but for those that are subnormal; and squares are not asked one by one. */
static enum accord_status try_fusions(search *s, const enum accord_format *format, size_t formats)
{
    accordi_asker *asker = s->asker;
    bool square = asker->term == ACCORD_TERM_SQUARE;
    if (!square && !(nearly(s) && asker->term == ACCORD_TERM_PRODUCT))
        return asker->status;
    for (size_t i = 0; i < formats && !asker->status && s->e->agreed < s->replays->rows; i++)
        if (!try_plain_fused(s, format[i], false) && square)
            try_plain_fused(s, format[i], true);
    if (!nearly(s))
        return asker->status;
    accord_arithmetic *best = NULL;
    asker->status = accord_arithmetic_copy(s->e->best, s->e->best->of_node ? s->tree->inner : 0,
                                           &best, asker->error);
    if (!asker->status)
        try_fused(s, best, true);
    accord_arithmetic_free(best);
    return asker->status;
}

/* Of a single term probes see the same in |x| and in the root of its square. */
static enum accord_status try_lone_root(search *s, const enum accord_format *format, size_t formats)
{
    accordi_asker *asker = s->asker;
    if (asker->n > 1 || asker->term != ACCORD_TERM_ABSOLUTE)
        return asker->status;
    for (size_t i = 0; i < formats && !asker->status && s->e->agreed < s->replays->rows; i++) {
        accord_arithmetic *plain = NULL;
        asker->status =
            accord_arithmetic_plain(ACCORD_TERM_SQUARE, asker->target->format, format[i],
                                    asker->target->output, &plain, asker->error);
        if (!asker->status)
            try_finishes(s, *plain, false);
        accord_arithmetic_free(plain);
    }
    return asker->status;
}

static const accord_operation *operation_of(const accord_arithmetic *a, uint32_t k)
{
    return &a->operation[a->of_node ? a->of_node[k] : 0];
}

/* Every sum in f64, and stored in f32 where it is one in f32 or enters one. */
static void store(const accord_tree *tree, const accord_arithmetic *a, accord_operation *of_node)
{
    for (uint32_t k = 0; k < tree->inner; k++)
        of_node[k] = *operation_of(a, k);
    for (uint32_t k = 0; k < tree->inner; k++) {
        if (operation_of(a, k)->format != ACCORD_F32)
            continue;
        accord_operation wide = {ACCORD_F64,
                                 of_node[k].rounding,
                                 ACCORD_F64,
                                 -1,
                                 of_node[k].stored ? of_node[k].stored : ACCORD_F32,
                                 of_node[k].keeps};
        of_node[k] = wide;
        for (uint32_t c = tree->first[k]; c < tree->first[k + 1]; c++)
            if (tree->child[c] >= tree->leaves &&
                of_node[tree->child[c] - tree->leaves].stored == ACCORD_F64)
                of_node[tree->child[c] - tree->leaves].stored = ACCORD_F32;
    }
}

/* Sums in f32 may be sums in f64 that are stored in f32: with products that f32 holds but for the
 * smallest ones, only those tell. */
static enum accord_status try_stored(search *s, const accord_arithmetic *found)
{
    accord_arithmetic *wide = NULL;
    accordi_asker *asker = s->asker;
    if (!found || !nearly(s) || asker->target->format == ACCORD_F64)
        return asker->status;
    accord_operation *of_node = accordi_alloc(s->tree->inner + 1, sizeof *of_node);
    if (!of_node)
        return asker->status = accordi_nomem(asker->error);
    store(s->tree, found, of_node);
    asker->status = accord_arithmetic_copy(found, 0, &wide, asker->error);
    if (!asker->status && !accordi_arithmetic_tabulate(asker, s->tree, of_node, wide)) {
        set_factors(asker, s->e, wide);
        try(s, wide, false);
    }
    free(of_node);
    accord_arithmetic_free(wide);
    return asker->status;
}

/* In x87's format, as C's long double and the code for x87 in libraries add. */
static enum accord_status try_extended(search *s)
{
    accordi_asker *asker = s->asker;
    accord_arithmetic *plain = NULL;
    enum accord_term term =
        asker->n == 1 && asker->term == ACCORD_TERM_ABSOLUTE ? ACCORD_TERM_SQUARE : asker->term;
    if (s->e->agreed == s->replays->rows || asker->alpha != 1 || asker->target->has_start ||
        (s->tree->inner && s->tree->inner + 1 != s->tree->leaves))
        return asker->status;
    asker->status = accord_arithmetic_plain(term, asker->target->format, ACCORD_F64,
                                            asker->target->output, &plain, asker->error);
    if (asker->status)
        return asker->status;
    plain->extended = true;
    try_finishes(s, *plain, false);
    accord_arithmetic_free(plain);
    return asker->status;
}

enum accord_status accordi_explain(accordi_asker *asker, const accord_tree *tree,
                                   const accordi_replays *replays, accordi_explanation *e)
{
    search s = {asker, tree, replays, e};
    enum accord_format format[ACCORDI_ACCUMULATORS];
    size_t formats = accordi_accumulators(asker, format);
    if (e->found && !try_narrow(&s, e->found, false))
        ask_alphas(&s, e->found);
    for (size_t i = 0; i < formats && !asker->status && e->agreed < replays->rows; i++) {
        accord_arithmetic *plain = NULL;
        asker->status = accord_arithmetic_plain(asker->term, asker->target->format, format[i],
                                                asker->target->output, &plain, asker->error);
        if (!asker->status)
            try_narrow(&s, plain, true);
        accord_arithmetic_free(plain);
    }
    if (!asker->status && !try_lone_root(&s, format, formats) && !try_flushes(&s))
        try_fusions(&s, format, formats);
    if (!asker->status && !try_stored(&s, e->found))
        try_extended(&s);
    return asker->status;
}

static enum accord_status ask_zero(accordi_asker *asker, bool *negative)
{
    accordi_ask_begin(asker, -0.0);
    accordi_ask_end(asker);
    if (!accordi_ask_run(asker))
        *negative = signbit(asker->result[0]);
    return asker->status;
}

/* A fused multiply-add of a product too small for the format leaves -0 where an addition of +0
 * would not: when that is last, no sum is -0. */
static enum accord_status ask_last(accordi_asker *asker, accordi_explanation *e)
{
    const accord_format_info *info = accord_format_get(asker->format);
    bool fused = false;
    for (size_t i = 0; e->found && i < e->found->operations; i++)
        fused = fused || e->found->operation[i].fused >= 0;
    int half = (info->min_exponent - info->precision - 2) / 2;
    if (!fused || e->negative_zero || half < info->min_exponent)
        return asker->status;
    accordi_ask_begin(asker, -ldexp(1, half));
    asker->second = ldexp(1, half);
    accordi_ask_end(asker);
    if (!accordi_ask_run(asker))
        e->zero_last = asker->result[0] == 0 && !signbit(asker->result[0]);
    return asker->status;
}

/* The least term, negative, is -0 in a mean, unless that is added to 0. Where what is subnormal
 * counts as zero, the least normal term tells. */
static enum accord_status ask_mean(accordi_asker *asker, accordi_explanation *e)
{
    const accord_format_info *info = accord_format_get(asker->format);
    if (asker->scale == 1 || e->negative_zero || asker->term != ACCORD_TERM_VALUE)
        return asker->status;
    accordi_ask_begin(asker, 0);
    accordi_ask_own(asker, 0, -info->least);
    accordi_ask_end(asker);
    accordi_ask_own(asker, 0, -ldexp(1, info->min_exponent));
    accordi_ask_end(asker);
    if (accordi_ask_run(asker))
        return asker->status;
    double told = asker->result[1] == 0 ? asker->result[1] : asker->result[0];
    e->zero_last = told == 0 && !signbit(told);
    return ACCORD_OK;
}

enum accord_status accordi_explain_first(accordi_asker *asker, const accord_tree *tree,
                                         accordi_explanation *e)
{
    const accord_target *target = asker->target;
    const accord_arithmetic *found = e->found;
    if (ask_zero(asker, &e->negative_zero) || ask_last(asker, e) || ask_mean(asker, e))
        return asker->status;
    asker->status = found ? accord_arithmetic_copy(found, found->of_node ? tree->inner : 0,
                                                   &e->best, asker->error)
                          : accord_arithmetic_plain(asker->term, target->format, target->output,
                                                    target->output, &e->best, asker->error);
    if (asker->status)
        return asker->status;
    set_factors(asker, e, e->best);
    if (e->best->alpha_at == ACCORD_ALPHA_SUM)
        e->best->alpha_node = target->has_start ? tree->leaves - 1 : tree->leaves + tree->inner - 1;
    return e->flushes ? accordi_flushes_apply(asker, tree, e->flushes, e->best) : ACCORD_OK;
}
