/* Before shadows are added: calls of libc that move numbers go to the runtime's own, and functions
 * of libm whose address is taken get a body, so that calls by address have shadows. */
#include "bound/instrument/instrument.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const replaced[] = {
    "memcpy", "memmove",        "mempcpy",      "bcopy",  "memset",        "bzero",
    "calloc", "realloc",        "reallocarray", "malloc", "aligned_alloc", "memalign",
    "valloc", "posix_memalign", "fread",        "read",   "mmap",          "qsort",
    "_exit",  "_Exit",          "quick_exit",   "execve", "execv",         "execvp"};
static const char *const threads[] = {"pthread_create", "thrd_create", "__kmpc_fork_call",
                                      "GOMP_parallel", "clone"};
/* Those that may change how the processor rounds or flushes. */
static const char *const modes[] = {"fesetround", "fesetenv", "feupdateenv"};

static bool is_callee(LLVMValueRef user, LLVMValueRef f)
{
    if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != f)
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
        if (LLVMGetOperand(user, i) == f)
            return false;
    return true;
}

static void set_callee(list *calls, LLVMValueRef f)
{
    for (size_t i = 0; i < calls->count; i++)
        LLVMSetOperand(calls->item[i], (unsigned)LLVMGetNumOperands(calls->item[i]) - 1, f);
    free(calls->item);
}

static void redirect(instrumenter *p, const char *name, const char *to)
{
    LLVMValueRef old = LLVMGetNamedFunction(p->module, name);
    if (!old || LLVMGetFirstBasicBlock(old))
        return;
    LLVMValueRef new = LLVMGetNamedFunction(p->module, to);
    if (!new)
        new = LLVMAddFunction(p->module, to, LLVMGlobalGetValueType(old));
    list kept = {0};
    for (LLVMUseRef u = LLVMGetFirstUse(old); u && !strcmp(name, "malloc"); u = LLVMGetNextUse(u))
        if (is_callee(LLVMGetUser(u), old) && !needs_marks(LLVMGetUser(u)))
            list_add(&kept, LLVMGetUser(u));
    LLVMReplaceAllUsesWith(old, LLVMConstBitCast(new, LLVMTypeOf(old)));
    set_callee(&kept, old);
}

void rename_libc(instrumenter *p)
{
    char name[64];
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
        snprintf(name, sizeof name, "accordi_libc_%s", replaced[i]);
        redirect(p, replaced[i], name);
    }
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        redirect(p, threads[i], "accordi_libc_threads");
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        snprintf(name, sizeof name, "accordi_libc_%s", modes[i]);
        redirect(p, modes[i], name);
    }
    redirect(p, "llvm.x86.sse.ldmxcsr", "accordi_libc_ldmxcsr");
}

/* ---- functions by address ---- */

static bool address_is_taken(LLVMValueRef f)
{
    for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = LLVMGetNextUse(u))
        if (!is_callee(LLVMGetUser(u), f))
            return true;
    return false;
}

static LLVMValueRef make_body(instrumenter *p, LLVMValueRef f, const char *name)
{
    char text[256];
    LLVMTypeRef type = LLVMGlobalGetValueType(f);
    snprintf(text, sizeof text, "accordi_body_of_%.200s", name);
    LLVMValueRef body = LLVMAddFunction(p->module, text, type), argument[64];
    LLVMSetLinkage(body, LLVMInternalLinkage);
    LLVMReplaceAllUsesWith(f, body);
    LLVMPositionBuilderAtEnd(p->build, LLVMAppendBasicBlockInContext(p->context, body, ""));
    LLVMGetParams(body, argument);
    LLVMValueRef call = LLVMBuildCall2(p->build, type, f, argument, LLVMCountParams(body), "");
    if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(p->build);
    else
        LLVMBuildRet(p->build, call);
    return body;
}

/* Calls by name stay calls of the function itself. */
static void call_directly(LLVMValueRef body, LLVMValueRef f)
{
    list calls = {0};
    for (LLVMUseRef u = LLVMGetFirstUse(body); u; u = LLVMGetNextUse(u))
        if (is_callee(LLVMGetUser(u), body))
            list_add(&calls, LLVMGetUser(u));
    set_callee(&calls, f);
}

void wrap_addresses(instrumenter *p)
{
    list foreign = {0};
    lane lanes[MOST_LANES];
    size_t length;
    for (LLVMValueRef f = LLVMGetFirstFunction(p->module); f; f = LLVMGetNextFunction(f)) {
        LLVMTypeRef type = LLVMGlobalGetValueType(f);
        if (!LLVMGetFirstBasicBlock(f) && !LLVMIsFunctionVarArg(type) &&
            lanes_of(p, LLVMGetReturnType(type), lanes) > 0 && LLVMCountParams(f) <= 64 &&
            address_is_taken(f))
            list_add(&foreign, f);
    }
    for (size_t i = 0; i < foreign.count; i++) {
        LLVMValueRef f = foreign.item[i];
        call_directly(make_body(p, f, LLVMGetValueName2(f, &length)), f);
    }
    free(foreign.item);
}
