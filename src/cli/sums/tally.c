/* Adding numbers to one sum. */
#include "cli/sums/tally.h"
#include "cli/numbers/written.h"
#include <math.h>

#define ADDER(suffix)                                                                              \
    static void add_##suffix(accord_exact *sum, const cli_block *block)                            \
    {                                                                                              \
        accord_exact_add_array_##suffix(sum, block->count, block->data, 1);                        \
    }
ADDER(f64)
ADDER(f32)
ADDER(f16)
ADDER(bf16)

static void (*const adders[])(accord_exact *, const cli_block *) = {[ACCORD_F64] = add_f64,
                                                                    [ACCORD_F32] = add_f32,
                                                                    [ACCORD_F16] = add_f16,
                                                                    [ACCORD_BF16] = add_bf16};

double cli_naive_round(enum accord_format format, double x)
{
    if (format == ACCORD_F64)
        return x;
    return format == ACCORD_F32 ? (double)(float)x
                                : accord_format_round(format, ACCORD_NEAREST_EVEN, x);
}

/* f64 has more than twice the bits of the others: to round its sum again is to round once. */
double cli_naive_add(double naive, enum accord_format format, double x)
{
    return cli_naive_round(format, naive + cli_naive_round(format, x));
}

static double naive_block(double naive, enum accord_format format, const cli_block *block)
{
    const double *x = block->data;
    if (format == ACCORD_F64 && block->format == ACCORD_F64)
        for (size_t i = 0; i < block->count; i++)
            naive += x[i];
    else
        for (size_t i = 0; i < block->count; i++)
            naive = cli_naive_add(naive, format, cli_block_value(block, i));
    return naive;
}

void cli_tally_block(cli_tally *tally, const cli_addition *how, const cli_block *block)
{
    adders[block->format](&tally->sum, block);
    if (how->naive)
        tally->naive = naive_block(tally->naive, how->format, block);
}

/* nan and inf have no digits: they go where numbers go. */
bool cli_add_decimal(cli_decimal *decimal, int64_t *decimals, cli_reader *r, const cli_entry *entry,
                     bool *special, double *x)
{
    *special = false;
    enum cli_decimal_added added = cli_decimal_add(decimal, entry->value, entry->length, false);
    if (added == CLI_DECIMAL_NONE)
        added = cli_decimal_add_hex(decimal, entry->value, entry->length);
    switch (added) {
    case CLI_DECIMAL_ADDED:
        ++*decimals;
        return true;
    case CLI_DECIMAL_BEYOND:
        return cli_reader_bad(
            r, entry->value, entry->length,
            "digits beyond 10^100000 or 10^-100000, more than --decimal takes:", "");
    case CLI_DECIMAL_BEYOND_F64:
        return cli_reader_bad(r, entry->value, entry->length,
                              "hexadecimal digits beyond those of an f64:",
                              "--decimal accepts such digits only in decimals");
    case CLI_DECIMAL_NOMEM:
        accordi_nomem(&r->error);
        return false;
    case CLI_DECIMAL_NONE:
        break;
    }
    if (!cli_written_special(entry->value, entry->length, x))
        return cli_reader_bad(r, entry->value, entry->length,
                              "not a decimal number:", cli_reader_advice(r));
    *special = true;
    return true;
}

bool cli_tally_entry(cli_tally *tally, const cli_addition *how, cli_reader *r,
                     const cli_entry *entry)
{
    double x;
    bool special = false;
    if (how->decimal && !cli_add_decimal(&tally->decimal, &tally->decimals, r, entry, &special, &x))
        return false;
    if (special)
        accord_exact_add_f64(&tally->sum, x);
    if (how->decimal && !how->naive)
        return true;
    if (!cli_reader_number(r, entry, &x))
        return false;
    if (!how->decimal)
        accord_exact_add_f64(&tally->sum, x);
    if (how->naive)
        tally->naive = cli_naive_add(tally->naive, how->format, x);
    return true;
}

enum accord_status cli_tally_merge(cli_tally *tally, const cli_tally *other, accord_error *error)
{
    if (!cli_decimal_merge(&tally->decimal, &other->decimal))
        return accordi_nomem(error);
    tally->decimals += other->decimals;
    return accord_exact_add(&tally->sum, &other->sum, error);
}

void cli_tally_clear(cli_tally *tally)
{
    cli_decimal_clear(&tally->decimal);
}

void cli_put_hex(accordi_buffer *out, double x)
{
    accordi_buffer_printf(out, isnan(x) ? "nan" : "%a", x);
}
