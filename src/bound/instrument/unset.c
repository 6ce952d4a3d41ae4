/* Variables that are used before they are set. LLVM would take any value for them, for example the
 * one that makes a choice superfluous, so that a result that depends on chance seemed to be fixed.
 * Before variables become values, each number is set by a function of which nothing is known; where
 * every path sets the variable before it is used, and where it stays in memory, nothing is left of
 * that. unset_memory.c is for what stays in memory. */
#include "bound/instrument/instrument.h"
#include <stdlib.h>
#include <string.h>

static const char *setter_of(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMDoubleTypeKind     ? "accordi_unset_f64"
           : kind == LLVMFloatTypeKind    ? "accordi_unset_f32"
           : kind == LLVMX86_FP80TypeKind ? "accordi_unset_long"
                                          : NULL;
}

/* Where the variable may be used before it is set: where its address is taken, else where it is
 * loaded first; NULL if it is volatile, or is not used. */
static LLVMValueRef first_use(LLVMValueRef variable)
{
    LLVMValueRef load = NULL, other = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool reads = LLVMIsALoadInst(user) != NULL;
        bool writes = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable;
        if ((reads || writes) && LLVMGetVolatile(user))
            return NULL;
        load = reads ? user : load; /* uses come in reverse */
        other = reads || writes ? other : user;
    }
    return other ? other : load;
}

/* The function takes what the variable holds and gives it back: programs that use what the last
 * round of a loop left in it go on as they would without bounds. */
static void set(instrumenter *p, LLVMValueRef variable, LLVMValueRef use, LLVMValueRef after)
{
    LLVMTypeRef number = LLVMGetAllocatedType(variable);
    LLVMTypeRef type = LLVMFunctionType(number, &number, 1, 0);
    const char *name = setter_of(number);
    LLVMValueRef f = LLVMGetNamedFunction(p->module, name);
    if (!f)
        f = LLVMAddFunction(p->module, name, type);
    LLVMPositionBuilderBefore(p->build, LLVMGetNextInstruction(after));
    LLVMValueRef before =
        variable == after ? LLVMConstNull(number) : LLVMBuildLoad2(p->build, number, variable, "");
    LLVMValueRef call = LLVMBuildCall2(p->build, type, f, &before, 1, "");
    LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(use));
    LLVMBuildStore(p->build, call, variable);
}

static bool is_number_variable(LLVMValueRef variable)
{
    return variable && LLVMIsAAllocaInst(variable) && setter_of(LLVMGetAllocatedType(variable));
}

/* At the entry, since a jump may leave the declaration out, and at each declaration, which a loop
 * reaches again. */
void set_unset(instrumenter *p)
{
    list places = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f)) {
        list l = {0};
        list_instructions(&l, f);
        for (size_t i = 0; i < l.count; i++) {
            LLVMValueRef declared = declared_by(l.item[i]);
            if (is_number_variable(l.item[i]) ||
                (is_number_variable(declared) && !is_stored_before(l.item[i], declared)))
                list_add(&places, l.item[i]);
        }
        free(l.item);
    }
    list uses = {0};
    for (size_t i = 0; i < places.count; i++) {
        LLVMValueRef declared = declared_by(places.item[i]);
        list_add(&uses, first_use(declared ? declared : places.item[i]));
    }
    for (size_t i = 0; i < places.count; i++) {
        LLVMValueRef declared = declared_by(places.item[i]);
        if (uses.item[i])
            set(p, declared ? declared : places.item[i], uses.item[i], places.item[i]);
    }
    free(uses.item);
    free(places.item);
}

/* The variable stayed in memory: unset_memory.c knows it. */
static void leave_in_memory(LLVMValueRef call)
{
    LLVMUseRef first = LLVMGetFirstUse(call);
    LLVMValueRef user = first ? LLVMGetUser(first) : NULL;
    if (user && LLVMIsAStoreInst(user) && !LLVMGetNextUse(first) &&
        LLVMIsAAllocaInst(LLVMGetOperand(user, 1)))
        LLVMInstructionEraseFromParent(user);
}

static bool has(const list *l, LLVMValueRef value)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->item[i] == value)
            return true;
    return false;
}

/* Is the value used by nothing but phis of which the same holds? They are added to `web`. */
static bool serves_phis_alone(LLVMValueRef value, list *web)
{
    list_add(web, value);
    for (size_t i = 0; i < web->count; i++)
        for (LLVMUseRef u = LLVMGetFirstUse(web->item[i]); u; u = LLVMGetNextUse(u)) {
            LLVMValueRef user = LLVMGetUser(u);
            if (!LLVMIsAPHINode(user))
                return false;
            if (!has(web, user))
                list_add(web, user);
        }
    return true;
}

/* A variable that is declared in a loop has a phi that carries what its last round left, which only
 * the call that is dropped used. */
static void drop_unused(LLVMValueRef value)
{
    list web = {0};
    if ((LLVMIsALoadInst(value) && !LLVMGetFirstUse(value)) ||
        (LLVMIsAPHINode(value) && serves_phis_alone(value, &web))) {
        LLVMReplaceAllUsesWith(value, LLVMGetUndef(LLVMTypeOf(value)));
        LLVMInstructionEraseFromParent(value);
        for (size_t i = 1; i < web.count; i++) {
            LLVMReplaceAllUsesWith(web.item[i], LLVMGetUndef(LLVMTypeOf(web.item[i])));
            LLVMInstructionEraseFromParent(web.item[i]);
        }
    }
    free(web.item);
}

static void drop(LLVMValueRef call)
{
    LLVMValueRef before = LLVMGetOperand(call, 0);
    LLVMInstructionEraseFromParent(call);
    drop_unused(before);
}

/* Drops a call that is not used, and takes it off the list. */
static bool drop_one(list *calls)
{
    for (size_t i = 0; i < calls->count; i++)
        if (!LLVMGetFirstUse(calls->item[i])) {
            drop(calls->item[i]);
            calls->item[i] = calls->item[--calls->count];
            return true;
        }
    return false;
}

void drop_settled(instrumenter *p)
{
    static const char *const names[] = {"accordi_unset_f64", "accordi_unset_f32",
                                        "accordi_unset_long"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        list calls = {0};
        LLVMValueRef f = LLVMGetNamedFunction(p->module, names[i]);
        for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL; u; u = LLVMGetNextUse(u))
            list_add(&calls, LLVMGetUser(u));
        for (size_t k = 0; k < calls.count; k++)
            leave_in_memory(calls.item[k]);
        while (drop_one(&calls)) /* which may leave another one unused */
            ;
        free(calls.item);
    }
}
