/* Sites: places in the source that records name. A table of them goes into the program, beside an
 * array of their states, which the runtime writes. */
#include "bound/instrument/instrument.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy_text(const char *text, size_t length)
{
    char *out = calloc(1, length + 1);
    if (!out)
        die("no memory is left");
    memcpy(out, text, length);
    for (size_t i = 0; i < length; i++)
        if (out[i] == '\t' || out[i] == '\n')
            out[i] = ' ';
    return out;
}

char *file_of(LLVMMetadataRef location)
{
    unsigned length = 0, folder_length = 0;
    LLVMMetadataRef scope = location ? LLVMDILocationGetScope(location) : NULL;
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    if (!file)
        return copy_text("?", 1);
    const char *name = LLVMDIFileGetFilename(file, &length);
    const char *folder = LLVMDIFileGetDirectory(file, &folder_length);
    if (length == 0 || name[0] == '/' || folder_length == 0)
        return copy_text(name, length);
    char *path = calloc(1, (size_t)length + folder_length + 2);
    if (!path)
        die("no memory is left");
    snprintf(path, (size_t)length + folder_length + 2, "%.*s/%.*s", (int)folder_length, folder,
             (int)length, name);
    return path;
}

bool is_pinned(const instrumenter *p, LLVMValueRef instruction)
{
    LLVMMetadataRef location =
        p->pins && LLVMIsAInstruction(instruction) ? LLVMInstructionGetDebugLoc(instruction) : NULL;
    if (!location)
        return false;
    char *file = file_of(location), line[16];
    size_t length = strlen(file);
    bool found = false;
    snprintf(line, sizeof line, ":%u", LLVMDILocationGetLine(location));
    for (size_t i = 0; i < p->pins && !found; i++)
        found = strncmp(p->pin[i], file, length) == 0 && strcmp(p->pin[i] + length, line) == 0;
    free(file);
    return found;
}

static size_t find(const instrumenter *p, const source_site *s)
{
    size_t from = p->site_count > 64 ? p->site_count - 64 : 0; /* of an expression or two */
    for (size_t i = from; i < p->site_count; i++) {
        const source_site *t = &p->sites[i];
        if (t->line == s->line && t->column == s->column && !strcmp(t->kind, s->kind) &&
            !strcmp(t->file, s->file))
            return i;
    }
    return p->site_count;
}

LLVMValueRef site_of(instrumenter *p, LLVMValueRef instruction, const char *kind)
{
    LLVMMetadataRef location =
        LLVMIsAInstruction(instruction) ? LLVMInstructionGetDebugLoc(instruction) : NULL;
    source_site s = {copy_text(kind, strlen(kind)), file_of(location),
                     location ? LLVMDILocationGetLine(location) : 0,
                     location ? LLVMDILocationGetColumn(location) : 0};
    size_t i = find(p, &s);
    if (i < p->site_count) {
        free(s.kind);
        free(s.file);
        return number(p, (unsigned)i);
    }
    if (p->site_count == p->site_capacity) {
        p->site_capacity = p->site_capacity ? 2 * p->site_capacity : 256;
        p->sites = realloc(p->sites, p->site_capacity * sizeof *p->sites);
        if (!p->sites)
            die("no memory is left");
    }
    p->sites[p->site_count++] = s;
    return number(p, (unsigned)i);
}

LLVMValueRef text_of(instrumenter *p, const char *text)
{
    LLVMValueRef value = LLVMConstStringInContext(p->context, text, (unsigned)strlen(text), false);
    LLVMValueRef global = LLVMAddGlobal(p->module, LLVMTypeOf(value), "accordi_text");
    LLVMSetInitializer(global, value);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    return LLVMConstBitCast(global, LLVMPointerType(LLVMInt8TypeInContext(p->context), 0));
}

/* Gives a variable that the runtime declares a value. */
static void define(instrumenter *p, const char *name, LLVMValueRef value, bool constant)
{
    LLVMValueRef old = LLVMGetNamedGlobal(p->module, name);
    LLVMValueRef new = LLVMAddGlobal(p->module, LLVMTypeOf(value), "");
    LLVMSetInitializer(new, value);
    LLVMSetGlobalConstant(new, constant);
    if (old) {
        LLVMReplaceAllUsesWith(old, LLVMConstBitCast(new, LLVMTypeOf(old)));
        LLVMDeleteGlobal(old);
    }
    LLVMSetValueName2(new, name, strlen(name));
}

void write_sites(instrumenter *p)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(p->context);
    LLVMTypeRef text = LLVMPointerType(LLVMInt8TypeInContext(p->context), 0);
    LLVMTypeRef row =
        LLVMStructTypeInContext(p->context, (LLVMTypeRef[]){text, text, word, word}, 4, false);
    LLVMTypeRef state = LLVMGetTypeByName2(p->context, "struct.accordi_site_state");
    LLVMValueRef *rows = calloc(p->site_count + 1, sizeof *rows);
    const char *last = "";
    LLVMValueRef last_text = NULL;
    if (!rows)
        die("no memory is left");
    for (size_t i = 0; i < p->site_count; i++) {
        const source_site *s = &p->sites[i];
        if (!last_text || strcmp(last, s->file) != 0)
            last_text = text_of(p, last = s->file);
        rows[i] =
            LLVMConstStructInContext(p->context,
                                     (LLVMValueRef[]){text_of(p, s->kind), last_text,
                                                      number(p, s->line), number(p, s->column)},
                                     4, false);
    }
    if (!state)
        state = LLVMArrayType(LLVMInt64TypeInContext(p->context), 10);
    define(p, "accordi_sites", LLVMConstArray(row, rows, (unsigned)p->site_count), true);
    define(p, "accordi_states", LLVMConstNull(LLVMArrayType(state, (unsigned)p->site_count)),
           false);
    define(p, "accordi_site_count", number(p, (unsigned)p->site_count), true);
    define(p, "accordi_model", number(p, p->model), true);
    define(p, "accordi_taped", number(p, p->tape), true);
    define(p, "accordi_both", number(p, p->both), true);
    free(rows);
}
