/* Bounds of an expression that a test builds; whatever fails ends the test. */
#ifndef BOUNDS_H
#define BOUNDS_H

#include <accord/bound.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static inline accord_bound_expression *bounds_expression(enum accord_format format)
{
    accord_bound_expression *e = NULL;
    accord_error error;
    if (accord_bound_expression_new(format, &e, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    return e;
}

static inline accord_bound *bounds_of(const accord_bound_expression *e, unsigned model)
{
    accord_bound *bound = NULL;
    accord_error error;
    accord_bound_options options;
    accord_bound_options_init(&options);
    options.model = model;
    if (accord_bound_evaluate(e, UINT32_MAX, &options, &bound, &error) != ACCORD_OK)
        fail_msg("%s", error.text);
    return bound;
}

#endif
