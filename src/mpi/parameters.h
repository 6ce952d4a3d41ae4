/* Parameters that an MPI did not take. Internal. */
#ifndef ACCORDI_PARAMETERS_H
#define ACCORDI_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>

/* Of parameters of Open MPI in the environment, one whose number is none of those that this version
 * knows; it has another value then. False: there is none, and `text` stays as it is. */
bool accordi_refused_parameter(char *text, size_t size);

#endif
