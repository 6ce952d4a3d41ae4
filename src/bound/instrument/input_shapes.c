/* The numbers that a name of an input means: from the type of its variable in the debug
 * information, through members and indices, to numbers at an offset, repeated in dimensions. */
#include "base/base.h"
#include "bound/instrument/inputs.h"
#include <llvm-c/DebugInfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

bool input_has_whole(const shape *s)
{
    for (unsigned i = 0; i < s->dimensions; i++)
        if (s->dimension[i].count == WHOLE)
            return true;
    return false;
}

/* ---- nodes of types ---- */

enum { NAME = 2, BASE = 3, ELEMENTS = 4 }; /* operands */

static LLVMMetadataRef data_of(LLVMValueRef node)
{
    return LLVMValueAsMetadata(node);
}

static bool is_of(LLVMValueRef node, LLVMMetadataKind kind)
{
    return node && LLVMGetMetadataKind(data_of(node)) == kind;
}

static uint64_t bits_of(LLVMValueRef node)
{
    return LLVMDITypeGetSizeInBits(data_of(node));
}

/* Pointers have a size and no name; typedefs have a name; const and the like have neither. */
static bool is_pointer(LLVMValueRef node)
{
    return is_of(node, LLVMDIDerivedTypeMetadataKind) && bits_of(node) && !*node_text(node, NAME);
}

/* The type behind typedefs and qualifiers. */
static LLVMValueRef plain(LLVMValueRef node)
{
    while (is_of(node, LLVMDIDerivedTypeMetadataKind) && !is_pointer(node))
        node = node_operand(node, BASE);
    return node;
}

/* Has the list of its elements this kind? */
static bool holds(LLVMValueRef node, LLVMMetadataKind kind)
{
    LLVMValueRef elements =
        is_of(node, LLVMDICompositeTypeMetadataKind) ? node_operand(node, ELEMENTS) : NULL;
    return is_of(node_operand(elements, 0), kind);
}

static uint64_t bytes_of(LLVMValueRef type)
{
    return bits_of(plain(type)) / 8;
}

/* ---- the way through them ---- */

typedef struct walk {
    const wanted *w;
    shape *s;
    LLVMValueRef type;
    unsigned step;
} walk;

static const input_step *next_step(const walk *k)
{
    return k->step < k->w->steps ? &k->w->step[k->step] : NULL;
}

static const input_step *next_index(const walk *k)
{
    const input_step *s = next_step(k);
    return s && !*s->member ? s : NULL;
}

static void put_path(walk *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put_path(walk *k, const char *format, ...)
{
    size_t used = strlen(k->s->path);
    va_list args;
    va_start(args, format);
    vsnprintf(k->s->path + used, sizeof k->s->path - used, format, args);
    va_end(args);
}

/* An index of a dimension, or all of it. */
static void take_dimension(walk *k, uint64_t count, uint64_t stride)
{
    const input_step *s = next_index(k);
    k->step += s != NULL;
    if (s && !s->all && s->index >= count)
        refuse("--input %s: the array has only %llu elements here", k->w->text,
               (unsigned long long)count);
    if (s && !s->all) {
        put_path(k, "[%llu]", (unsigned long long)s->index);
        k->s->offset += s->index * stride;
        return;
    }
    put_path(k, "[#]");
    if (k->s->dimensions == MOST_STEPS)
        refuse("--input %s: there are too many dimensions", k->w->text);
    k->s->dimension[k->s->dimensions].count = count;
    k->s->dimension[k->s->dimensions++].stride = stride;
}

/* p, p[3], p[*] and p->x, which is p[0].x. */
static void through_pointer(walk *k)
{
    k->s->pointer = true;
    k->type = node_operand(k->type, BASE);
    uint64_t size = k->type ? bytes_of(k->type) : 0;
    if (size == 0)
        refuse("--input %s: it is not known what this points to", k->w->text);
    if (!next_step(k) || next_index(k))
        take_dimension(k, WHOLE, size);
}

static void through_array(walk *k)
{
    LLVMValueRef ranges = node_operand(k->type, ELEMENTS), base = node_operand(k->type, BASE);
    unsigned n = LLVMGetMDNodeNumOperands(ranges);
    uint64_t count[MOST_STEPS], stride = bytes_of(base);
    if (n > MOST_STEPS)
        refuse("--input %s: there are too many dimensions", k->w->text);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef c = node_operand(node_operand(ranges, i), 0);
        if (!c || !LLVMIsAConstantInt(c))
            refuse("--input %s: the length of this array is not known before the run", k->w->text);
        count[i] = LLVMConstIntGetZExtValue(c);
        stride *= count[i];
    }
    for (unsigned i = 0; i < n; i++) {
        stride = count[i] ? stride / count[i] : 0;
        take_dimension(k, count[i], stride);
    }
    k->type = base;
}

/* ---- members ---- */

static LLVMValueRef member_at(LLVMValueRef type, unsigned i)
{
    return node_operand(node_operand(type, ELEMENTS), i);
}

/* Also those of structs and unions without a name; *offset is increased to where it is. */
static LLVMValueRef find_member(LLVMValueRef type, const char *name, uint64_t *offset)
{
    LLVMValueRef member;
    for (unsigned i = 0; (member = member_at(type, i)); i++) {
        uint64_t at = LLVMDITypeGetOffsetInBits(data_of(member)), inner = 0;
        LLVMValueRef own = plain(node_operand(member, BASE)), found = NULL;
        if (!strcmp(node_text(member, NAME), name))
            found = member;
        else if (!*node_text(member, NAME) && holds(own, LLVMDIDerivedTypeMetadataKind))
            found = find_member(own, name, &inner);
        if (found) {
            *offset += at + inner;
            return found;
        }
    }
    return NULL;
}

static const char *member_name(const void *type, size_t i)
{
    LLVMValueRef member = member_at((LLVMValueRef)type, (unsigned)i);
    return member ? node_text(member, NAME) : NULL;
}

static const char *list_members(LLVMValueRef type, char text[300])
{
    text[0] = 0;
    for (unsigned i = 0; member_at(type, i); i++) {
        size_t used = strlen(text);
        const char *name = member_name(type, i);
        snprintf(text + used, 300 - used, "%s%s", used && *name ? ", " : "", name);
    }
    return text;
}

static void through_member(walk *k)
{
    const input_step *s = next_step(k);
    char all[300];
    uint64_t bit = 0;
    if (!s || !*s->member)
        refuse("--input %s: this is a struct or a union; name one of its members: %s", k->w->text,
               list_members(k->type, all));
    LLVMValueRef member = find_member(k->type, s->member, &bit);
    const char *near = member ? NULL : accordi_nearest(s->member, member_name, k->type);
    if (!member && near)
        refuse("--input %s: there is no member %s (did you mean %s?)", k->w->text, s->member, near);
    if (!member)
        refuse("--input %s: there is no member %s; the members are %s", k->w->text, s->member,
               list_members(k->type, all));
    put_path(k, ".%s", s->member);
    k->type = node_operand(member, BASE);
    k->step++;
    if (bit % 8 || bits_of(member) != bits_of(plain(k->type)))
        refuse("--input %s: this is a field of bits, which cannot be an input", k->w->text);
    k->s->offset += bit / 8;
}

/* ---- the number ---- */

static LLVMTypeRef number_type(instrumenter *p, LLVMValueRef type)
{
    const char *name = is_of(type, LLVMDIBasicTypeMetadataKind) ? node_text(type, NAME) : "";
    uint64_t bits = *name ? bits_of(type) : 0;
    if (!strcmp(name, "double"))
        return LLVMDoubleTypeInContext(p->context);
    if (!strcmp(name, "float"))
        return LLVMFloatTypeInContext(p->context);
    if (strstr(name, "complex") || strstr(name, "double") || strstr(name, "loat") ||
        (bits != 8 && bits != 16 && bits != 32 && bits != 64))
        return NULL;
    return LLVMIntTypeInContext(p->context, (unsigned)bits);
}

shape input_shape(instrumenter *p, const wanted *w, const variable *v)
{
    shape s = {.number = NULL};
    walk k = {.w = w, .s = &s, .type = v->type};
    put_path(&k, "%s", w->name);
    for (bool first = true;; first = false) {
        k.type = plain(k.type);
        if (first && is_pointer(k.type))
            through_pointer(&k);
        else if (holds(k.type, LLVMDISubrangeMetadataKind))
            through_array(&k);
        else if (holds(k.type, LLVMDIDerivedTypeMetadataKind))
            through_member(&k);
        else
            break;
    }
    if (is_pointer(k.type))
        refuse("--input %s: only the variable itself may be a pointer; name the line where the "
               "number is assigned, and the pointer that is used there",
               w->text);
    s.number = k.type ? number_type(p, k.type) : NULL;
    if (!s.number)
        refuse("--input %s: this is not a number (float, double or integer), array of numbers or "
               "pointer to numbers",
               w->text);
    if (next_index(&k))
        refuse("--input %s: there are more indices than dimensions", w->text);
    if (next_step(&k))
        refuse("--input %s: this is a number, and has no member %s", w->text,
               next_step(&k)->member);
    if (input_format(s.number) > 1 && w->range)
        refuse("--input %s: this is an integer; give it one value", w->text);
    s.size = bits_of(k.type) / 8;
    return s;
}
