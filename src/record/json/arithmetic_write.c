/* The arithmetic as JSON: what has its usual value is left out, and the operations of nodes are
 * runs, [count, operation, count, operation, …] in canonical order. */
#include "model/words.h"
#include "record/json/arithmetic.h"
#include <accord/notation.h>

/* ,\n and the member's name, at a depth. */
static void put_name(accordi_stream *s, const char *name)
{
    accordi_stream_printf(s, ",\n    \"%s\": ", name);
}

static void put_word(accordi_stream *s, const char *name, const char *word, const char *usual)
{
    if (strcmp(word, usual) != 0)
        accordi_stream_printf(s, ",\n    \"%s\": \"%s\"", name, word);
}

static void put_flag(accordi_stream *s, const char *name, bool flag)
{
    if (flag)
        accordi_stream_printf(s, ",\n    \"%s\": true", name);
}

static void put_real(accordi_stream *s, const char *name, double value)
{
    put_name(s, name);
    accordi_stream_real(s, value);
}

static void put_operation_json(accordi_stream *s, const accord_operation *op)
{
    accordi_stream_printf(s, "{\"format\": \"%s\"", accordi_format_name(op->format));
    if (op->rounding != ACCORD_NEAREST_EVEN)
        accordi_stream_printf(s, ", \"rounding\": \"%s\"",
                              accordi_rounding_name((int)op->rounding));
    if (op->product != op->format)
        accordi_stream_printf(s, ", \"product\": \"%s\"", accordi_format_name(op->product));
    if (op->fused >= 0)
        accordi_stream_printf(s, ", \"fused\": %d", op->fused);
    else if (op->fused == ACCORD_STEP)
        accordi_stream_puts(s, ", \"step\": true");
    if (op->stored != ACCORD_F64)
        accordi_stream_printf(s, ", \"stored\": \"%s\"", accordi_format_name(op->stored));
    if (op->keeps)
        accordi_stream_puts(s, ", \"keeps\": true");
    if (op->zero != ACCORD_ZERO_NONE)
        accordi_stream_printf(s, ", \"zero\": \"%s\"", accordi_zero_name((int)op->zero));
    accordi_stream_char(s, '}');
}

static void put_operations(accordi_stream *s, const accord_arithmetic *a)
{
    put_name(s, "operations");
    accordi_stream_char(s, '[');
    for (size_t i = 0; i < a->operations; i++) {
        accordi_stream_puts(s, i ? ",\n      " : "\n      ");
        put_operation_json(s, &a->operation[i]);
    }
    accordi_stream_puts(s, a->operations ? "\n    ]" : "]");
}

static void put_nodes(accordi_stream *s, const accord_arithmetic *a, uint32_t inner)
{
    uint32_t runs = 0, end;
    if (!a->of_node || inner == 0 || a->operations < 2)
        return;
    put_name(s, "of_node");
    accordi_stream_char(s, '[');
    for (uint32_t k = 0; k < inner; k = end, runs++) {
        for (end = k + 1; end < inner && a->of_node[end] == a->of_node[k]; end++) {
        }
        if (runs)
            accordi_stream_char(s, ',');
        accordi_stream_printf(s, "%s%u,%u", runs % 8 ? " " : "\n      ", end - k, a->of_node[k]);
    }
    accordi_stream_puts(s, "\n    ]");
}

static void put_parameter(accordi_stream *s, const accord_fused *m, const accordi_parameter *p)
{
    int value = accordi_parameter_get(m, p);
    bool named = p->kind == ACCORDI_FORMAT_OF || p->kind == ACCORDI_SCHEME_OF;
    const char *word = accordi_parameter_word(p, value);
    if (value == 0 && (!named || p->later))
        return;
    accordi_stream_printf(s, ",\n      \"%s\": ", p->name);
    if (word)
        accordi_stream_printf(s, "\"%s\"", word);
    else if (p->kind == ACCORDI_FLAG)
        accordi_stream_puts(s, "true");
    else
        accordi_stream_printf(s, "%d", value);
}

static void put_machine_json(accordi_stream *s, const accord_fused *machine)
{
    const accord_fused *row = accordi_known_machine(machine);
    put_name(s, "machine");
    accordi_stream_printf(s, "{\n      \"name\": \"%s\"", row ? row->name : "custom");
    for (int i = 0; !row && i < ACCORDI_PARAMETERS; i++)
        put_parameter(s, machine, &accordi_parameters[i]);
    accordi_stream_puts(s, "\n    }");
}

/* [count, way, count, way, …] */
static void put_scalings_json(accordi_stream *s, const accord_arithmetic *a)
{
    size_t runs = 0, end;
    put_name(s, "alpha_of");
    accordi_stream_char(s, '[');
    for (size_t i = 0; i < a->alpha_nodes; i = end, runs++) {
        for (end = i + 1; end < a->alpha_nodes && a->alpha_of[end] == a->alpha_of[i]; end++) {
        }
        if (runs)
            accordi_stream_char(s, ',');
        accordi_stream_printf(s, "%s%zu,\"%s\"", runs % 8 ? " " : "\n      ", end - i,
                              accordi_scaling_name(a->alpha_of[i]));
    }
    accordi_stream_puts(s, "\n    ]");
}

static void put_flushes_json(accordi_stream *s, unsigned flush)
{
    const char *before = "[";
    if (flush == 0)
        return;
    put_name(s, "flush");
    for (int i = 0; accordi_flush_name(i); i++)
        if (flush >> i & 1) {
            accordi_stream_printf(s, "%s\"%s\"", before, accordi_flush_name(i));
            before = ", ";
        }
    accordi_stream_char(s, ']');
}

static void put_range_ends_json(accordi_stream *s, const accord_arithmetic *a)
{
    put_flag(s, "negative_zero", a->negative_zero);
    put_flag(s, "zero_last", a->zero_last);
    put_flushes_json(s, a->flush);
    put_flag(s, "skips_zero", a->skips_zero);
    put_word(s, "skips", accordi_skips_name((int)a->skips), "either");
    put_flag(s, "extended", a->extended);
    put_word(s, "alpha_at", accordi_alpha_name((int)a->alpha_at), "one");
    if (a->alpha_at != ACCORD_ALPHA_ONE)
        put_real(s, "alpha", a->alpha);
    if (a->alpha_at == ACCORD_ALPHA_SUM) {
        put_name(s, "alpha_node");
        accordi_stream_number(s, a->alpha_node);
        put_flag(s, "alpha_fused", a->alpha_fused);
    }
    if (a->alpha_at == ACCORD_ALPHA_NODES)
        put_scalings_json(s, a);
    if (a->beta != 0)
        put_real(s, "beta", a->beta);
    put_word(s, "finish", accordi_finish_name((int)a->finish), "none");
    if (a->finish != ACCORD_FINISH_NONE)
        put_real(s, "factor", a->factor);
    put_word(s, "radicand", accordi_format_name(a->radicand), accordi_format_name(ACCORD_F64));
}

/* The model in one line; of a regular order, as with its notation. */
static void put_line(accordi_stream *s, const accord_model *model)
{
    char *text = NULL;
    bool regular = false;
    if (accord_model_line_write(model, &text, &regular, NULL) == ACCORD_OK && regular)
        put_word(s, "line", text, "");
    accord_notation_free(text);
}

void accordi_write_arithmetic(const accord_model *model, accordi_stream *stream)
{
    const accord_arithmetic *a = model->arithmetic;
    accordi_stream_printf(stream, "\n    \"term\": \"%s\"", accordi_term_name((int)a->term));
    put_word(stream, "input", accordi_format_name(a->input), "");
    put_word(stream, "operand", accordi_format_name(a->operand), accordi_format_name(ACCORD_F64));
    put_word(stream, "operand_rounding", accordi_rounding_name((int)a->operand_rounding),
             "nearest");
    put_word(stream, "output", accordi_format_name(a->output), "");
    put_word(stream, "output_rounding", accordi_rounding_name((int)a->output_rounding), "nearest");
    put_operations(stream, a);
    put_nodes(stream, a, model->tree->inner);
    if (a->has_machine)
        put_machine_json(stream, &a->machine);
    put_range_ends_json(stream, a);
    put_line(stream, model);
}
