/* Writes lines of C, loops over chains, and the names of the variables that hold values. */
#include "model/emit/emit.h"

/* ---- places ---- */

void accordi_place_add(accordi_emit_place *place, const char *name, int64_t stride)
{
    int at = place->count++;
    snprintf(place->term[at].name, sizeof place->term[at].name, "%s", name);
    place->term[at].stride = stride;
}

accordi_emit_place accordi_place_at(const accordi_emit_place *place, int64_t more)
{
    accordi_emit_place moved = *place;
    moved.constant += more;
    return moved;
}

static void put_place(const accordi_emit_place *place, accordi_buffer *out)
{
    bool some = false;
    for (int i = place->count - 1; i >= 0; i--) {
        if (place->term[i].stride == 1)
            accordi_buffer_printf(out, "%s%s", some ? " + " : "", place->term[i].name);
        else
            accordi_buffer_printf(out, "%s%lld * %s", some ? " + " : "",
                                  (long long)place->term[i].stride, place->term[i].name);
        some = true;
    }
    if (place->constant != 0 || !some)
        accordi_buffer_printf(out, "%s%lld", some ? " + " : "", (long long)place->constant);
}

/* "k", "(k + 3) * ldb", … */
void accordi_put_index(const accordi_emit_place *place, const char *stride, accordi_buffer *out)
{
    bool alone = place->count == 0 ||
                 (place->count == 1 && place->constant == 0 && place->term[0].stride == 1);
    bool nothing = place->count == 0 && place->constant == 0;
    if (stride && !alone)
        accordi_buffer_puts(out, "(");
    put_place(place, out);
    if (stride && !alone)
        accordi_buffer_puts(out, ")");
    if (stride && !nothing)
        accordi_buffer_printf(out, " * %s", stride);
}

/* ---- lines ---- */

enum { WIDTH = 100 };

/* Where to break: after the last blank that fits; 0: nowhere. */
static size_t breaking(const char *text, size_t room)
{
    size_t at = 0;
    for (size_t i = 0; text[i] && i < room; i++)
        if (text[i] == ' ' && text[i + 1])
            at = i;
    return strlen(text) <= room ? 0 : at;
}

void accordi_line(accordi_writer *w, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        w->out->failed = true;
        return;
    }
    size_t indent = 4 * (size_t)w->indent, at;
    const char *rest = text;
    while ((at = breaking(rest, WIDTH - indent)) > 0) {
        accordi_buffer_printf(w->out, "%*s%.*s\n", (int)indent, "", (int)at, rest);
        rest += at + 1;
        indent = 4 * (size_t)w->indent + 8;
    }
    accordi_buffer_printf(w->out, "%*s%s\n", (int)indent, "", rest);
    free(text);
}

static void put_step(int64_t stride, char step[32])
{
    if (stride == 1 || stride == -1)
        snprintf(step, 32, stride > 0 ? "k++" : "k--");
    else
        snprintf(step, 32, "k %c= %lld", stride < 0 ? '-' : '+',
                 (long long)(stride < 0 ? -stride : stride));
}

accordi_emit_place accordi_open_run(accordi_writer *w, const accordi_shape *s, int first, int end,
                                    const accordi_emit_place *place)
{
    accordi_emit_place at = accordi_place_at(place, s->item_at + first * s->stride);
    if (end - first == 1)
        return at;
    long long from = at.constant, last = from + (end - first - 1) * s->stride;
    bool down = s->stride < 0;
    char step[32];
    put_step(s->stride, step);
    accordi_line(w, "for (%s k = %lld; k %s %lld; %s)", w->index, from, down ? ">=" : "<",
                 down ? last : last + s->stride, step);
    w->indent++;
    at.constant = 0;
    accordi_place_add(&at, "k", 1);
    return at;
}
