/* Names of inputs: what they say, the variables that are meant, and the numbers in them. */
#include "bound/instrument/inputs.h"
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

static void read_indices(wanted *w, const char *at)
{
    while (*at == '[') {
        char *end;
        if (!strcmp(at, "[*]"))
            return;
        w->index[w->indices++] = strtoull(at + 1, &end, 10);
        if (end == at + 1 || *end != ']' || w->indices == MOST_DIMENSIONS)
            break;
        at = end + 1;
    }
    if (*at)
        refuse("--input %s: an index is a number or *, as in a[3], a[1][2] or a[*]", w->text);
}

/* [FUNCTION:|FILE:LINE:|LINE:]NAME[INDEX]... */
void input_read(wanted *w)
{
    const char *name = strrchr(w->text, ':');
    char before[1024];
    put_part(before, sizeof before, w->text, name ? (size_t)(name - w->text) : 0);
    name = name ? name + 1 : w->text;
    put_part(w->name, sizeof w->name, name, strcspn(name, "["));
    read_indices(w, name + strlen(w->name));
    char *colon = strrchr(before, ':'), *last = colon ? colon + 1 : before;
    if (all_digits(last))
        w->line = (unsigned)strtoul(last, NULL, 10);
    else if (name != w->text && !colon)
        put_part(w->function, sizeof w->function, before, strlen(before));
    if (colon && w->line)
        put_part(w->file, sizeof w->file, before, (size_t)(colon - before));
    if (!*w->name || (name != w->text && !w->line && !*w->function))
        refuse("--input %s: name a variable as x, a[3], FUNCTION:x, LINE:x or FILE:LINE:x",
               w->text);
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

/* A static variable x of a function f is called f.x. */
static void add_globals(instrumenter *p, const wanted *w, variables *v)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(p->module); g; g = LLVMGetNextGlobal(g)) {
        const char *name = value_name(g), *dot = strchr(name, '.');
        size_t owner = dot ? (size_t)(dot - name) : 0;
        bool same = dot ? !strcmp(dot + 1, w->name) : !strcmp(name, w->name);
        bool here =
            !*w->function || (strlen(w->function) == owner && !strncmp(name, w->function, owner));
        if (same && here && !LLVMIsDeclaration(g))
            add_variable(v, (variable){.at = g});
    }
}

/* Operand i of a call of llvm.dbg.declare: the node of a variable, or its address. */
static LLVMValueRef node_operand(LLVMValueRef node, unsigned i)
{
    LLVMValueRef operand[16] = {NULL};
    unsigned count = LLVMGetMDNodeNumOperands(node);
    if (i >= count || count > 16)
        return NULL;
    LLVMGetMDNodeOperands(node, operand);
    return operand[i];
}

static bool is_parameter(LLVMValueRef address)
{
    for (LLVMUseRef u = LLVMGetFirstUse(address); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == address &&
            LLVMIsAArgument(LLVMGetOperand(user, 0)))
            return true;
    }
    return false;
}

static void add_declared(const wanted *w, LLVMValueRef function, LLVMValueRef call, variables *v)
{
    unsigned length = 0;
    LLVMValueRef address = node_operand(LLVMGetOperand(call, 0), 0);
    LLVMValueRef name = node_operand(LLVMGetOperand(call, 1), 1);
    const char *text = name && LLVMIsAMDString(name) ? LLVMGetMDString(name, &length) : NULL;
    if (!address || !LLVMIsAAllocaInst(address) || !text || length != strlen(w->name) ||
        memcmp(text, w->name, length) != 0)
        return;
    LLVMMetadataRef location = LLVMInstructionGetDebugLoc(call);
    add_variable(v, (variable){address, function, location ? LLVMDILocationGetLine(location) : 0,
                               is_parameter(address)});
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

void input_variables(instrumenter *p, const wanted *w, variables *v)
{
    list functions = {0};
    add_globals(p, w, v);
    list_functions(&functions, p->module);
    for (size_t i = 0; i < functions.count; i++)
        if (!*w->function || !strcmp(value_name(functions.item[i]), w->function))
            add_locals(w, functions.item[i], v);
    free(functions.item);
    if (v->count == 0 && *w->function)
        refuse("--input %s: the function %s has no variable %s", w->text, w->function, w->name);
    if (v->count == 0)
        refuse("--input %s: the program has no variable %s", w->text, w->name);
}

/* ---- numbers in a variable ---- */

int input_format(LLVMTypeRef type)
{
    static const int widths[] = {8, 16, 32, 64};
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMDoubleTypeKind || kind == LLVMFloatTypeKind)
        return kind == LLVMFloatTypeKind;
    for (int i = 0; kind == LLVMIntegerTypeKind && i < 4; i++)
        if ((int)LLVMGetIntTypeWidth(type) == widths[i])
            return 2 + i;
    return -1;
}

static LLVMTypeRef type_at(LLVMValueRef address)
{
    return LLVMGetElementType(LLVMTypeOf(address));
}

/* Goes from the type of the variable to that of its numbers, by the indices that are given. */
shape input_shape(const wanted *w, LLVMValueRef address)
{
    LLVMTypeRef type = type_at(address);
    shape s = {.pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind, .count = 1};
    unsigned level = 0;
    if (s.pointer) {
        type = LLVMGetElementType(type);
        s.first = w->indices ? w->index[level++] : 0;
    }
    for (; LLVMGetTypeKind(type) == LLVMArrayTypeKind; type = LLVMGetElementType(type)) {
        uint64_t length = LLVMGetArrayLength(type);
        s.first *= length;
        if (level < w->indices && w->index[level] >= length)
            refuse("--input %s: the array has only %llu elements here", w->text,
                   (unsigned long long)length);
        if (level < w->indices)
            s.first += w->index[level++];
        else
            s.count *= length;
    }
    if (s.pointer && !w->indices)
        s.count = WHOLE;
    s.number = type;
    if (input_format(type) < 0)
        refuse("--input %s: this is no number (float, double or integer), array of numbers or "
               "pointer to numbers",
               w->text);
    if (level < w->indices)
        refuse("--input %s: there are more indices than dimensions", w->text);
    if (input_format(type) > 1 && w->range)
        refuse("--input %s: this is an integer; give it one value", w->text);
    return s;
}
