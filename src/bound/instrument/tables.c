/* A table from addresses to addresses, lists of instructions, and the one way to fail. */
#include "bound/instrument/instrument.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void end(int status, const char *format, va_list arguments)
{
    fputs("accord-instrument: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(status);
}

void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end(1, format, arguments);
}

void refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    end(2, format, arguments);
}

static size_t place(const table *t, const void *key)
{
    size_t i = ((uintptr_t)key >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20 & (t->capacity - 1);
    while (t->key[i] && t->key[i] != key)
        i = (i + 1) & (t->capacity - 1);
    return i;
}

void *table_get(const table *t, const void *key)
{
    return t->capacity ? t->value[place(t, key)] : NULL;
}

static void grow(table *t)
{
    table bigger = {.capacity = t->capacity ? 2 * t->capacity : 64};
    bigger.key = calloc(bigger.capacity, sizeof *bigger.key);
    bigger.value = calloc(bigger.capacity, sizeof *bigger.value);
    if (!bigger.key || !bigger.value)
        die("no memory is left");
    for (size_t i = 0; i < t->capacity; i++)
        if (t->key[i])
            table_put(&bigger, t->key[i], t->value[i]);
    table_clear(t);
    *t = bigger;
}

void table_put(table *t, const void *key, void *value)
{
    if (2 * (t->count + 1) > t->capacity)
        grow(t);
    size_t i = place(t, key);
    t->count += !t->key[i];
    t->key[i] = (void *)(uintptr_t)key;
    t->value[i] = value;
}

void table_clear(table *t)
{
    free(t->key);
    free(t->value);
    *t = (table){0};
}

void list_add(list *l, LLVMValueRef item)
{
    if (l->count == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 256;
        l->item = realloc(l->item, l->capacity * sizeof *l->item);
        if (!l->item)
            die("no memory is left");
    }
    l->item[l->count++] = item;
}

void list_instructions(list *l, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            list_add(l, i);
}

void list_functions(list *l, LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (LLVMGetFirstBasicBlock(f))
            list_add(l, f);
}
