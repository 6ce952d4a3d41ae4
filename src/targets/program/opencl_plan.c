/* "sum.cl:sum,local=16,global=64,arguments=x+n+out,parts=4,build=-DX=1": the notation of opencl:
 * targets. Options of the compiler may contain commas, so they come last. */
#include "targets/program/opencl_plan.h"
#include "targets/program/settings.h"
#include <stddef.h>

static const char *const place_names[] = {"x", "ones", "n", "n64", "out", "local"};
enum { PLACES = sizeof place_names / sizeof place_names[0] };

static enum accord_status unknown_place(const char *name, size_t length, accord_error *error)
{
    return accordi_fail(error, ACCORD_ARG,
                        "'%.*s' is no argument of an opencl: target: join x (the terms), ones "
                        "(second factors), n (int or uint), n64 (long or ulong), out and local by "
                        "+, e.g. arguments=x+n+out",
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

#define TEXT(member)                                                                               \
    .take = accordi_take_text, .at = offsetof(accordi_opencl_plan, member),                        \
    .most = sizeof((accordi_opencl_plan *)0)->member
#define COUNT(member)                                                                              \
    .take = accordi_take_count, .at = offsetof(accordi_opencl_plan, member), .least = 1,           \
    .most = 1 << 24
static const accordi_setting settings[] = {
    {.name = "local", COUNT(local)},
    {.name = "global", COUNT(global)},
    {.name = "arguments", .take = take_places},
    {.name = "parts", COUNT(parts)},
    {.name = "then", TEXT(then)},
    {.name = "device", TEXT(device)},
    {.name = "build", TEXT(build), .rest = true},
};

/* ---- the whole ---- */

bool accordi_opencl_plan_has(const accordi_opencl_plan *plan, enum accordi_opencl_place place)
{
    for (size_t i = 0; i < plan->arguments; i++)
        if (plan->argument[i] == place)
            return true;
    return false;
}

static enum accord_status check_plan(const accordi_opencl_plan *plan, accord_error *error)
{
    size_t outs = 0;
    for (size_t i = 0; i < plan->arguments; i++)
        outs += plan->argument[i] == ACCORDI_OPENCL_OUT;
    if (outs != 1 || !accordi_opencl_plan_has(plan, ACCORDI_OPENCL_X))
        return accordi_fail(error, ACCORD_ARG,
                            "the arguments of an opencl: target need x and exactly one out");
    if (plan->global % plan->local != 0)
        return accordi_fail(error, ACCORD_ARG,
                            "global=%zu is no multiple of local=%zu: OpenCL runs whole groups",
                            plan->global, plan->local);
    if (plan->then[0] && plan->parts == 1)
        return accordi_fail(error, ACCORD_ARG,
                            "then=%s adds parts: say how many with parts=", plan->then);
    return ACCORD_OK;
}

enum accord_status accordi_opencl_plan_read(const char *text, accordi_opencl_plan *out,
                                            accord_error *error)
{
    accordi_opencl_plan plan = {.local = 1, .parts = 1};
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
    plan.global = plan.global ? plan.global : plan.local;
    if (status == ACCORD_OK)
        status = check_plan(&plan, error);
    if (status == ACCORD_OK)
        *out = plan;
    return status;
}
