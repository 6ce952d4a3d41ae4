/* "sum.cl:sum,local=16,global=64,arguments=x+n+out,parts=4,build=-DX=1": the notation of opencl:
 * targets. Options of the compiler may contain commas, so they come last. */
#include "targets/program/opencl_plan.h"
#include "targets/program/settings.h"
#include <stddef.h>

static const char *const place_names[] = {
    [ACCORDI_OPENCL_X] = "x",
    [ACCORDI_OPENCL_X_TRANSPOSED] = "xt",
    [ACCORDI_OPENCL_Y] = "y",
    [ACCORDI_OPENCL_ONES] = "ones",
    [ACCORDI_OPENCL_N] = "n",
    [ACCORDI_OPENCL_N_LONG] = "n64",
    [ACCORDI_OPENCL_ROWS] = "rows",
    [ACCORDI_OPENCL_ROWS_LONG] = "rows64",
    [ACCORDI_OPENCL_COLUMNS] = "columns",
    [ACCORDI_OPENCL_COLUMNS_LONG] = "columns64",
    [ACCORDI_OPENCL_ONE] = "one",
    [ACCORDI_OPENCL_ZERO] = "zero",
    [ACCORDI_OPENCL_OUT] = "out",
    [ACCORDI_OPENCL_OUT_TRANSPOSED] = "outt",
    [ACCORDI_OPENCL_SCRATCH] = "local",
};
enum { PLACES = sizeof place_names / sizeof place_names[0], MOST = 1 << 24 };

static enum accord_status unknown_place(const char *name, size_t length, accord_error *error)
{
    return accordi_fail(error, ACCORD_ARG,
                        "'%.*s' is not an argument of an opencl: target: join x or xt (the terms), "
                        "y or ones (second factors), n, rows, columns (int or uint), n64, rows64, "
                        "columns64 (long or ulong), one, zero, out or outt, and local by +, e.g. "
                        "arguments=x+n+out",
                        length < 40 ? (int)length : 40, name);
}

static enum accord_status take_places(const accordi_setting *s, const char *value, void *into,
                                      accord_error *error)
{
    accordi_opencl_plan *plan = into;
    (void)s;
    plan->arguments = 0;
    for (const char *at = value;;) {
        size_t length = strcspn(at, "+"), i = 0;
        while (i < PLACES &&
               (strlen(place_names[i]) != length || strncmp(place_names[i], at, length) != 0))
            i++;
        if (i == PLACES)
            return unknown_place(at, length, error);
        if (plan->arguments == ACCORDI_OPENCL_ARGUMENTS)
            return accordi_fail(error, ACCORD_ARG, "an opencl: target has at most %d arguments",
                                ACCORDI_OPENCL_ARGUMENTS);
        plan->argument[plan->arguments++] = (enum accordi_opencl_place)i;
        if (!at[length])
            return ACCORD_OK;
        at += length + 1;
    }
}

/* "64", "64x32" or "64x32x2"; directions that are not given have 1. */
static enum accord_status take_size(const accordi_setting *s, const char *value, void *plan,
                                    accord_error *error)
{
    accordi_opencl_size size = {{1, 1, 1}};
    size_t room = MOST;
    const char *at = value;
    for (size_t i = 0; i < 3 && room > 0; i++) {
        size_t digits = strspn(at, "0123456789");
        size.along[i] = digits < 9 ? strtoul(at, NULL, 10) : 0;
        room = size.along[i] ? room / size.along[i] : 0;
        at += digits;
        if (*at != 'x')
            break;
        at++;
    }
    if (room > 0 && !*at && at[-1] != 'x') {
        memcpy((char *)plan + s->at, &size, sizeof size);
        return ACCORD_OK;
    }
    return accordi_fail(error, ACCORD_ARG,
                        "%s= is one, two or three numbers joined by x, which give from 1 to %d "
                        "work-items, not '%.40s'",
                        s->name, MOST, value);
}

#define TEXT(member)                                                                               \
    .take = accordi_take_text, .at = offsetof(accordi_opencl_plan, member),                        \
    .most = sizeof((accordi_opencl_plan *)0)->member
#define COUNT(member)                                                                              \
    .take = accordi_take_count, .at = offsetof(accordi_opencl_plan, member), .least = 1,           \
    .most = MOST
#define SIZE(member) .take = take_size, .at = offsetof(accordi_opencl_plan, member)
static const accordi_setting settings[] = {
    {.name = "local", SIZE(local)},
    {.name = "global", SIZE(global)},
    {.name = "arguments", .take = take_places},
    {.name = "rows", COUNT(rows)},
    {.name = "columns", COUNT(columns)},
    {.name = "parts", COUNT(parts)},
    {.name = "then", TEXT(then)},
    {.name = "then-local", SIZE(then_local)},
    {.name = "then-global", SIZE(then_global)},
    {.name = "device", TEXT(device)},
    {.name = "build", TEXT(build), .rest = true},
};

/* ---- the whole ---- */

size_t accordi_opencl_items(const accordi_opencl_size *size)
{
    return size->along[0] * size->along[1] * size->along[2];
}

size_t accordi_opencl_results(const accordi_opencl_plan *plan)
{
    return plan->rows * plan->columns;
}

bool accordi_opencl_plan_has(const accordi_opencl_plan *plan, enum accordi_opencl_place place)
{
    for (size_t i = 0; i < plan->arguments; i++)
        if (plan->argument[i] == place)
            return true;
    return false;
}

static size_t how_many(const accordi_opencl_plan *plan, enum accordi_opencl_place place)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->arguments; i++)
        count += plan->argument[i] == place;
    return count;
}

static enum accord_status check_groups(const accordi_opencl_size *global,
                                       const accordi_opencl_size *local, const char *before,
                                       accord_error *error)
{
    for (size_t i = 0; i < 3; i++)
        if (global->along[i] % local->along[i] != 0)
            return accordi_fail(error, ACCORD_ARG,
                                "%sglobal=%zu is not a multiple of %slocal=%zu: OpenCL runs whole "
                                "groups",
                                before, global->along[i], before, local->along[i]);
    return ACCORD_OK;
}

static enum accord_status check_plan(const accordi_opencl_plan *plan, accord_error *error)
{
    size_t outs =
        how_many(plan, ACCORDI_OPENCL_OUT) + how_many(plan, ACCORDI_OPENCL_OUT_TRANSPOSED);
    if (outs != 1 || !(accordi_opencl_plan_has(plan, ACCORDI_OPENCL_X) ||
                       accordi_opencl_plan_has(plan, ACCORDI_OPENCL_X_TRANSPOSED)))
        return accordi_fail(error, ACCORD_ARG,
                            "the arguments of an opencl: target need x or xt, and exactly one out "
                            "or outt");
    size_t second = how_many(plan, ACCORDI_OPENCL_Y);
    if (second > 1 || (second && (how_many(plan, ACCORDI_OPENCL_ONES) || plan->then[0] ||
                                  accordi_opencl_results(plan) > 1)))
        return accordi_fail(error, ACCORD_ARG,
                            "y, the second factors, stands once among the arguments, of a kernel "
                            "with one result, without ones and then=; others take ones");
    if (plan->rows > MOST / plan->columns || accordi_opencl_results(plan) > MOST / plan->parts)
        return accordi_fail(error, ACCORD_ARG,
                            "rows=%zu, columns=%zu and parts=%zu are more than %d results",
                            plan->rows, plan->columns, plan->parts, MOST);
    if (plan->then[0] && plan->parts == 1)
        return accordi_fail(error, ACCORD_ARG,
                            "then=%s adds parts: say how many with parts=", plan->then);
    enum accord_status status = check_groups(&plan->global, &plan->local, "", error);
    return status ? status : check_groups(&plan->then_global, &plan->then_local, "then-", error);
}

/* Sizes that were not given. */
static void default_to(accordi_opencl_size *size, accordi_opencl_size other)
{
    if (!size->along[0])
        *size = other;
}

enum accord_status accordi_opencl_plan_read(const char *text, accordi_opencl_plan *out,
                                            accord_error *error)
{
    accordi_opencl_plan plan = {.rows = 1, .columns = 1, .parts = 1};
    const char *colon = strchr(text, ':');
    size_t file = colon ? (size_t)(colon - text) : 0, name = colon ? strcspn(colon + 1, ",") : 0;
    if (file == 0 || file >= sizeof plan.file || name == 0 || name >= sizeof plan.kernel)
        return accordi_fail(error, ACCORD_ARG,
                            "'%.60s' names no kernel: write opencl:FILE.cl:KERNEL, e.g. "
                            "opencl:sum.cl:sum,local=16,arguments=x+n+out",
                            text);
    memcpy(plan.file, text, file);
    memcpy(plan.kernel, colon + 1, name);
    enum accord_status status = take_places(NULL, "x+n+out", &plan, error);
    if (status == ACCORD_OK)
        status = accordi_settings_read(colon + 1 + name, "opencl", settings,
                                       sizeof settings / sizeof settings[0], &plan, error);
    default_to(&plan.local, (accordi_opencl_size){{1, 1, 1}});
    default_to(&plan.global, plan.local);
    default_to(&plan.then_local, plan.local);
    default_to(&plan.then_global, plan.then_local);
    if (status == ACCORD_OK)
        status = check_plan(&plan, error);
    if (status == ACCORD_OK)
        *out = plan;
    return status;
}
