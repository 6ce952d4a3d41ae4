/* Marks for the tape (../runtime/tape.h): each value that holds numbers has a variable for marks
 * beside the one for shadows. What no operation here writes stays without a node, as constants and
 * inputs are. Nothing of this is added without a tape. */
#include "bound/instrument/instrument.h"
#include "bound/runtime/slow.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- variables ---- */

LLVMValueRef new_mark(instrumenter *p, unsigned count)
{
    LLVMValueRef variable = new_shadow(p, p->mark, count);
    LLVMBuilderRef build = LLVMCreateBuilderInContext(p->context);
    LLVMPositionBuilderBefore(build, p->start);
    LLVMBuildStore(build, LLVMConstNull(LLVMGetAllocatedType(variable)), variable);
    LLVMDisposeBuilder(build);
    return variable;
}

LLVMValueRef mark_lane(instrumenter *p, LLVMValueRef value, unsigned i)
{
    if (LLVMIsAConstant(value)) {
        if (!p->no_mark)
            p->no_mark = new_mark(p, 1);
        return p->no_mark;
    }
    LLVMValueRef variable = table_get(&p->marks, value);
    if (!variable) {
        lane lanes[MOST_LANES];
        variable = new_mark(p, lanes_of(p, LLVMTypeOf(value), lanes));
        table_put(&p->marks, value, variable);
    }
    LLVMTypeRef type = LLVMGetAllocatedType(variable);
    if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
        return variable;
    LLVMValueRef index[2] = {number(p, 0), number(p, i)};
    return LLVMBuildInBoundsGEP2(p->build, type, variable, index, 2, "");
}

/* ---- arithmetic ---- */

static LLVMValueRef real(instrumenter *p, double x)
{
    return LLVMConstReal(LLVMDoubleTypeInContext(p->context), x);
}

static LLVMValueRef operand(instrumenter *p, LLVMValueRef i, unsigned k)
{
    return as_double(p, LLVMGetOperand(i, k));
}

static void tape_binary(instrumenter *p, LLVMValueRef i, const char *name, const char *kind)
{
    EMIT(p, suffixed(name, is_narrow(i)), mark_at(p, i), mark_at(p, LLVMGetOperand(i, 0)),
         mark_at(p, LLVMGetOperand(i, 1)), operand(p, i, 0), operand(p, i, 1), as_double(p, i),
         site_of(p, i, kind));
}

/* Times or through a power of two that is written in the source. */
static bool tape_scale(instrumenter *p, LLVMValueRef i, bool divides)
{
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetOperand(i, 1);
    double scale_a = divides ? 0 : power_of_two(a), scale_b = power_of_two(b);
    double scale = scale_a != 0 ? scale_a : scale_b;
    if (scale == 0)
        return false;
    EMIT(p, "accordi_tape_scale", mark_at(p, i), mark_at(p, scale_a != 0 ? b : a),
         real(p, divides ? 1 / scale : scale), site_of(p, i, divides ? "div" : "mul"));
    return true;
}

static void tape_product(instrumenter *p, LLVMValueRef i)
{
    bool divides = LLVMGetInstructionOpcode(i) == LLVMFDiv;
    if (!tape_scale(p, i, divides))
        tape_binary(p, i, divides ? "accordi_tape_divide" : "accordi_tape_multiply",
                    divides ? "div" : "mul");
}

/* ---- products that are terms of a sum ---- */

static bool is_sum(LLVMValueRef i)
{
    LLVMOpcode op = LLVMIsAInstruction(i) ? LLVMGetInstructionOpcode(i) : LLVMCall;
    return op == LLVMFAdd || op == LLVMFSub;
}

/* A product that is used once, in a sum, needs no node of its own if rounding it adds nothing. One
 * product of a sum can be merged with it. */
static bool merge_product(instrumenter *p, LLVMValueRef product)
{
    const unsigned exact =
        ACCORD_BOUND_WRITTEN | ACCORD_BOUND_CONTRACT | ACCORD_BOUND_CONTRACT_EXPR;
    LLVMUseRef use = LLVMGetFirstUse(product);
    if (p->model & ~exact || !use || LLVMGetNextUse(use) || !is_sum(LLVMGetUser(use)) ||
        power_of_two(LLVMGetOperand(product, 0)) != 0 ||
        power_of_two(LLVMGetOperand(product, 1)) != 0 || table_get(&p->merged, LLVMGetUser(use)))
        return false;
    table_put(&p->merged, LLVMGetUser(use), product);
    return true;
}

static void tape_sum(instrumenter *p, LLVMValueRef i)
{
    bool minus = LLVMGetInstructionOpcode(i) == LLVMFSub;
    const char *kind = minus ? "sub" : "add";
    LLVMValueRef q = table_get(&p->merged, i);
    if (!q) {
        tape_binary(p, i, minus ? "accordi_tape_subtract" : "accordi_tape_add", kind);
        return;
    }
    bool second = LLVMGetOperand(i, 1) == q;
    EMIT(p, suffixed("accordi_tape_product_in_sum", is_narrow(i)), mark_at(p, i),
         mark_at(p, LLVMGetOperand(q, 0)), mark_at(p, LLVMGetOperand(q, 1)),
         mark_at(p, LLVMGetOperand(i, !second)), operand(p, q, 0), operand(p, q, 1),
         as_double(p, q), operand(p, i, !second), as_double(p, i),
         real(p, minus && second ? -1 : 1), real(p, minus && !second ? -1 : 1),
         site_of(p, i, kind));
}

/* Operations of long double, and conversions to and from it. */
static void tape_long(instrumenter *p, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    LLVMValueRef a = LLVMGetOperand(i, 0), b = LLVMGetNumOperands(i) > 1 ? LLVMGetOperand(i, 1) : a;
    bool sum = op == LLVMFAdd || op == LLVMFSub;
    place_after(p, i);
    if (!is_number(p, LLVMTypeOf(a)) || op == LLVMFRem)
        return;
    if (op == LLVMFPExt || op == LLVMFPTrunc)
        EMIT(p, "accordi_tape_plain", mark_at(p, i), mark_at(p, a));
    else if (op == LLVMFNeg)
        EMIT(p, "accordi_tape_negate", mark_at(p, i), mark_at(p, a), site_of(p, i, "neg"));
    else if (sum || op == LLVMFMul || op == LLVMFDiv)
        EMIT(p, "accordi_tape_operate_long", mark_at(p, i), mark_at(p, a), mark_at(p, b),
             sum ? real(p, op == LLVMFSub ? -1 : 1) : operand(p, i, 0), operand(p, i, 1),
             as_double(p, i),
             number(p, sum              ? ACCORDI_DO_ADD
                       : op == LLVMFDiv ? ACCORDI_DO_DIVIDE
                                        : ACCORDI_DO_MULTIPLY),
             site_of(p, i,
                     sum              ? (op == LLVMFSub ? "sub" : "add")
                     : op == LLVMFDiv ? "div"
                                      : "mul"));
}

void tape_arithmetic(instrumenter *p, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    bool computes =
        LLVMIsABinaryOperator(i) || LLVMIsAUnaryOperator(i) || op == LLVMFPTrunc || op == LLVMFPExt;
    if (computes && (is_long(p, LLVMTypeOf(i)) || is_long(p, LLVMTypeOf(LLVMGetOperand(i, 0))))) {
        tape_long(p, i);
        return;
    }
    if (!is_float(LLVMTypeOf(i)) || LLVMGetNumOperands(i) < 1 ||
        !is_float(LLVMTypeOf(LLVMGetOperand(i, 0))))
        return;
    LLVMValueRef a = LLVMGetOperand(i, 0);
    place_after(p, i);
    if (op == LLVMFAdd || op == LLVMFSub)
        tape_sum(p, i);
    else if (op == LLVMFMul && merge_product(p, i))
        return;
    else if (op == LLVMFMul || op == LLVMFDiv)
        tape_product(p, i);
    else if (op == LLVMFNeg)
        EMIT(p, "accordi_tape_negate", mark_at(p, i), mark_at(p, a), site_of(p, i, "neg"));
    else if (op == LLVMFPExt)
        EMIT(p, "accordi_tape_assign", mark_at(p, i), mark_at(p, a));
    else if (op == LLVMFPTrunc)
        EMIT(p, "accordi_tape_plain", mark_at(p, i), mark_at(p, a));
}

/* ---- functions ---- */

static LLVMValueRef argument(instrumenter *p, LLVMValueRef call, unsigned i, LLVMValueRef *mark)
{
    LLVMValueRef a = argument_lane(p, call, &i);
    if (!a)
        return NULL;
    *mark = mark_lane(p, a, i);
    return as_double(p, number_in(p, a, i));
}

void tape_function(instrumenter *p, LLVMValueRef call, const char *name, unsigned function)
{
    LLVMValueRef a = NULL, b = NULL, x = argument(p, call, 0, &a), y = argument(p, call, 1, &b);
    if (!p->no_mark)
        p->no_mark = new_mark(p, 1);
    EMIT(p, name, mark_at(p, call), a, y ? b : p->no_mark, x, y ? y : real(p, 0),
         as_double(p, call), number(p, function), site_of(p, call, "call"));
}

void tape_complex(instrumenter *p, LLVMValueRef call, unsigned function, unsigned results,
                  unsigned width)
{
    LLVMValueRef mark[4], x[4];
    for (unsigned i = 0; i < 4; i++) {
        x[i] = argument(p, call, i, &mark[i]);
        if (!x[i]) { /* it takes one number */
            x[i] = x[i - 2];
            mark[i] = mark[i - 2];
        }
    }
    LLVMValueRef re = as_double(p, number_in(p, call, 0));
    bool two = results == 2;
    EMIT(p, "accordi_tape_complex", mark_lane(p, call, 0),
         two ? mark_lane(p, call, 1) : new_mark(p, 1), mark[0], mark[1], mark[2], mark[3], x[0],
         x[1], x[2], x[3], re, two ? as_double(p, number_in(p, call, 1)) : real(p, 0),
         number(p, function), site_of(p, call, "call"), number(p, width));
}

void tape_operation(instrumenter *p, LLVMValueRef call, const char *operation)
{
    LLVMValueRef site = site_of(p, call, "call"), out = mark_at(p, call), r = as_double(p, call);
    LLVMValueRef a = NULL, b = NULL, c = NULL, x = argument(p, call, 0, &a),
                 y = argument(p, call, 1, &b);
    LLVMValueRef z = argument(p, call, 2, &c);
    if (!strcmp(operation, "accordi_sqrt"))
        EMIT(p, "accordi_tape_sqrt", out, a, r, site);
    else if (!strcmp(operation, "accordi_abs"))
        EMIT(p, "accordi_tape_absolute", out, a, x, site);
    else if (y && z && !strcmp(operation, "accordi_fma"))
        EMIT(p, "accordi_tape_fma", out, a, b, c, x, y, r, site);
    else if (y)
        EMIT(p, "accordi_tape_extreme", out, a, b, x, r);
    else
        EMIT(p, "accordi_tape_unknown", out, site);
}
