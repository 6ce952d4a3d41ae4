/* Takes off what the first compilation put on: fast-math flags, parentheses that stand as calls of
 * llvm.arithmetic.fence, and attributes that keep the optimiser away.
 *
 * LLVM's C API cannot clear a flag before version 18, so each instruction with flags is built anew
 * without them. The flags were there so that no operation was merged with another; on the way on,
 * they would let the optimiser rearrange the program itself. */
#include "bound/instrument/instrument.h"
#include <stdlib.h>
#include <string.h>

static void replace(LLVMValueRef old, LLVMValueRef new)
{
    if (LLVMIsAInstruction(new))
        LLVMInstructionSetDebugLoc(new, LLVMInstructionGetDebugLoc(old));
    LLVMReplaceAllUsesWith(old, new);
    LLVMInstructionEraseFromParent(old);
}

static void copy_attributes(LLVMValueRef from, LLVMValueRef to, unsigned index)
{
    LLVMAttributeRef attribute[64];
    unsigned n = LLVMGetCallSiteAttributeCount(from, index);
    if (n > 64)
        return;
    LLVMGetCallSiteAttributes(from, index, attribute);
    for (unsigned i = 0; i < n; i++)
        LLVMAddCallSiteAttribute(to, index, attribute[i]);
}

static LLVMValueRef rebuild_call(LLVMBuilderRef build, LLVMValueRef old)
{
    unsigned n = LLVMGetNumArgOperands(old);
    LLVMValueRef argument[256];
    if (n > 256)
        die("a call has more than 256 arguments");
    for (unsigned i = 0; i < n; i++)
        argument[i] = LLVMGetOperand(old, i);
    LLVMValueRef new = LLVMBuildCall2(build, LLVMGetCalledFunctionType(old),
                                      LLVMGetCalledValue(old), argument, n, "");
    for (unsigned i = 0; i <= n; i++)
        copy_attributes(old, new, i);
    copy_attributes(old, new, LLVMAttributeFunctionIndex);
    LLVMSetInstructionCallConv(new, LLVMGetInstructionCallConv(old));
    return new;
}

static LLVMValueRef rebuild_phi(LLVMBuilderRef build, LLVMValueRef old)
{
    LLVMValueRef new = LLVMBuildPhi(build, LLVMTypeOf(old), "");
    LLVMReplaceAllUsesWith(old, new);
    for (unsigned i = 0; i < LLVMCountIncoming(old); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(old, i);
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(old, i);
        LLVMAddIncoming(new, &value, &block, 1);
    }
    return new;
}

static bool is_fence(LLVMValueRef call)
{
    size_t length;
    LLVMValueRef f = LLVMGetCalledValue(call);
    return LLVMIsAFunction(f) &&
           !strncmp(LLVMGetValueName2(f, &length), "llvm.arithmetic.fence", 21);
}

static bool has_floats(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVectorTypeKind)
        return has_floats(LLVMGetElementType(type));
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind ||
           kind == LLVMX86_FP80TypeKind || kind == LLVMFP128TypeKind || kind == LLVMBFloatTypeKind;
}

/* The same without flags; NULL: an instruction of this kind has none. */
static LLVMValueRef rebuild(LLVMBuilderRef build, LLVMValueRef i)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    switch (op) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFRem:
        return LLVMBuildBinOp(build, op, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1), "");
    case LLVMFNeg:
        return LLVMBuildFNeg(build, LLVMGetOperand(i, 0), "");
    case LLVMFCmp:
        return LLVMBuildFCmp(build, LLVMGetFCmpPredicate(i), LLVMGetOperand(i, 0),
                             LLVMGetOperand(i, 1), "");
    case LLVMPHI:
        return has_floats(LLVMTypeOf(i)) ? rebuild_phi(build, i) : NULL;
    case LLVMSelect:
        return has_floats(LLVMTypeOf(i))
                   ? LLVMBuildSelect(build, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1),
                                     LLVMGetOperand(i, 2), "")
                   : NULL;
    case LLVMCall:
        if (is_fence(i))
            return LLVMGetOperand(i, 0);
        return has_floats(LLVMTypeOf(i)) ? rebuild_call(build, i) : NULL;
    default:
        return NULL;
    }
}

/* A call of a function, by this name and the suffix of the type, that stands for the value. */
static LLVMValueRef mark(LLVMModuleRef module, LLVMBuilderRef build, const char *name,
                         LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value), function = LLVMFunctionType(type, &type, 1, false);
    const char *full = suffixed(name, LLVMGetTypeKind(type) == LLVMFloatTypeKind);
    LLVMValueRef f = LLVMGetNamedFunction(module, full);
    if (!f)
        f = LLVMAddFunction(module, full, function);
    return LLVMBuildCall2(build, function, f, &value, 1, "");
}

static void mark_assignment(LLVMModuleRef module, LLVMBuilderRef build, LLVMValueRef store)
{
    LLVMValueRef value = LLVMGetOperand(store, 0);
    if (is_float(LLVMTypeOf(value)) && LLVMIsAInstruction(value))
        LLVMSetOperand(store, 0, mark(module, build, "accordi_assigned", value));
}

static void strip_function(LLVMModuleRef module, LLVMBuilderRef build, LLVMValueRef f,
                           unsigned marks)
{
    list l = {0};
    list_instructions(&l, f);
    for (size_t i = 0; i < l.count; i++) {
        LLVMPositionBuilderBefore(build, l.item[i]);
        LLVMValueRef new = rebuild(build, l.item[i]);
        bool fence = LLVMIsACallInst(l.item[i]) && is_fence(l.item[i]);
        if (fence && marks & MARK_PARENTHESES && is_float(LLVMTypeOf(new)))
            new = mark(module, build, "accordi_parentheses", new);
        if (new)
            replace(l.item[i], new);
        else if (marks & MARK_ASSIGNMENTS && LLVMIsAStoreInst(l.item[i]))
            mark_assignment(module, build, l.item[i]);
    }
    free(l.item);
}

static void strip_attributes(LLVMValueRef f)
{
    static const char *const texts[] = {"no-signed-zeros-fp-math", "no-trapping-math",
                                        "unsafe-fp-math",          "approx-func-fp-math",
                                        "no-infs-fp-math",         "no-nans-fp-math",
                                        "frame-pointer",           "target-cpu",
                                        "target-features",         "tune-cpu",
                                        "min-legal-vector-width",  "stack-protector-buffer-size"};
    static const char *const kinds[] = {"noinline", "optnone", "uwtable", "sspstrong"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        LLVMRemoveStringAttributeAtIndex(f, LLVMAttributeFunctionIndex, texts[i],
                                         (unsigned)strlen(texts[i]));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName(kinds[i], strlen(kinds[i])));
}

/* clang marks these as such only as builtins, which -fno-builtin excludes. Without the mark the
 * optimizer keeps values in places that are overwritten before the second return. */
static void mark_returning_twice(LLVMModuleRef module, LLVMValueRef f)
{
    static const char *const names[] = {"setjmp",     "_setjmp", "sigsetjmp", "__sigsetjmp",
                                        "getcontext", "vfork",   "savectx"};
    static const char attribute[] = "returns_twice";
    size_t length;
    const char *name = LLVMGetValueName2(f, &length);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            LLVMAddAttributeAtIndex(
                f, LLVMAttributeFunctionIndex,
                LLVMCreateEnumAttribute(
                    LLVMGetModuleContext(module),
                    LLVMGetEnumAttributeKindForName(attribute, sizeof attribute - 1), 0));
}

void strip_module(LLVMModuleRef module, unsigned marks)
{
    list functions = {0};
    LLVMBuilderRef build = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    list_functions(&functions, module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        mark_returning_twice(module, f);
    for (size_t i = 0; i < functions.count; i++) {
        strip_function(module, build, functions.item[i], marks);
        strip_attributes(functions.item[i]);
    }
    LLVMDisposeBuilder(build);
    free(functions.item);
}

void remove_marks(LLVMModuleRef module)
{
    static const char *const names[] = {"accordi_assigned_f64", "accordi_assigned_f32",
                                        "accordi_parentheses_f64", "accordi_parentheses_f32"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef f = LLVMGetNamedFunction(module, names[i]);
        for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL; u; u = LLVMGetFirstUse(f)) {
            LLVMValueRef call = LLVMGetUser(u);
            LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
            LLVMInstructionEraseFromParent(call);
        }
    }
}
