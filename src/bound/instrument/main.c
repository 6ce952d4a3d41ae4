/* The program accord-instrument: adds bounds to a program's bitcode.
 *
 *     accord-instrument IN.bc … -o OUT --runtime RUNTIME.bc [--model MODELS] [--tape] [--both]
 * [--margins]
 *         [--pin FILE:LINE] … [--input NAME | --input-range NAME] …
 *
 * In: bitcode of all files of a program, by clang -O0 with contraction off (doc/bound.md has the
 * flags), and of the runtime. Out: bitcode, or an object file if OUT ends in .o, to be linked with
 * the runtime's library. The steps: link, strip, promote variables to values, add shadows, link the
 * runtime, optimise. Status 1 and a message if that is not possible, 2 if there is no such input.
 *
 * For tests, which build much and run little: with ACCORD_INSTRUMENT_QUICK in the environment, the
 * program calls the runtime instead of inlining it, which is many times quicker to build and gives
 * the same bounds. ACCORD_INSTRUMENT_DUMP names a file that the module is written to before it is
 * optimised. */
#include "bound/instrument/instrument.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Linker.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

typedef struct arguments {
    const char *in[4096], *pin[1024], *out, *runtime, *models;
    program_input input[1024];
    size_t count, pins, inputs;
    bool tape, both, margins;
} arguments;

static void parse(int argc, char **argv, arguments *a)
{
    for (int i = 1; i < argc; i++) {
        const char **value = !strcmp(argv[i], "-o")          ? &a->out
                             : !strcmp(argv[i], "--runtime") ? &a->runtime
                             : !strcmp(argv[i], "--model")   ? &a->models
                                                             : NULL;
        if (value && i + 1 < argc)
            *value = argv[++i];
        else if (!strcmp(argv[i], "--tape"))
            a->tape = true;
        else if (!strcmp(argv[i], "--both"))
            a->both = true;
        else if (!strcmp(argv[i], "--margins"))
            a->margins = true;
        else if (!strncmp(argv[i], "--input", 7) && i + 1 < argc &&
                 a->inputs < sizeof a->input / sizeof *a->input) {
            a->input[a->inputs].range = !strcmp(argv[i], "--input-range");
            a->input[a->inputs++].name = argv[++i];
        } else if (!strcmp(argv[i], "--pin") && i + 1 < argc &&
                   a->pins < sizeof a->pin / sizeof *a->pin)
            a->pin[a->pins++] = argv[++i];
        else if (!value && a->count < sizeof a->in / sizeof *a->in)
            a->in[a->count++] = argv[i];
    }
    if (!a->count || !a->out || !a->runtime)
        die("usage: accord-instrument IN.bc ... -o OUT --runtime RUNTIME.bc [--model MODELS] "
            "[--tape] [--both] [--margins] [--pin FILE:LINE] ... [--input NAME | --input-range "
            "NAME] ...");
}

static unsigned model_of(const char *text)
{
    static const struct {
        const char *name;
        unsigned flag;
    } rows[] = {{"written", ACCORD_BOUND_WRITTEN},
                {"contract-expr", ACCORD_BOUND_CONTRACT_EXPR},
                {"contract", ACCORD_BOUND_CONTRACT},
                {"paren", ACCORD_BOUND_PAREN},
                {"perm", ACCORD_BOUND_PERM},
                {"fast", ACCORD_BOUND_FAST},
                {"loop", ACCORD_BOUND_LOOP},
                {"excess", ACCORD_BOUND_EXCESS},
                {"ftz", ACCORD_BOUND_FTZ}};
    unsigned flags = 0;
    const size_t count = sizeof rows / sizeof *rows;
    for (const char *at = text ? text : "contract"; *at;) {
        size_t n = strcspn(at, ","), i = 0;
        while (i < count && (strlen(rows[i].name) != n || strncmp(rows[i].name, at, n) != 0))
            i++;
        if (n == strlen("fast-expand") && !strncmp(at, "fast-expand", n))
            die("fast-expand is for one expression: expanded over a whole program, products have "
                "too "
                "many terms for bounds of any use; choose fast, which does not expand them");
        if (i == count)
            die("the model %.*s is not available for programs; choose from written, contract-expr, "
                "contract, paren, perm, loop, fast, excess, ftz",
                (int)n, at);
        flags |= rows[i].flag;
        at += n + (at[n] == ',');
    }
    if (flags & ACCORD_BOUND_LOOP && flags & (ACCORD_BOUND_PAREN | ACCORD_BOUND_PERM))
        die("loop cannot be combined with paren or perm for programs; choose loop for sums in any "
            "order, or fast for products in any order too");
    return flags;
}

static LLVMModuleRef read_module(LLVMContextRef context, const char *name)
{
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(name, &buffer, &message))
        die("%s cannot be read: %s", name, message);
    if (LLVMParseBitcodeInContext2(context, buffer, &module))
        die("%s is not bitcode of this version of LLVM", name);
    return module;
}

static void link_into(LLVMModuleRef module, LLVMModuleRef more, const char *name)
{
    if (LLVMLinkModules2(module, more))
        die("%s cannot be linked with the other files", name);
}

static void run_passes(instrumenter *p, LLVMTargetMachineRef machine, const char *passes)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, true);
    LLVMPassBuilderOptionsSetSLPVectorization(options, true);
    LLVMErrorRef error = LLVMRunPasses(p->module, passes, machine, options);
    if (error)
        die("LLVM could not run %s: %s", passes, LLVMGetErrorMessage(error));
    LLVMDisposePassBuilderOptions(options);
}

static LLVMTargetMachineRef this_machine(LLVMModuleRef module, bool quick)
{
    char *message = NULL;
    LLVMTargetRef target;
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    LLVMInitializeNativeAsmParser(); /* for inline assembly */
    if (LLVMGetTargetFromTriple(LLVMGetTarget(module), &target, &message))
        die("the program is for another machine: %s", message);
    return LLVMCreateTargetMachine(
        target, LLVMGetTarget(module), LLVMGetHostCPUName(), LLVMGetHostCPUFeatures(),
        quick ? LLVMCodeGenLevelNone : LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
}

static void set_text(LLVMContextRef context, LLVMValueRef f, const char *name, const char *value)
{
    LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(context, name, (unsigned)strlen(name), value,
                                                      (unsigned)strlen(value)));
}

/* Instructions that were added have no place in the source, which calls must have: line 0. */
static void place_calls(LLVMContextRef context, LLVMValueRef function)
{
    LLVMMetadataRef scope = LLVMGetSubprogram(function);
    if (!scope)
        return;
    LLVMMetadataRef nowhere = LLVMDIBuilderCreateDebugLocation(context, 0, 0, scope, NULL);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) && !LLVMInstructionGetDebugLoc(i))
                LLVMInstructionSetDebugLoc(i, nowhere);
}

/* Every function is for this machine, and those of the runtime are the program's own. */
static void fit_functions(instrumenter *p, const list *runtime)
{
    list all = {0};
    list_functions(&all, p->module);
    char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
    for (size_t i = 0; i < all.count; i++) {
        set_text(p->context, all.item[i], "target-cpu", cpu);
        set_text(p->context, all.item[i], "target-features", features);
    }
    for (size_t i = 0; i < runtime->count; i++)
        LLVMSetLinkage(runtime->item[i], LLVMInternalLinkage);
    LLVMValueRef declared = LLVMGetNamedGlobal(p->module, "accordi_declared");
    if (declared)
        LLVMDeleteGlobal(declared);
    free(all.item);
}

/* Not by its name: a struct of the program with the same fields is the same type to LLVM. */
static LLVMTypeRef mark_type(instrumenter *p)
{
    LLVMValueRef f = LLVMGetNamedFunction(p->module, "accordi_tape_copy");
    return f ? LLVMGetElementType(LLVMTypeOf(LLVMGetParam(f, 0))) : NULL;
}

static void instrument_all(instrumenter *p, const char *runtime_name, LLVMModuleRef runtime)
{
    list program = {0}, all = {0}, own = {0};
    list_functions(&program, p->module);
    for (size_t i = 0; i < program.count; i++)
        table_put(&p->defined, program.item[i], program.item[i]);
    find_puns(p);
    LLVMStripModuleDebugInfo(runtime);
    link_into(p->module, runtime, runtime_name);
    list_functions(&all, p->module);
    for (size_t i = 0; i < all.count; i++)
        if (!table_get(&p->defined, all.item[i]))
            list_add(&own, all.item[i]);
    bool wide = p->model & (ACCORD_BOUND_FAST | ACCORD_BOUND_LOOP);
    p->shadow = LLVMGetTypeByName2(p->context,
                                   wide ? "struct.accordi_wide_shadow" : "struct.accordi_shadow");
    p->list = LLVMGetTypeByName2(p->context, "struct.accordi_list");
    p->mark = mark_type(p);
    if (!p->shadow || !p->list || !p->mark)
        die("%s is not the runtime of this accord-instrument", runtime_name);
    for (size_t i = 0; i < program.count; i++)
        instrument_function(p, program.item[i]);
    lower_extremes(p);
    remove_marks(p->module);
    write_sites(p);
    for (size_t i = 0; i < program.count; i++)
        place_calls(p->context, program.item[i]);
    fit_functions(p, &own);
    free(program.item);
    free(all.item);
    free(own.item);
}

static void write_module(instrumenter *p, LLVMTargetMachineRef machine, const char *out)
{
    char *message = NULL;
    size_t n = strlen(out);
    if (n > 2 && !strcmp(out + n - 2, ".o")) {
        if (LLVMTargetMachineEmitToFile(machine, p->module, (char *)out, LLVMObjectFile, &message))
            die("%s cannot be written: %s", out, message);
    } else if (LLVMWriteBitcodeToFile(p->module, out)) {
        die("%s cannot be written", out);
    }
}

static void verify(instrumenter *p)
{
    char *message = NULL;
    if (LLVMVerifyModule(p->module, LLVMReturnStatusAction, &message))
        die("an error of accord-instrument: %s", message);
    LLVMDisposeMessage(message);
}

/* What the model does not see through. */
static unsigned marks_for(unsigned model)
{
    if (model & (ACCORD_BOUND_FAST | ACCORD_BOUND_LOOP))
        return 0;
    if (model & (ACCORD_BOUND_PAREN | ACCORD_BOUND_PERM))
        return MARK_ASSIGNMENTS | MARK_PARENTHESES;
    return model & ACCORD_BOUND_CONTRACT ? 0 : MARK_ASSIGNMENTS;
}

int main(int argc, char **argv)
{
    arguments a = {.count = 0};
    instrumenter p = {.context = LLVMContextCreate()};
    bool quick = getenv("ACCORD_INSTRUMENT_QUICK") != NULL;
    parse(argc, argv, &a);
    p.model = model_of(a.models);
    p.longs = !(p.model &
                (ACCORD_BOUND_PAREN | ACCORD_BOUND_PERM | ACCORD_BOUND_LOOP | ACCORD_BOUND_FAST));
    p.tape = a.tape;
    p.both = a.both;
    p.margins = a.margins;
    p.pin = a.pin;
    p.pins = a.pins;
    p.input = a.input;
    p.inputs = a.inputs;
    p.module = read_module(p.context, a.in[0]);
    for (size_t i = 1; i < a.count; i++)
        link_into(p.module, read_module(p.context, a.in[i]), a.in[i]);
    p.build = LLVMCreateBuilderInContext(p.context);
    p.layout = LLVMGetModuleDataLayout(p.module);
    LLVMTargetMachineRef machine = this_machine(p.module, quick);
    strip_module(p.module, marks_for(p.model));
    order_extremes(p.module);
    site_of(&p, number(&p, 0), "program");
    set_inputs(&p);
    set_unset(&p);
    run_passes(&p, machine, "function(mem2reg)");
    drop_settled(&p);
    mark_unset_memory(&p);
    rename_libc(&p);
    wrap_addresses(&p);
    instrument_all(&p, a.runtime, read_module(p.context, a.runtime));
    if (getenv("ACCORD_INSTRUMENT_DUMP"))
        LLVMPrintModuleToFile(p.module, getenv("ACCORD_INSTRUMENT_DUMP"), NULL);
    verify(&p);
    run_passes(&p, machine,
               quick ? "globaldce,function(sroa,early-cse,simplifycfg)"
                     : "always-inline,function(sroa,early-cse,simplifycfg),default<O2>");
    write_module(&p, machine, a.out);
    return 0;
}
