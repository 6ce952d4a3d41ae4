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
    const char *which = accord_method_device_which(name);
    size_t length = which ? (size_t)(which - name) - 1 : strlen(name);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (strlen(devices[i]->name) == length && strncmp(devices[i]->name, name, length) == 0)
            return devices[i];
    return NULL;
}

const char *accord_method_device_which(const char *name)
{
    static const char several[] = "opencl:";
    size_t length = sizeof several - 1;
    return strncmp(name, several, length) == 0 && name[length] ? name + length : NULL;
}
