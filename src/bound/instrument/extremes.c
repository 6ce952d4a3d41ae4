/* fmax and fmin of two zeros, whose sign C leaves open (7.12.12).
 *
 * clang -O0 for x86 computes both inline: of two operands that compare equal the first is the
 * result, or the second if that is known not to be NaN. libm may choose the other one, and so may
 * LLVM. So that a program with shadows prints what it prints without, its calls become
 * comparisons that choose as clang does; until shadows are added they stay calls. */
#include "bound/instrument/instrument.h"
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"fmax", "fmaxf", "fmin", "fminf"};

static bool is_never_nan(LLVMValueRef x)
{
    LLVMBool loses;
    if (LLVMIsAFPExtInst(x) || LLVMIsAFPTruncInst(x))
        x = LLVMGetOperand(x, 0);
    if (LLVMIsAConstantFP(x)) {
        double number = LLVMConstRealGetDouble(x, &loses);
        return number == number;
    }
    return LLVMIsASIToFPInst(x) || LLVMIsAUIToFPInst(x);
}

/* Calls by name, from functions of the program. */
static list calls_of(LLVMModuleRef module, const char *name)
{
    list calls = {0};
    size_t length;
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (!f || LLVMGetFirstBasicBlock(f) || strncmp(LLVMGetTarget(module), "x86_64", 6) != 0)
        return calls;
    for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef call = LLVMGetUser(u);
        if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != f ||
            LLVMGetNumArgOperands(call) != 2 || !is_float(LLVMTypeOf(call)) ||
            LLVMTypeOf(LLVMGetOperand(call, 0)) != LLVMTypeOf(call) ||
            LLVMTypeOf(LLVMGetOperand(call, 1)) != LLVMTypeOf(call))
            continue;
        LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
        if (strncmp(LLVMGetValueName2(caller, &length), "accordi_", 8) != 0)
            list_add(&calls, call);
    }
    return calls;
}

void order_extremes(LLVMModuleRef module)
{
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        list calls = calls_of(module, names[k]);
        for (size_t i = 0; i < calls.count; i++) {
            LLVMValueRef a = LLVMGetOperand(calls.item[i], 0), b = LLVMGetOperand(calls.item[i], 1);
            if (is_never_nan(b) && !LLVMIsAConstantFP(a)) {
                LLVMSetOperand(calls.item[i], 0, b);
                LLVMSetOperand(calls.item[i], 1, a);
            }
        }
        free(calls.item);
    }
}

void lower_extremes(instrumenter *p)
{
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        list calls = calls_of(p->module, names[k]);
        LLVMRealPredicate beyond = strncmp(names[k], "fmax", 4) == 0 ? LLVMRealOGT : LLVMRealOLT;
        for (size_t i = 0; i < calls.count; i++) {
            LLVMValueRef call = calls.item[i];
            LLVMValueRef a = LLVMGetOperand(call, 0), b = LLVMGetOperand(call, 1);
            LLVMPositionBuilderBefore(p->build, call);
            LLVMValueRef further = LLVMBuildFCmp(p->build, beyond, b, a, "");
            LLVMValueRef chosen = LLVMBuildSelect(p->build, further, b, a, "");
            LLVMValueRef nan = LLVMBuildFCmp(p->build, LLVMRealUNO, a, a, "");
            chosen = LLVMBuildSelect(p->build, nan, b, chosen, "");
            /* LLVM may turn the above into an instruction that takes the other one of two zeros. */
            LLVMValueRef equal = LLVMBuildFCmp(p->build, LLVMRealOEQ, a, b, "");
            LLVMReplaceAllUsesWith(call, LLVMBuildSelect(p->build, equal, a, chosen, ""));
            LLVMInstructionEraseFromParent(call);
        }
        free(calls.item);
    }
}
