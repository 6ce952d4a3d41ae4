/* Are numbers of the program read as integers or bytes anywhere?
 *
 * If so, loads of integers look for shadows as well (moves.c), which costs; most programs do not.
 * Addresses are what tells: a pointer to numbers that becomes one to integers and is not only
 * handed to functions that move bytes, a pointer to something else that becomes one to numbers, or
 * bytes of numbers that are copied to integers. */
#include "bound/instrument/instrument.h"
#include <stdlib.h>
#include <string.h>

enum { INTEGERS = 1, NUMBERS = 2, BYTES = 4, OTHER = 8 };

/* What a pointer points to. */
static unsigned pointee(instrumenter *p, LLVMTypeRef pointer)
{
    LLVMTypeRef type = LLVMGetElementType(pointer);
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMIntegerTypeKind)
        return LLVMGetIntTypeWidth(type) == 8 ? BYTES : INTEGERS;
    if (is_number(p, type) || kind == LLVMVectorTypeKind)
        return NUMBERS;
    if (kind != LLVMStructTypeKind || LLVMIsOpaqueStruct(type))
        return OTHER;
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++) {
        LLVMTypeRef field = LLVMPointerType(LLVMStructGetTypeAtIndex(type, i), 0);
        if (pointee(p, field) == NUMBERS)
            return NUMBERS;
    }
    return OTHER;
}

static bool is_call_of_libc(instrumenter *p, LLVMValueRef user)
{
    LLVMValueRef f = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;
    return f && LLVMIsAFunction(f) && !table_get(&p->defined, f);
}

static bool only_moved(instrumenter *p, LLVMValueRef cast)
{
    for (LLVMUseRef u = LLVMGetFirstUse(cast); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        bool back = LLVMIsABitCastInst(user) && pointee(p, LLVMTypeOf(user)) == NUMBERS;
        if (!back && !is_call_of_libc(p, user))
            return false;
    }
    return true;
}

/* As clang passes structs by value: numbers of `from` may become part of an integer. */
static bool joins_numbers(LLVMTypeRef from, LLVMTypeRef to)
{
    if (from == to || LLVMGetTypeKind(from) != LLVMStructTypeKind ||
        LLVMGetTypeKind(to) != LLVMStructTypeKind || LLVMIsOpaqueStruct(to))
        return false;
    for (unsigned i = 0; i < LLVMCountStructElementTypes(to); i++)
        if (LLVMGetTypeKind(LLVMStructGetTypeAtIndex(to, i)) == LLVMIntegerTypeKind)
            return true;
    return false;
}

static LLVMValueRef origin(LLVMValueRef pointer)
{
    while (LLVMIsABitCastInst(pointer) ||
           (LLVMIsAConstantExpr(pointer) && LLVMGetConstOpcode(pointer) == LLVMBitCast))
        pointer = LLVMGetOperand(pointer, 0);
    return pointer;
}

typedef struct seen {
    bool bytes_to_numbers, bytes_to_integers;
} seen;

static bool is_pointer(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
}

/* A cast, as an instruction or as a constant that `user` uses. */
static bool cast_is_pun(instrumenter *p, LLVMValueRef cast, LLVMValueRef user, seen *s)
{
    LLVMValueRef from = LLVMGetOperand(cast, 0);
    if (!is_pointer(cast) || !is_pointer(from))
        return false;
    unsigned a = pointee(p, LLVMTypeOf(from)), b = pointee(p, LLVMTypeOf(cast));
    if (a == BYTES && !LLVMIsACallInst(from)) {
        s->bytes_to_numbers |= b == NUMBERS;
        s->bytes_to_integers |= b == INTEGERS;
    }
    if ((a == INTEGERS || a == OTHER) && b == NUMBERS)
        return true;
    if (a == NUMBERS && (b == INTEGERS || joins_numbers(LLVMGetElementType(LLVMTypeOf(from)),
                                                        LLVMGetElementType(LLVMTypeOf(cast)))))
        return true;
    return a == NUMBERS && b == BYTES && (user ? !is_call_of_libc(p, user) : !only_moved(p, cast));
}

static bool copy_is_pun(instrumenter *p, LLVMValueRef call, seen *s)
{
    size_t length;
    LLVMValueRef f = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(f) || LLVMGetNumArgOperands(call) < 3)
        return false;
    const char *name = LLVMGetValueName2(f, &length);
    if (!strstr(name, "memcpy") && !strstr(name, "memmove"))
        return false;
    unsigned to = pointee(p, LLVMTypeOf(origin(LLVMGetOperand(call, 0))));
    unsigned from = pointee(p, LLVMTypeOf(origin(LLVMGetOperand(call, 1))));
    s->bytes_to_numbers |= to == BYTES && from == NUMBERS;
    return (to == INTEGERS && from != INTEGERS) || (from == NUMBERS && to == OTHER) ||
           (from == NUMBERS && to == BYTES && LLVMIsAAllocaInst(origin(LLVMGetOperand(call, 0))));
}

static bool is_pun(instrumenter *p, LLVMValueRef i, seen *s)
{
    if (LLVMIsABitCastInst(i))
        return cast_is_pun(p, i, NULL, s);
    if (LLVMIsACallInst(i) && copy_is_pun(p, i, s))
        return true;
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef a = LLVMGetOperand(i, (unsigned)k);
        if (LLVMIsAConstantExpr(a) && LLVMGetConstOpcode(a) == LLVMBitCast &&
            cast_is_pun(p, a, i, s))
            return true;
    }
    return false;
}

typedef struct widths {
    bool floats, doubles;
} widths;

static void add_widths(instrumenter *p, LLVMValueRef i, widths *w)
{
    lane lanes[MOST_LANES];
    LLVMValueRef value = LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : i;
    unsigned n =
        LLVMIsAStoreInst(i) || LLVMIsALoadInst(i) ? lanes_of(p, LLVMTypeOf(value), lanes) : 0;
    for (unsigned k = 0; k < n; k++) {
        w->floats |= lanes[k].narrow;
        w->doubles |= !lanes[k].narrow;
    }
}

void find_puns(instrumenter *p)
{
    list functions = {0};
    seen s = {0};
    widths w = {0};
    list_functions(&functions, p->module);
    for (size_t f = 0; f < functions.count; f++) {
        list l = {0};
        list_instructions(&l, functions.item[f]);
        for (size_t i = 0; i < l.count; i++) {
            p->puns = p->puns || is_pun(p, l.item[i], &s);
            add_widths(p, l.item[i], &w);
        }
        free(l.item);
    }
    p->mixed = w.floats && w.doubles;
    p->puns |= s.bytes_to_numbers && s.bytes_to_integers;
    free(functions.item);
}
