/* Instructions that compute: arithmetic, conversions, comparisons. */
#include "bound/instrument/instrument.h"
#include "bound/runtime/slow.h"
#include <math.h>
#include <stdlib.h>

static bool is_vector(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind;
}

double power_of_two(LLVMValueRef value)
{
    LLVMBool inexact;
    int exponent;
    if (!LLVMIsAConstantFP(value))
        return 0;
    double x = LLVMConstRealGetDouble(value, &inexact);
    return fabs(frexp(x, &exponent)) == 0.5 && exponent >= -63 && exponent <= 65 ? x : 0;
}

static LLVMValueRef real(instrumenter *p, double x)
{
    return LLVMConstReal(LLVMDoubleTypeInContext(p->context), x);
}

/* The shadow of operand k as it enters this sum: rounded, if the sum is pinned. */
static LLVMValueRef term_shadow(instrumenter *p, LLVMValueRef sum, unsigned k)
{
    LLVMValueRef as_it_is = shadow_at(p, LLVMGetOperand(sum, k));
    if (!is_pinned(p, sum))
        return as_it_is;
    LLVMValueRef rounded = new_shadow(p, p->shadow, 1);
    EMIT(p, "accordi_pin", rounded, as_it_is);
    return rounded;
}

void pin_result(instrumenter *p, LLVMValueRef operation)
{
    if (is_pinned(p, operation))
        EMIT(p, "accordi_pin", shadow_at(p, operation), shadow_at(p, operation));
}

static const char *kind_of(LLVMOpcode op)
{
    return op == LLVMFAdd ? "add" : op == LLVMFSub ? "sub" : op == LLVMFMul ? "mul" : "div";
}

static void do_product(instrumenter *p, LLVMValueRef i, LLVMValueRef a, LLVMValueRef b)
{
    bool divides = LLVMGetInstructionOpcode(i) == LLVMFDiv, narrow = is_narrow(i);
    double scale_a = divides ? 0 : power_of_two(a), scale_b = power_of_two(b);
    LLVMValueRef out = shadow_at(p, i), site = site_of(p, i, divides ? "div" : "mul");
    LLVMValueRef x = shadow_at(p, a), y = shadow_at(p, b);
    if (scale_a != 0 || scale_b != 0)
        EMIT(p, suffixed(divides ? "accordi_scale_down" : "accordi_scale", narrow), out, x, y,
             real(p, scale_a), real(p, scale_b), site);
    else
        EMIT(p,
             suffixed(divides  ? "accordi_divide"
                      : a == b ? "accordi_square"
                               : "accordi_multiply",
                      narrow),
             out, x, y, site);
}

void operate_long(instrumenter *p, LLVMValueRef out, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c,
                  unsigned operation, LLVMValueRef site)
{
    EMIT(p, "accordi_operate_long", out, a, b ? b : a, c ? c : a, number(p, operation), site);
}

static void arithmetic_long(instrumenter *p, LLVMValueRef i, LLVMOpcode op, LLVMValueRef a,
                            LLVMValueRef b)
{
    LLVMValueRef y = shadow_at(p, b), site = site_of(p, i, kind_of(op));
    if (op == LLVMFSub) {
        y = new_shadow(p, p->shadow, 1);
        EMIT(p, "accordi_negate", y, shadow_at(p, b));
    }
    operate_long(p, shadow_at(p, i), shadow_at(p, a), y, NULL,
                 op == LLVMFMul   ? (a == b ? ACCORDI_DO_SQUARE : ACCORDI_DO_MULTIPLY)
                 : op == LLVMFDiv ? ACCORDI_DO_DIVIDE
                                  : ACCORDI_DO_ADD,
                 site);
}

void do_arithmetic(instrumenter *p, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    place_after(p, i);
    if (has_foreign_floats(p, LLVMTypeOf(i)))
        return;
    if (is_vector(i) || op == LLVMFRem) {
        lose_value(p, i, site_of(p, i, "vector"), "vector arithmetic");
        return;
    }
    if (is_inside_group(p, i))
        return;
    if (is_group(p, i)) {
        do_group(p, i);
        return;
    }
    LLVMValueRef a = LLVMGetOperand(i, 0);
    if (op == LLVMFNeg) {
        EMIT(p, "accordi_negate", shadow_at(p, i), shadow_at(p, a));
        return;
    }
    LLVMValueRef b = LLVMGetOperand(i, 1);
    if (is_long(p, LLVMTypeOf(i))) {
        arithmetic_long(p, i, op, a, b);
        return;
    }
    if (op == LLVMFMul || op == LLVMFDiv)
        do_product(p, i, a, b);
    else
        EMIT(p, suffixed(op == LLVMFAdd ? "accordi_add" : "accordi_subtract", is_narrow(i)),
             shadow_at(p, i), term_shadow(p, i, 0), term_shadow(p, i, 1),
             site_of(p, i, kind_of(op)));
    pin_result(p, i);
}

static void from_foreign(instrumenter *p, LLVMValueRef i, LLVMTypeRef source)
{
    LLVMTypeKind kind = LLVMGetTypeKind(source);
    lose_value(p, i, site_of(p, i, "cast"),
               kind == LLVMVectorTypeKind                                  ? "vector arithmetic"
               : kind == LLVMX86_FP80TypeKind || kind == LLVMFP128TypeKind ? "long double"
                                                                           : "half precision");
}

/* ---- decisions that may take a turn ---- */

static void list_users(const instrumenter *p, list *users, LLVMValueRef i)
{
    for (LLVMUseRef u = LLVMGetFirstUse(i); p->both && u; u = LLVMGetNextUse(u))
        list_add(users, LLVMGetUser(u));
}

/* The users of a decision get what accordi_turn makes of it. */
static void take_turn(instrumenter *p, LLVMValueRef i, list *users)
{
    LLVMTypeRef word = LLVMInt64TypeInContext(p->context);
    if (!p->both)
        return;
    bool is_signed = LLVMGetInstructionOpcode(i) == LLVMFPToSI;
    LLVMValueRef now = LLVMBuildIntCast2(p->build, i, word, is_signed, "");
    LLVMValueRef other =
        LLVMBuildIntCast2(p->build, EMIT(p, "accordi_turn", now), LLVMTypeOf(i), is_signed, "");
    for (size_t k = 0; k < users->count; k++)
        for (int n = 0; n < LLVMGetNumOperands(users->item[k]); n++)
            if (LLVMGetOperand(users->item[k], (unsigned)n) == i)
                LLVMSetOperand(users->item[k], (unsigned)n, other);
    free(users->item);
}

/* What is decided with these numbers is not seen: vectors, and formats without shadows. */
static void use_unseen(instrumenter *p, LLVMValueRef i, LLVMValueRef value, const char *what)
{
    lane lanes[MOST_LANES];
    unsigned n = lanes_of(p, LLVMTypeOf(value), lanes);
    for (unsigned k = 0; k < n; k++)
        EMIT(p, "accordi_unseen", shadow_lane(p, value, k), site_of(p, i, "cast"),
             text_of(p, what));
}

/* An integer: does it depend on the evaluation? */
static void to_integer(instrumenter *p, LLVMValueRef i, LLVMValueRef a)
{
    list users = {0};
    if (!is_number(p, LLVMTypeOf(a))) {
        use_unseen(p, i, a, "vector arithmetic");
        return;
    }
    list_users(p, &users, i);
    EMIT(p, "accordi_integer", shadow_at(p, a), site_of(p, i, "cast"));
    take_turn(p, i, &users);
}

static void to_long(instrumenter *p, LLVMValueRef i, LLVMValueRef a)
{
    if (is_float(LLVMTypeOf(a)))
        EMIT(p, "accordi_to_long", shadow_at(p, i), shadow_at(p, a), truth(p, is_narrow(a)));
    else
        EMIT(p, "accordi_point_long", shadow_at(p, i), i);
}

void do_conversion(instrumenter *p, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMValueRef a = LLVMGetOperand(i, 0);
    LLVMTypeRef from = LLVMTypeOf(a);
    place_after(p, i);
    if (op == LLVMFPToSI || op == LLVMFPToUI)
        to_integer(p, i, a);
    else if (is_long(p, LLVMTypeOf(i)) && !is_vector(a) && !has_foreign_floats(p, from))
        to_long(p, i, a);
    else if (is_float(LLVMTypeOf(i)) && is_long(p, from))
        EMIT(p, "accordi_from_long", shadow_at(p, i), shadow_at(p, a), site_of(p, i, "cast"),
             truth(p, is_narrow(i)));
    else if (!is_float(LLVMTypeOf(i))) {
        lose_value(p, i, site_of(p, i, "cast"), "vector arithmetic");
        use_unseen(p, i, a,
                   has_foreign_floats(p, LLVMTypeOf(i)) ? "a number in another format"
                                                        : "vector arithmetic");
    } else if (op == LLVMSIToFP || op == LLVMUIToFP || LLVMIsASIToFPInst(a) || LLVMIsAUIToFPInst(a))
        EMIT(p, "accordi_point", shadow_at(p, i), as_double(p, i));
    else if (has_foreign_floats(p, from) || is_vector(a))
        from_foreign(p, i, from);
    else if (op == LLVMFPExt)
        EMIT(p, "accordi_widen", shadow_at(p, i), shadow_at(p, a));
    else
        EMIT(p, "accordi_narrow_f32", shadow_at(p, i), shadow_at(p, a), site_of(p, i, "cast"));
}

/* ---- comparisons ---- */

typedef struct relation {
    const char *name; /* of the runtime's check; NULL: the result is fixed */
    bool negated;
} relation;

/* Where neither operand is NaN, unordered predicates are the ordered ones. */
static const relation relations[] = {
    [LLVMRealOEQ] = {"accordi_equal", false},         [LLVMRealOGT] = {"accordi_greater", false},
    [LLVMRealOGE] = {"accordi_greater_equal", false}, [LLVMRealOLT] = {"accordi_less", false},
    [LLVMRealOLE] = {"accordi_less_equal", false},    [LLVMRealONE] = {"accordi_equal", true},
    [LLVMRealUEQ] = {"accordi_equal", false},         [LLVMRealUGT] = {"accordi_greater", false},
    [LLVMRealUGE] = {"accordi_greater_equal", false}, [LLVMRealULT] = {"accordi_less", false},
    [LLVMRealULE] = {"accordi_less_equal", false},    [LLVMRealUNE] = {"accordi_equal", true},
};

/* Of a number with itself, only a NaN can change what these give; the others always give the same.
 */
static bool depends_on_nan(LLVMRealPredicate predicate)
{
    return predicate == LLVMRealOEQ || predicate == LLVMRealOGE || predicate == LLVMRealOLE ||
           predicate == LLVMRealUNE || predicate == LLVMRealUGT || predicate == LLVMRealULT ||
           predicate == LLVMRealUNO || predicate == LLVMRealORD;
}

void do_comparison(instrumenter *p, LLVMValueRef i)
{
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
    LLVMRealPredicate predicate = LLVMGetFCmpPredicate(i);
    place_after(p, i);
    if (!is_number(p, LLVMTypeOf(a))) {
        use_unseen(p, i, a, "vector arithmetic");
        use_unseen(p, i, b, "vector arithmetic");
        return;
    }
    LLVMValueRef site = site_of(p, i, "cmp"), x = shadow_at(p, a), y = shadow_at(p, b);
    list users = {0};
    relation r = relations[predicate];
    /* With excess, one of them may be wider than the other. */
    bool itself = a == b && !(p->model & ACCORD_BOUND_EXCESS);
    list_users(p, &users, i);
    if (p->margins && !itself)
        EMIT(p, "accordi_margin", x, y, site);
    if (itself ? depends_on_nan(predicate) : predicate == LLVMRealUNO || predicate == LLVMRealORD)
        EMIT(p, "accordi_unordered", x, y, site);
    else if (r.name && !itself)
        EMIT(p, r.name, x, y, r.negated ? LLVMBuildNot(p->build, i, "") : i, site);
    take_turn(p, i, &users);
}
