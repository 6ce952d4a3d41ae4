/* Work on several threads. Internal.
 *
 * There is no pool: threads live for one call, so that nothing is left behind that could harm a
 * fork, a dlclose or an exit. Starting and joining a thread takes some tens of microseconds, so
 * give it more than that to do. */
#ifndef ACCORDI_PARALLEL_H
#define ACCORDI_PARALLEL_H

#include <stddef.h>

enum { ACCORDI_THREADS = 1024 };

/* The number of threads to use if `wanted` were asked for: that many, or, if it is 0, one for each
 * processor that this process may run on. At least 1, at most ACCORDI_THREADS. */
int accordi_threads(int wanted);

/* Calls work(context, item, worker) once for every item < items, on the calling thread and up to
 * threads - 1 others, fewer where the system gives no more; each takes the next item when it has
 * done one. 0 <= worker < threads, and no two calls have the same worker at the same time. Returns
 * when all are done. Signals go to the caller's threads alone. */
typedef void accordi_work(void *context, size_t item, int worker);
void accordi_parallel(size_t items, int threads, accordi_work *work, void *context);

/* Calls own(context, 0, 0) on the calling thread and other(context, 1, 1) on another one at the
 * same time; where the system gives no other, own comes first. Returns when both are done. */
void accordi_both(accordi_work *own, accordi_work *other, void *context);

#endif
