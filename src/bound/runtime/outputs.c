/* What leaves the program as numbers, and what comes back as text. */
#include "bound/runtime/records.h"
#include "bound/runtime/tape.h"
#include <stdlib.h>
#include <string.h>

static uint32_t text_site; /* + 1: a number that is no point became text */

static bool is_volatile(const accordi_shadow *a)
{
    return a->kind > ACCORDI_PLAIN || a->end[0] != -a->end[1];
}

int64_t accordi_events;

static bool is_recorded(uint32_t site)
{
    return strcmp(accordi_sites[site].kind, "output") == 0;
}

accordi_position accordi_next_position(uint32_t site)
{
    return (accordi_position){is_recorded(site) ? accordi_events++ : -1, 0};
}

void accordi_print(uint32_t site, double x, const accordi_shadow *a, bool narrow, bool text)
{
    accordi_output(site, accordi_next_position(site), x, a, narrow);
    if (text && !text_site && is_volatile(a))
        text_site = site + 1;
}

void accordi_write(uint32_t site, const void *from, size_t size, size_t count)
{
    const char *p = from;
    bool recorded = size && size % 4 == 0 && is_recorded(site);
    accordi_position at = {recorded ? accordi_events++ : -1, 0};
    for (size_t left = size * count; left >= 4;) {
        accordi_shadow a;
        bool narrow;
        bool found = accordi_find(p, left, &narrow, &a);
        if (found)
            accordi_tape.leaving = accordi_tape_mark(p).node;
        if (found)
            accordi_output(site, at, narrow ? (double)*(const float *)p : *(const double *)p, &a,
                           narrow);
        size_t step = found && !narrow ? 8 : 4;
        at.offset += step;
        p += step;
        left -= step;
    }
}

/* A number that was read from text. */
void accordi_read(accordi_shadow *out, double x, uint32_t site)
{
    if (text_site)
        accordi_lose(out, site, "read from text");
    else
        accordi_input(out, x);
}
