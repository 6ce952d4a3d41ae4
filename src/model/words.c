/* The table of words for formats, roundings and the parameters of a machine. */
#include "model/words.h"
#include "model/operation.h"
#include <math.h>

/* Words of one table; the last is NULL. */
#define NAMES(FUNCTION, ...)                                                                       \
    const char *FUNCTION(int i)                                                                    \
    {                                                                                              \
        static const char *const words[] = {__VA_ARGS__};                                          \
        return i >= 0 && (size_t)i < sizeof words / sizeof *words ? words[i] : NULL;               \
    }
NAMES(accordi_term_name, "value", "product", "absolute", "square")
NAMES(accordi_rounding_name, "nearest", "zero", "down", "up", "away")
NAMES(accordi_rounding_words, "to nearest", "toward zero", "down", "up",
      "to nearest with ties away from zero")
NAMES(accordi_alpha_name, "one", "x", "y", "sum", "nodes")
NAMES(accordi_scaling_name, "not", "x", "y", "rounded", "fused", "retaken")
NAMES(accordi_finish_name, "none", "times", "over", "root", "root-times", "root-over")
NAMES(accordi_skips_name, "either", "x", "y")
NAMES(accordi_zero_name, "none", "fused", "rounded", "added")
NAMES(accordi_flush_name, "x", "y", "products", "sums", "result", "tiny-after", "tiny-before")
NAMES(accordi_scheme_name, "chain", "pairwise", "with-c", "then-c", "last-first", "even-odd")
NAMES(accordi_overflow_name, "infinite", "rounded", "greatest")

/* The same for people, where a value stands alone. */
NAMES(accordi_rounding_title, "to nearest, ties to even", "toward zero", "down", "up",
      "to nearest, ties away from zero", "away from zero", "to odd")
NAMES(accordi_scheme_title, "chain of multiply-adds", "pairwise", "aligned with c",
      "aligned, then c", "multiply-adds, last product first", "even and odd chains, then c")
NAMES(accordi_finish_title, "nothing", "a multiplication", "a division", "a square root",
      "a multiplication and a square root", "a division and a square root")
NAMES(accordi_overflow_title, "infinite", "as it rounds", "the greatest number")

const char *accordi_format_name(enum accord_format format)
{
    return accord_format_get(format)->name;
}

int accordi_by_name(const char *(*name)(int), const char *text)
{
    const char *word;
    for (int i = 0; text && (word = name(i)); i++)
        if (strcmp(word, text) == 0)
            return i;
    return -1;
}

static bool is_step_as(const accord_model *model, uint32_t k, const accord_operation *op)
{
    const accord_tree *tree = model->tree;
    bool binary = tree->first[k + 1] - tree->first[k] == 2;
    return model->arithmetic->has_machine && (!binary || op->fused == ACCORD_STEP);
}

bool accordi_is_step(const accord_model *model, uint32_t k)
{
    return is_step_as(model, k, accordi_operation_of(model->arithmetic, k));
}

uint32_t accordi_step_most(const accord_fused *machine, uint32_t sums)
{
    return sums == 0 && machine->terms == 1 ? 2 : (uint32_t)machine->terms;
}

enum accord_format accordi_operand_format(const accord_arithmetic *a)
{
    return a->operand != ACCORD_F64 ? a->operand : a->input;
}

bool accordi_divides(enum accord_finish finish)
{
    return finish == ACCORD_FINISH_OVER || finish == ACCORD_FINISH_ROOT_OVER;
}

bool accordi_multiplies(enum accord_finish finish)
{
    return finish == ACCORD_FINISH_TIMES || finish == ACCORD_FINISH_ROOT_TIMES;
}

bool accordi_takes_root(enum accord_finish finish)
{
    return finish == ACCORD_FINISH_ROOT || finish == ACCORD_FINISH_ROOT_TIMES ||
           finish == ACCORD_FINISH_ROOT_OVER;
}

static bool multiplies(const accord_arithmetic *a)
{
    return a->term == ACCORD_TERM_PRODUCT || a->term == ACCORD_TERM_SQUARE;
}

bool accordi_holds_terms(const accord_arithmetic *a, enum accord_format product)
{
    enum accord_format operand = accordi_operand_format(a);
    const accord_format_info *in = accord_format_get(operand), *to = accord_format_get(product);
    bool products = multiplies(a);
    int p = products ? 2 * in->precision : in->precision;
    if (a->beta != 0 || (products && operand == ACCORD_F64))
        return false;
    double least = products ? in->least * in->least : in->least;
    double greatest = products ? in->greatest * in->greatest : in->greatest;
    double bound = to->least;
    for (int i = 1; (a->flush & ACCORD_FLUSH_PRODUCTS) && products && i < to->precision; i++)
        bound *= 2; /* up to the least normal value */
    return p <= to->precision && least >= bound && greatest <= to->greatest;
}

bool accordi_contains(enum accord_format wide, enum accord_format narrow)
{
    const accord_format_info *p = accord_format_get(wide), *q = accord_format_get(narrow);
    return p->precision >= q->precision && p->least <= q->least && p->greatest >= q->greatest;
}

/* Values have one factor and are not rounded; of one or two terms no sum goes on. */
unsigned accordi_flush_bits(const accord_model *model)
{
    const accord_arithmetic *a = model->arithmetic;
    unsigned flush = a->flush;
    if (a->term != ACCORD_TERM_PRODUCT)
        flush &= ~(unsigned)ACCORD_FLUSH_Y;
    if (a->term != ACCORD_TERM_PRODUCT && flush & ACCORD_FLUSH_X)
        flush |= ACCORD_FLUSH_Y;
    if (a->term == ACCORD_TERM_VALUE || a->term == ACCORD_TERM_ABSOLUTE) {
        flush &= ~(unsigned)ACCORD_FLUSH_PRODUCTS;
        flush |= flush & ACCORD_FLUSH_SUMS ? ACCORD_FLUSH_PRODUCTS : 0;
    }
    if (!(flush & (ACCORD_FLUSH_PRODUCTS | ACCORD_FLUSH_SUMS | ACCORD_FLUSH_RESULT)))
        flush &= ACCORD_FLUSH_ALL;
    return flush;
}

bool accordi_twice_zero(const accord_arithmetic *a)
{
    bool value = a->term == ACCORD_TERM_VALUE || a->term == ACCORD_TERM_ABSOLUTE;
    return a->zero_last && !a->negative_zero && value && (a->flush & ACCORD_FLUSH_SUMS);
}

/* Whether signs of zeros can show which term of a node enters unrounded, where all do. */
static bool shows_fusion(const accord_arithmetic *a, const accord_operation *op)
{
    bool zero = op->zero == ACCORD_ZERO_FUSED || op->zero == ACCORD_ZERO_ROUNDED;
    return multiplies(a) ? zero : !a->negative_zero && (a->flush & ACCORD_FLUSH_SUMS);
}

/* Whether a term that its product's format holds, but not that of the sum, is the same if it is
 * rounded into the latter at once. */
static bool rounds_once(const accord_arithmetic *a, const accord_operation *op)
{
    bool zero = op->zero == ACCORD_ZERO_FUSED || op->zero == ACCORD_ZERO_ROUNDED;
    bool flushes = multiplies(a) && (a->flush & ACCORD_FLUSH_PRODUCTS);
    return !zero && !flushes && (a->negative_zero || op->fused < 0);
}

accord_operation accordi_effective_as(const accord_model *model, uint32_t k, accord_operation op)
{
    enum { OPERANDS = ACCORD_FLUSH_X | ACCORD_FLUSH_Y }; /* the rest is up to the machine */
    const accord_arithmetic *a = model->arithmetic;
    const accord_tree *tree = model->tree;
    if (is_step_as(model, k, &op))
        return (accord_operation){.format = a->machine.output,
                                  .rounding = a->machine.rounding,
                                  .product = a->machine.output,
                                  .fused = ACCORD_STEP,
                                  .stored = ACCORD_F64,
                                  .keeps = op.keeps && (accordi_flush_bits(model) & OPERANDS)};
    const uint32_t *child = tree->child + tree->first[k];
    bool binary = tree->first[k + 1] - tree->first[k] == 2;
    bool exact = accordi_holds_terms(a, op.product) && a->alpha_at < ACCORD_ALPHA_SUM;
    bool held = exact && accordi_holds_terms(a, op.format); /* terms enter unrounded in any case */
    if (!binary || op.fused == ACCORD_STEP)
        op.fused = -1;
    bool rounds = false; /* a term on its way in */
    for (int i = 0; binary && i < 2; i++)
        rounds = rounds || (child[i] < tree->leaves && op.fused != i);
    if (!binary || op.rounding == ACCORD_DOWN ||
        (op.zero < ACCORD_ZERO_ADDED && !(rounds && multiplies(a)) &&
         a->alpha_at < ACCORD_ALPHA_SUM))
        op.zero = ACCORD_ZERO_NONE;
    if (held && !(rounds && shows_fusion(a, &op)))
        op.fused = -1;
    if (!binary || !rounds || held || (exact && rounds_once(a, &op)))
        op.product = op.format;
    if (accordi_contains(op.stored, op.format))
        op.stored = ACCORD_F64;
    op.keeps = op.keeps && accordi_flush_bits(model);
    return op;
}

accord_operation accordi_effective(const accord_model *model, uint32_t k)
{
    return accordi_effective_as(model, k, *accordi_operation_of(model->arithmetic, k));
}

bool accordi_same_operation(const accord_operation *a, const accord_operation *b)
{
    return a->format == b->format && a->rounding == b->rounding && a->product == b->product &&
           a->fused == b->fused && a->stored == b->stored && a->keeps == b->keeps &&
           a->zero == b->zero;
}

void accordi_put_real(accordi_buffer *out, double x)
{
    char text[ACCORDI_DECIMAL];
    bool whole = x == rint(x) && fabs(x) < 1e15; /* 10, not 1e+01 */
    accordi_put_decimal(text, x, whole ? 15 : 1, false);
    accordi_buffer_puts(out, text);
}
