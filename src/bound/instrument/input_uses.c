/* What the program does with a variable that is an input: where it assigns it, and whether it
 * assigns it anew before it reads what was set, so that the input has no effect.
 *
 * Known are reads and assignments through the variable's own name. Where its address goes
 * elsewhere, the numbers in it count as read: nothing is said rather than something wrong. */
#include "bound/instrument/inputs.h"
#include <stdlib.h>
#include <string.h>

static bool moves_address(LLVMValueRef a)
{
    if (LLVMIsAConstantExpr(a))
        return LLVMGetConstOpcode(a) == LLVMGetElementPtr || LLVMGetConstOpcode(a) == LLVMBitCast;
    return LLVMIsAGetElementPtrInst(a) || LLVMIsABitCastInst(a);
}

static bool stays_at_start(LLVMValueRef a)
{
    bool steps = LLVMIsAGetElementPtrInst(a) ||
                 (LLVMIsAConstantExpr(a) && LLVMGetConstOpcode(a) == LLVMGetElementPtr);
    for (int i = 1; steps && i < LLVMGetNumOperands(a); i++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(a, (unsigned)i)) ||
            LLVMConstIntGetZExtValue(LLVMGetOperand(a, (unsigned)i)) != 0)
            return false;
    return true;
}

LLVMValueRef input_base(LLVMValueRef address, const variable *v, const shape *s, bool *start)
{
    *start = true;
    if (LLVMGetTypeKind(LLVMTypeOf(address)) != LLVMPointerTypeKind)
        return NULL;
    while (moves_address(address)) {
        *start = *start && stays_at_start(address);
        address = LLVMGetOperand(address, 0);
    }
    if (!s->pointer)
        return address == v->at ? address : NULL;
    return LLVMIsALoadInst(address) && LLVMGetOperand(address, 0) == v->at ? address : NULL;
}

/* ---- assignments ---- */

static bool copies(LLVMValueRef call)
{
    return is_call_of(call, "llvm.mem") || is_call_of(call, "mem");
}

/* How many bytes a call writes where its argument points to: to all of the variable, if that is its
 * beginning. */
static uint64_t bytes_written(LLVMValueRef call, const shape *s, bool start)
{
    LLVMValueRef length = copies(call) ? LLVMGetOperand(call, 2) : NULL;
    if (length && LLVMIsAConstantInt(length))
        return LLVMConstIntGetZExtValue(length);
    return start ? WHOLE : s->size;
}

static bool call_assigns(LLVMValueRef i, const variable *v, const shape *s, assignment *a)
{
    unsigned n = copies(i) ? 1 : is_call_of(i, "llvm.") ? 0 : LLVMGetNumArgOperands(i);
    for (unsigned k = 0; k < n; k++) {
        bool start;
        LLVMValueRef argument = LLVMGetOperand(i, k), base = input_base(argument, v, s, &start);
        if (!base)
            continue;
        *a = (assignment){base, argument, bytes_written(i, s, start)};
        return true;
    }
    return false;
}

bool input_assigned(instrumenter *p, LLVMValueRef i, const variable *v, const shape *s,
                    assignment *a)
{
    bool start;
    if (LLVMIsACallInst(i))
        return call_assigns(i, v, s, a);
    if (!LLVMIsAStoreInst(i))
        return false;
    LLVMValueRef at = LLVMGetOperand(i, 1);
    *a = (assignment){input_base(at, v, s, &start), at,
                      LLVMStoreSizeOfType(p->layout, LLVMTypeOf(LLVMGetOperand(i, 0)))};
    return a->base;
}

/* ---- is it assigned anew before it is read? ---- */

/* Calls of the library that write to their arguments and do not read what lies there. */
static bool only_writes(LLVMValueRef call, unsigned argument)
{
    static const char *const names[] = {"scanf",          "fscanf",          "sscanf",
                                        "__isoc99_scanf", "__isoc99_fscanf", "__isoc99_sscanf"};
    if (argument == 0 && (copies(call) || is_call_of(call, "fread")))
        return true;
    for (size_t i = 0; argument && i < sizeof names / sizeof *names; i++)
        if (is_call_of(call, names[i]))
            return true;
    return false;
}

/* Something that does nothing with the address that it gets. */
static bool only_names(LLVMValueRef i)
{
    return moves_address(i) || is_call_of(i, "llvm.dbg.") || is_call_of(i, "llvm.lifetime.") ||
           is_call_of(i, "accordi_");
}

/* Is the address in the initial value of another variable? */
static bool in_initial_value(LLVMValueRef address)
{
    for (LLVMUseRef u = LLVMGetFirstUse(address); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAInstruction(user) && (!LLVMIsAConstantExpr(user) || in_initial_value(user)))
            return true;
    }
    return false;
}

static bool is_in(const list *l, LLVMValueRef i)
{
    for (size_t k = 0; l && k < l->count; k++)
        if (l->item[k] == i)
            return true;
    return false;
}

typedef struct watch {
    instrumenter *p;
    const wanted *w;
    const variable *v;
    const shape *s;
    const list *setting;
} watch;

/* The program itself assigns a number there, not in the place of one that was set. */
static bool renews(const watch *k, LLVMValueRef i, assignment *a)
{
    bool start;
    if (!LLVMInstructionGetDebugLoc(i) || is_in(k->setting, i) || only_names(i) ||
        !input_assigned(k->p, i, k->v, k->s, a))
        return false;
    for (unsigned n = 0; LLVMIsACallInst(i) && n < LLVMGetNumArgOperands(i); n++)
        if (input_base(LLVMGetOperand(i, n), k->v, k->s, &start) && !only_writes(i, n))
            return false;
    return true;
}

/* Uses that are neither loads, stores nor calls are too many to follow. */
static bool can_follow(const watch *k, const list *l)
{
    bool start;
    for (size_t i = 0; i < l->count; i++)
        if (!LLVMIsALoadInst(l->item[i]) && !LLVMIsAStoreInst(l->item[i]) &&
            !LLVMIsACallInst(l->item[i]) && !only_names(l->item[i]))
            for (int n = 0; n < LLVMGetNumOperands(l->item[i]); n++)
                if (input_base(LLVMGetOperand(l->item[i], (unsigned)n), k->v, k->s, &start))
                    return false;
    return true;
}

static void tell_read(const watch *k, LLVMValueRef i, LLVMValueRef at, uint64_t bytes)
{
    LLVMPositionBuilderBefore(k->p->build, i);
    call_for_input(k->p, "accordi_input_read", k->w, k->s, &(assignment){k->v->at, at, bytes}, i,
                   "read");
}

static void watch_instruction(const watch *k, LLVMValueRef i)
{
    assignment a = {NULL, NULL, 0};
    bool start, anew = renews(k, i, &a);
    int n = LLVMGetNumOperands(i);
    if (only_names(i))
        return;
    if (LLVMIsALoadInst(i) && input_base(LLVMGetOperand(i, 0), k->v, k->s, &start))
        tell_read(k, i, LLVMGetOperand(i, 0), LLVMStoreSizeOfType(k->p->layout, LLVMTypeOf(i)));
    else if (!anew && !is_in(k->setting, i))
        for (int j = LLVMIsAStoreInst(i) ? n - 1 : n; j-- > 0;) /* the address leaves */
            if (input_base(LLVMGetOperand(i, (unsigned)j), k->v, k->s, &start)) {
                tell_read(k, i, k->v->at, WHOLE);
                break;
            }
    if (!anew)
        return;
    place_after(k->p, i);
    call_for_input(k->p, "accordi_input_assigned", k->w, k->s, &a, i, "assigned");
}

void watch_input(instrumenter *p, const wanted *w, const variable *v, const shape *s,
                 const list *setting)
{
    watch k = {p, w, v, s, setting};
    list l = {0};
    assignment a;
    bool any = false;
    if (s->pointer || (!v->function && in_initial_value(v->at)))
        return;
    input_instructions(p, v, &l);
    for (size_t i = 0; i < l.count && !any; i++)
        any = renews(&k, l.item[i], &a);
    for (size_t i = 0; any && can_follow(&k, &l) && i < l.count; i++)
        watch_instruction(&k, l.item[i]);
    free(l.item);
}
