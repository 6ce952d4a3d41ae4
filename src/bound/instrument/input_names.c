/* Names of inputs: what they say, and the variables that are meant. */
#include "base/base.h"
#include "bound/instrument/inputs.h"
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static void put_part(char *to, size_t size, const char *from, size_t length)
{
    if (length >= size)
        die("--input: the name %.80s... is too long", from);
    memcpy(to, from, length);
    to[length] = 0;
}

static bool all_digits(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

static size_t length_of_name(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$");
}

/* .member, ->member, [3] or [*]; returns where it ends, NULL: it is none of them. */
static const char *read_step(input_step *s, const char *at)
{
    char *end;
    *s = (input_step){.arrow = at[0] == '-'};
    if (at[0] == '.' || (at[0] == '-' && at[1] == '>')) {
        at += 1 + s->arrow;
        size_t length = length_of_name(at);
        put_part(s->member, sizeof s->member, at, length);
        return length ? at + length : NULL;
    }
    if (!strncmp(at, "[*]", 3)) {
        s->all = true;
        return at + 3;
    }
    if (at[0] != '[' || at[1] < '0' || at[1] > '9')
        return NULL;
    s->index = strtoull(at + 1, &end, 10);
    return *end == ']' ? end + 1 : NULL;
}

static void read_steps(wanted *w, const char *at)
{
    while (at && *at && w->steps < MOST_STEPS)
        at = read_step(&w->step[w->steps++], at);
    if (!at)
        refuse("--input %s: a name may be followed by members and indices, as in p.x, p->x, a[3], "
               "a[1][2] or a[*]; an index is a number or *",
               w->text);
    if (*at)
        refuse("--input %s: there are more than %d members and indices", w->text, MOST_STEPS);
}

/* [FUNCTION:|FILE:LINE:|LINE:]NAME and steps */
void input_read(wanted *w)
{
    const char *name = strrchr(w->text, ':');
    char before[1024];
    put_part(before, sizeof before, w->text, name ? (size_t)(name - w->text) : 0);
    name = name ? name + 1 : w->text;
    put_part(w->name, sizeof w->name, name, length_of_name(name));
    char *colon = strrchr(before, ':'), *last = colon ? colon + 1 : before;
    if (all_digits(last))
        w->line = (unsigned)strtoul(last, NULL, 10);
    else if (name != w->text && !colon)
        put_part(w->function, sizeof w->function, before, strlen(before));
    if (colon && w->line)
        put_part(w->file, sizeof w->file, before, (size_t)(colon - before));
    if (!*w->name || (name != w->text && !w->line && !*w->function))
        refuse("--input %s: name a variable as x, p.x, a[3], FUNCTION:x, LINE:x or FILE:LINE:x",
               w->text);
    read_steps(w, name + strlen(w->name));
}

/* ---- variables ---- */

const char *value_name(LLVMValueRef value)
{
    size_t length;
    return LLVMGetValueName2(value, &length);
}

static void add_variable(variables *v, variable new)
{
    v->item = realloc(v->item, (v->count + 1) * sizeof *v->item);
    if (!v->item)
        die("no memory is left");
    v->item[v->count++] = new;
}

/* ---- debug information ---- */

LLVMValueRef node_operand(LLVMValueRef node, unsigned i)
{
    unsigned count = node ? LLVMGetMDNodeNumOperands(node) : 0;
    LLVMValueRef *operand = i < count ? calloc(count, sizeof *operand) : NULL;
    if (!operand)
        return NULL;
    LLVMGetMDNodeOperands(node, operand);
    LLVMValueRef found = operand[i];
    free(operand);
    return found;
}

const char *node_text(LLVMValueRef node, unsigned i)
{
    unsigned length = 0;
    LLVMValueRef operand = node_operand(node, i);
    return operand && LLVMIsAMDString(operand) ? LLVMGetMDString(operand, &length) : "";
}

/* Of a description of a variable, local or global. */
enum { NAME = 1, TYPE = 3 };

static LLVMValueRef type_of_global(instrumenter *p, LLVMValueRef g)
{
    size_t count = 0;
    LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(g, &count);
    LLVMValueRef type = NULL;
    for (unsigned i = 0; i < count && !type; i++) {
        LLVMMetadataRef node = LLVMValueMetadataEntriesGetMetadata(entries, i);
        if (LLVMGetMetadataKind(node) != LLVMDIGlobalVariableExpressionMetadataKind)
            continue;
        LLVMMetadataRef described = LLVMDIGlobalVariableExpressionGetVariable(node);
        type = node_operand(LLVMMetadataAsValue(p->context, described), TYPE);
    }
    LLVMDisposeValueMetadataEntries(entries);
    return type;
}

/* ---- all variables ---- */

/* The name of a global variable in the source; a static variable x of a function f is called f.x.
 */
static const char *name_of_global(LLVMValueRef g)
{
    const char *name = value_name(g), *dot = strchr(name, '.');
    return dot ? dot + 1 : name;
}

static void add_globals(instrumenter *p, const wanted *w, variables *v)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(p->module); g; g = LLVMGetNextGlobal(g)) {
        const char *name = value_name(g), *own = name_of_global(g);
        size_t owner = own > name ? (size_t)(own - name) - 1 : 0;
        bool here =
            !*w->function || (strlen(w->function) == owner && !strncmp(name, w->function, owner));
        if (!strcmp(own, w->name) && here && !LLVMIsDeclaration(g))
            add_variable(v, (variable){.at = g, .type = type_of_global(p, g)});
    }
}

/* That is no operand of the description, but stands in its text. */
static bool is_parameter(LLVMValueRef described)
{
    char *text = LLVMPrintValueToString(described);
    bool found = strstr(text, ", arg: ") != NULL;
    LLVMDisposeMessage(text);
    return found;
}

/* The address of a struct that is passed in memory is an argument. */
static void add_declared(const wanted *w, LLVMValueRef function, LLVMValueRef call, variables *v)
{
    LLVMValueRef address = node_operand(LLVMGetOperand(call, 0), 0);
    LLVMValueRef described = LLVMGetOperand(call, 1);
    bool argument = address && LLVMIsAArgument(address);
    if (!address || (!argument && !LLVMIsAAllocaInst(address)) ||
        strcmp(node_text(described, NAME), w->name) != 0)
        return;
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(call);
    add_variable(v, (variable){.at = address,
                               .function = function,
                               .type = node_operand(described, TYPE),
                               .declared = call,
                               .line = location ? LLVMDILocationGetLine(location) : 0,
                               .parameter = is_parameter(described)});
}

bool is_call_of(LLVMValueRef i, const char *name)
{
    return LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)) &&
           !strncmp(value_name(LLVMGetCalledValue(i)), name, strlen(name));
}

static void add_locals(const wanted *w, LLVMValueRef function, variables *v)
{
    list l = {0};
    list_instructions(&l, function);
    for (size_t i = 0; i < l.count; i++)
        if (is_call_of(l.item[i], "llvm.dbg.declare"))
            add_declared(w, function, l.item[i], v);
    free(l.item);
}

/* ---- names that do not exist ---- */

typedef struct names {
    const char **item;
    size_t count;
} names;

static void add_name(names *n, const char *name)
{
    n->item = realloc(n->item, (n->count + 2) * sizeof *n->item);
    if (!n->item)
        die("no memory is left");
    n->item[n->count++] = name;
    n->item[n->count] = NULL;
}

static const char *name_at(const void *all, size_t i)
{
    const names *n = all;
    return i < n->count ? n->item[i] : NULL;
}

/* " (did you mean x?)", or "" */
static const char *suggest(const char *word, const names *n, char text[300])
{
    const char *near = accordi_nearest(word, name_at, n);
    snprintf(text, 300, near ? " (did you mean %s?)" : "%s", near ? near : "");
    return text;
}

static void add_names_of(names *n, LLVMValueRef function)
{
    list l = {0};
    list_instructions(&l, function);
    for (size_t i = 0; i < l.count; i++)
        if (is_call_of(l.item[i], "llvm.dbg.declare"))
            add_name(n, node_text(LLVMGetOperand(l.item[i], 1), NAME));
    free(l.item);
}

static _Noreturn void no_variable(instrumenter *p, const wanted *w, const list *functions)
{
    names n = {NULL, 0}, known = {NULL, 0};
    char text[300];
    bool found = false;
    for (size_t i = 0; i < functions->count; i++) {
        bool here = !strcmp(value_name(functions->item[i]), w->function);
        add_name(&known, value_name(functions->item[i]));
        found = found || here;
        if (here || !*w->function)
            add_names_of(&n, functions->item[i]);
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(p->module); g; g = LLVMGetNextGlobal(g))
        if (!*w->function && !LLVMIsDeclaration(g) && *value_name(g) != '.')
            add_name(&n, name_of_global(g));
    if (*w->function && !found)
        refuse("--input %s: the program has no function %s%s", w->text, w->function,
               suggest(w->function, &known, text));
    if (*w->function)
        refuse("--input %s: the function %s has no variable %s%s", w->text, w->function, w->name,
               suggest(w->name, &n, text));
    refuse("--input %s: the program has no variable %s%s", w->text, w->name,
           suggest(w->name, &n, text));
}

void input_variables(instrumenter *p, const wanted *w, variables *v)
{
    list functions = {0};
    add_globals(p, w, v);
    list_functions(&functions, p->module);
    for (size_t i = 0; i < functions.count; i++)
        if (!*w->function || !strcmp(value_name(functions.item[i]), w->function))
            add_locals(w, functions.item[i], v);
    if (v->count == 0)
        no_variable(p, w, &functions);
    free(functions.item);
}
