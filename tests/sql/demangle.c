/* Loaded before a database beside the runtime of a sanitizer. At its first malloc that one looks
 * for this function, and glibc translates the message that there is none, which takes a lock that a
 * library of PostgreSQL holds at that moment. Names of Swift do not occur, so it has nothing to do.
 */
#include <stddef.h>

char *swift_demangle(const char *name, size_t length, char *out, size_t *room, unsigned flags);

char *swift_demangle(const char *name, size_t length, char *out, size_t *room, unsigned flags)
{
    (void)name;
    (void)length;
    (void)out;
    (void)room;
    (void)flags;
    return NULL;
}
