/* Calls, arguments and results.
 *
 * Shadows of arguments and results travel through one frame of the runtime, numbered over all
 * numbers in all arguments. The caller names the callee and the callee names itself on return:
 * where the names do not match, one side is foreign code, and the shadow is lost. Structs passed by
 * value are copied out of sight; their shadows are moved from where they were. A variadic call also
 * sends the classes of its arguments, from which the runtime finds where they lie (lists.c there).
 */
#include "bound/instrument/instrument.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static LLVMValueRef target(LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call);
    while (LLVMIsAConstantExpr(f) && LLVMGetConstOpcode(f) == LLVMBitCast)
        f = LLVMGetOperand(f, 0);
    return f;
}

LLVMAttributeRef by_value(LLVMValueRef call, unsigned argument)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    return LLVMIsAFunction(call) ? LLVMGetEnumAttributeAtIndex(call, argument + 1, kind)
                                 : LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
}

LLVMValueRef size_copied(instrumenter *p, LLVMAttributeRef copied)
{
    return LLVMConstInt(LLVMInt64TypeInContext(p->context),
                        LLVMABISizeOfType(p->layout, LLVMGetTypeAttributeValue(copied)), false);
}

static unsigned count_copied(LLVMValueRef f, unsigned arguments)
{
    unsigned n = 0;
    for (unsigned i = 0; i < arguments; i++)
        n += by_value(f, i) != NULL;
    return n;
}

/* Of each argument a letter: d a number in a register, i anything else that takes one, l long
 * double and x if that has no shadow, m8 and so on what lies in memory with its size in units of 8
 * bytes; | stands where the list begins. */
static void class_of(instrumenter *p, LLVMValueRef call, unsigned i, char *out)
{
    LLVMAttributeRef copied = by_value(call, i);
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(call, i));
    if (copied)
        sprintf(out, "m%llu",
                (LLVMABISizeOfType(p->layout, LLVMGetTypeAttributeValue(copied)) + 7) / 8);
    else if (LLVMGetTypeKind(type) == LLVMX86_FP80TypeKind)
        strcpy(out, is_long(p, type) ? "l" : "x");
    else
        strcpy(out, LLVMGetTypeKind(type) == LLVMIntegerTypeKind ||
                            LLVMGetTypeKind(type) == LLVMPointerTypeKind
                        ? "i"
                        : "d");
}

static LLVMValueRef classes(instrumenter *p, LLVMValueRef call, unsigned fixed)
{
    unsigned n = LLVMGetNumArgOperands(call);
    char *text = calloc(n + 2, 24), one[24];
    if (!text)
        die("no memory is left");
    for (unsigned i = 0; i <= n; i++) {
        if (i == fixed)
            strcat(text, "|");
        if (i == n)
            break;
        class_of(p, call, i, one);
        strcat(text, one);
    }
    LLVMValueRef out = text_of(p, text);
    free(text);
    return out;
}

static void send_lane(instrumenter *p, unsigned at, LLVMValueRef a, unsigned k)
{
    EMIT(p, "accordi_send", number(p, at), shadow_lane(p, a, k));
    if (p->tape)
        EMIT(p, "accordi_tape_send", number(p, at), mark_lane(p, a, k));
}

static unsigned send_arguments(instrumenter *p, LLVMValueRef call)
{
    lane lanes[MOST_LANES];
    unsigned at = 0, copied = 0;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef a = LLVMGetOperand(call, i);
        unsigned n = lanes_of(p, LLVMTypeOf(a), lanes);
        for (unsigned k = 0; k < n && at < MOST_LANES; k++)
            send_lane(p, at++, a, k);
        if (by_value(call, i) && copied < 16)
            EMIT(p, "accordi_send_copied", number(p, copied++), a);
    }
    return at + copied;
}

static unsigned lanes_of_arguments(instrumenter *p, LLVMValueRef call)
{
    lane lanes[MOST_LANES];
    unsigned n = 0;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        n += lanes_of(p, LLVMTypeOf(LLVMGetOperand(call, i)), lanes);
    return n;
}

static void do_instrumented_call(instrumenter *p, LLVMValueRef call)
{
    lane lanes[MOST_LANES];
    LLVMValueRef callee = target(call);
    LLVMTypeRef type = LLVMGetCalledFunctionType(call);
    unsigned results = lanes_of(p, LLVMTypeOf(call), lanes);
    unsigned sent = lanes_of_arguments(p, call) + count_copied(call, LLVMGetNumArgOperands(call));
    if (sent || results || LLVMIsFunctionVarArg(type)) {
        LLVMPositionBuilderBefore(p->build, call);
        EMIT(p, "accordi_call", callee);
        send_arguments(p, call);
        if (LLVMIsFunctionVarArg(type))
            EMIT(p, "accordi_send_list", classes(p, call, LLVMCountParamTypes(type)));
    }
    place_after(p, call);
    for (unsigned k = 0; k < results; k++)
        EMIT(p, "accordi_take", shadow_lane(p, call, k), callee, number(p, k),
             site_of(p, call, "call"));
    for (unsigned k = 0; k < results && p->tape; k++)
        EMIT(p, "accordi_tape_take", mark_lane(p, call, k), callee, number(p, k));
}

void do_call(instrumenter *p, LLVMValueRef call)
{
    size_t length;
    LLVMValueRef callee = target(call);
    if (LLVMIsAInlineAsm(callee))
        do_assembly(p, call);
    else if (LLVMIsAFunction(callee) && !table_get(&p->defined, callee))
        do_known_call(p, call, LLVMGetValueName2(callee, &length));
    else
        do_instrumented_call(p, call);
}

/* ---- inside the function ---- */

static unsigned lanes_of_parameters(instrumenter *p, LLVMValueRef f)
{
    lane lanes[MOST_LANES];
    unsigned n = 0;
    for (unsigned i = 0; i < LLVMCountParams(f); i++)
        n += lanes_of(p, LLVMTypeOf(LLVMGetParam(f, i)), lanes);
    return n;
}

static void receive_lane(instrumenter *p, LLVMValueRef a, unsigned k, LLVMValueRef known,
                         unsigned at)
{
    EMIT(p, "accordi_receive", shadow_lane(p, a, k), known, number(p, at),
         site_of(p, p->start, "parameter"));
    if (p->tape)
        EMIT(p, "accordi_tape_receive", mark_lane(p, a, k), known, number(p, at));
}

static void receive(instrumenter *p, LLVMValueRef f, LLVMValueRef known)
{
    lane lanes[MOST_LANES];
    unsigned at = 0, copied = 0;
    for (unsigned i = 0; i < LLVMCountParams(f); i++) {
        LLVMValueRef a = LLVMGetParam(f, i);
        LLVMAttributeRef type = by_value(f, i);
        unsigned n = lanes_of(p, LLVMTypeOf(a), lanes);
        for (unsigned k = 0; k < n; k++)
            receive_lane(p, a, k, known, at++);
        if (type)
            EMIT(p, "accordi_receive_copied", a, known, number(p, copied++), size_copied(p, type));
    }
    if (p->variadic)
        EMIT(p, "accordi_receive_list", p->variadic, known, number(p, at));
    if (p->variadic && p->tape)
        EMIT(p, "accordi_tape_receive_list", p->variadic, known, number(p, at));
}

void do_arguments(instrumenter *p)
{
    LLVMValueRef f = p->function;
    bool variadic = LLVMIsFunctionVarArg(LLVMGlobalGetValueType(f));
    if (variadic)
        p->variadic = new_shadow(p, p->list, 1);
    if (!variadic && lanes_of_parameters(p, f) == 0 && count_copied(f, LLVMCountParams(f)) == 0)
        return;
    receive(p, f, EMIT(p, "accordi_enter", f));
}

static void give_lane(instrumenter *p, unsigned k, LLVMValueRef value)
{
    EMIT(p, "accordi_give", number(p, k), shadow_lane(p, value, k));
    if (p->tape)
        EMIT(p, "accordi_tape_give", number(p, k), mark_lane(p, value, k));
}

void do_return(instrumenter *p, LLVMValueRef i)
{
    lane lanes[MOST_LANES];
    unsigned n = LLVMGetNumOperands(i) ? lanes_of(p, LLVMTypeOf(LLVMGetOperand(i, 0)), lanes) : 0;
    if (n == 0)
        return;
    if (n > 8)
        die("a function returns more than 8 numbers");
    LLVMPositionBuilderBefore(p->build, i);
    for (unsigned k = 0; k < n; k++)
        give_lane(p, k, LLVMGetOperand(i, 0));
    EMIT(p, "accordi_leave", p->function);
}
