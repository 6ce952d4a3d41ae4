/* Inputs: numbers of the program that get a value or an interval from outside.
 *
 * In: names such as x, a[3], main:b or ray.c:5:b. Before variables become values, a call of
 * accordi_set_input is put where the variable gets the number that is replaced: at the start of
 * main for the initial value of a global variable, at the entry for a parameter, and behind the
 * assignments in a line for all else; a plain local variable means the line of its declaration.
 * The runtime (../runtime/inputs.c) writes the number and its shadow to memory, so the variable
 * stays there. */
#include "bound/instrument/inputs.h"
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- calls of the runtime ---- */

static LLVMTypeRef longer(const instrumenter *p)
{
    return LLVMInt64TypeInContext(p->context);
}

static LLVMTypeRef address_type(const instrumenter *p)
{
    return LLVMPointerType(LLVMInt8TypeInContext(p->context), 0);
}

/* For the runtime: what numbers are wanted. */
static LLVMValueRef shape_text(instrumenter *p, const shape *s)
{
    LLVMValueRef word[2 + 2 * MOST_STEPS] = {LLVMConstInt(longer(p), s->offset, false),
                                             LLVMConstInt(longer(p), s->dimensions, false)};
    for (unsigned i = 0; i < s->dimensions; i++) {
        word[2 + 2 * i] = LLVMConstInt(longer(p), s->dimension[i].count, false);
        word[3 + 2 * i] = LLVMConstInt(longer(p), s->dimension[i].stride, false);
    }
    LLVMValueRef row = LLVMConstArray(longer(p), word, 2 + 2 * s->dimensions);
    LLVMValueRef global = LLVMAddGlobal(p->module, LLVMTypeOf(row), "accordi_shape");
    LLVMSetInitializer(global, row);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return LLVMConstBitCast(global, LLVMPointerType(longer(p), 0));
}

void call_for_input(instrumenter *p, const char *name, const wanted *w, const shape *s,
                    const assignment *a, LLVMValueRef place, const char *kind)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(p->context), address = address_type(p);
    LLVMTypeRef types[] = {word, address, longer(p), address, LLVMPointerType(longer(p), 0),
                           word, word};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(p->context), types, 7, false);
    LLVMValueRef f = LLVMGetNamedFunction(p->module, name);
    LLVMValueRef arguments[] = {number(p, w->id),
                                LLVMBuildPointerCast(p->build, a->at, address, ""),
                                LLVMConstInt(longer(p), a->bytes, false),
                                LLVMBuildPointerCast(p->build, a->base, address, ""),
                                shape_text(p, s),
                                number(p, (unsigned)input_format(s->number)),
                                site_of(p, place, kind)};
    LLVMValueRef call = LLVMBuildCall2(
        p->build, type, f ? f : LLVMAddFunction(p->module, name, type), arguments, 7, "");
    LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(place));
}

/* The builder stands where the call is to be. `begins`: the function at whose start this is, for
 * those who do the same in the source (cli/bounds/feed.c); NULL: at an assignment. */
static void set_input(instrumenter *p, const wanted *w, const shape *s, const assignment *a,
                      LLVMValueRef place, LLVMValueRef begins)
{
    char kind[1024];
    LLVMMetadataRef described = begins ? LLVMGetSubprogram(begins) : NULL;
    size_t used = (size_t)snprintf(kind, sizeof kind, "input %u %u ", w->id,
                                   described ? LLVMDISubprogramGetLine(described) : 0);
    for (unsigned i = 0; i < s->dimensions; i++)
        used += (size_t)snprintf(kind + used, sizeof kind - used, "%llu,",
                                 (unsigned long long)s->dimension[i].count);
    snprintf(kind + used, sizeof kind - used, "- %s", s->path);
    call_for_input(p, "accordi_set_input", w, s, a, place, kind);
}

static void set_at_start(instrumenter *p, const wanted *w, const variable *v)
{
    LLVMValueRef f = LLVMGetNamedFunction(p->module, "main");
    shape s = input_shape(p, w, v);
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
    set_input(p, w, &s, &(assignment){v->at, v->at, WHOLE}, place ? place : i, f);
    watch_input(p, w, v, &s, NULL);
}

/* The argument lies in its place before it is declared. */
static void set_parameter(instrumenter *p, const wanted *w, const variable *v)
{
    shape s = input_shape(p, w, v);
    LLVMValueRef place = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(v->function));
    if (s.pointer)
        refuse("--input %s: this parameter is a pointer; name the line where the numbers are "
               "assigned, as in FILE:LINE:%s",
               w->text, w->name);
    while (place && !LLVMInstructionGetDebugLoc(place))
        place = LLVMGetNextInstruction(place);
    place_after(p, v->declared);
    set_input(p, w, &s, &(assignment){v->at, v->at, WHOLE}, place ? place : v->declared,
              v->function);
    watch_input(p, w, v, &s, NULL);
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

void input_instructions(instrumenter *p, const variable *v, list *l)
{
    list functions = {0};
    list_functions(&functions, p->module);
    for (size_t i = 0; i < functions.count; i++)
        if (!v->function || v->function == functions.item[i])
            list_instructions(l, functions.item[i]);
    free(functions.item);
}

static void note_line(char text[200], LLVMMetadataRef location, unsigned *last)
{
    size_t used = strlen(text);
    if (*last != LLVMDILocationGetLine(location))
        snprintf(text + used, 200 - used, "%s%u", used ? ", " : "",
                 *last = LLVMDILocationGetLine(location));
}

/* How many assignments in the line were found; the lines of all are noted in `others`. */
static size_t set_in_line(instrumenter *p, const wanted *w, const variable *v, unsigned line,
                          char others[200])
{
    list l = {0}, setting = {0};
    unsigned last = 0;
    shape s = input_shape(p, w, v);
    input_instructions(p, v, &l);
    for (size_t i = 0; i < l.count; i++) {
        assignment a;
        LLVMMetadataRef location = LLVMInstructionGetDebugLoc(l.item[i]);
        if (!location || !input_assigned(p, l.item[i], v, &s, &a))
            continue;
        note_line(others, location, &last);
        if (!is_in_line(w, line, l.item[i]))
            continue;
        if (a.bytes == WHOLE && input_has_whole(&s))
            refuse("--input %s: how many numbers are assigned there is not known; name them by "
                   "their indices, as in %s[0]",
                   w->text, w->text);
        place_after(p, l.item[i]);
        set_input(p, w, &s, &a, l.item[i], NULL);
        list_add(&setting, l.item[i]);
    }
    size_t count = setting.count;
    if (count)
        watch_input(p, w, v, &s, &setting);
    free(setting.item);
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
