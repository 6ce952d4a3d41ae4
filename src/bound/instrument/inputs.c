/* Inputs: numbers of the program that get a value or an interval from outside.
 *
 * In: names such as x, a[3], main:b or ray.c:5:b. Before variables become values, a call of
 * accordi_set_input is put where the variable gets the number that is replaced: at the start of
 * main for the initial value of a global variable, at the entry for a parameter, and behind the
 * assignments in a line for all else; a plain local variable means the line of its declaration.
 * The runtime (../runtime/inputs.c) writes the number and its shadow to memory, so the variable
 * stays there. */
#include "bound/instrument/inputs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- where it is assigned ---- */

static bool moves_address(LLVMValueRef a)
{
    if (LLVMIsAConstantExpr(a))
        return LLVMGetConstOpcode(a) == LLVMGetElementPtr || LLVMGetConstOpcode(a) == LLVMBitCast;
    return LLVMIsAGetElementPtrInst(a) || LLVMIsABitCastInst(a);
}

static bool stays_at_start(LLVMValueRef a)
{
    bool steps = LLVMIsAGetElementPtrInst(a) ||
                 (LLVMIsAConstantExpr(a) && LLVMGetConstOpcode(a) == LLVMGetElementPtr);
    for (int i = 1; steps && i < LLVMGetNumOperands(a); i++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(a, (unsigned)i)) ||
            LLVMConstIntGetZExtValue(LLVMGetOperand(a, (unsigned)i)) != 0)
            return false;
    return true;
}

/* Does the address lie in the variable, or behind the pointer that it is? Then where that begins,
 * and whether the address is that of the beginning. */
static LLVMValueRef base_of(LLVMValueRef address, const variable *v, const shape *s, bool *start)
{
    *start = true;
    if (LLVMGetTypeKind(LLVMTypeOf(address)) != LLVMPointerTypeKind)
        return NULL;
    while (moves_address(address)) {
        *start = *start && stays_at_start(address);
        address = LLVMGetOperand(address, 0);
    }
    if (!s->pointer)
        return address == v->at ? address : NULL;
    return LLVMIsALoadInst(address) && LLVMGetOperand(address, 0) == v->at ? address : NULL;
}

/* An assignment: n numbers from `at` on are in it. */
typedef struct assignment {
    LLVMValueRef base, at;
    uint64_t n;
} assignment;

/* A call may write where its argument points to: to all of it, if that is the beginning. */
static bool call_assigns(LLVMValueRef i, const variable *v, const shape *s, assignment *a)
{
    unsigned n = LLVMGetNumArgOperands(i);
    bool start, intrinsic = is_call_of(i, "llvm.");
    bool copies = is_call_of(i, "llvm.mem") || is_call_of(i, "mem");
    for (unsigned k = 0; k < (copies ? 1 : intrinsic ? 0 : n); k++) {
        LLVMValueRef argument = LLVMGetOperand(i, k), base = base_of(argument, v, s, &start);
        if (!base)
            continue;
        *a = (assignment){base, start ? base : argument, start ? WHOLE : 1};
        return true;
    }
    return false;
}

static bool assigns(LLVMValueRef i, const variable *v, const shape *s, assignment *a)
{
    bool start;
    if (LLVMIsACallInst(i))
        return call_assigns(i, v, s, a);
    if (!LLVMIsAStoreInst(i) || LLVMTypeOf(LLVMGetOperand(i, 0)) != s->number)
        return false;
    *a = (assignment){base_of(LLVMGetOperand(i, 1), v, s, &start), LLVMGetOperand(i, 1), 1};
    return a->base;
}

/* ---- calls of the runtime ---- */

static LLVMValueRef setter(instrumenter *p, LLVMTypeRef *type)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(p->context);
    LLVMTypeRef longer = LLVMInt64TypeInContext(p->context);
    LLVMTypeRef address = LLVMPointerType(LLVMInt8TypeInContext(p->context), 0);
    LLVMTypeRef types[] = {word, address, longer, address, longer, longer, word, word};
    *type = LLVMFunctionType(LLVMVoidTypeInContext(p->context), types, 8, false);
    LLVMValueRef f = LLVMGetNamedFunction(p->module, "accordi_set_input");
    return f ? f : LLVMAddFunction(p->module, "accordi_set_input", *type);
}

static LLVMValueRef site_at(instrumenter *p, const wanted *w, LLVMValueRef place)
{
    char kind[32];
    snprintf(kind, sizeof kind, "input %u", w->id);
    return site_of(p, place, kind);
}

/* The builder stands where the call is to be. */
static void set_input(instrumenter *p, const wanted *w, const shape *s, const assignment *a,
                      LLVMValueRef place)
{
    LLVMTypeRef type, longer = LLVMInt64TypeInContext(p->context);
    LLVMTypeRef bytes = LLVMPointerType(LLVMInt8TypeInContext(p->context), 0);
    LLVMValueRef f = setter(p, &type);
    LLVMValueRef arguments[] = {number(p, w->id),
                                LLVMBuildPointerCast(p->build, a->at, bytes, ""),
                                LLVMConstInt(longer, a->n == WHOLE ? s->count : a->n, false),
                                LLVMBuildPointerCast(p->build, a->base, bytes, ""),
                                LLVMConstInt(longer, s->first, false),
                                LLVMConstInt(longer, s->count, false),
                                number(p, (unsigned)input_format(s->number)),
                                site_at(p, w, place)};
    LLVMValueRef call = LLVMBuildCall2(p->build, type, f, arguments, 8, "");
    LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(place));
}

static void set_at_start(instrumenter *p, const wanted *w, const variable *v)
{
    LLVMValueRef f = LLVMGetNamedFunction(p->module, "main");
    shape s = input_shape(w, v->at);
    if (!f || !LLVMGetFirstBasicBlock(f))
        refuse("--input %s: the program has no main", w->text);
    if (s.pointer)
        refuse("--input %s: this is a pointer; name the line where the numbers are assigned, as in "
               "FILE:LINE:%s",
               w->text, w->text);
    if (LLVMIsGlobalConstant(v->at))
        refuse("--input %s: this is const, and compilers may put its value in its place; remove "
               "const",
               w->text);
    LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(f)), place = i;
    while (LLVMIsAAllocaInst(i))
        i = LLVMGetNextInstruction(i);
    while (place && !LLVMInstructionGetDebugLoc(place))
        place = LLVMGetNextInstruction(place);
    LLVMPositionBuilderBefore(p->build, i);
    set_input(p, w, &s, &(assignment){v->at, v->at, WHOLE}, place ? place : i);
}

/* The argument is stored without a line, before the place of the declaration. */
static void set_parameter(instrumenter *p, const wanted *w, const variable *v)
{
    shape s = input_shape(w, v->at);
    LLVMValueRef store = NULL, place = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(v->function));
    if (s.pointer)
        refuse("--input %s: this parameter is a pointer; name the line where the numbers are "
               "assigned, as in FILE:LINE:%s",
               w->text, w->name);
    for (LLVMUseRef u = LLVMGetFirstUse(v->at); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAStoreInst(user) && LLVMIsAArgument(LLVMGetOperand(user, 0)))
            store = user;
    }
    while (place && !LLVMInstructionGetDebugLoc(place))
        place = LLVMGetNextInstruction(place);
    LLVMPositionBuilderBefore(p->build, LLVMGetNextInstruction(store));
    set_input(p, w, &s, &(assignment){v->at, v->at, WHOLE}, place ? place : store);
}

/* ---- lines ---- */

static bool is_in_line(const wanted *w, unsigned line, LLVMValueRef i)
{
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
    if (!location || LLVMDILocationGetLine(location) != line)
        return false;
    char *file = file_of(location);
    size_t n = strlen(file), m = strlen(w->file);
    bool same =
        m == 0 || (n >= m && !strcmp(file + n - m, w->file) && (n == m || file[n - m - 1] == '/'));
    free(file);
    return same;
}

static void list_assignments(instrumenter *p, const variable *v, list *l)
{
    list functions = {0};
    list_functions(&functions, p->module);
    for (size_t i = 0; i < functions.count; i++)
        if (!v->function || v->function == functions.item[i])
            list_instructions(l, functions.item[i]);
    free(functions.item);
}

/* How many assignments in the line were found; the lines of all are noted in `others`. */
static size_t set_in_line(instrumenter *p, const wanted *w, const variable *v, unsigned line,
                          char others[200])
{
    list l = {0};
    size_t count = 0;
    unsigned last = 0;
    shape s = input_shape(w, v->at);
    list_assignments(p, v, &l);
    for (size_t i = 0; i < l.count; i++) {
        assignment a;
        LLVMMetadataRef location = LLVMInstructionGetDebugLoc(l.item[i]);
        if (!location || !assigns(l.item[i], v, &s, &a))
            continue;
        size_t used = strlen(others);
        if (last != LLVMDILocationGetLine(location))
            snprintf(others + used, 200 - used, "%s%u", used ? ", " : "",
                     last = LLVMDILocationGetLine(location));
        if (!is_in_line(w, line, l.item[i]))
            continue;
        if (a.n == WHOLE && s.count == WHOLE)
            refuse("--input %s: how many numbers are assigned there is not known; name them by "
                   "their indices, as in %s[0]",
                   w->text, w->text);
        place_after(p, l.item[i]);
        set_input(p, w, &s, &a, l.item[i]);
        count++;
    }
    free(l.item);
    return count;
}

static void set_by_line(instrumenter *p, const wanted *w, const variables *v)
{
    char others[200] = "";
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++)
        count += set_in_line(p, w, &v->item[i], w->line, others);
    if (count)
        return;
    refuse("--input %s: nothing is assigned to %s in line %u%s%s", w->text, w->name, w->line,
           *others ? "; it is assigned in these lines: " : "", others);
}

/* The first word of a list. */
static const char *first_of(const char *words, char first[16])
{
    snprintf(first, 16, "%.*s", (int)strcspn(words, ","), words);
    return first;
}

static void set_at_declaration(instrumenter *p, const wanted *w, const variable *v)
{
    char others[200] = "", first[16];
    if (set_in_line(p, w, v, v->line, others))
        return;
    refuse("--input %s: nothing is assigned to %s in line %u, where it is declared; name the line "
           "of an assignment, as in %s:%s%s%s",
           w->text, w->name, v->line, *others ? first_of(others, first) : "LINE", w->name,
           *others ? "; it is assigned in these lines: " : "", others);
}

/* ---- one input ---- */

static void ambiguous(const wanted *w, const variables *v)
{
    char text[400] = "";
    for (size_t i = 0; i < v->count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s:%s (line %u)", used ? ", " : "",
                 value_name(v->item[i].function), w->name, v->item[i].line);
    }
    refuse("--input %s: there are %zu variables of this name; name one, if need be by its line: %s",
           w->text, v->count, text);
}

/* Global variables come first. */
static void set_variable(instrumenter *p, const wanted *w, const variables *v)
{
    size_t globals = 0;
    while (globals < v->count && !v->item[globals].function)
        globals++;
    if (globals > 1)
        refuse("--input %s: there are %zu static variables of this name; name a line where one is "
               "assigned",
               w->text, globals);
    if (globals == 0 && v->count > 1)
        ambiguous(w, v);
    const variable *one = &v->item[0];
    if (globals)
        set_at_start(p, w, one);
    else if (one->parameter)
        set_parameter(p, w, one);
    else
        set_at_declaration(p, w, one);
}

void set_inputs(instrumenter *p)
{
    for (size_t i = 0; i < p->inputs; i++) {
        wanted w = {.text = p->input[i].name, .id = (unsigned)i, .range = p->input[i].range};
        variables v = {NULL, 0};
        input_read(&w);
        input_variables(p, &w, &v);
        if (w.line)
            set_by_line(p, &w, &v);
        else
            set_variable(p, &w, &v);
        free(v.item);
    }
}
