/* Functions whose body is not in the program: those of libc, libm and LLVM by a table, all others
 * foreign. What a foreign function returns is lost, and what it can write makes everything doubtful
 * that has no shadow from then on. */
#include "bound/instrument/instrument.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum effect {
    FUNCTION,   /* an elementary function; what: accord_bound_operation */
    OPERATION,  /* what: the runtime's operation, with name_f32 and name_f64 */
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
    ASSIGNED,
    HARMLESS /* writes no numbers that depend on numbers of the program */
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
    {"erf", FUNCTION, ACCORD_BOUND_ERF, 0},
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
    {"round", FUNCTION, ACCORD_BOUND_ROUND, 0},
    {"llvm.round.*", FUNCTION, ACCORD_BOUND_ROUND, 0},
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
    {"accordi_assigned*", ASSIGNED, 0, 0},
};

static const char *const harmless[] = {
    "llvm.*",
    "malloc",
    "free",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "valloc",
    "alloca",
    "accordi_libc_*",
    "exit",
    "abort",
    "atexit",
    "on_exit",
    "__assert_fail",
    "__assert",
    "puts",
    "putchar",
    "putc",
    "fputc",
    "fputs",
    "perror",
    "fflush",
    "fopen*",
    "fdopen",
    "freopen",
    "fclose",
    "fread*",
    "fgets",
    "fgetc",
    "getc",
    "getchar",
    "gets",
    "ungetc",
    "getline",
    "getdelim",
    "fseek*",
    "ftell*",
    "rewind",
    "feof",
    "ferror",
    "clearerr",
    "fileno",
    "setbuf",
    "setvbuf",
    "setlinebuf",
    "tmpfile",
    "remove",
    "rename",
    "unlink",
    "popen",
    "pclose",
    "scanf",
    "fscanf",
    "sscanf",
    "__isoc99_*",
    "vscanf",
    "vfscanf",
    "vsscanf",
    "str*",
    "mem*",
    "stpcpy",
    "stpncpy",
    "index",
    "rindex",
    "to*",
    "is*",
    "__ctype_*",
    "bcmp",
    "atoi",
    "atol",
    "atoll",
    "strtol*",
    "strtoul*",
    "rand",
    "srand",
    "rand_r",
    "random",
    "srandom",
    "lrand48",
    "mrand48",
    "srand48",
    "nrand48",
    "seed48",
    "lcong48",
    "initstate",
    "setstate",
    "time",
    "clock*",
    "gettimeofday",
    "times",
    "getrusage",
    "localtime*",
    "gmtime*",
    "mktime",
    "ctime*",
    "asctime*",
    "strftime",
    "nanosleep",
    "usleep",
    "sleep",
    "alarm",
    "setitimer",
    "getenv",
    "setenv",
    "unsetenv",
    "putenv",
    "system",
    "getopt*",
    "abs",
    "labs",
    "llabs",
    "div",
    "ldiv",
    "bsearch",
    "signal",
    "sigaction",
    "sig*",
    "raise",
    "kill",
    "fork",
    "vfork",
    "wait*",
    "getpid",
    "getppid",
    "getuid",
    "pipe*",
    "dup*",
    "read",
    "open*",
    "close",
    "lseek*",
    "stat*",
    "fstat*",
    "access",
    "mkdir",
    "rmdir",
    "chdir",
    "getcwd",
    "isatty",
    "setlocale",
    "localeconv",
    "__errno_location",
    "_setjmp",
    "setjmp",
    "__sigsetjmp",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "fe*",
    "__fpclassify*",
    "printf*",
    "sysconf",
    "getpagesize",
    "mmap",
    "munmap",
    "madvise",
    "sched_yield",
    "omp_*",
    "basename",
    "dirname",
    "realpath",
    "gethostname",
    "uname",
    "assert*",
};

static bool matches(const char *pattern, const char *name, bool *narrow)
{
    size_t n = strlen(pattern);
    *narrow = false;
    if (n && pattern[n - 1] == '*')
        return !strncmp(pattern, name, n - 1);
    if (strncmp(pattern, name, n) != 0)
        return false;
    *narrow = !strcmp(name + n, "f");
    return name[n] == 0 || *narrow;
}

static const known *find(const char *name)
{
    bool narrow;
    for (size_t i = 0; i < sizeof table_of_functions / sizeof *table_of_functions; i++)
        if (matches(table_of_functions[i].name, name, &narrow))
            return &table_of_functions[i];
    return NULL;
}

static bool is_harmless(const char *name)
{
    bool narrow;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (matches(harmless[i], name, &narrow) && !narrow)
            return true;
    return false;
}

/* ---- what is done ---- */

static bool is_long_double(LLVMTypeRef type)
{
    return has_foreign_floats(type);
}

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
}

/* The shadow of number i of all numbers in the arguments: a complex number is two arguments, or a
 * vector of two. NULL: there are not as many. */
static LLVMValueRef shadow_of_argument(instrumenter *p, LLVMValueRef call, unsigned i)
{
    lane lanes[MOST_LANES];
    for (unsigned k = 0; k < LLVMGetNumArgOperands(call); k++) {
        LLVMValueRef a = LLVMGetOperand(call, k);
        unsigned n = lanes_of(p, LLVMTypeOf(a), lanes);
        if (i < n)
            return shadow_lane(p, a, i);
        i -= n;
    }
    return NULL;
}

static void do_function(instrumenter *p, LLVMValueRef call, const known *k)
{
    LLVMValueRef a = shadow_of_argument(p, call, 0), b = shadow_of_argument(p, call, 1);
    EMIT(p, suffixed("accordi_function", is_narrow(call)), shadow_at(p, call), a, b ? b : a,
         number(p, (unsigned)k->what), site_of(p, call, "call"));
}

static void do_conjugate(instrumenter *p, LLVMValueRef call)
{
    EMIT(p, "accordi_copy", shadow_lane(p, call, 0), shadow_of_argument(p, call, 0));
    EMIT(p, "accordi_negate", shadow_lane(p, call, 1), shadow_of_argument(p, call, 1));
}

/* A number that leaves; was it a float before it became an argument? */
static void print_number(instrumenter *p, LLVMValueRef call, LLVMValueRef x, bool text)
{
    LLVMValueRef site = site_of(p, call, "output");
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

static LLVMValueRef wide(instrumenter *p, uint64_t x)
{
    return LLVMConstInt(LLVMInt64TypeInContext(p->context), x, false);
}

static void do_write(instrumenter *p, LLVMValueRef call, bool raw)
{
    LLVMPositionBuilderBefore(p->build, call);
    EMIT(p, "accordi_write", site_of(p, call, "output"), LLVMGetOperand(call, raw),
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
    case INTEGER:
        if (is_float(LLVMTypeOf(first)))
            EMIT(p, "accordi_integer_of", shadow_at(p, first), truth(p, !k->what),
                 site_of(p, call, "call"));
        break;
    case PART:
        EMIT(p, "accordi_copy", shadow_at(p, call), shadow_of_argument(p, call, (unsigned)k->what));
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
        EMIT(p, "accordi_print_list", site_of(p, call, "output"),
             LLVMGetOperand(call, (unsigned)k->what), LLVMGetOperand(call, (unsigned)k->what + 1));
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
        EMIT(p, "accordi_assign", shadow_at(p, call), shadow_at(p, first));
        break;
    case HARMLESS:
        break;
    }
}

/* ---- foreign functions ---- */

/* Could numbers be written here? Text that is constant, and integers, hold none. */
static bool may_hold_numbers(LLVMValueRef pointer)
{
    LLVMTypeRef type = LLVMTypeOf(pointer);
    if (LLVMGetTypeKind(type) != LLVMPointerTypeKind || LLVMIsNull(pointer))
        return false;
    LLVMTypeKind kind = LLVMGetTypeKind(LLVMGetElementType(type));
    if (kind == LLVMFunctionTypeKind)
        return false;
    if (LLVMIsAConstantExpr(pointer) && LLVMIsAGlobalVariable(LLVMGetOperand(pointer, 0)))
        return !LLVMIsGlobalConstant(LLVMGetOperand(pointer, 0));
    return kind != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 8;
}

static void do_foreign(instrumenter *p, LLVMValueRef call, const char *name)
{
    lane lanes[MOST_LANES];
    char what[256];
    snprintf(what, sizeof what, "unknown function %.200s", name);
    LLVMValueRef site = site_of(p, call, "call"), text = text_of(p, what);
    bool writes = false;
    LLVMPositionBuilderBefore(p->build, call);
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef a = LLVMGetOperand(call, i);
        unsigned n = lanes_of(p, LLVMTypeOf(a), lanes);
        for (unsigned k = 0; k < n; k++)
            EMIT(p, "accordi_foreign", shadow_lane(p, a, k), site, text);
        writes |= may_hold_numbers(a);
    }
    if (writes)
        EMIT(p, "accordi_escape", site, text);
    place_after(p, call);
    lose_value(p, call, site, what);
}

/* A program may declare a function of this name with other arguments. */
static bool has_arguments_for(instrumenter *p, LLVMValueRef call, enum effect effect)
{
    lane lanes[MOST_LANES];
    switch (effect) {
    case FUNCTION:
        return shadow_of_argument(p, call, 0);
    case PART:
        return is_float(LLVMTypeOf(call)) && shadow_of_argument(p, call, 1);
    case CONJUGATE:
        return lanes_of(p, LLVMTypeOf(call), lanes) == 2 && shadow_of_argument(p, call, 1);
    default:
        return true;
    }
}

bool do_known_call(instrumenter *p, LLVMValueRef call, const char *name)
{
    const known *k = find(name);
    bool foreign = is_long_double(LLVMTypeOf(call));
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && k && k->effect <= READ; i++)
        foreign |= is_long_double(LLVMTypeOf(LLVMGetOperand(call, i)));
    if (foreign)
        return true;
    lane lanes[MOST_LANES];
    bool numbers = lanes_of(p, LLVMTypeOf(call), lanes) > 0;
    if (numbers && !is_float(LLVMTypeOf(call)) && k && k->effect != CONJUGATE)
        k = NULL; /* vectors, structs */
    if (k && !has_arguments_for(p, call, k->effect))
        k = NULL;
    if (k)
        do_effect(p, call, k);
    else if (numbers || !is_harmless(name))
        do_foreign(p, call, name);
    return true;
}
