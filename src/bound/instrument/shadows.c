/* Where the shadows of values are: each value that holds numbers has a variable on the stack, one
 * shadow for each number in it. The optimiser turns these variables into registers once the
 * operations are inlined, so they need no names or phi of their own here. */
#include "bound/instrument/instrument.h"
#include <stdio.h>
#include <string.h>

bool is_float(LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

bool is_narrow(LLVMValueRef value)
{
    return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMFloatTypeKind;
}

bool is_long(const instrumenter *p, LLVMTypeRef type)
{
    return p->longs && LLVMGetTypeKind(type) == LLVMX86_FP80TypeKind;
}

bool is_number(const instrumenter *p, LLVMTypeRef type)
{
    return is_float(type) || is_long(p, type);
}

/* Types nest a few levels only, as they are written. */
static unsigned add_lanes(instrumenter *p, LLVMTypeRef type, uint64_t offset, lane *lanes,
                          unsigned n)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (is_number(p, type)) {
        if (n < MOST_LANES)
            lanes[n] = (lane){kind == LLVMFloatTypeKind, is_long(p, type), offset};
        return n + 1;
    }
    if (kind == LLVMStructTypeKind)
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            n = add_lanes(p, LLVMStructGetTypeAtIndex(type, i),
                          offset + LLVMOffsetOfElement(p->layout, type, i), lanes, n);
    if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind) {
        LLVMTypeRef element = LLVMGetElementType(type);
        unsigned count =
            kind == LLVMArrayTypeKind ? LLVMGetArrayLength(type) : LLVMGetVectorSize(type);
        uint64_t size = LLVMABISizeOfType(p->layout, element);
        for (unsigned i = 0; i < count && n <= MOST_LANES; i++)
            n = add_lanes(p, element, offset + i * size, lanes, n);
    }
    return n;
}

unsigned lanes_of(instrumenter *p, LLVMTypeRef type, lane lanes[MOST_LANES])
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMPointerTypeKind || kind == LLVMIntegerTypeKind || kind == LLVMVoidTypeKind)
        return 0;
    unsigned n = add_lanes(p, type, 0, lanes, 0);
    if (n > MOST_LANES)
        die("a value holds more than %d numbers", MOST_LANES);
    return n;
}

bool has_foreign_floats(const instrumenter *p, LLVMTypeRef type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVectorTypeKind || kind == LLVMArrayTypeKind)
        return has_foreign_floats(p, LLVMGetElementType(type));
    return kind == LLVMHalfTypeKind || (kind == LLVMX86_FP80TypeKind && !p->longs) ||
           kind == LLVMFP128TypeKind || kind == LLVMBFloatTypeKind || kind == LLVMPPC_FP128TypeKind;
}

LLVMValueRef number(instrumenter *p, unsigned x)
{
    return LLVMConstInt(LLVMInt32TypeInContext(p->context), x, false);
}

LLVMValueRef truth(instrumenter *p, bool x)
{
    return LLVMConstInt(LLVMInt1TypeInContext(p->context), x, false);
}

LLVMValueRef as_double(instrumenter *p, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMDoubleTypeInContext(p->context);
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(x));
    if (kind == LLVMDoubleTypeKind)
        return x;
    return kind == LLVMFloatTypeKind || kind == LLVMHalfTypeKind
               ? LLVMBuildFPExt(p->build, x, type, "")
               : LLVMBuildFPTrunc(p->build, x, type, "");
}

static LLVMValueRef fit(instrumenter *p, LLVMValueRef x, LLVMTypeRef type)
{
    LLVMTypeKind from = LLVMGetTypeKind(LLVMTypeOf(x)), to = LLVMGetTypeKind(type);
    if (LLVMTypeOf(x) == type)
        return x;
    if (from == LLVMPointerTypeKind && to == LLVMPointerTypeKind)
        return LLVMBuildPointerCast(p->build, x, type, "");
    if (from == LLVMIntegerTypeKind && to == LLVMIntegerTypeKind)
        return LLVMBuildIntCast2(p->build, x, type, false, "");
    die("an argument of the runtime has the wrong type");
}

/* The function of the runtime. Where shadows are wide, most have a variant, and arithmetic has one
 * for the model. */
static LLVMValueRef function_of(instrumenter *p, const char *name)
{
    const char *model = p->model & ACCORD_BOUND_FAST   ? "fast"
                        : p->model & ACCORD_BOUND_LOOP ? "loop"
                                                       : NULL;
    const char *variants[] = {model, "wide"};
    for (int i = 0; model && i < 2; i++) {
        char text[64];
        snprintf(text, sizeof text, "accordi_%s_%s", variants[i], name + strlen("accordi_"));
        LLVMValueRef f = LLVMGetNamedFunction(p->module, text);
        if (f)
            return f;
    }
    return LLVMGetNamedFunction(p->module, name);
}

enum { MOST_ARGUMENTS = 16 }; /* of a function of the runtime */

LLVMValueRef emit(instrumenter *p, const char *name, unsigned n, LLVMValueRef *argument)
{
    LLVMValueRef f = function_of(p, name), given[MOST_ARGUMENTS];
    LLVMTypeRef parameter[MOST_ARGUMENTS];
    if (!f)
        die("the runtime has no function %s", name);
    LLVMTypeRef type = LLVMGlobalGetValueType(f);
    if (LLVMCountParamTypes(type) != n || n > MOST_ARGUMENTS)
        die("%s of the runtime takes %u arguments, not %u", name, LLVMCountParamTypes(type), n);
    LLVMGetParamTypes(type, parameter);
    for (unsigned i = 0; i < n; i++)
        given[i] = fit(p, argument[i], parameter[i]);
    return LLVMBuildCall2(p->build, type, f, given, n, "");
}

const char *suffixed(const char *name, bool narrow)
{
    static char text[64];
    snprintf(text, sizeof text, "%s_%s", name, narrow ? "f32" : "f64");
    return text;
}

const char *of_lane(const char *name, lane l)
{
    static char text[64];
    if (!l.longer)
        return suffixed(name, l.narrow);
    snprintf(text, sizeof text, "%s_long", name);
    return text;
}

void place_after(instrumenter *p, LLVMValueRef instruction)
{
    LLVMValueRef next = LLVMGetNextInstruction(instruction);
    while (next && LLVMIsAPHINode(next))
        next = LLVMGetNextInstruction(next);
    LLVMPositionBuilderBefore(p->build, next);
}

/* ---- variables ---- */

LLVMValueRef new_shadow(instrumenter *p, LLVMTypeRef type, unsigned count)
{
    LLVMBuilderRef build = LLVMCreateBuilderInContext(p->context);
    LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(p->function);
    LLVMPositionBuilderBefore(build, LLVMGetFirstInstruction(entry));
    LLVMValueRef out = LLVMBuildAlloca(build, count > 1 ? LLVMArrayType(type, count) : type, "");
    LLVMSetAlignment(out, 16);
    LLVMDisposeBuilder(build);
    return out;
}

static LLVMValueRef lane_at(instrumenter *p, LLVMValueRef variable, unsigned i)
{
    LLVMTypeRef type = LLVMGetAllocatedType(variable);
    if (LLVMGetTypeKind(type) != LLVMArrayTypeKind)
        return variable;
    LLVMValueRef index[2] = {number(p, 0), number(p, i)};
    return LLVMBuildInBoundsGEP2(p->build, type, variable, index, 2, "");
}

static LLVMValueRef lane_of_constant(instrumenter *p, LLVMValueRef value, unsigned i)
{
    if (is_number(p, LLVMTypeOf(value)))
        return value;
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    lane lanes[MOST_LANES];
    unsigned count = kind == LLVMStructTypeKind  ? LLVMCountStructElementTypes(type)
                     : kind == LLVMArrayTypeKind ? LLVMGetArrayLength(type)
                                                 : LLVMGetVectorSize(type);
    for (unsigned k = 0; k < count; k++) {
        LLVMTypeRef element = kind == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, k)
                                                         : LLVMGetElementType(type);
        unsigned n = lanes_of(p, element, lanes);
        if (i < n) {
            LLVMValueRef at = number(p, k);
            LLVMValueRef part = kind == LLVMVectorTypeKind ? LLVMConstExtractElement(value, at)
                                                           : LLVMConstExtractValue(value, &k, 1);
            return lane_of_constant(p, part, i);
        }
        i -= n;
    }
    return NULL;
}

/* A constant is a point; what was never given a value is lost. */
static void fill_constant(instrumenter *p, LLVMValueRef value, LLVMValueRef variable, unsigned n)
{
    LLVMValueRef marker = LLVMBuildUnreachable(p->build); /* to come back to this place */
    LLVMPositionBuilderBefore(p->build, p->start);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef x = lane_of_constant(p, value, i), at = lane_at(p, variable, i);
        if (!x || LLVMIsUndef(x) || LLVMIsPoison(x))
            EMIT(p, "accordi_undefined", at, site_of(p, p->start, "variable"));
        else if (is_long(p, LLVMTypeOf(x)))
            EMIT(p, "accordi_point_long", at, x);
        else
            EMIT(p, "accordi_point", at, as_double(p, x));
    }
    LLVMPositionBuilderBefore(p->build, LLVMGetNextInstruction(marker));
    LLVMInstructionEraseFromParent(marker);
}

LLVMValueRef shadow_lane(instrumenter *p, LLVMValueRef value, unsigned i)
{
    LLVMValueRef variable = table_get(&p->shadows, value);
    if (!variable) {
        lane lanes[MOST_LANES];
        unsigned n = lanes_of(p, LLVMTypeOf(value), lanes);
        variable = new_shadow(p, p->shadow, n);
        table_put(&p->shadows, value, variable);
        if (LLVMIsAConstant(value))
            fill_constant(p, value, variable, n);
    }
    return lane_at(p, variable, i);
}

void lose_value(instrumenter *p, LLVMValueRef value, LLVMValueRef site, const char *what)
{
    lane lanes[MOST_LANES];
    unsigned n = lanes_of(p, LLVMTypeOf(value), lanes);
    LLVMValueRef text = n ? text_of(p, what) : NULL;
    for (unsigned i = 0; i < n; i++)
        EMIT(p, "accordi_lose", shadow_lane(p, value, i), site, text);
}
