/* The canonical text of an arithmetic, and the fingerprint of a model.
 *
 * Lines of a word, a space and a value, each ended by a newline, in this order; a line in
 * parentheses is left out where it has the value given:
 *
 *     term value|product|absolute|square
 *     input FORMAT
 *     nodes RUN RUN …      RUN: COUNT*FORMAT/ROUNDING[/PRODUCT][/fused0|/fused1][/stored-FORMAT]
 *                          [/keeps][/zero-fused|zero-rounded|zero-added],
 *                          or COUNT*step[/keeps]
 *     lone FORMAT/ROUNDING[/PRODUCT]    instead, for a tree of one leaf with an operation
 *     machine NAME=VALUE … all parameters of accord_fused but the words, in the order of fused.h,
 *                          leading, c_leading, zeros, overflow, positive_zero only if not 0,
 *                          where there is a node that is a step
 *     output FORMAT/ROUNDING
 *     (zero positive)      zero negative|last; then, where it shows, zero first
 *     (flush none)         flush input|output|both; or the words of what is flushed
 *     (skips nothing)      skips zero
 *     (alpha one)          alpha x|y|sum A [NODE [fused]]     A in hexadecimal, C's %a; or,
 *                          only where none of these says it,
 *                          alpha nodes A COUNT*WAY …          WAY: not|x|y|rounded|fused, of
 *                          each node, leaves first
 *     (beta 0)             beta B
 *     (finish none)        finish times|over|root-times|root-over F; finish root
 *
 * ROUNDING is nearest, zero, down or up. Inner nodes come in canonical order; what cannot matter
 * at a node is not said: PRODUCT where it is FORMAT or no term is rounded, fusion where products
 * are exact anyway. The fingerprint is made of the tree's brackets, a newline, and this text. */
#include "model/scaling.h"
#include "model/words.h"
#include <accord/format.h>

static void put_canonical_operation(accordi_buffer *out, const accord_operation *op)
{
    if (op->fused == ACCORD_STEP) {
        accordi_buffer_puts(out, op->keeps ? "step/keeps" : "step");
        return;
    }
    accordi_buffer_printf(out, "%s/%s", accordi_format_name(op->format),
                          accordi_rounding_name((int)op->rounding));
    if (op->product != op->format)
        accordi_buffer_printf(out, "/%s", accordi_format_name(op->product));
    if (op->fused >= 0)
        accordi_buffer_printf(out, "/fused%d", op->fused);
    if (op->stored != ACCORD_F64)
        accordi_buffer_printf(out, "/stored-%s", accordi_format_name(op->stored));
    accordi_buffer_puts(out, op->keeps ? "/keeps" : "");
    if (op->zero != ACCORD_ZERO_NONE)
        accordi_buffer_printf(out, "/zero-%s", accordi_zero_name((int)op->zero));
}

static void put_nodes(accordi_buffer *out, const accord_model *model, bool *has_step)
{
    uint32_t inner = model->tree->inner, end;
    accordi_buffer_puts(out, "nodes");
    for (uint32_t k = 0; k < inner; k = end) {
        accord_operation op = accordi_effective(model, k), next;
        *has_step = *has_step || op.fused == ACCORD_STEP;
        for (end = k + 1; end < inner; end++) {
            next = accordi_effective(model, end);
            if (!accordi_same_operation(&op, &next))
                break;
        }
        accordi_buffer_printf(out, " %u*", end - k);
        put_canonical_operation(out, &op);
    }
    accordi_buffer_puts(out, "\n");
}

static void put_lone(accordi_buffer *out, const accord_model *model, bool *has_step)
{
    const accord_arithmetic *a = model->arithmetic;
    if (a->operations == 0)
        return;
    accord_operation op = a->operation[0];
    *has_step = op.fused == ACCORD_STEP;
    op.fused = *has_step ? ACCORD_STEP : -1;
    accordi_buffer_puts(out, "lone ");
    put_canonical_operation(out, &op);
    accordi_buffer_puts(out, "\n");
}

static void put_canonical_machine(accordi_buffer *out, const accord_fused *machine)
{
    accordi_buffer_puts(out, "machine");
    for (int i = 0; i < ACCORDI_PARAMETERS; i++) {
        const accordi_parameter *p = &accordi_parameters[i];
        int value = accordi_parameter_get(machine, p);
        const char *word = accordi_parameter_word(p, value);
        if (p->later && value == 0)
            continue;
        accordi_buffer_printf(out, " %s=", p->name);
        if (word)
            accordi_buffer_puts(out, word);
        else
            accordi_buffer_printf(out, "%d", value);
    }
    accordi_buffer_puts(out, "\n");
}

static void put_canonical_scalings(accordi_buffer *out, const accord_arithmetic *a)
{
    size_t end;
    for (size_t i = 0; i < a->alpha_nodes; i = end) {
        for (end = i + 1; end < a->alpha_nodes && a->alpha_of[end] == a->alpha_of[i]; end++) {
        }
        accordi_buffer_printf(out, " %zu*%s", end - i, accordi_scaling_name(a->alpha_of[i]));
    }
}

static void put_canonical_range_ends(accordi_buffer *out, const accord_arithmetic *a)
{
    if (a->alpha_at != ACCORD_ALPHA_ONE)
        accordi_buffer_printf(out, "alpha %s %a", accordi_alpha_name((int)a->alpha_at), a->alpha);
    if (a->alpha_at == ACCORD_ALPHA_SUM)
        accordi_buffer_printf(out, " %u%s", a->alpha_node, a->alpha_fused ? " fused" : "");
    if (a->alpha_at == ACCORD_ALPHA_NODES)
        put_canonical_scalings(out, a);
    if (a->alpha_at != ACCORD_ALPHA_ONE)
        accordi_buffer_puts(out, "\n");
    if (a->beta != 0)
        accordi_buffer_printf(out, "beta %a\n", a->beta);
    if (a->finish == ACCORD_FINISH_ROOT)
        accordi_buffer_puts(out, "finish root\n");
    else if (a->finish != ACCORD_FINISH_NONE)
        accordi_buffer_printf(out, "finish %s %a\n", accordi_finish_name((int)a->finish),
                              a->factor);
    if (a->radicand != ACCORD_F64 && accordi_takes_root(a->finish))
        accordi_buffer_printf(out, "radicand %s\n", accordi_format_name(a->radicand));
}

/* Words of before there were five questions stay what they were. */
static void put_canonical_flushes(accordi_buffer *out, unsigned flush)
{
    enum { INPUT = ACCORD_FLUSH_X | ACCORD_FLUSH_Y };
    bool old = flush == INPUT || flush == (ACCORD_FLUSH_ALL & ~INPUT) || flush == ACCORD_FLUSH_ALL;
    if (flush)
        accordi_buffer_puts(out, "flush");
    if (old)
        accordi_buffer_puts(out, flush == INPUT              ? " input"
                                 : flush == ACCORD_FLUSH_ALL ? " both"
                                                             : " output");
    for (int i = 0; !old && accordi_flush_name(i); i++)
        if (flush >> i & 1)
            accordi_buffer_printf(out, " %s", accordi_flush_name(i));
    accordi_buffer_puts(out, flush ? "\n" : "");
}

static void put_arithmetic(accordi_buffer *out, const accord_model *model)
{
    const accord_arithmetic *a = model->arithmetic;
    bool has_step = false;
    accordi_buffer_printf(out, "term %s\ninput %s\n", accordi_term_name((int)a->term),
                          accordi_format_name(a->input));
    if (a->operand != ACCORD_F64)
        accordi_buffer_printf(out, "operand %s/%s\n", accordi_format_name(a->operand),
                              accordi_rounding_name((int)a->operand_rounding));
    if (model->tree->inner)
        put_nodes(out, model, &has_step);
    else
        put_lone(out, model, &has_step);
    if (has_step)
        put_canonical_machine(out, &a->machine);
    accordi_buffer_printf(out, "output %s/%s\n", accordi_format_name(a->output),
                          accordi_rounding_name((int)a->output_rounding));
    accordi_buffer_puts(out, a->negative_zero && !a->zero_last ? "zero negative\n" : "");
    accordi_buffer_puts(out, a->zero_last ? "zero last\n" : "");
    accordi_buffer_puts(out, accordi_twice_zero(a) ? "zero first\n" : "");
    put_canonical_flushes(out, accordi_flush_bits(model));
    accordi_buffer_puts(out, a->extended ? "extended\n" : "");
    if (a->skips_zero && a->term == ACCORD_TERM_PRODUCT)
        accordi_buffer_printf(out, "skips zero%s\n",
                              a->skips == ACCORD_SKIPS_EITHER ? ""
                              : a->skips == ACCORD_SKIPS_X    ? " x"
                                                              : " y");
    put_canonical_range_ends(out, a);
}

enum accord_status accord_model_fingerprint(const accord_model *model,
                                            char out[ACCORD_FINGERPRINT_SIZE], accord_error *error)
{
    accordi_sha256 sha;
    accordi_buffer text = {0};
    char hex[65];
    accord_arithmetic simplest;
    const accord_model simple = {model->tree, &simplest};
    accordi_sha256_init(&sha);
    enum accord_status status = accordi_scaling_simplest(model, &simplest, error);
    if (status == ACCORD_OK)
        status = accord_tree_write_brackets(model->tree, accordi_sha256_write, &sha, error);
    if (status != ACCORD_OK)
        return status;
    accordi_buffer_puts(&text, "\n");
    put_arithmetic(&text, &simple);
    if (text.failed) {
        accordi_buffer_clear(&text);
        return accordi_nomem(error);
    }
    accordi_sha256_add(&sha, text.data, text.length);
    accordi_buffer_clear(&text);
    accordi_sha256_hex(&sha, hex);
    memcpy(out, hex, ACCORD_FINGERPRINT_SIZE - 1);
    out[ACCORD_FINGERPRINT_SIZE - 1] = '\0';
    return ACCORD_OK;
}
