/* Variadic functions: where the numbers of a list of arguments lie (x86-64, System V ABI 3.5.7). */
#include "bound/runtime/records.h"
#include "bound/runtime/tape.h"
#include <stdarg.h>
#include <string.h>

accordi_frame accordi_calls;

#ifdef __x86_64__

/* The layout of va_list. */
typedef struct pointers {
    uint32_t general, floating; /* offsets of the next registers in `saved` */
    char *overflow, *saved;
} pointers;

static void put(const char *at, const accordi_shadow *a, accordi_mark mark)
{
    char *chunk = accordi_map_chunk(at);
    accordi_slot64 *s = accordi_slot(chunk, at);
    memcpy(&s->bits, at, sizeof s->bits);
    s->bits ^= ACCORDI_MARK64;
    s->kind = a->kind;
    s->end = a->end;
    accordi_factors(chunk, at)->x = a->x;
    accordi_factors(chunk, at)->y = a->y;
    if (accordi_taped)
        *accordi_mark_at(chunk, at) = mark;
}

static void put_long(const char *at, const accordi_shadow *a, accordi_mark mark)
{
    accordi_store_long(at, a);
    if (accordi_taped)
        *accordi_mark_at(accordi_map_chunk(at), at) = mark;
}

static size_t units(const char **c)
{
    size_t n = 0;
    while (c[0][1] >= '0' && c[0][1] <= '9')
        n = 10 * n + (size_t)(*++*c - '0');
    return n;
}

void accordi_start_list(void *list, const accordi_list *sent)
{
    const pointers *p = list;
    unsigned general = 0, floating = 0, at = 0;
    const char *overflow = p->overflow;
    bool named = true;
    for (const char *c = sent->classes; c && *c; c++) {
        bool longer = *c == 'l' || *c == 'x';
        bool memory =
            *c == 'm' || longer || (*c == 'd' && floating >= 8) || (*c == 'i' && general >= 6);
        size_t size = *c == 'm' ? 8 * units(&c) : longer ? 16 : 8;
        if (*c == '|') {
            named = false;
            continue;
        }
        if (longer)
            overflow = (const char *)(((uintptr_t)overflow + 15) & ~(uintptr_t)15);
        if (*c == 'd' && !named && at < ACCORDI_LIST)
            put(memory ? overflow : p->saved + 48 + 16 * floating, &sent->value[at],
                sent->mark[at]);
        if (*c == 'l' && !named && at < ACCORDI_LIST)
            put_long(overflow, &sent->value[at], sent->mark[at]);
        at += *c == 'd' || *c == 'l';
        floating += *c == 'd';
        general += *c == 'i';
        if (memory && !named)
            overflow += size;
    }
}

/* ---- printf with a list ---- */

static bool next_number(pointers *p, const char **at)
{
    bool in_register = p->floating < 176;
    *at = in_register ? p->saved + p->floating : p->overflow;
    if (in_register)
        p->floating += 16;
    else
        p->overflow += 8;
    return true;
}

static void skip_integer(pointers *p)
{
    if (p->general < 48)
        p->general += 8;
    else
        p->overflow += 8;
}

static void print_long(uint32_t site, const char *at)
{
    accordi_shadow a = {.kind = ACCORDI_NOTHING};
    accordi_position position = accordi_next_position(site);
    long double x;
    memcpy(&x, at, sizeof x);
    if (!accordi_find_long(at, &a))
        return;
    accordi_tape.leaving = accordi_tape_mark(at).node;
    accordi_output(site, position, (double)x, &a, false);
}

void accordi_print_list(uint32_t site, const char *format, void *list)
{
    pointers p = *(pointers *)list;
    for (const char *c = format; *c; c++) {
        const char *at;
        bool longer = false;
        if (*c != '%')
            continue;
        for (c++; *c && strchr("-+ #0123456789.*hlLqjzt'", *c); c++) {
            longer |= *c == 'L';
            if (*c == '*')
                skip_integer(&p);
        }
        if (!*c)
            return;
        if (longer && strchr("aAeEfFgG", *c)) {
            p.overflow = (char *)(((uintptr_t)p.overflow + 15) & ~(uintptr_t)15);
            print_long(site, p.overflow);
            p.overflow += 16;
        } else if (strchr("aAeEfFgG", *c) && next_number(&p, &at)) {
            accordi_shadow a;
            bool narrow;
            double x;
            memcpy(&x, at, sizeof x);
            if (!accordi_find(at, 8, &narrow, &a) || narrow)
                accordi_input(&a, x);
            else
                accordi_tape.leaving = accordi_tape_mark(at).node;
            accordi_output(site, accordi_next_position(site), x, &a, false);
        } else if (*c != '%') {
            skip_integer(&p);
        }
    }
}
#else
void accordi_start_list(void *list, const accordi_list *sent)
{
    (void)list;
    for (unsigned i = 0; i < ACCORDI_LIST; i++)
        if (sent->classes)
            accordi_escape(0, "a list of arguments on this machine");
}
void accordi_print_list(uint32_t site, const char *format, void *list)
{
    (void)site;
    (void)format;
    (void)list;
}
#endif
