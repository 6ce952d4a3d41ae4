/* PostgreSQL: aggregates whose results do not depend on the plan. The states are compact
 * accumulators (exact/compact/compact.h) in the memory of the aggregate; this file only carries
 * values in and out. accord.sql declares what is here.
 *
 * A state of no terms gives NULL: there were no values, or they have left a window that moves.
 * Memory comes from PostgreSQL: where it is short, an error ends the query, and the state is still
 * whole. */
#include <postgres.h>

#include <fmgr.h>
#include <math.h>
#include <utils/array.h>
#include <utils/float.h>

#include "exact/compact/compact.h"

PG_MODULE_MAGIC;

static MemoryContext context_of(FunctionCallInfo fcinfo)
{
    MemoryContext context;
    if (!AggCheckCallContext(fcinfo, &context))
        elog(ERROR, "this function of accord can be called by its aggregates only");
    return context;
}

static void *resize(void *fcinfo, void *block, size_t bytes)
{
    if (block && bytes)
        return repalloc(block, bytes);
    if (bytes)
        return MemoryContextAlloc(context_of((FunctionCallInfo)fcinfo), bytes);
    pfree(block);
    return NULL;
}

#define MEMORY ((accordi_compact_memory){resize, fcinfo})
#define STATE(type_, i_) (PG_ARGISNULL(i_) ? NULL : (type_ *)PG_GETARG_POINTER(i_))
/* Functions of aggregates get `internal` arguments from aggregates alone, and NULL from anyone. */
#define RETURN_STATE(state_)                                                                       \
    do {                                                                                           \
        if (!(state_))                                                                             \
            PG_RETURN_NULL();                                                                      \
        PG_RETURN_POINTER(state_);                                                                 \
    } while (0)

static void insist(bool done)
{
    if (!done)
        ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
                        errmsg("the sum would outgrow its accumulator")));
}

/* As sum(double precision) says it: only infinities have infinite sums. */
static double checked(const accordi_compact *sum, double result)
{
    bool infinite = sum->odd && (sum->word[sum->limbs + ACCORD_EXACT_PLUS_INFINITIES - 1] ||
                                 sum->word[sum->limbs + ACCORD_EXACT_MINUS_INFINITIES - 1]);
    if (isinf(result) && !infinite)
        float_overflow_error();
    return result;
}

/* Sums of values, and of products. */

static Datum change_sum(FunctionCallInfo fcinfo, bool narrow, bool remove)
{
    accordi_compact *sum = STATE(accordi_compact, 0);
    accordi_compact_memory memory = MEMORY;
    if (!sum)
        sum = accordi_compact_new(false, &memory);
    if (!PG_ARGISNULL(1)) {
        double x = narrow ? (double)PG_GETARG_FLOAT4(1) : PG_GETARG_FLOAT8(1);
        insist(remove ? accordi_compact_remove(&sum, x, &memory)
                      : accordi_compact_add(&sum, x, &memory));
    }
    RETURN_STATE(sum);
}

static Datum change_products(FunctionCallInfo fcinfo, bool narrow, bool remove)
{
    accordi_compact *sum = STATE(accordi_compact, 0);
    accordi_compact_memory memory = MEMORY;
    if (!sum)
        sum = accordi_compact_new(true, &memory);
    if (!PG_ARGISNULL(1) && !PG_ARGISNULL(2)) {
        double x = narrow ? (double)PG_GETARG_FLOAT4(1) : PG_GETARG_FLOAT8(1);
        double y = narrow ? (double)PG_GETARG_FLOAT4(2) : PG_GETARG_FLOAT8(2);
        insist(accordi_compact_multiply(&sum, x, y, remove, &memory));
    }
    RETURN_STATE(sum);
}

#define FUNCTION(name_)                                                                            \
    PG_FUNCTION_INFO_V1(name_);                                                                    \
    Datum name_(PG_FUNCTION_ARGS)
#define CHANGE(name_, how_, narrow_, remove_)                                                      \
    FUNCTION(name_)                                                                                \
    {                                                                                              \
        return how_(fcinfo, narrow_, remove_);                                                     \
    }
CHANGE(accord_sum_add8, change_sum, false, false)
CHANGE(accord_sum_add4, change_sum, true, false)
CHANGE(accord_sum_remove8, change_sum, false, true)
CHANGE(accord_sum_remove4, change_sum, true, true)
CHANGE(accord_dot_add8, change_products, false, false)
CHANGE(accord_dot_add4, change_products, true, false)
CHANGE(accord_dot_remove8, change_products, false, true)
CHANGE(accord_dot_remove4, change_products, true, true)

FUNCTION(accord_sum_combine)
{
    accordi_compact *sum = STATE(accordi_compact, 0), *other = STATE(accordi_compact, 1);
    accordi_compact_memory memory = MEMORY;
    context_of(fcinfo);
    if (other) {
        if (!sum)
            sum = accordi_compact_new(other->products, &memory);
        insist(accordi_compact_merge(&sum, other, &memory));
    }
    RETURN_STATE(sum);
}

static bytea *bytes_of(const accordi_compact *sum)
{
    bytea *bytes = palloc(VARHDRSZ + ACCORDI_COMPACT_BYTES);
    size_t length = accordi_compact_write(sum, (unsigned char *)VARDATA(bytes));
    SET_VARSIZE(bytes, VARHDRSZ + length);
    return bytes;
}

static accordi_compact *state_of(FunctionCallInfo fcinfo, const char *bytes, size_t length,
                                 bool products)
{
    accordi_compact_memory memory = MEMORY;
    accordi_compact *sum;
    accord_error error;
    if (accordi_compact_read(&sum, bytes, length, products, &memory, &error))
        ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("%s", error.text)));
    return sum;
}

FUNCTION(accord_sum_serialize)
{
    context_of(fcinfo);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    PG_RETURN_BYTEA_P(bytes_of(STATE(accordi_compact, 0)));
}

static Datum deserialize(FunctionCallInfo fcinfo, bool products)
{
    context_of(fcinfo);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    bytea *bytes = PG_GETARG_BYTEA_PP(0);
    PG_RETURN_POINTER(state_of(fcinfo, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), products));
}

FUNCTION(accord_sum_deserialize)
{
    return deserialize(fcinfo, false);
}

FUNCTION(accord_dot_deserialize)
{
    return deserialize(fcinfo, true);
}

#define FINISH(name_, return_, result_)                                                            \
    FUNCTION(name_)                                                                                \
    {                                                                                              \
        const accordi_compact *sum = STATE(const accordi_compact, 0);                              \
        context_of(fcinfo);                                                                        \
        if (!sum || !sum->terms)                                                                   \
            PG_RETURN_NULL();                                                                      \
        return_(result_);                                                                          \
    }
FINISH(accord_sum_final8, PG_RETURN_FLOAT8, checked(sum, accordi_compact_sum_f64(sum)))
FINISH(accord_sum_final4, PG_RETURN_FLOAT4,
       (float)checked(sum, (double)accordi_compact_sum_f32(sum)))
FINISH(accord_sum_mean, PG_RETURN_FLOAT8, checked(sum, accordi_compact_mean(sum)))

/* States that are stored in tables, as bytes. */

FUNCTION(accord_state_add)
{
    accordi_compact *sum = STATE(accordi_compact, 0);
    accordi_compact_memory memory = MEMORY;
    context_of(fcinfo);
    if (!PG_ARGISNULL(1)) {
        bytea *bytes = PG_GETARG_BYTEA_PP(1);
        accordi_compact *other =
            state_of(fcinfo, VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), false);
        if (!sum)
            RETURN_STATE(other);
        insist(accordi_compact_merge(&sum, other, &memory));
        pfree(other);
    }
    RETURN_STATE(sum);
}

FUNCTION(accord_state_value)
{
    const accordi_compact *sum = STATE(const accordi_compact, 0);
    context_of(fcinfo);
    if (!sum || !sum->terms)
        PG_RETURN_NULL();
    PG_RETURN_BYTEA_P(bytes_of(sum));
}

/* Variances: two sums. */

typedef struct two_sums {
    accordi_compact *values, *squares;
} two_sums;

static two_sums *new_two(FunctionCallInfo fcinfo)
{
    accordi_compact_memory memory = MEMORY;
    two_sums *two = resize(fcinfo, NULL, sizeof *two);
    two->values = accordi_compact_new(false, &memory);
    two->squares = accordi_compact_new(true, &memory);
    return two;
}

static Datum change_two(FunctionCallInfo fcinfo, bool narrow, bool remove)
{
    two_sums *two = STATE(two_sums, 0);
    accordi_compact_memory memory = MEMORY;
    if (!two)
        two = new_two(fcinfo);
    if (!PG_ARGISNULL(1)) {
        double x = narrow ? (double)PG_GETARG_FLOAT4(1) : PG_GETARG_FLOAT8(1);
        insist(accordi_compact_put(&two->values, accordi_compact_bits(x), remove, &memory) &&
               accordi_compact_multiply(&two->squares, x, x, remove, &memory));
    }
    RETURN_STATE(two);
}
CHANGE(accord_var_add8, change_two, false, false)
CHANGE(accord_var_add4, change_two, true, false)
CHANGE(accord_var_remove8, change_two, false, true)
CHANGE(accord_var_remove4, change_two, true, true)

FUNCTION(accord_var_combine)
{
    two_sums *two = STATE(two_sums, 0), *other = STATE(two_sums, 1);
    accordi_compact_memory memory = MEMORY;
    context_of(fcinfo);
    if (other) {
        if (!two)
            two = new_two(fcinfo);
        insist(accordi_compact_merge(&two->values, other->values, &memory) &&
               accordi_compact_merge(&two->squares, other->squares, &memory));
    }
    RETURN_STATE(two);
}

/* The length of the first in two bytes, then both. */
FUNCTION(accord_var_serialize)
{
    context_of(fcinfo);
    two_sums *two = STATE(two_sums, 0);
    if (!two)
        PG_RETURN_NULL();
    bytea *bytes = palloc(VARHDRSZ + 2 + 2 * ACCORDI_COMPACT_BYTES);
    unsigned char *at = (unsigned char *)VARDATA(bytes);
    size_t first = accordi_compact_write(two->values, at + 2);
    size_t second = accordi_compact_write(two->squares, at + 2 + first);
    at[0] = (unsigned char)first;
    at[1] = (unsigned char)(first >> 8);
    SET_VARSIZE(bytes, VARHDRSZ + 2 + first + second);
    PG_RETURN_BYTEA_P(bytes);
}

FUNCTION(accord_var_deserialize)
{
    context_of(fcinfo);
    if (PG_ARGISNULL(0))
        PG_RETURN_NULL();
    bytea *bytes = PG_GETARG_BYTEA_PP(0);
    const char *at = VARDATA_ANY(bytes);
    size_t length = VARSIZE_ANY_EXHDR(bytes), first = 0;
    if (length >= 2)
        first = (size_t)(unsigned char)at[0] | (size_t)(unsigned char)at[1] << 8;
    if (length < 2 || first > length - 2)
        ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                        errmsg("these bytes are not a pair of accumulators")));
    two_sums *two = resize(fcinfo, NULL, sizeof *two);
    two->values = state_of(fcinfo, at + 2, first, false);
    two->squares = state_of(fcinfo, at + 2 + first, length - 2 - first, true);
    if (two->values->terms != two->squares->terms)
        ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
                        errmsg("these bytes are sums of different numbers of values")));
    PG_RETURN_POINTER(two);
}

static Datum variance(FunctionCallInfo fcinfo, bool population)
{
    const two_sums *two = STATE(const two_sums, 0);
    context_of(fcinfo);
    if (!two || two->values->terms < 1 + !population)
        PG_RETURN_NULL();
    PG_RETURN_FLOAT8(
        checked(two->values, accordi_compact_variance(two->values, two->squares, population)));
}

FUNCTION(accord_var_samp)
{
    return variance(fcinfo, false);
}

FUNCTION(accord_var_pop)
{
    return variance(fcinfo, true);
}
