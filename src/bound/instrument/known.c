/* Calls of functions whose body is not in the program. A table (known_table.c) says what is done
 * for those of libc, libm and LLVM that take or return numbers; all others are foreign (foreign.c).
 */
#include "bound/instrument/known.h"
#include "bound/instrument/instrument.h"
#include "bound/runtime/slow.h"
#include <string.h>

static unsigned slow_operation(const char *name)
{
    static const struct {
        const char *name;
        unsigned operation;
    } rows[] = {{"accordi_sqrt", ACCORDI_DO_SQRT},
                {"accordi_abs", ACCORDI_DO_ABS},
                {"accordi_minimum", ACCORDI_DO_MINIMUM},
                {"accordi_maximum", ACCORDI_DO_MAXIMUM},
                {"accordi_fma", ACCORDI_DO_FMA}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(name, rows[i].name))
            return rows[i].operation;
    die("there is no operation %s on long double", name);
}

static void do_operation(instrumenter *p, LLVMValueRef call, const known *k)
{
    if (is_long(p, LLVMTypeOf(call))) {
        operate_long(p, shadow_at(p, call), shadow_at(p, LLVMGetOperand(call, 0)),
                     k->what > 1 ? shadow_at(p, LLVMGetOperand(call, 1)) : NULL,
                     k->what > 2 ? shadow_at(p, LLVMGetOperand(call, 2)) : NULL,
                     slow_operation(k->operation), site_of(p, call, "call"));
        if (p->tape)
            tape_operation(p, call, k->operation);
        return;
    }
    const char *name = suffixed(k->operation, is_narrow(call));
    LLVMValueRef site = site_of(p, call, "call"), out = shadow_at(p, call);
    LLVMValueRef a = shadow_at(p, LLVMGetOperand(call, 0));
    if (k->what == 1)
        EMIT(p, name, out, a, site);
    else if (k->what == 2)
        EMIT(p, name, out, a, shadow_at(p, LLVMGetOperand(call, 1)), site);
    else
        EMIT(p, name, out, a, shadow_at(p, LLVMGetOperand(call, 1)),
             shadow_at(p, LLVMGetOperand(call, 2)), site);
    if (p->tape)
        tape_operation(p, call, k->operation);
}

static bool has_floats_only(LLVMTypeRef type)
{
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
        return has_floats_only(LLVMGetElementType(type));
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return LLVMGetTypeKind(type) == LLVMFloatTypeKind;
    unsigned n = LLVMCountStructElementTypes(type);
    for (unsigned i = 0; i < n; i++)
        if (!has_floats_only(LLVMStructGetTypeAtIndex(type, i)))
            return false;
    return n > 0;
}

/* Is this an assignment of a struct of floats? */
static bool copies_floats(instrumenter *p, LLVMValueRef call)
{
    LLVMValueRef from = LLVMGetOperand(call, 1), size = LLVMGetOperand(call, 2);
    if (LLVMIsABitCastInst(from) ||
        (LLVMIsAConstantExpr(from) && LLVMGetConstOpcode(from) == LLVMBitCast))
        from = LLVMGetOperand(from, 0);
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(from));
    return type && LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMTypeIsSized(type) &&
           has_floats_only(type) && LLVMIsAConstantInt(size) &&
           LLVMConstIntGetZExtValue(size) == LLVMStoreSizeOfType(p->layout, type);
}

static void *use_of(LLVMValueRef call, unsigned argument)
{
    return LLVMGetOperandUse(call, argument);
}

/* Complex numbers in long double lie in memory: they are loaded before the call. */
static void load_copied(instrumenter *p, LLVMValueRef call)
{
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        LLVMAttributeRef copied = by_value(call, k);
        LLVMTypeRef type = copied ? LLVMGetTypeAttributeValue(copied) : NULL;
        if (!type || LLVMGetTypeKind(type) != LLVMStructTypeKind ||
            LLVMCountStructElementTypes(type) != 2 ||
            !is_long(p, LLVMStructGetTypeAtIndex(type, 0)) ||
            !is_long(p, LLVMStructGetTypeAtIndex(type, 1)))
            continue;
        LLVMPositionBuilderBefore(p->build, call);
        LLVMValueRef loaded = LLVMBuildLoad2(p->build, type, LLVMGetOperand(call, k), "");
        table_put(&p->copied, use_of(call, k), loaded);
        do_load(p, loaded);
    }
}

LLVMValueRef argument_lane(instrumenter *p, LLVMValueRef call, unsigned *i)
{
    lane lanes[MOST_LANES];
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        LLVMValueRef a = LLVMGetOperand(call, k), loaded = table_get(&p->copied, use_of(call, k));
        a = loaded ? loaded : a;
        unsigned n = lanes_of(p, LLVMTypeOf(a), lanes);
        if (*i < n)
            return a;
        *i -= n;
    }
    return NULL;
}

static LLVMValueRef wide(instrumenter *p, uint64_t x)
{
    return LLVMConstInt(LLVMInt64TypeInContext(p->context), x, false);
}

static LLVMValueRef shadow_of_argument(instrumenter *p, LLVMValueRef call, unsigned i)
{
    LLVMValueRef a = argument_lane(p, call, &i);
    return a ? shadow_lane(p, a, i) : NULL;
}

static void copy_argument(instrumenter *p, LLVMValueRef call, unsigned to, unsigned i)
{
    LLVMValueRef a = argument_lane(p, call, &i);
    copy_lane(p, call, to, a, i);
}

static void do_function(instrumenter *p, LLVMValueRef call, const known *k)
{
    LLVMValueRef a = shadow_of_argument(p, call, 0), b = shadow_of_argument(p, call, 1);
    lane lanes[MOST_LANES];
    lanes_of(p, LLVMTypeOf(call), lanes);
    if (lanes[0].longer)
        operate_long(p, shadow_at(p, call), a, b, NULL, ACCORDI_DO_FUNCTION + (unsigned)k->what,
                     site_of(p, call, "call"));
    else
        EMIT(p, suffixed("accordi_function", lanes[0].narrow), shadow_at(p, call), a, b ? b : a,
             number(p, (unsigned)k->what), site_of(p, call, "call"));
    pin_result(p, call); /* pow(x, 2) is a product */
    if (p->tape)
        tape_function(p, call, of_lane("accordi_tape_function", lanes[0]), (unsigned)k->what);
}

/* modf writes it. */
static void set_integer_part(instrumenter *p, LLVMValueRef call, LLVMValueRef x, LLVMValueRef to)
{
    LLVMValueRef shadow = new_shadow(p, p->shadow, 1);
    LLVMValueRef part = LLVMBuildLoad2(p->build, LLVMTypeOf(call), to, "");
    EMIT(p, suffixed("accordi_function", is_narrow(call)), shadow, x, x,
         number(p, ACCORD_BOUND_TRUNC), site_of(p, call, "call"));
    EMIT(p, suffixed("accordi_store", is_narrow(call)), to, part, shadow);
    if (p->tape)
        EMIT(p, "accordi_tape_store", to, new_mark(p, 1));
}

/* The last argument is the exponent of ldexp, or an address that frexp and modf write to. */
static void do_libm(instrumenter *p, LLVMValueRef call, const known *k)
{
    LLVMValueRef a = shadow_of_argument(p, call, 0), b = shadow_of_argument(p, call, 1);
    LLVMValueRef last = LLVMGetOperand(call, LLVMGetNumArgOperands(call) - 1), n = wide(p, 0);
    if (k->what == ACCORDI_LDEXP)
        n = LLVMBuildIntCast2(p->build, last, LLVMTypeOf(n), true, "");
    EMIT(p, "accordi_libm", shadow_at(p, call), a, b ? b : a, n, number(p, (unsigned)k->what),
         site_of(p, call, "call"), truth(p, is_narrow(call)));
    if (k->what == ACCORDI_MODF && !is_long(p, LLVMTypeOf(call)))
        set_integer_part(p, call, a, last);
    if (p->tape)
        tape_function(p, call, "accordi_tape_libm", (unsigned)k->what);
}

/* GNU's sincos(x, &sine, &cosine). */
static void do_sine_cosine(instrumenter *p, LLVMValueRef call)
{
    static const unsigned which[] = {ACCORD_BOUND_SIN, ACCORD_BOUND_COS};
    LLVMValueRef x = LLVMGetOperand(call, 0), site = site_of(p, call, "call");
    bool narrow = is_narrow(x);
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef to = LLVMGetOperand(call, i + 1), shadow = new_shadow(p, p->shadow, 1);
        LLVMValueRef result = LLVMBuildLoad2(p->build, LLVMTypeOf(x), to, "");
        EMIT(p, suffixed("accordi_function", narrow), shadow, shadow_at(p, x), shadow_at(p, x),
             number(p, which[i]), site);
        EMIT(p, suffixed("accordi_store", narrow), to, result, shadow);
        if (!p->tape)
            continue;
        LLVMValueRef mark = new_mark(p, 1);
        if (!p->no_mark)
            p->no_mark = new_mark(p, 1);
        EMIT(p, suffixed("accordi_tape_function", narrow), mark, mark_at(p, x), p->no_mark,
             as_double(p, x), LLVMConstNull(LLVMDoubleTypeInContext(p->context)),
             as_double(p, result), number(p, which[i]), site);
        EMIT(p, "accordi_tape_store", to, mark);
    }
}

/* The imaginary part of a real result is thrown away. */
static void do_complex(instrumenter *p, LLVMValueRef call, const known *k)
{
    lane lanes[MOST_LANES];
    unsigned results = lanes_of(p, LLVMTypeOf(call), lanes);
    LLVMValueRef c = shadow_of_argument(p, call, 2), d = shadow_of_argument(p, call, 3);
    unsigned width = lanes[0].narrow   ? ACCORDI_FLOAT
                     : lanes[0].longer ? ACCORDI_LONG
                                       : ACCORDI_DOUBLE;
    EMIT(p, "accordi_complex", shadow_lane(p, call, 0),
         results == 2 ? shadow_lane(p, call, 1) : new_shadow(p, p->shadow, 1),
         shadow_of_argument(p, call, 0), shadow_of_argument(p, call, 1),
         c ? c : shadow_of_argument(p, call, 0), d ? d : shadow_of_argument(p, call, 1),
         number(p, (unsigned)k->what), site_of(p, call, "call"), number(p, width));
    if (p->tape)
        tape_complex(p, call, (unsigned)k->what, results, width);
}

static void do_conjugate(instrumenter *p, LLVMValueRef call)
{
    unsigned second = 1;
    LLVMValueRef a = argument_lane(p, call, &second);
    copy_argument(p, call, 0, 0);
    EMIT(p, "accordi_negate", shadow_lane(p, call, 1), shadow_lane(p, a, second));
    if (p->tape)
        EMIT(p, "accordi_tape_negate", mark_lane(p, call, 1), mark_lane(p, a, second),
             site_of(p, call, "call"));
}

/* The site of numbers that leave: "output" for the functions that accord sweep records too
 * (src/cli/programs/capture.c), else "text". */
static LLVMValueRef output_site(instrumenter *p, LLVMValueRef call)
{
    static const char *const recorded[] = {"printf", "fprintf", "vprintf", "vfprintf", "fwrite"};
    size_t length;
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(call), &length);
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++)
        if (!strcmp(name, recorded[i]))
            return site_of(p, call, "output");
    return site_of(p, call, "text");
}

/* A number that leaves; was it a float before it became an argument? */
static void print_number(instrumenter *p, LLVMValueRef call, LLVMValueRef x, bool text)
{
    LLVMValueRef site = output_site(p, call);
    if (p->tape && is_number(p, LLVMTypeOf(x)))
        EMIT(p, "accordi_tape_leave", mark_at(p, x));
    if (is_float(LLVMTypeOf(x))) {
        bool narrow = LLVMIsAFPExtInst(x) && is_narrow(LLVMGetOperand(x, 0));
        EMIT(p, "accordi_print", site, x, shadow_at(p, x), truth(p, narrow), truth(p, text));
    } else if (is_long(p, LLVMTypeOf(x))) {
        EMIT(p, "accordi_print", site, as_double(p, x), shadow_at(p, x), truth(p, false),
             truth(p, text));
    } else if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMX86_FP80TypeKind) {
        LLVMValueRef shadow = new_shadow(p, p->shadow, 1);
        EMIT(p, "accordi_lose", shadow, site, text_of(p, "long double"));
        EMIT(p, "accordi_print", site, as_double(p, x), shadow, truth(p, false), truth(p, text));
    }
}

static void do_print(instrumenter *p, LLVMValueRef call, bool text)
{
    LLVMPositionBuilderBefore(p->build, call);
    unsigned first = LLVMCountParamTypes(LLVMGetCalledFunctionType(call));
    for (unsigned i = first; i < LLVMGetNumArgOperands(call); i++)
        print_number(p, call, LLVMGetOperand(call, i), text);
}

static void do_write(instrumenter *p, LLVMValueRef call, bool raw)
{
    LLVMPositionBuilderBefore(p->build, call);
    EMIT(p, "accordi_write", output_site(p, call), LLVMGetOperand(call, raw),
         raw ? wide(p, 1) : LLVMGetOperand(call, 1), LLVMGetOperand(call, 2));
}

static void do_effect(instrumenter *p, LLVMValueRef call, const known *k)
{
    LLVMValueRef first = LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, 0) : NULL;
    place_after(p, call);
    switch (k->effect) {
    case FUNCTION:
        do_function(p, call, k);
        break;
    case OPERATION:
        do_operation(p, call, k);
        break;
    case LIBM:
        do_libm(p, call, k);
        break;
    case COMPLEX:
        do_complex(p, call, k);
        break;
    case SINE_COSINE:
        do_sine_cosine(p, call);
        break;
    case INTEGER:
        if (is_number(p, LLVMTypeOf(first)))
            EMIT(p, "accordi_integer_of", shadow_at(p, first), number(p, (unsigned)k->what),
                 site_of(p, call, "call"));
        break;
    case PART:
        copy_argument(p, call, 0, (unsigned)k->what);
        break;
    case CONJUGATE:
        do_conjugate(p, call);
        break;
    case INPUT:
        if (is_long(p, LLVMTypeOf(call)))
            EMIT(p, "accordi_point_long", shadow_at(p, call), call);
        else
            EMIT(p, "accordi_point", shadow_at(p, call), as_double(p, call));
        break;
    case READ:
        EMIT(p, is_long(p, LLVMTypeOf(call)) ? "accordi_read_long" : "accordi_read",
             shadow_at(p, call), is_long(p, LLVMTypeOf(call)) ? call : as_double(p, call),
             site_of(p, call, "call"));
        break;
    case PRINT:
    case PRINT_TEXT:
        do_print(p, call, k->effect == PRINT_TEXT);
        break;
    case PRINT_LIST:
        LLVMPositionBuilderBefore(p->build, call);
        EMIT(p, "accordi_print_list", output_site(p, call), LLVMGetOperand(call, (unsigned)k->what),
             LLVMGetOperand(call, (unsigned)k->what + 1));
        break;
    case WRITE:
        do_write(p, call, k->what);
        break;
    case MOVE:
        LLVMPositionBuilderBefore(p->build, call);
        EMIT(p, copies_floats(p, call) ? "accordi_move_floats" : "accordi_move", first,
             LLVMGetOperand(call, 1), LLVMGetOperand(call, 2));
        break;
    case SET:
        EMIT(p, "accordi_clear", first, LLVMGetOperand(call, 2));
        break;
    case START_LIST:
        EMIT(p, "accordi_start_list", first, p->variadic);
        break;
    case ASSIGNED:
        EMIT(p, k->operation, shadow_at(p, call), shadow_at(p, first));
        if (p->tape)
            EMIT(p,
                 strcmp(k->operation, "accordi_copy") ? "accordi_tape_assign" : "accordi_tape_copy",
                 mark_at(p, call), mark_at(p, first));
        break;
    }
}

static bool takes_two(int complex_function)
{
    return complex_function == ACCORDI_COMPLEX_MULTIPLY ||
           complex_function == ACCORDI_COMPLEX_DIVIDE || complex_function == ACCORDI_COMPLEX_POW;
}

/* A program may declare a function of this name with other arguments. */
static bool has_arguments_for(instrumenter *p, LLVMValueRef call, const known *k)
{
    lane lanes[MOST_LANES];
    unsigned n = LLVMGetNumArgOperands(call);
    switch (k->effect) {
    case LIBM:
        return is_float(LLVMTypeOf(call)) && n == 2 && shadow_of_argument(p, call, 0) &&
               (k->what != ACCORDI_LDEXP ||
                LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(call, 1))) == LLVMIntegerTypeKind) &&
               (k->what >= ACCORDI_LDEXP) == !shadow_of_argument(p, call, 1);
    case COMPLEX:
        return lanes_of(p, LLVMTypeOf(call), lanes) ==
                   (k->what == ACCORDI_COMPLEX_ARGUMENT ? 1 : 2) &&
               shadow_of_argument(p, call, takes_two(k->what) ? 3 : 1);
    case FUNCTION:
        return shadow_of_argument(p, call, 0);
    case SINE_COSINE:
        return n == 3 && is_float(LLVMTypeOf(LLVMGetOperand(call, 0))) &&
               LLVMTypeOf(LLVMGetOperand(call, 1)) ==
                   LLVMPointerType(LLVMTypeOf(LLVMGetOperand(call, 0)), 0) &&
               LLVMTypeOf(LLVMGetOperand(call, 2)) == LLVMTypeOf(LLVMGetOperand(call, 1));
    case PART:
        return is_number(p, LLVMTypeOf(call)) && shadow_of_argument(p, call, 1);
    case CONJUGATE:
        return lanes_of(p, LLVMTypeOf(call), lanes) == 2 && shadow_of_argument(p, call, 1);
    default:
        return true;
    }
}

static bool is_scan(const char *name)
{
    static const char *const names[] = {"scanf",          "fscanf",          "sscanf",
                                        "__isoc99_scanf", "__isoc99_fscanf", "__isoc99_sscanf"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* What was read is set. */
static void do_scan(instrumenter *p, LLVMValueRef call)
{
    unsigned first = LLVMCountParamTypes(LLVMGetCalledFunctionType(call));
    place_after(p, call);
    for (unsigned i = first; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef a = LLVMGetOperand(call, i);
        if (LLVMGetTypeKind(LLVMTypeOf(a)) == LLVMPointerTypeKind &&
            LLVMTypeIsSized(LLVMGetElementType(LLVMTypeOf(a))))
            EMIT(p, "accordi_scanned", a,
                 LLVMConstInt(LLVMInt64TypeInContext(p->context),
                              LLVMABISizeOfType(p->layout, LLVMGetElementType(LLVMTypeOf(a))),
                              false),
                 number(p, i - first), call);
    }
}

void do_known_call(instrumenter *p, LLVMValueRef call, const char *name)
{
    const known *k = find_known(name);
    bool foreign = has_foreign_floats(p, LLVMTypeOf(call));
    if (k && k->effect <= CONJUGATE)
        load_copied(p, call);
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && k && k->effect <= READ; i++)
        foreign |= has_foreign_floats(p, LLVMTypeOf(LLVMGetOperand(call, i)));
    if (foreign)
        k = NULL;
    lane lanes[MOST_LANES];
    bool numbers = lanes_of(p, LLVMTypeOf(call), lanes) > 0;
    if (numbers && !is_number(p, LLVMTypeOf(call)) && k && k->effect != CONJUGATE &&
        k->effect != COMPLEX)
        k = NULL; /* vectors, structs */
    if (k && !has_arguments_for(p, call, k))
        k = NULL;
    if (k) {
        do_effect(p, call, k);
    } else if (!strcmp(name, "memcmp") || !strcmp(name, "bcmp")) {
        LLVMPositionBuilderBefore(p->build, call);
        EMIT(p, "accordi_compare_bytes", LLVMGetOperand(call, 0), LLVMGetOperand(call, 1),
             LLVMGetOperand(call, 2), site_of(p, call, "call"));
    } else if (!numbers && is_scan(name)) {
        do_scan(p, call);
    } else if (numbers || !is_harmless(name)) {
        do_foreign(p, call, name);
    }
}
