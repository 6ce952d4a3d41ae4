/* Sums and products that PAREN and PERM may parenthesize anew.
 *
 * In: an addition or subtraction (a product) whose operands are some too, each used once, with no
 * written parentheses or assignment between: these stand as calls. Out: one call for the outermost
 * of them, with the shadows of the terms (the factors) from left to right, as bound/group.c has it
 * for one expression. What is inside has no shadow, for nothing else uses it. */
#include "bound/instrument/instrument.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Terms of a sum that is not called with an array, and the first bit for those that are products
 * (runtime/groups_inline.c). */
enum { FEW = 6, MUST = 16 };
#define PARENTHESES "accordi_parentheses"

static bool is_sum(LLVMOpcode op)
{
    return op == LLVMFAdd || op == LLVMFSub;
}

static bool can_be_in_group(LLVMValueRef i)
{
    LLVMOpcode op = LLVMIsAInstruction(i) ? LLVMGetInstructionOpcode(i) : LLVMCall;
    return is_float(LLVMTypeOf(i)) && (is_sum(op) || op == LLVMFMul);
}

static bool is_used_once(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    return use && !LLVMGetNextUse(use);
}

static bool may_belong(LLVMValueRef outer, LLVMValueRef operand)
{
    return can_be_in_group(outer) && can_be_in_group(operand) && is_used_once(operand) &&
           is_sum(LLVMGetInstructionOpcode(outer)) == is_sum(LLVMGetInstructionOpcode(operand));
}

void find_groups(instrumenter *p, const list *l)
{
    if (!(p->model & (ACCORD_BOUND_PAREN | ACCORD_BOUND_PERM)) || p->model & ACCORD_BOUND_FAST)
        return;
    for (size_t i = 0; i < l->count; i++)
        for (unsigned k = 0; can_be_in_group(l->item[i]) && k < 2; k++)
            if (may_belong(l->item[i], LLVMGetOperand(l->item[i], k)) &&
                !is_pinned(p, l->item[i]) && !is_pinned(p, LLVMGetOperand(l->item[i], k)))
                table_put(&p->outer, LLVMGetOperand(l->item[i], k), l->item[i]);
}

static bool belongs(const instrumenter *p, LLVMValueRef outer, LLVMValueRef operand)
{
    return table_get(&p->outer, operand) == outer;
}

bool is_inside_group(const instrumenter *p, LLVMValueRef i)
{
    return table_get(&p->outer, i) != NULL;
}

bool is_group(const instrumenter *p, LLVMValueRef i)
{
    return can_be_in_group(i) &&
           (belongs(p, i, LLVMGetOperand(i, 0)) || belongs(p, i, LLVMGetOperand(i, 1)));
}

/* ---- the parts ---- */

typedef struct part {
    LLVMValueRef value;
    bool minus, inner;
} part;

typedef struct parts {
    part *item;
    size_t count, capacity;
} parts;

static void push(parts *l, part x)
{
    if (l->count == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 16;
        l->item = realloc(l->item, l->capacity * sizeof *l->item);
        if (!l->item)
            die("no memory is left");
    }
    l->item[l->count++] = x;
}

static part operand_of(const instrumenter *p, const part *at, unsigned k)
{
    LLVMValueRef operand = LLVMGetOperand(at->value, k);
    bool minus = k == 1 && LLVMGetInstructionOpcode(at->value) == LLVMFSub;
    return (part){operand, at->minus != minus, belongs(p, at->value, operand)};
}

static parts collect(const instrumenter *p, LLVMValueRef root)
{
    parts out = {0}, stack = {0};
    push(&stack, (part){root, false, true});
    while (stack.count) {
        part at = stack.item[--stack.count];
        if (at.inner) { /* the left one comes to lie on top */
            push(&stack, operand_of(p, &at, 1));
            push(&stack, operand_of(p, &at, 0));
        } else {
            push(&out, at);
        }
    }
    free(stack.item);
    return out;
}

/* ---- the call ---- */

static LLVMValueRef element(instrumenter *p, LLVMValueRef array, size_t i)
{
    LLVMTypeRef type = LLVMGetAllocatedType(array);
    LLVMValueRef index[2] = {number(p, 0), number(p, (unsigned)i)};
    return LLVMBuildInBoundsGEP2(p->build, type, array, index, 2, "");
}

/* Factors that are constants 2^k. */
static LLVMValueRef powers(instrumenter *p, const parts *l)
{
    LLVMTypeRef type = LLVMDoubleTypeInContext(p->context);
    LLVMValueRef *x = calloc(l->count, sizeof *x);
    if (!x)
        die("no memory is left");
    for (size_t i = 0; i < l->count; i++)
        x[i] = LLVMConstReal(type, power_of_two(l->item[i].value));
    LLVMValueRef value = LLVMConstArray(type, x, (unsigned)l->count);
    LLVMValueRef global = LLVMAddGlobal(p->module, LLVMTypeOf(value), "accordi_powers");
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    free(x);
    return global;
}

static void call_with_array(instrumenter *p, LLVMValueRef root, const parts *l, bool sum)
{
    LLVMValueRef array = new_shadow(p, p->shadow, (unsigned)l->count);
    for (size_t i = 0; i < l->count; i++)
        EMIT(p, l->item[i].minus ? "accordi_negate" : "accordi_copy", element(p, array, i),
             shadow_at(p, l->item[i].value));
    LLVMValueRef n = number(p, (unsigned)l->count), site = site_of(p, root, sum ? "add" : "mul");
    LLVMValueRef out = shadow_at(p, root), first = element(p, array, 0);
    LLVMValueRef narrow = truth(p, is_narrow(root));
    if (sum)
        EMIT(p, "accordi_regroup_sum", out, first, n, site, narrow);
    else
        EMIT(p, "accordi_product_many", out, first, powers(p, l), n, site, narrow);
}

/* Can its shadow be a product? Not if it comes from memory or a call, of a model that stops there.
 */
static bool may_be_product(const instrumenter *p, LLVMValueRef value)
{
    if (p->model & ACCORD_BOUND_CONTRACT)
        return true;
    while (LLVMIsACallInst(value) || LLVMIsAUnaryOperator(value)) {
        size_t length;
        LLVMValueRef f = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
        if (f && (!LLVMIsAFunction(f) ||
                  strncmp(LLVMGetValueName2(f, &length), PARENTHESES, sizeof PARENTHESES - 1) != 0))
            return false;
        value = LLVMGetOperand(value, 0);
    }
    LLVMOpcode op = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMLoad;
    return op != LLVMLoad && !is_sum(op);
}

static bool is_product(const instrumenter *p, LLVMValueRef value)
{
    return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMFMul &&
           !is_pinned(p, value);
}

/* Written out where it stands. */
static void call_with_terms(instrumenter *p, LLVMValueRef root, const parts *l)
{
    LLVMValueRef argument[FEW + 3] = {shadow_at(p, root)};
    unsigned may_fuse = 0;
    char name[32];
    for (size_t i = 0; i < l->count; i++) {
        LLVMValueRef term = l->item[i].value;
        argument[1 + i] = shadow_at(p, term);
        if (l->item[i].minus) {
            argument[1 + i] = new_shadow(p, p->shadow, 1);
            EMIT(p, "accordi_negate", argument[1 + i], shadow_at(p, term));
        }
        may_fuse |= (unsigned)may_be_product(p, term) << i;
        may_fuse |= (unsigned)is_product(p, term) << (MUST + i);
    }
    argument[1 + l->count] = number(p, may_fuse);
    argument[2 + l->count] = site_of(p, root, "add");
    snprintf(name, sizeof name, "accordi_sum%u", (unsigned)l->count);
    emit(p, suffixed(name, is_narrow(root)), (unsigned)l->count + 3, argument);
}

void do_group(instrumenter *p, LLVMValueRef root)
{
    parts l = collect(p, root);
    bool sum = is_sum(LLVMGetInstructionOpcode(root));
    bool row_only = !(p->model & (ACCORD_BOUND_CONTRACT | ACCORD_BOUND_PERM));
    if (sum && l.count <= FEW)
        call_with_terms(p, root, &l);
    else if (!sum && l.count == 3 && row_only)
        EMIT(p, suffixed("accordi_product3", is_narrow(root)), shadow_at(p, root),
             shadow_at(p, l.item[0].value), shadow_at(p, l.item[1].value),
             shadow_at(p, l.item[2].value), site_of(p, root, "mul"));
    else
        call_with_array(p, root, &l, sum);
    free(l.item);
}
