/* Fuzzer of exact sums: the kind of numbers, two bytes of options, then a count of two bytes and a
 * number (dots: two) over and over. Every row of kernels, the method and one call give what scalar
 * code gives. Seeds: tests/seeds/exact.
 * Sources: src/exact/kernels/kernels_generic.c */
#include "base/base.h"
#include "base/environment.h"
#include "exact/routines/methods.h"

enum { MOST = 1 << 12 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void insist(bool true_of_all, const char *what)
{
    if (true_of_all)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

typedef struct numbers {
    int bytes; /* of a number */
    bool dot, brain;
    size_t n;
    char *x, *y;
    accord_exact_options how;
} numbers;

static bool has_wide(const numbers *q)
{
    return q->dot && q->bytes == 8;
}

/* Terms into a wide accumulator: the scalar code. */
static void add_scalar(const numbers *q, accordi_exact_view sum)
{
    const void *x = q->x, *y = q->y;
    if (q->bytes == 8 && q->dot)
        accordi_exact_products_f64(sum, q->n, x, 1, y, 1);
    else if (q->bytes == 8)
        accordi_exact_terms_f64(sum, q->n, x, 1);
    else if (q->bytes == 4 && q->dot)
        accordi_exact_products_f32(sum, q->n, x, 1, y, 1);
    else if (q->bytes == 4)
        accordi_exact_terms_f32(sum, q->n, x, 1);
    else
        (q->brain ? accordi_exact_terms_bf16 : accordi_exact_terms_f16)(sum, q->n, x, 1);
}

static void add_by_method(const numbers *q, accordi_exact_view sum)
{
    const void *x = q->x, *y = q->y;
    if (q->bytes == 8 && q->dot)
        accordi_exact_dot_f64(&q->how, sum, q->n, x, 1, y, 1);
    else if (q->bytes == 8)
        accordi_exact_sum_f64(&q->how, sum, q->n, x, 1);
    else if (q->bytes == 4 && q->dot)
        accordi_exact_dot_f32(&q->how, sum, q->n, x, 1, y, 1);
    else if (q->bytes == 4)
        accordi_exact_sum_f32(&q->how, sum, q->n, x, 1);
    else
        (q->brain ? accordi_exact_sum_bf16 : accordi_exact_sum_f16)(&q->how, sum, q->n, x, 1);
}

static void add_by_row(const numbers *q, accordi_exact_view sum, const accordi_exact_kernels *row)
{
    static const unsigned levels[] = {ACCORDI_EXACT_ALL, 0, ACCORDI_EXACT_WINDOW,
                                      ACCORDI_EXACT_SCATTER};
    const void *x = q->x, *y = q->y;
    enum accord_exact_method m = q->how.method;
    bool expansion = m == ACCORD_EXACT_EXPANSION;
    if (expansion && q->bytes == 8 && q->dot)
        row->expansion_dot_f64(sum, q->n, x, y, q->how.expansion, !q->how.no_early_exit);
    else if (expansion && q->bytes == 8)
        row->expansion_f64(sum, q->n, x, q->how.expansion, !q->how.no_early_exit);
    else if (expansion || q->bytes == 2)
        add_scalar(q, sum);
    else if (q->bytes == 8 && q->dot)
        row->dot_f64(sum, q->n, x, y, levels[m]);
    else if (q->bytes == 8)
        row->sum_f64(sum, q->n, x, levels[m]);
    else if (q->dot)
        row->dot_f32(sum, q->n, x, y, levels[m]);
    else
        row->sum_f32(sum, q->n, x, levels[m]);
}

static void same_as_scalar(const numbers *q, accord_exact_wide *wide, accord_exact *small,
                           const char *what)
{
    accord_exact_wide right_wide;
    accord_exact right_small;
    accord_exact_wide_init(&right_wide);
    accord_exact_init(&right_small);
    add_scalar(q,
               has_wide(q) ? accordi_exact_of_wide(&right_wide) : accordi_exact_of(&right_small));
    accord_exact_wide_canonical(&right_wide);
    accord_exact_canonical(&right_small);
    accord_exact_wide_canonical(wide);
    accord_exact_canonical(small);
    insist(!memcmp(wide, &right_wide, sizeof right_wide) &&
               !memcmp(small, &right_small, sizeof right_small),
           what);
}

static void check_ways(const numbers *q)
{
    const accordi_exact_kernels *row;
    accord_exact_wide wide;
    accord_exact small;
    accordi_exact_view view = has_wide(q) ? accordi_exact_of_wide(&wide) : accordi_exact_of(&small);
    for (size_t i = 0; (row = accordi_exact_kernels_at(i)); i++) {
        if (!accordi_exact_kernels_usable(row))
            continue;
        accord_exact_wide_init(&wide);
        accord_exact_init(&small);
        accordi_environment before = accordi_environment_enter();
        add_by_row(q, view, row);
        accordi_environment_leave(before);
        same_as_scalar(q, &wide, &small, row->name);
    }
    accord_exact_wide_init(&wide);
    accord_exact_init(&small);
    add_by_method(q, view);
    same_as_scalar(q, &wide, &small, accord_exact_method_name(q->how.method));
}

/* One call, from the last number to the first. */
static void check_call(const numbers *q)
{
    uint64_t found = 0, right = 0;
    accord_exact_wide wide;
    size_t last = q->n ? (q->n - 1) * (size_t)q->bytes : 0;
    const void *a = q->x + last, *b = q->y + last;
    enum accord_status status;
    if (q->bytes == 8)
        status = q->dot ? accord_dot_exact_f64(q->n, a, -1, b, -1, &q->how, (double *)&found, NULL)
                        : accord_sum_exact_f64(q->n, a, -1, &q->how, (double *)&found, NULL);
    else if (q->bytes == 4)
        status = q->dot ? accord_dot_exact_f32(q->n, a, -1, b, -1, &q->how, (float *)&found, NULL)
                        : accord_sum_exact_f32(q->n, a, -1, &q->how, (float *)&found, NULL);
    else
        status = (q->brain ? accord_sum_exact_bf16
                           : accord_sum_exact_f16)(q->n, a, -1, &q->how, (uint16_t *)&found, NULL);
    accord_exact_wide_init(&wide);
    add_scalar(q, accordi_exact_of_wide(&wide));
    enum accord_format format = q->bytes == 8   ? ACCORD_F64
                                : q->bytes == 4 ? ACCORD_F32
                                : q->brain      ? ACCORD_BF16
                                                : ACCORD_F16;
    right = accordi_exact_round(accordi_exact_of_wide(&wide), format, q->how.rounding);
    insist(status == ACCORD_OK && found == right, "one call");
}

static void read_options(numbers *q, const uint8_t *data)
{
    static const int bytes[] = {8, 8, 4, 4, 2, 2};
    int kind = data[0] % 6;
    q->bytes = bytes[kind];
    q->dot = kind < 4 && kind % 2;
    q->brain = kind == 5;
    accord_exact_options_init(&q->how);
    q->how.rounding = (enum accord_exact_rounding)(data[1] % ACCORD_EXACT_ROUNDING_COUNT);
    q->how.expansion = 2 + (data[1] >> 3) % 7;
    q->how.no_early_exit = data[2] & 1;
    q->how.method = (enum accord_exact_method)((data[2] >> 1) % ACCORD_EXACT_METHOD_COUNT);
}

/* Runs of equal numbers. */
static void read_numbers(numbers *q, const uint8_t *data, size_t size)
{
    size_t each = (size_t)q->bytes * (q->dot ? 2 : 1) + 2;
    for (; size >= each && q->n < MOST; data += each, size -= each) {
        size_t count = (size_t)(data[0] | data[1] << 8) % 2049;
        for (; count && q->n < MOST; count--, q->n++) {
            memcpy(q->x + q->n * (size_t)q->bytes, data + 2, (size_t)q->bytes);
            if (q->dot)
                memcpy(q->y + q->n * (size_t)q->bytes, data + 2 + q->bytes, (size_t)q->bytes);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char x[8 * MOST + 8], y[8 * MOST + 8];
    if (size < 3)
        return 0;
    numbers q = {.x = x + data[2] / 32, .y = y + data[0] / 32};
    read_options(&q, data);
    read_numbers(&q, data + 3, size - 3);
    check_ways(&q);
    check_call(&q);
    return 0;
}
