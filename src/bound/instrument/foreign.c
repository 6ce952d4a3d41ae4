/* Functions that are neither in the program nor in the table of known.c. The harmless ones write no
 * numbers that depend on numbers of the program. Nothing is known about all others: the bounds of
 * their results are lost, and a function that is given an address may have written anywhere, so no
 * number in memory keeps its shadow. */
#include "bound/instrument/instrument.h"
#include <stdio.h>
#include <string.h>

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
    "accordi_set_input",
    "accordi_input_*",
};

bool matches_pattern(const char *pattern, const char *name)
{
    size_t n = strlen(pattern);
    if (n && pattern[n - 1] == '*')
        return strncmp(pattern, name, n - 1) == 0;
    return strcmp(pattern, name) == 0;
}

bool is_harmless(const char *name)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (matches_pattern(harmless[i], name))
            return true;
    return false;
}

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

/* The function sees argument i. True: it may write where that points to. */
static bool give_away(instrumenter *p, LLVMValueRef call, unsigned i, LLVMValueRef site,
                      LLVMValueRef text)
{
    lane lanes[MOST_LANES];
    LLVMValueRef a = LLVMGetOperand(call, i);
    LLVMAttributeRef copied = by_value(call, i);
    unsigned n = lanes_of(p, LLVMTypeOf(a), lanes);
    for (unsigned k = 0; k < n; k++)
        EMIT(p, "accordi_foreign", shadow_lane(p, a, k), site, text);
    if (copied)
        EMIT(p, "accordi_foreign_copy", a, size_copied(p, copied), site, text);
    return !copied && may_hold_numbers(a);
}

/* A variable that is used before it is set; the call gives what it holds. */
static void lose_unset(instrumenter *p, LLVMValueRef call, LLVMValueRef site, const char *what)
{
    LLVMTypeRef type = LLVMTypeOf(call), wide = LLVMDoubleTypeInContext(p->context);
    if (is_long(p, type)) {
        lose_value(p, call, site, what);
        return;
    }
    LLVMValueRef x = type == wide ? call : LLVMBuildFPExt(p->build, call, wide, "");
    EMIT(p, "accordi_lose_unset", shadow_at(p, call), x, site, text_of(p, what));
}

void do_foreign(instrumenter *p, LLVMValueRef call, const char *name)
{
    char what[256];
    bool unset = matches_pattern("accordi_unset_*", name);
    if (unset)
        snprintf(what, sizeof what, "a variable that is used before it is set");
    else
        snprintf(what, sizeof what, "unknown function %.200s", name);
    LLVMValueRef site = site_of(p, call, "call"), text = text_of(p, what);
    bool writes = false;
    LLVMPositionBuilderBefore(p->build, call);
    for (unsigned i = 0; !unset && i < LLVMGetNumArgOperands(call); i++)
        writes |= give_away(p, call, i, site, text);
    place_after(p, call);
    if (writes)
        EMIT(p, "accordi_foreign_writes", site, text);
    if (unset)
        lose_unset(p, call, site, what);
    else
        lose_value(p, call, site, what);
}

/* Without instructions it only keeps the compiler from moving others. */
static bool is_barrier(LLVMValueRef assembly)
{
    char *text = LLVMPrintValueToString(assembly), *first = strchr(text, '"');
    bool empty = first && first[1] == '"';
    LLVMDisposeMessage(text);
    return empty;
}

void do_assembly(instrumenter *p, LLVMValueRef call)
{
    LLVMValueRef site = site_of(p, call, "assembly"), text = text_of(p, "inline assembly");
    bool writes = false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        writes |= may_hold_numbers(LLVMGetOperand(call, i));
    place_after(p, call);
    if (!is_barrier(LLVMGetCalledValue(call)))
        EMIT(p, writes ? "accordi_foreign_writes" : "accordi_escape", site, text);
    lose_value(p, call, site, "inline assembly");
}
