/* Copies structs of callers that were compiled with another version of their header. It takes the
 * bytes that the caller has and makes a struct of this library. 0 means the default in each member.
 * So members that the caller's struct lacks become 0, and members that only a later library knows
 * may be ignored if they are 0. A size beyond MOST_BYTES was never set, and the struct is not
 * read. */
#include "base/base.h"

enum { MOST_BYTES = 4096 };

enum accord_status accordi_take(void *full, size_t known, size_t first, const void *given,
                                const char *type, accord_error *error)
{
    size_t size = 0;
    memcpy(&size, given ? given : &size, sizeof size);
    if (size && (size < sizeof size || size > MOST_BYTES))
        return accordi_fail(error, ACCORD_ARG,
                            "the size of this %s cannot be %zu bytes; ACCORD_INIT sets it, and 0 "
                            "stands for the struct of version 0.1",
                            type, size);
    for (size_t i = known; i < size; i++)
        if (((const unsigned char *)given)[i])
            return accordi_fail(
                error, ACCORD_ARG,
                "this %s uses a member that accord %s does not know; set it to 0 or "
                "use a later version of the library",
                type, accord_version());
    size_t held = given ? size ? size : first : 0;
    memset(full, 0, known);
    memcpy(full, given ? given : full, held < known ? held : known);
    memcpy(full, &known, sizeof known);
    return ACCORD_OK;
}
