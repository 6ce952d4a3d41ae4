/* Variables that are used before they are set. LLVM would take any value for them, for example the
 * one that makes a choice superfluous, so that a result that depends on chance seemed to be fixed.
 * Before variables become values, each number that only loads and stores touch is set by a function
 * of which nothing is known; where every path sets the variable before it is used, nothing is left
 * of that. Numbers in arrays and structures are not covered. */
#include "bound/instrument/instrument.h"
#include <stdlib.h>
#include <string.h>

static const char *setter_of(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMDoubleTypeKind  ? "accordi_unset_f64"
           : kind == LLVMFloatTypeKind ? "accordi_unset_f32"
                                       : NULL;
}

/* The first load of a variable that mem2reg makes a value; NULL if it does not, or there is none.
 */
static LLVMValueRef first_load(LLVMValueRef variable)
{
    LLVMValueRef load = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool reads = LLVMIsALoadInst(user) != NULL;
        bool writes = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == variable;
        if ((!reads && !writes) || LLVMGetVolatile(user))
            return NULL;
        load = reads ? user : load; /* uses come in reverse */
    }
    return load;
}

static void set(instrumenter *p, LLVMValueRef variable, LLVMValueRef load, const char *name)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMGetAllocatedType(variable), NULL, 0, 0);
    LLVMValueRef f = LLVMGetNamedFunction(p->module, name);
    if (!f)
        f = LLVMAddFunction(p->module, name, type);
    LLVMPositionBuilderBefore(p->build, LLVMGetNextInstruction(variable));
    LLVMValueRef call = LLVMBuildCall2(p->build, type, f, NULL, 0, "");
    LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(load));
    LLVMBuildStore(p->build, call, variable);
}

void set_unset(instrumenter *p)
{
    list variables = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f)) {
        LLVMBasicBlockRef entry = LLVMGetFirstBasicBlock(f);
        for (LLVMValueRef i = entry ? LLVMGetFirstInstruction(entry) : NULL; i;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsAAllocaInst(i) && setter_of(LLVMGetAllocatedType(i)) && first_load(i))
                list_add(&variables, i);
    }
    for (size_t i = 0; i < variables.count; i++) {
        LLVMValueRef variable = variables.item[i];
        set(p, variable, first_load(variable), setter_of(LLVMGetAllocatedType(variable)));
    }
    free(variables.item);
}

void drop_settled(instrumenter *p)
{
    static const char *const names[] = {"accordi_unset_f64", "accordi_unset_f32"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        list calls = {0};
        LLVMValueRef f = LLVMGetNamedFunction(p->module, names[i]);
        for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL; u; u = LLVMGetNextUse(u))
            if (!LLVMGetFirstUse(LLVMGetUser(u)))
                list_add(&calls, LLVMGetUser(u));
        for (size_t k = 0; k < calls.count; k++)
            LLVMInstructionEraseFromParent(calls.item[k]);
        free(calls.item);
    }
}
