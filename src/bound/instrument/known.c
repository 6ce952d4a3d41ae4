/* Calls of functions whose body is not in the program. A table says what is done for those of libc,
 * libm and LLVM that take or return numbers; all others are foreign (foreign.c). */
#include "bound/instrument/instrument.h"
#include "bound/runtime/slow.h"
#include <string.h>

enum effect {
    FUNCTION,  /* an elementary function; what: accord_bound_operation */
    OPERATION, /* what: the runtime's operation, with name_f32 and name_f64 */
    LIBM,      /* what: accordi_libm_function */
    COMPLEX,   /* what: accordi_complex_function */
    SINE_COSINE,
    INTEGER,    /* to an integer */
    PART,       /* lane `what` of the argument */
    CONJUGATE,  /* the imaginary part is negated */
    INPUT,      /* the result is exact */
    READ,       /* the result was read from text */
    PRINT,      /* numbers behind the format leave */
    PRINT_TEXT, /* and can come back */
    PRINT_LIST, /* the same with a va_list; what: which argument is the format */
    WRITE,      /* (address, size, count, …) leave */
    MOVE,       /* llvm.memcpy, llvm.memmove */
    SET,        /* llvm.memset */
    START_LIST,
    ASSIGNED
};

typedef struct known {
    const char *name; /* without the f of float; a * at the end stands for anything */
    enum effect effect;
    int what;
    const char *operation;
} known;

static const known table_of_functions[] = {
    {"exp", FUNCTION, ACCORD_BOUND_EXP, 0},
    {"exp2", FUNCTION, ACCORD_BOUND_EXP2, 0},
    {"expm1", FUNCTION, ACCORD_BOUND_EXPM1, 0},
    {"log", FUNCTION, ACCORD_BOUND_LOG, 0},
    {"log2", FUNCTION, ACCORD_BOUND_LOG2, 0},
    {"log10", FUNCTION, ACCORD_BOUND_LOG10, 0},
    {"log1p", FUNCTION, ACCORD_BOUND_LOG1P, 0},
    {"cbrt", FUNCTION, ACCORD_BOUND_CBRT, 0},
    {"sinh", FUNCTION, ACCORD_BOUND_SINH, 0},
    {"tanh", FUNCTION, ACCORD_BOUND_TANH, 0},
    {"asinh", FUNCTION, ACCORD_BOUND_ASINH, 0},
    {"atan", FUNCTION, ACCORD_BOUND_ATAN, 0},
    {"asin", FUNCTION, ACCORD_BOUND_ASIN, 0},
    {"acos", FUNCTION, ACCORD_BOUND_ACOS, 0},
    {"acosh", FUNCTION, ACCORD_BOUND_ACOSH, 0},
    {"atanh", FUNCTION, ACCORD_BOUND_ATANH, 0},
    {"erf", FUNCTION, ACCORD_BOUND_ERF, 0},
    {"erfc", FUNCTION, ACCORD_BOUND_ERFC, 0},
    {"exp10", FUNCTION, ACCORD_BOUND_EXP10, 0},
    {"lgamma", FUNCTION, ACCORD_BOUND_LGAMMA, 0},
    {"gamma", FUNCTION, ACCORD_BOUND_LGAMMA, 0},
    {"tgamma", FUNCTION, ACCORD_BOUND_TGAMMA, 0},
    {"sin", FUNCTION, ACCORD_BOUND_SIN, 0},
    {"cos", FUNCTION, ACCORD_BOUND_COS, 0},
    {"pow", FUNCTION, ACCORD_BOUND_POW, 0},
    {"floor", FUNCTION, ACCORD_BOUND_FLOOR, 0},
    {"llvm.floor.*", FUNCTION, ACCORD_BOUND_FLOOR, 0},
    {"ceil", FUNCTION, ACCORD_BOUND_CEIL, 0},
    {"llvm.ceil.*", FUNCTION, ACCORD_BOUND_CEIL, 0},
    {"trunc", FUNCTION, ACCORD_BOUND_TRUNC, 0},
    {"llvm.trunc.*", FUNCTION, ACCORD_BOUND_TRUNC, 0},
    {"rint", FUNCTION, ACCORD_BOUND_RINT, 0},
    {"llvm.rint.*", FUNCTION, ACCORD_BOUND_RINT, 0},
    {"nearbyint", FUNCTION, ACCORD_BOUND_RINT, 0},
    {"llvm.nearbyint.*", FUNCTION, ACCORD_BOUND_RINT, 0},
    {"roundeven", FUNCTION, ACCORD_BOUND_RINT, 0},
    {"llvm.roundeven.*", FUNCTION, ACCORD_BOUND_RINT, 0},
    {"round", FUNCTION, ACCORD_BOUND_ROUND, 0},
    {"llvm.round.*", FUNCTION, ACCORD_BOUND_ROUND, 0},
    {"sincos", SINE_COSINE, 0, 0},
    {"tan", FUNCTION, ACCORD_BOUND_TAN, 0},
    {"cosh", FUNCTION, ACCORD_BOUND_COSH, 0},
    {"hypot", FUNCTION, ACCORD_BOUND_HYPOT, 0},
    {"atan2", FUNCTION, ACCORD_BOUND_ATAN2, 0},
    {"cabs", FUNCTION, ACCORD_BOUND_HYPOT, 0},
    {"creal", PART, 0, 0},
    {"cimag", PART, 1, 0},
    {"conj", CONJUGATE, 0, 0},
    {"sqrt", OPERATION, 1, "accordi_sqrt"},
    {"fabs", OPERATION, 1, "accordi_abs"},
    {"llvm.fabs*", OPERATION, 1, "accordi_abs"},
    {"llvm.sqrt*", OPERATION, 1, "accordi_sqrt"},
    {"fmin", OPERATION, 2, "accordi_minimum"},
    {"fmax", OPERATION, 2, "accordi_maximum"},
    {"llvm.minnum*", OPERATION, 2, "accordi_minimum"},
    {"llvm.maxnum*", OPERATION, 2, "accordi_maximum"},
    {"fma", OPERATION, 3, "accordi_fma"},
    {"llvm.fma.*", OPERATION, 3, "accordi_fma"},
    {"fmod", LIBM, ACCORDI_FMOD, 0},
    {"remainder", LIBM, ACCORDI_REMAINDER, 0},
    {"drem", LIBM, ACCORDI_REMAINDER, 0},
    {"copysign", LIBM, ACCORDI_COPY_SIGN, 0},
    {"llvm.copysign.*", LIBM, ACCORDI_COPY_SIGN, 0},
    {"fdim", LIBM, ACCORDI_POSITIVE_DIFFERENCE, 0},
    {"ldexp", LIBM, ACCORDI_LDEXP, 0},
    {"scalbn", LIBM, ACCORDI_LDEXP, 0},
    {"scalbln", LIBM, ACCORDI_LDEXP, 0},
    {"frexp", LIBM, ACCORDI_FREXP, 0},
    {"modf", LIBM, ACCORDI_MODF, 0},
    {"carg", COMPLEX, ACCORDI_COMPLEX_ARGUMENT, 0},
    {"cproj", COMPLEX, ACCORDI_COMPLEX_PROJECTION, 0},
    {"cexp", COMPLEX, ACCORDI_COMPLEX_EXP, 0},
    {"clog", COMPLEX, ACCORDI_COMPLEX_LOG, 0},
    {"csqrt", COMPLEX, ACCORDI_COMPLEX_SQRT, 0},
    {"cpow", COMPLEX, ACCORDI_COMPLEX_POW, 0},
    {"csin", COMPLEX, ACCORDI_COMPLEX_SIN, 0},
    {"ccos", COMPLEX, ACCORDI_COMPLEX_COS, 0},
    {"csinh", COMPLEX, ACCORDI_COMPLEX_SINH, 0},
    {"ccosh", COMPLEX, ACCORDI_COMPLEX_COSH, 0},
    {"__muldc3", COMPLEX, ACCORDI_COMPLEX_MULTIPLY, 0},
    {"__mulsc3", COMPLEX, ACCORDI_COMPLEX_MULTIPLY, 0},
    {"__divdc3", COMPLEX, ACCORDI_COMPLEX_DIVIDE, 0},
    {"__divsc3", COMPLEX, ACCORDI_COMPLEX_DIVIDE, 0},
    {"lrint", INTEGER, 0, 0},
    {"llrint", INTEGER, 0, 0},
    {"lround", INTEGER, 0, 0},
    {"llround", INTEGER, 0, 0},
    {"ilogb", INTEGER, 0, 0},
    {"__isnan", INTEGER, 1, 0},
    {"__isinf", INTEGER, 1, 0},
    {"__finite", INTEGER, 1, 0},
    {"__fpclassify", INTEGER, 1, 0},
    {"__signbit", INTEGER, 1, 0},
    {"isnan", INTEGER, 1, 0},
    {"isinf", INTEGER, 1, 0},
    {"finite", INTEGER, 1, 0},
    {"drand48", INPUT, 0, 0},
    {"erand48", INPUT, 0, 0},
    {"difftime", INPUT, 0, 0},
    {"omp_get_wtime", INPUT, 0, 0},
    {"nan", INPUT, 0, 0},
    {"strtod", READ, 0, 0},
    {"strtof", READ, 0, 0},
    {"atof", READ, 0, 0},
    {"printf", PRINT, 0, 0},
    {"fprintf", PRINT, 0, 0},
    {"dprintf", PRINT, 0, 0},
    {"syslog", PRINT, 0, 0},
    {"sprintf", PRINT_TEXT, 0, 0},
    {"snprintf", PRINT_TEXT, 0, 0},
    {"asprintf", PRINT_TEXT, 0, 0},
    {"vprintf", PRINT_LIST, 0, 0},
    {"vfprintf", PRINT_LIST, 1, 0},
    {"vdprintf", PRINT_LIST, 1, 0},
    {"vsprintf", PRINT_LIST, 1, 0},
    {"vsnprintf", PRINT_LIST, 2, 0},
    {"vasprintf", PRINT_LIST, 1, 0},
    {"fwrite", WRITE, 0, 0},
    {"fwrite_unlocked", WRITE, 0, 0},
    {"write", WRITE, 1, 0},
    {"llvm.memcpy*", MOVE, 0, 0},
    {"llvm.memmove*", MOVE, 0, 0},
    {"llvm.memset*", SET, 0, 0},
    {"llvm.va_start", START_LIST, 0, 0},
    {"accordi_assigned*", ASSIGNED, 0, "accordi_assign"},
    {"accordi_parentheses*", ASSIGNED, 0, "accordi_copy"},
};

/* A name of the table, or that name with the f of float. */
static bool matches_either(const char *pattern, const char *name)
{
    size_t n = strlen(pattern);
    return matches_pattern(pattern, name) ||
           (strncmp(pattern, name, n) == 0 && strcmp(name + n, "f") == 0);
}

static const known *find_known(const char *name)
{
    for (size_t i = 0; i < sizeof table_of_functions / sizeof *table_of_functions; i++)
        if (matches_either(table_of_functions[i].name, name))
            return &table_of_functions[i];
    return NULL;
}

/* ---- what is done ---- */

static void do_operation(instrumenter *p, LLVMValueRef call, const known *k)
{
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

LLVMValueRef argument_lane(instrumenter *p, LLVMValueRef call, unsigned *i)
{
    lane lanes[MOST_LANES];
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        LLVMValueRef a = LLVMGetOperand(call, k);
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
    EMIT(p, suffixed("accordi_function", is_narrow(call)), shadow_at(p, call), a, b ? b : a,
         number(p, (unsigned)k->what), site_of(p, call, "call"));
    pin_result(p, call); /* pow(x, 2) is a product */
    if (p->tape)
        tape_function(p, call, suffixed("accordi_tape_function", is_narrow(call)),
                      (unsigned)k->what);
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
    EMIT(p, "accordi_complex", shadow_lane(p, call, 0),
         results == 2 ? shadow_lane(p, call, 1) : new_shadow(p, p->shadow, 1),
         shadow_of_argument(p, call, 0), shadow_of_argument(p, call, 1),
         c ? c : shadow_of_argument(p, call, 0), d ? d : shadow_of_argument(p, call, 1),
         number(p, (unsigned)k->what), site_of(p, call, "call"), truth(p, lanes[0].narrow));
    tape_unknown(p, call, results);
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
    if (p->tape && is_float(LLVMTypeOf(x)))
        EMIT(p, "accordi_tape_leave", mark_at(p, x));
    if (is_float(LLVMTypeOf(x))) {
        bool narrow = LLVMIsAFPExtInst(x) && is_narrow(LLVMGetOperand(x, 0));
        EMIT(p, "accordi_print", site, x, shadow_at(p, x), truth(p, narrow), truth(p, text));
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
        if (is_float(LLVMTypeOf(first)))
            EMIT(p, "accordi_integer_of", shadow_at(p, first), truth(p, !k->what),
                 site_of(p, call, "call"));
        break;
    case PART:
        copy_argument(p, call, 0, (unsigned)k->what);
        break;
    case CONJUGATE:
        do_conjugate(p, call);
        break;
    case INPUT:
        EMIT(p, "accordi_point", shadow_at(p, call), as_double(p, call));
        break;
    case READ:
        EMIT(p, "accordi_read", shadow_at(p, call), as_double(p, call), site_of(p, call, "call"));
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
        EMIT(p, "accordi_move", first, LLVMGetOperand(call, 1), LLVMGetOperand(call, 2));
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
        return is_float(LLVMTypeOf(call)) && shadow_of_argument(p, call, 1);
    case CONJUGATE:
        return lanes_of(p, LLVMTypeOf(call), lanes) == 2 && shadow_of_argument(p, call, 1);
    default:
        return true;
    }
}

void do_known_call(instrumenter *p, LLVMValueRef call, const char *name)
{
    const known *k = find_known(name);
    bool foreign = has_foreign_floats(LLVMTypeOf(call));
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && k && k->effect <= READ; i++)
        foreign |= has_foreign_floats(LLVMTypeOf(LLVMGetOperand(call, i)));
    if (foreign)
        k = NULL;
    lane lanes[MOST_LANES];
    bool numbers = lanes_of(p, LLVMTypeOf(call), lanes) > 0;
    if (numbers && !is_float(LLVMTypeOf(call)) && k && k->effect != CONJUGATE &&
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
    } else if (numbers || !is_harmless(name)) {
        do_foreign(p, call, name);
    }
}
