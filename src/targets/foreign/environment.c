/* Foreign code has a floating-point environment of its own. */
#include "base/environment.h"
#include "targets/foreign/foreign.h"

/* The floating-point environment that foreign code leaves and finds again, and that of accord while
 * foreign code runs. */
static _Thread_local struct {
    bool known;
    accordi_environment theirs, ours;
} environment;

void accordi_foreign_enter(void)
{
    if (!environment.known) {
        environment.theirs = accordi_environment_enter();
        accordi_environment_leave(environment.theirs);
        environment.known = true;
    }
    environment.ours = environment.theirs;
    accordi_environment_swap(&environment.ours);
}

void accordi_foreign_leave(void)
{
    environment.theirs = environment.ours;
    accordi_environment_swap(&environment.theirs);
}

void accordi_foreign_abandon(void)
{
    accordi_environment crashed = environment.ours;
    accordi_environment_swap(&crashed);
}
