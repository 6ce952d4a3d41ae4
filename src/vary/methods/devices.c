/* Where methods run. */
#include "vary/methods/methods.h"

static const accord_method_device *const devices[] = {&accordi_simulation, &accordi_live_threads,
                                                      &accordi_live_opencl};

const accord_method_device *accord_method_device_at(size_t i)
{
    return i < sizeof devices / sizeof devices[0] ? devices[i] : NULL;
}

const accord_method_device *accord_method_device_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (strcmp(devices[i]->name, name) == 0)
            return devices[i];
    return NULL;
}
