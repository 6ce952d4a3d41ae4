/* Instructions that move numbers: loads, stores, bits, phi and select, parts of aggregates. */
#include "bound/instrument/instrument.h"
#include <string.h>

static LLVMTypeRef bytes(instrumenter *p)
{
    return LLVMPointerType(LLVMInt8TypeInContext(p->context), 0);
}

static LLVMValueRef address(instrumenter *p, LLVMValueRef pointer, uint64_t offset)
{
    LLVMValueRef base = LLVMBuildPointerCast(p->build, pointer, bytes(p), "");
    LLVMValueRef by = LLVMConstInt(LLVMInt64TypeInContext(p->context), offset, false);
    return offset ? LLVMBuildInBoundsGEP2(p->build, LLVMInt8TypeInContext(p->context), base, &by, 1,
                                          "")
                  : base;
}

/* Number i of a value, as a value. */
LLVMValueRef number_in(instrumenter *p, LLVMValueRef value, unsigned i)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    lane lanes[MOST_LANES];
    if (is_number(p, type))
        return value;
    if (kind == LLVMVectorTypeKind)
        return LLVMBuildExtractElement(p->build, value, number(p, i), "");
    unsigned count =
        kind == LLVMStructTypeKind ? LLVMCountStructElementTypes(type) : LLVMGetArrayLength(type);
    for (unsigned k = 0; k < count; k++) {
        unsigned n = lanes_of(p,
                              kind == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, k)
                                                         : LLVMGetElementType(type),
                              lanes);
        if (i < n)
            return number_in(p, LLVMBuildExtractValue(p->build, value, k, ""), i);
        i -= n;
    }
    die("a value has no number %u", i);
}

/* ---- memory ---- */

/* May integers be loaded from here that are bits of numbers? Variables and arrays of integers that
 * are never given another type hold none. */
static bool holds_integers_only(LLVMValueRef pointer)
{
    while (LLVMIsAGetElementPtrInst(pointer))
        pointer = LLVMGetOperand(pointer, 0);
    if (!LLVMIsAAllocaInst(pointer) && !LLVMIsAGlobalVariable(pointer))
        return false;
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(pointer));
    while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        type = LLVMGetElementType(type);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
        return false;
    for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u))
        if (LLVMIsABitCastInst(LLVMGetUser(u)) || LLVMIsAConstantExpr(LLVMGetUser(u)) ||
            LLVMIsACallInst(LLVMGetUser(u)))
            return false;
    return true;
}

static void integer_load(instrumenter *p, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || !p->puns || holds_integers_only(pointer))
        return;
    place_after(p, i);
    LLVMValueRef size = LLVMConstInt(LLVMInt64TypeInContext(p->context),
                                     LLVMStoreSizeOfType(p->layout, type), false);
    EMIT(p, "accordi_integer_load", pointer, size, site_of(p, i, "load"));
}

static void tape_load(instrumenter *p, LLVMValueRef i, unsigned k, lane l, LLVMValueRef from)
{
    if (l.longer)
        EMIT(p, "accordi_tape_load_long", mark_lane(p, i, k), from);
    else
        EMIT(p, suffixed("accordi_tape_load", l.narrow), mark_lane(p, i, k), from,
             number_in(p, i, k));
}

void do_load(instrumenter *p, LLVMValueRef i)
{
    lane lanes[MOST_LANES];
    unsigned n = lanes_of(p, LLVMTypeOf(i), lanes);
    LLVMValueRef pointer = LLVMGetOperand(i, 0);
    if (n == 0) {
        integer_load(p, i);
        return;
    }
    place_after(p, i);
    for (unsigned k = 0; k < n; k++)
        EMIT(p, of_lane("accordi_load", lanes[k]), shadow_lane(p, i, k),
             address(p, pointer, lanes[k].offset), number_in(p, i, k), site_of(p, i, "load"));
    place_after(p, i); /* before the shadows, which make slots count */
    for (unsigned k = 0; k < n && p->tape; k++)
        tape_load(p, i, k, lanes[k], address(p, pointer, lanes[k].offset));
}

void do_store(instrumenter *p, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetOperand(i, 0), pointer = LLVMGetOperand(i, 1);
    lane lanes[MOST_LANES];
    unsigned n = lanes_of(p, LLVMTypeOf(value), lanes);
    place_after(p, i);
    if (p->puns && !is_number(p, LLVMTypeOf(value)) && !holds_integers_only(pointer))
        EMIT(p, "accordi_integer_store", pointer,
             LLVMConstInt(LLVMInt64TypeInContext(p->context),
                          LLVMStoreSizeOfType(p->layout, LLVMTypeOf(value)), false));
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef to = address(p, pointer, lanes[k].offset);
        if (lanes[k].narrow && p->mixed)
            EMIT(p, "accordi_store_part", to);
        if (lanes[k].longer)
            EMIT(p, "accordi_store_long", to, shadow_lane(p, value, k));
        else
            EMIT(p, suffixed("accordi_store", lanes[k].narrow), to, number_in(p, value, k),
                 shadow_lane(p, value, k));
    }
    for (unsigned k = 0; k < n && p->tape; k++)
        EMIT(p, "accordi_tape_store", address(p, pointer, lanes[k].offset), mark_lane(p, value, k));
}

/* ---- bits ---- */

static bool only_sign_is_asked(LLVMValueRef bits)
{
    for (LLVMUseRef u = LLVMGetFirstUse(bits); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAICmpInst(user) || LLVMGetICmpPredicate(user) != LLVMIntSLT ||
            !LLVMIsNull(LLVMGetOperand(user, 1)))
            return false;
    }
    return true;
}

void do_bits(instrumenter *p, LLVMValueRef i)
{
    LLVMValueRef a = LLVMGetOperand(i, 0);
    lane to[MOST_LANES], from[MOST_LANES];
    unsigned n = lanes_of(p, LLVMTypeOf(i), to), m = lanes_of(p, LLVMTypeOf(a), from);
    if (n == 0 && m == 0)
        return;
    place_after(p, i);
    LLVMValueRef site = site_of(p, i, "bits");
    bool alike = n == m;
    for (unsigned k = 0; k < n && alike; k++)
        alike = to[k].narrow == from[k].narrow && to[k].longer == from[k].longer;
    for (unsigned k = 0; k < m && !alike; k++)
        EMIT(p, m == 1 && n == 0 && only_sign_is_asked(i) ? "accordi_sign" : "accordi_to_bits",
             shadow_lane(p, a, k), site);
    for (unsigned k = 0; k < n; k++)
        if (alike)
            copy_lane(p, i, k, a, k);
        else if (to[k].longer)
            EMIT(p, "accordi_lose", shadow_lane(p, i, k), site, text_of(p, "bits as long double"));
        else
            EMIT(p, "accordi_from_bits", shadow_lane(p, i, k), as_double(p, number_in(p, i, k)),
                 site);
}

/* ---- phi, select, freeze ---- */

void copy_lane(instrumenter *p, LLVMValueRef to, unsigned i, LLVMValueRef from, unsigned k)
{
    EMIT(p, "accordi_copy", shadow_lane(p, to, i), shadow_lane(p, from, k));
    if (p->tape)
        EMIT(p, "accordi_tape_copy", mark_lane(p, to, i), mark_lane(p, from, k));
}

/* Shadows of what comes in are copied at the end of each block before, and taken over at the start
 * of this one: all of them before any is. */
static void do_phi(instrumenter *p, LLVMValueRef i, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        LLVMValueRef incoming = new_shadow(p, p->shadow, 1);
        LLVMValueRef mark = p->tape ? new_mark(p, 1) : NULL;
        for (unsigned j = 0; j < LLVMCountIncoming(i); j++) {
            LLVMPositionBuilderBefore(p->build,
                                      LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(i, j)));
            EMIT(p, "accordi_copy", incoming, shadow_lane(p, LLVMGetIncomingValue(i, j), k));
            if (mark)
                EMIT(p, "accordi_tape_copy", mark, mark_lane(p, LLVMGetIncomingValue(i, j), k));
        }
        place_after(p, i);
        EMIT(p, "accordi_copy", shadow_lane(p, i, k), incoming);
        if (mark)
            EMIT(p, "accordi_tape_copy", mark_lane(p, i, k), mark);
    }
}

static void choose_lane(instrumenter *p, LLVMValueRef i, unsigned k)
{
    LLVMValueRef a = LLVMGetOperand(i, 1), b = LLVMGetOperand(i, 2);
    EMIT(p, "accordi_choose", shadow_lane(p, i, k), LLVMGetOperand(i, 0), shadow_lane(p, a, k),
         shadow_lane(p, b, k));
    if (p->tape)
        EMIT(p, "accordi_tape_choose", mark_lane(p, i, k), LLVMGetOperand(i, 0), mark_lane(p, a, k),
             mark_lane(p, b, k));
}

void do_merge(instrumenter *p, LLVMValueRef i)
{
    lane lanes[MOST_LANES];
    unsigned n = lanes_of(p, LLVMTypeOf(i), lanes);
    if (n == 0)
        return;
    if (LLVMIsAPHINode(i)) {
        do_phi(p, i, n);
        return;
    }
    place_after(p, i);
    bool chooses = LLVMIsASelectInst(i);
    if (chooses && LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, 0))) == LLVMVectorTypeKind) {
        lose_value(p, i, site_of(p, i, "vector"), "vector arithmetic");
        return;
    }
    for (unsigned k = 0; k < n; k++)
        if (chooses)
            choose_lane(p, i, k);
        else
            copy_lane(p, i, k, LLVMGetOperand(i, 0), k);
}

/* ---- parts of aggregates ---- */

/* Which number of the aggregate stands at the indices of an extractvalue or insertvalue. */
static unsigned first_lane(instrumenter *p, LLVMTypeRef type, LLVMValueRef i)
{
    lane lanes[MOST_LANES];
    unsigned at = 0;
    for (unsigned level = 0; level < LLVMGetNumIndices(i); level++) {
        unsigned index = LLVMGetIndices(i)[level];
        bool is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
        for (unsigned k = 0; k < index; k++)
            at += lanes_of(
                p, is_struct ? LLVMStructGetTypeAtIndex(type, k) : LLVMGetElementType(type), lanes);
        type = is_struct ? LLVMStructGetTypeAtIndex(type, index) : LLVMGetElementType(type);
    }
    return at;
}

/* The lane of an element with a constant index; UINT32_MAX: it is not constant. */
static unsigned element_lane(LLVMValueRef index)
{
    return LLVMIsAConstantInt(index) ? (unsigned)LLVMConstIntGetZExtValue(index) : UINT32_MAX;
}

static void extract(instrumenter *p, LLVMValueRef i, unsigned n, unsigned at)
{
    for (unsigned k = 0; k < n; k++)
        copy_lane(p, i, k, LLVMGetOperand(i, 0), at + k);
}

static void insert(instrumenter *p, LLVMValueRef i, unsigned n, unsigned at)
{
    lane lanes[MOST_LANES];
    LLVMValueRef whole = LLVMGetOperand(i, 0), item = LLVMGetOperand(i, 1);
    unsigned m = lanes_of(p, LLVMTypeOf(item), lanes);
    for (unsigned k = 0; k < n; k++) {
        bool new = k >= at &&k < at + m;
        if (!new &&LLVMIsUndef(whole))
            continue;
        copy_lane(p, i, k, new ? item : whole, new ? k - at : k);
    }
}

void do_aggregate(instrumenter *p, LLVMValueRef i)
{
    lane lanes[MOST_LANES];
    unsigned n = lanes_of(p, LLVMTypeOf(i), lanes), at = UINT32_MAX;
    LLVMOpcode op = LLVMGetInstructionOpcode(i);
    if (n == 0)
        return;
    place_after(p, i);
    if (op == LLVMExtractValue || op == LLVMInsertValue)
        at = first_lane(p, LLVMTypeOf(LLVMGetOperand(i, 0)), i);
    else if (op == LLVMExtractElement)
        at = element_lane(LLVMGetOperand(i, 1));
    else if (op == LLVMInsertElement)
        at = element_lane(LLVMGetOperand(i, 2));
    if (at == UINT32_MAX)
        lose_value(p, i, site_of(p, i, "vector"), "vector arithmetic");
    else if (op == LLVMExtractValue || op == LLVMExtractElement)
        extract(p, i, n, at);
    else
        insert(p, i, n, at);
}
