/* Variables that stay in memory, and memory from alloca: where they come to life, a call marks
 * their bytes as not set (../runtime/unset.c). The place is that of the declaration, which a loop
 * reaches again and again. No call is needed where what follows in the block sets all of it at
 * once. And memory from malloc that only addresses of integers and pointers lead to needs no marks.
 */
#include "bound/instrument/inputs.h"
#include "bound/instrument/instrument.h"
#include <stdlib.h>
#include <string.h>

/* Are there numbers in the type? */
static bool has_numbers(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    while (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind) {
        type = LLVMGetElementType(type);
        kind = LLVMGetTypeKind(type);
    }
    if (kind != LLVMStructTypeKind)
        return is_float(type) || kind == LLVMX86_FP80TypeKind;
    for (unsigned i = 0; !LLVMIsOpaqueStruct(type) && i < LLVMCountStructElementTypes(type); i++)
        if (has_numbers(LLVMStructGetTypeAtIndex(type, i)))
            return true;
    return false;
}

static bool steps(LLVMValueRef a)
{
    return LLVMIsAGetElementPtrInst(a) || LLVMIsABitCastInst(a);
}

static LLVMValueRef base_of(LLVMValueRef address)
{
    while (steps(address))
        address = LLVMGetOperand(address, 0);
    return address;
}

/* ---- what is set at once ---- */

enum { MOST_BYTES = 256 };

static bool element_offset(instrumenter *p, LLVMValueRef step, uint64_t *offset)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(step, 0)));
    for (int i = 1; i < LLVMGetNumOperands(step); i++) {
        LLVMValueRef index = LLVMGetOperand(step, (unsigned)i);
        if (!LLVMIsAConstantInt(index))
            return false;
        uint64_t k = LLVMConstIntGetZExtValue(index);
        if (i == 1) {
            *offset += k * LLVMABISizeOfType(p->layout, type);
        } else if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            *offset += LLVMOffsetOfElement(p->layout, type, (unsigned)k);
            type = LLVMStructGetTypeAtIndex(type, (unsigned)k);
        } else {
            type = LLVMGetElementType(type);
            *offset += k * LLVMABISizeOfType(p->layout, type);
        }
    }
    return true;
}

/* How far from the start of the variable? False: that depends on the run. */
static bool offset_of(instrumenter *p, LLVMValueRef address, uint64_t *offset)
{
    *offset = 0;
    for (; steps(address); address = LLVMGetOperand(address, 0))
        if (LLVMIsAGetElementPtrInst(address) && !element_offset(p, address, offset))
            return false;
    return *offset < MOST_BYTES;
}

static bool uses(LLVMValueRef i, LLVMValueRef memory)
{
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
        if (base_of(LLVMGetOperand(i, (unsigned)k)) == memory)
            return true;
    return false;
}

/* The bytes that a store, memset or memcpy sets in the memory; 0: it is something else. */
static uint64_t bytes_set(instrumenter *p, LLVMValueRef i, LLVMValueRef memory, uint64_t *offset)
{
    if (LLVMIsAStoreInst(i)) {
        LLVMValueRef value = LLVMGetOperand(i, 0);
        bool here = base_of(LLVMGetOperand(i, 1)) == memory && base_of(value) != memory;
        return here && offset_of(p, LLVMGetOperand(i, 1), offset)
                   ? LLVMStoreSizeOfType(p->layout, LLVMTypeOf(value))
                   : 0;
    }
    if ((!is_call_of(i, "llvm.memset") && !is_call_of(i, "llvm.memcpy")) ||
        base_of(LLVMGetOperand(i, 0)) != memory || base_of(LLVMGetOperand(i, 1)) == memory ||
        !LLVMIsAConstantInt(LLVMGetOperand(i, 2)) || !offset_of(p, LLVMGetOperand(i, 0), offset))
        return 0;
    return LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2));
}

/* Notes the bytes that stand in numbers. */
static void find_numbers(instrumenter *p, LLVMTypeRef type, uint64_t at, bool *number_is_there)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (at >= MOST_BYTES || !has_numbers(type))
        return;
    if (kind == LLVMStructTypeKind) {
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            find_numbers(p, LLVMStructGetTypeAtIndex(type, i),
                         at + LLVMOffsetOfElement(p->layout, type, i), number_is_there);
    } else if (kind == LLVMArrayTypeKind) {
        uint64_t size = LLVMABISizeOfType(p->layout, LLVMGetElementType(type));
        for (unsigned i = 0; i < LLVMGetArrayLength(type) && at + i * size < MOST_BYTES; i++)
            find_numbers(p, LLVMGetElementType(type), at + i * size, number_is_there);
    } else {
        for (uint64_t i = 0; i < LLVMStoreSizeOfType(p->layout, type) && at + i < MOST_BYTES; i++)
            number_is_there[at + i] = true;
    }
}

/* Are all numbers of it set in the block from `i` on, before it is used otherwise? */
static bool is_set_at_once(instrumenter *p, LLVMValueRef i, LLVMValueRef memory)
{
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(memory));
    uint64_t size = LLVMABISizeOfType(p->layout, type);
    bool left[MOST_BYTES] = {false};
    find_numbers(p, type, 0, left);
    bool all = size <= MOST_BYTES && !memchr(left, true, sizeof left);
    for (; i && !all; i = LLVMGetNextInstruction(i)) {
        uint64_t offset = 0;
        if (steps(i) || is_call_of(i, "llvm.dbg.") || !uses(i, memory))
            continue;
        uint64_t n = bytes_set(p, i, memory, &offset);
        if (n == 0)
            return false;
        if (offset == 0 && n >= size)
            return true;
        n = n < MOST_BYTES - offset ? n : MOST_BYTES - offset;
        memset(left + offset, 0, n);
        all = size <= MOST_BYTES && !memchr(left, true, sizeof left);
    }
    return all;
}

/* ---- marks ---- */

static void mark(instrumenter *p, LLVMValueRef memory, LLVMValueRef size, LLVMValueRef place)
{
    LLVMTypeRef bytes = LLVMPointerType(LLVMInt8TypeInContext(p->context), 0);
    LLVMTypeRef parameter[2] = {bytes, LLVMInt64TypeInContext(p->context)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(p->context), parameter, 2, false);
    LLVMValueRef f = LLVMGetNamedFunction(p->module, "accordi_libc_unset");
    if (!f)
        f = LLVMAddFunction(p->module, "accordi_libc_unset", type);
    LLVMValueRef given[2] = {LLVMBuildPointerCast(p->build, memory, bytes, ""), size};
    LLVMValueRef call = LLVMBuildCall2(p->build, type, f, given, 2, "");
    LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(place));
}

bool is_stored_before(LLVMValueRef declaration, LLVMValueRef memory)
{
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetInstructionParent(declaration));
    for (; i != declaration; i = LLVMGetNextInstruction(i))
        if ((LLVMIsAStoreInst(i) && base_of(LLVMGetOperand(i, 1)) == memory) ||
            (is_call_of(i, "llvm.mem") && base_of(LLVMGetOperand(i, 0)) == memory))
            return true;
    return false;
}

LLVMValueRef declared_by(LLVMValueRef call)
{
    if (!is_call_of(call, "llvm.dbg.declare"))
        return NULL;
    LLVMValueRef node = LLVMGetOperand(call, 0), at = NULL;
    if (LLVMGetMDNodeNumOperands(node) == 1)
        LLVMGetMDNodeOperands(node, &at);
    return at;
}

static bool is_dynamic(LLVMValueRef memory)
{
    LLVMValueRef count = LLVMGetOperand(memory, 0);
    return !LLVMIsAConstantInt(count) || LLVMConstIntGetZExtValue(count) != 1;
}

static void mark_declared(instrumenter *p, LLVMValueRef call)
{
    LLVMValueRef memory = declared_by(call);
    if (!memory || !LLVMIsAAllocaInst(memory) || is_dynamic(memory) ||
        !has_numbers(LLVMGetAllocatedType(memory)) || is_stored_before(call, memory) ||
        is_set_at_once(p, LLVMGetNextInstruction(call), memory))
        return;
    uint64_t size = LLVMABISizeOfType(p->layout, LLVMGetAllocatedType(memory));
    LLVMPositionBuilderBefore(p->build, LLVMGetNextInstruction(call));
    mark(p, memory, LLVMConstInt(LLVMInt64TypeInContext(p->context), size, false), call);
}

/* Do only addresses of other types than numbers lead there? */
static bool holds_no_numbers(LLVMValueRef bytes)
{
    for (LLVMUseRef u = LLVMGetFirstUse(bytes); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAICmpInst(user))
            continue;
        LLVMTypeRef type = LLVMIsABitCastInst(user) ? LLVMGetElementType(LLVMTypeOf(user)) : NULL;
        LLVMTypeKind kind = type ? LLVMGetTypeKind(type) : LLVMVoidTypeKind;
        bool other = kind == LLVMPointerTypeKind ||
                     (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) > 8) ||
                     (kind == LLVMStructTypeKind && !LLVMIsOpaqueStruct(type));
        if (!other || has_numbers(type))
            return false;
    }
    return true;
}

static void mark_dynamic(instrumenter *p, LLVMValueRef memory)
{
    LLVMTypeRef type = LLVMGetAllocatedType(memory), wide = LLVMInt64TypeInContext(p->context);
    bool bytes = LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 8;
    if (!has_numbers(type) && !(bytes && !holds_no_numbers(memory)))
        return;
    LLVMPositionBuilderBefore(p->build, LLVMGetNextInstruction(memory));
    LLVMValueRef count = LLVMBuildIntCast2(p->build, LLVMGetOperand(memory, 0), wide, false, "");
    uint64_t size = LLVMABISizeOfType(p->layout, type);
    mark(p, memory, LLVMBuildMul(p->build, count, LLVMConstInt(wide, size, false), ""), memory);
}

/* A struct that the function returns in memory. */
static void mark_result(instrumenter *p, LLVMValueRef function)
{
    static const char name[] = "sret";
    LLVMValueRef result = LLVMCountParams(function) ? LLVMGetParam(function, 0) : NULL;
    unsigned kind = LLVMGetEnumAttributeKindForName(name, sizeof name - 1);
    LLVMValueRef start = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
    if (!result || !LLVMGetEnumAttributeAtIndex(function, 1, kind))
        return;
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(result));
    while (LLVMIsAAllocaInst(start))
        start = LLVMGetNextInstruction(start);
    if (!has_numbers(type) || is_set_at_once(p, start, result))
        return;
    LLVMPositionBuilderBefore(p->build, start);
    mark(
        p, result,
        LLVMConstInt(LLVMInt64TypeInContext(p->context), LLVMABISizeOfType(p->layout, type), false),
        start);
}

void mark_unset_memory(instrumenter *p)
{
    list functions = {0};
    list_functions(&functions, p->module);
    for (size_t f = 0; f < functions.count; f++) {
        list l = {0};
        list_instructions(&l, functions.item[f]);
        for (size_t i = 0; i < l.count; i++)
            if (LLVMIsAAllocaInst(l.item[i]) && is_dynamic(l.item[i]))
                mark_dynamic(p, l.item[i]);
            else if (is_call_of(l.item[i], "llvm.dbg.declare"))
                mark_declared(p, l.item[i]);
        mark_result(p, functions.item[f]);
        free(l.item);
    }
    free(functions.item);
}

/* ---- malloc ---- */

bool needs_marks(LLVMValueRef call)
{
    return !LLVMIsACallInst(call) || !holds_no_numbers(call);
}
