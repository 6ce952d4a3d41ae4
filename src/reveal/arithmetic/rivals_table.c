/* The rivals of a model: each differs from it in one parameter. A row of the table is a way to
 * differ. A difference that no input can show is left out where this can be computed. Formats and
 * roundings, which probes ask for at every node, are not in this table. */
#include "model/operation.h"
#include "model/words.h"
#include "reveal/arithmetic/node_arithmetic.h"
#include "reveal/arithmetic/rivals.h"
#include <math.h>

typedef struct change {
    accordi_asker *asker;
    const accord_tree *tree;
    accord_arithmetic *a; /* the copy that is changed */
} change;

/* What became of change number i: there is none any more, it does not apply, it was made. */
enum made { OVER, NOT, MADE };

static const accord_format_info *info(enum accord_format format)
{
    return accord_format_get(format);
}

static const accord_operation *last(const change *c)
{
    const accord_arithmetic *a = c->a;
    return &a->operation[a->of_node && c->tree->inner ? a->of_node[c->tree->inner - 1] : 0];
}

/* ---- zeros ---- */

/* What a sum of -0 alone is; and no product is left out, or those with a zero factor are, so that
 * no sum starts with them. */
static enum made zeros(change *c, size_t i)
{
    enum { WAYS = 8 }; /* four, of alpha = -1 in two places */
    static const enum accord_skips which[] = {ACCORD_SKIPS_EITHER, ACCORD_SKIPS_EITHER,
                                              ACCORD_SKIPS_X, ACCORD_SKIPS_Y};
    size_t skips = i / WAYS, zero = i % WAYS / 2;
    bool on_operands = skips > 0 && c->a->alpha == -1 && c->a->alpha_at == ACCORD_ALPHA_SUM;
    bool products = c->a->term == ACCORD_TERM_PRODUCT && !c->a->has_machine;
    if (skips == sizeof which / sizeof *which || (skips > 0 && !products))
        return OVER;
    if (i % 2 && !on_operands)
        return NOT;
    c->a->negative_zero = zero == 1 || zero == 2;
    c->a->zero_last = zero >= 2;
    c->a->skips_zero = skips > 0;
    c->a->skips = which[skips];
    if (i % 2 == 0 && on_operands) {
        c->a->alpha_at = ACCORD_ALPHA_X; /* where it does not show, but of what is left out */
        c->a->alpha_node = 0;
        c->a->alpha_fused = false;
    }
    return zero < 3 || accordi_twice_zero(c->a) ? MADE : NOT;
}

/* The sign of a zero that is added to another number, or multiplied at the end, shows in a zero
 * alone, unless something is flushed or left out. */
static bool is_of_zeros(const accord_arithmetic *a, const accord_arithmetic *b)
{
    return !a->flush && !a->has_machine && a->skips_zero == b->skips_zero && a->skips == b->skips &&
           a->alpha_at == b->alpha_at &&
           (a->negative_zero != b->negative_zero || a->zero_last != b->zero_last);
}

/* alpha times the last sum, rounded or not, and +0: the sign of a zero alone shows which. */
static bool fuses_last_zero(const accord_tree *tree, const accord_arithmetic *a,
                            const accord_arithmetic *b)
{
    uint32_t root = tree->leaves + tree->inner - 1;
    return a->zero_last && b->zero_last && a->finish == ACCORD_FINISH_NONE &&
           a->alpha_at == ACCORD_ALPHA_SUM && b->alpha_at == ACCORD_ALPHA_SUM &&
           a->alpha_node == root && b->alpha_node == root;
}

/* ---- the factor at the end ---- */

typedef struct way {
    enum accord_finish finish;
    double factor;
} way;

/* Times 1/4 is divided by 4. */
static bool same_way(way a, way b)
{
    int exponent;
    if (a.finish == b.finish)
        return a.factor == b.factor;
    return frexp(a.factor, &exponent) == 0.5 && a.factor * b.factor == 1;
}

/* Divided by an odd number no quotient is a tie, or nearer to one than 1/(2 divisor) of a last
 * place: times a factor that is closer to the inverse gives the same, if that is the last rounding.
 * (A quotient m / divisor has a tie k + 1/2 only if 2m = divisor (2k + 1), which is odd.) */
static bool is_inverse(const change *c, double factor, double divisor)
{
    const accord_operation op = c->a->operations ? *last(c) : (accord_operation){0};
    if (c->a->operations == 0 || op.format != c->a->output || fmod(divisor, 2) != 1 ||
        op.rounding != ACCORD_NEAREST_EVEN)
        return false;
    int p = info(op.format)->precision;
    return fabs(fma(factor, divisor, -1)) < ldexp(1 / divisor, -p - 2);
}

void accordi_rival_settle(accordi_asker *asker, const accord_tree *tree, accord_arithmetic *inout)
{
    const change c = {asker, tree, inout};
    bool root = inout->finish == ACCORD_FINISH_ROOT_TIMES;
    double inverse = rint(1 / inout->factor);
    if (!accordi_multiplies(inout->finish) || !is_inverse(&c, inout->factor, inverse))
        return;
    inout->finish = root ? ACCORD_FINISH_ROOT_OVER : ACCORD_FINISH_OVER;
    inout->factor = inverse;
}

static enum made factors(change *c, size_t i)
{
    const accord_arithmetic *a = c->a;
    bool root = a->finish > ACCORD_FINISH_ROOT;
    enum accord_finish times = root ? ACCORD_FINISH_ROOT_TIMES : ACCORD_FINISH_TIMES;
    enum accord_finish over = root ? ACCORD_FINISH_ROOT_OVER : ACCORD_FINISH_OVER;
    double scale = root ? c->asker->scale * c->asker->scale : c->asker->scale;
    double inverse = rint(1 / scale), whole = inverse > 1 ? 1 / inverse : scale;
    const way all[] = {{over, inverse},
                       {times, whole},
                       {times, scale},
                       {times, accord_format_round(ACCORD_F32, ACCORD_NEAREST_EVEN, whole)},
                       {times, accord_format_round(a->output, ACCORD_NEAREST_EVEN, whole)},
                       {times, accord_format_round(a->input, ACCORD_NEAREST_EVEN, whole)}};
    if (i == sizeof all / sizeof *all ||
        !(accordi_multiplies(a->finish) || accordi_divides(a->finish)))
        return OVER;
    bool old = all[i].factor == 0 || (i == 0 && inverse <= 1);
    old = old || same_way(all[i], (way){a->finish, a->factor});
    old = old || (i == 2 && fabs(fma(scale, inverse, -1)) < 0x1p-48); /* as it was measured */
    old = old ||
          (is_inverse(c, i == 0 ? 1 / inverse : all[i].factor, inverse) &&
           (accordi_divides(a->finish) ? a->factor == inverse : is_inverse(c, a->factor, inverse)));
    for (size_t k = 0; k < i; k++)
        old = old || same_way(all[i], all[k]);
    c->a->finish = all[i].finish;
    c->a->factor = all[i].factor;
    return old ? NOT : MADE;
}

/* ---- rounded once or twice ---- */

static bool has_products(const change *c)
{
    return c->a->term == ACCORD_TERM_PRODUCT || c->a->term == ACCORD_TERM_SQUARE;
}

/* What a product is rounded into before it enters the sum: into the format of the sum where a
 * wider one holds it exactly but, at most, for bits far below the least number or beyond the
 * greatest. */
static enum accord_format entering(const change *c, const accord_operation *op,
                                   enum accord_format product)
{
    int exact = 2 * info(accordi_operand_format(c->a))->precision, p = info(product)->precision;
    return p >= exact && p >= info(op->format)->precision ? op->format : product;
}

/* Every product that is rounded is rounded into this format first. */
static enum made products(change *c, size_t i)
{
    const enum accord_format all[] = {c->a->input, ACCORD_F32, ACCORD_F64, c->a->output};
    bool differs = false;
    if (i == sizeof all / sizeof *all || !has_products(c) || c->a->has_machine)
        return OVER;
    for (size_t k = 0; k < i; k++)
        if (all[k] == all[i])
            return NOT;
    for (size_t k = 0; k < c->a->operations; k++) {
        accord_operation *op = &c->a->operation[k];
        enum accord_format was = entering(c, op, op->product), now = entering(c, op, all[i]);
        if (was == now || info(now)->precision < info(op->format)->precision)
            continue;
        op->product = now;
        differs = true;
    }
    return differs ? MADE : NOT;
}

/* Sums that take products unrounded are rounded into a wider format first, as where code for one
 * format computes in another. Ties show that, but only beside terms far below them. */
static enum made twice(change *c, size_t i)
{
    static const enum accord_format wide[] = {ACCORD_F32, ACCORD_F64};
    bool some = false;
    if (i >= sizeof wide / sizeof *wide || !has_products(c) || c->a->has_machine)
        return OVER;
    for (size_t k = 0; k < c->a->operations; k++) {
        accord_operation *op = &c->a->operation[k];
        if (op->fused < 0 || op->stored != ACCORD_F64 ||
            info(op->format)->precision >= info(wide[i])->precision)
            continue;
        op->stored = op->format;
        op->format = wide[i];
        some = true;
    }
    return some ? MADE : NOT;
}

/* Narrower sums are made in f64 and then rounded, and so are the sums that enter them. Of numbers
 * of the narrow format that is the same, but not of products too small or too large for it. */
static enum made widened(change *c, size_t i)
{
    const accord_tree *tree = c->tree;
    bool some = false;
    if (i > 0 || !has_products(c) || c->a->has_machine)
        return OVER;
    accord_operation *of_node = accordi_alloc(tree->inner, sizeof *of_node);
    for (uint32_t k = 0; of_node && k < tree->inner; k++) {
        accord_operation *op = &of_node[k];
        *op = *accordi_operation_of(c->a, k);
        if (op->fused == ACCORD_STEP || op->stored != ACCORD_F64 || op->format == ACCORD_F64)
            continue;
        if (op->fused >= 0 || op->product == op->format)
            op->product = ACCORD_F64;
        op->fused = -1;
        op->stored = op->format;
        op->format = ACCORD_F64;
        some = true;
        for (uint32_t j = tree->first[k]; j < tree->first[k + 1]; j++) {
            uint32_t below = tree->child[j];
            if (below >= tree->leaves && of_node[below - tree->leaves].stored == ACCORD_F64)
                of_node[below - tree->leaves].stored = op->stored;
        }
    }
    some = some && !accordi_arithmetic_tabulate(c->asker, tree, of_node, c->a);
    free(of_node);
    return some ? MADE : NOT;
}

/* The sum is a result, rounded into the output's format, before it is multiplied or divided. Where
 * the factor is a power of two that differs only at the ends of the range. */
static enum made stored_sum(change *c, size_t i)
{
    const accord_tree *tree = c->tree;
    if (i > 0 || tree->inner == 0 || c->a->finish == ACCORD_FINISH_NONE || c->a->has_machine)
        return OVER;
    accord_operation *of_node = accordi_alloc(tree->inner, sizeof *of_node);
    for (uint32_t k = 0; of_node && k < tree->inner; k++)
        of_node[k] = *accordi_operation_of(c->a, k);
    bool some = of_node && of_node[tree->inner - 1].stored == ACCORD_F64 &&
                of_node[tree->inner - 1].format != c->a->output;
    if (some) {
        of_node[tree->inner - 1].stored = c->a->output;
        some = !accordi_arithmetic_tabulate(c->asker, tree, of_node, c->a);
    }
    free(of_node);
    return some ? MADE : NOT;
}

/* The sum is made in a wider format, and rounded once it is multiplied or divided. Where the last
 * addition is of two numbers of the narrow format, and the factor a power of two, that differs only
 * past the greatest number of the narrow format. */
static enum made wide_sum(change *c, size_t i)
{
    static const enum accord_format wide[] = {ACCORD_F32, ACCORD_F64};
    const accord_tree *tree = c->tree;
    if (i >= sizeof wide / sizeof *wide || tree->inner == 0 || c->a->finish == ACCORD_FINISH_NONE ||
        c->a->has_machine)
        return OVER;
    accord_operation *of_node = accordi_alloc(tree->inner, sizeof *of_node);
    for (uint32_t k = 0; of_node && k < tree->inner; k++)
        of_node[k] = *accordi_operation_of(c->a, k);
    bool some = of_node && of_node[tree->inner - 1].stored == ACCORD_F64 &&
                info(of_node[tree->inner - 1].format)->precision < info(wide[i])->precision;
    if (some) {
        accord_operation *op = &of_node[tree->inner - 1];
        op->product = op->product == op->format ? wide[i] : op->product;
        op->format = wide[i];
        some = !accordi_arithmetic_tabulate(c->asker, tree, of_node, c->a);
    }
    free(of_node);
    return some ? MADE : NOT;
}

/* ---- fused or not ---- */

static enum made unfused(change *c, size_t i)
{
    bool some = false;
    if (i > 0 || !has_products(c) || c->a->has_machine)
        return OVER;
    for (size_t k = 0; k < c->a->operations; k++) {
        some = some || c->a->operation[k].fused >= 0;
        c->a->operation[k].fused = -1;
    }
    return some ? MADE : NOT;
}

enum accord_status accordi_rival_fuse(const accord_tree *tree, const int8_t *leaf,
                                      accord_arithmetic *inout, accord_error *error)
{
    size_t ways = 3 * inout->operations;
    uint8_t *of_node = accordi_alloc(tree->inner, 1);
    accord_operation *table = accordi_alloc(ways, sizeof *table);
    if (!of_node || !table || ways > 255) {
        free(of_node);
        free(table);
        return ways > 255 ? accordi_fail(error, ACCORD_UNSUPPORTED, "too many operations")
                          : accordi_nomem(error);
    }
    for (size_t k = 0; k < ways; k++) {
        table[k] = inout->operation[k / 3];
        table[k].fused = table[k].fused == ACCORD_STEP ? ACCORD_STEP : (int)(k % 3) - 1;
    }
    for (uint32_t k = 0; k < tree->inner; k++)
        of_node[k] = (uint8_t)(3 * (inout->of_node ? inout->of_node[k] : 0) + 1 + leaf[k]);
    free(inout->operation);
    free(inout->of_node);
    inout->operation = table;
    inout->operations = ways;
    inout->of_node = of_node;
    return ACCORD_OK;
}

/* All nodes that do not fuse do, in two ways, or only those of one leaf. */
static enum made fused(change *c, size_t i)
{
    enum { WAYS = 3 };
    accord_arithmetic *a = c->a;
    uint32_t inner = c->tree->inner;
    if (!has_products(c) || a->has_machine || inner == 0 || i >= WAYS || 3 * a->operations > 255)
        return OVER;
    int8_t *leaf = accordi_alloc(inner, 1);
    bool some = false;
    for (uint32_t k = 0; leaf && k < inner; k++) {
        int was = accordi_operation_of(a, k)->fused;
        int now = was == -1 ? accordi_leaf_to_fuse(c->tree, k, 1 - (int)i) : was;
        some = some || now != was;
        leaf[k] = (int8_t)(now < 0 ? -1 : now);
    }
    some = leaf && some && !accordi_rival_fuse(c->tree, leaf, a, NULL);
    free(leaf);
    return some ? MADE : NOT;
}

/* A lone addition has no wide sum below it that would show in which format it adds: one that fuses
 * a product and one in a wider format differ in few inputs. */
static enum made lone_formats(change *c, size_t i)
{
    enum { WAYS = 3 };
    static const enum accord_format formats[] = {ACCORD_F32, ACCORD_F64};
    accord_operation *op = c->a->operation;
    if (i >= WAYS * sizeof formats / sizeof *formats || !has_products(c) || c->a->has_machine ||
        c->tree->inner != 1 || c->tree->leaves != 2 || c->a->operations != 1)
        return OVER;
    enum accord_format format = formats[i / WAYS];
    if (format == op->format || info(format)->precision < info(c->a->output)->precision)
        return NOT;
    op->format = op->product = format;
    op->stored = ACCORD_F64;
    op->fused = (int)(i % WAYS) - 1;
    return MADE;
}

/* ---- alpha ---- */

static enum made alphas(change *c, size_t i)
{
    accord_arithmetic *a = c->a;
    uint32_t n = c->tree->leaves, node = n + c->tree->inner - 1;
    size_t depth = i < 2 ? 0 : (i - 2) / 2;
    if (fabs(a->alpha) == 1 || a->alpha_at == ACCORD_ALPHA_ONE || depth > 2)
        return OVER;
    free(a->alpha_of);
    a->alpha_of = NULL;
    a->alpha_nodes = 0;
    a->alpha_fused = false;
    if (i < 2) {
        a->alpha_at = i ? ACCORD_ALPHA_Y : ACCORD_ALPHA_X;
        return a->term == ACCORD_TERM_PRODUCT || i == 0 ? MADE : NOT;
    }
    bool start = c->asker->target->has_start; /* among the rest where alpha multiplies the root */
    const uint32_t ends[] = {start ? n - 1 : node, start ? node : 0,
                             c->tree->inner ? c->tree->child[c->tree->first[node - n]] : 0};
    a->alpha_at = ACCORD_ALPHA_SUM;
    a->alpha_node = ends[depth];
    a->alpha_fused = i % 2;
    return depth > 1 && start ? NOT : MADE;
}

/* ---- flushing ---- */

/* Where something is flushed, or factors take terms out of the range in which that was asked:
 * anything else than what is thought to be. */
static enum made flushes(change *c, size_t i)
{
    static const unsigned tiny[] = {0, ACCORD_FLUSH_TINY_AFTER, ACCORD_FLUSH_TINY_BEFORE};
    enum { TINY = sizeof tiny / sizeof *tiny };
    unsigned was = c->a->flush, kept = was & ~(unsigned)ACCORD_FLUSH_ALL;
    if (i >= TINY + ACCORD_FLUSH_ALL + 1 || (was == 0 && c->a->alpha == 1 && c->a->beta == 0))
        return OVER;
    c->a->flush = i < TINY ? (was & ACCORD_FLUSH_ALL) | tiny[i] : (unsigned)(i - TINY) | kept;
    return c->a->flush == was ? NOT : MADE;
}

/* ---- operands ---- */

static enum made operands(change *c, size_t i)
{
    const accordi_asker *asker = c->asker;
    enum accord_format format = (enum accord_format)(i / 3);
    static const enum accord_rounding roundings[] = {ACCORD_NEAREST_EVEN, ACCORD_TOWARD_ZERO,
                                                     ACCORD_NEAREST_AWAY};
    if (asker->format == asker->target->format || format >= ACCORD_FORMAT_COUNT)
        return OVER;
    if (format == asker->target->format ||
        info(format)->precision < info(asker->format)->precision ||
        info(format)->precision > info(asker->target->format)->precision)
        return NOT;
    c->a->operand = format;
    c->a->operand_rounding = roundings[i % 3];
    return MADE;
}

/* ---- x87's format ---- */

/* Sums of f32 that f64 holds nearly as well; the check of models says where it is not modeled. */
static enum made extended(change *c, size_t i)
{
    if (i > 0 || c->a->extended)
        return OVER;
    c->a->extended = true;
    return MADE;
}

/* ---- the table ---- */

static const struct {
    enum made (*make)(change *c, size_t i);
    bool named, end, late;
} rivals[] = {
    {factors, true, true, false},     {products, true, false, false},
    {unfused, true, false, false},    {lone_formats, true, false, false},
    {alphas, true, false, false},     {zeros, false, false, false},
    {operands, false, false, false},  {fused, true, false, false},
    {flushes, false, false, false},   {twice, false, false, false},
    {extended, false, false, true},   {widened, false, false, true},
    {stored_sum, false, false, true}, {wide_sum, false, false, true},
};
enum { RIVALS = sizeof rivals / sizeof *rivals, STRIDE = 256 };

enum accord_status accordi_rival_next(accordi_asker *asker, const accord_tree *tree,
                                      const accord_arithmetic *base, size_t *at, accordi_rival *out)
{
    const accord_model old = {tree, base};
    *out = (accordi_rival){0};
    while (*at < (size_t)RIVALS * STRIDE) {
        size_t row = *at / STRIDE, i = *at % STRIDE;
        change c = {asker, tree, NULL};
        char words[160];
        enum accord_status status = accord_arithmetic_copy(base, tree->inner, &c.a, asker->error);
        if (status)
            return status;
        enum made made = rivals[row].make(&c, i);
        const accord_model made_of = {tree, c.a};
        *at = made == OVER ? (row + 1) * STRIDE : *at + 1;
        if (made == MADE && accord_model_check(&made_of, NULL) == ACCORD_OK &&
            accord_model_differ(&old, &made_of, words, sizeof words)) {
            bool about_zeros = rivals[row].make == zeros ||
                               (rivals[row].make == alphas && fuses_last_zero(tree, base, c.a));
            *out = (accordi_rival){c.a,
                                   rivals[row].named,
                                   rivals[row].end,
                                   about_zeros,
                                   rivals[row].make == zeros && is_of_zeros(base, c.a),
                                   rivals[row].late};
            return ACCORD_OK;
        }
        accord_arithmetic_free(c.a);
    }
    return ACCORD_OK;
}
