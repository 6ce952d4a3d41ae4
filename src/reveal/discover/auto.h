/* accord's own search for an order. An asker that is calibrated comes in, and a tree goes out,
 * which prove/ then proves. Internal. Read auto.c first, then split.h (the search) and guess.c. */
#ifndef ACCORDI_AUTO_H
#define ACCORDI_AUTO_H

#include "reveal/probes/ask.h"

/* Guesses an order from that of the first few terms and verifies it, else splits paths. */
enum accord_status accordi_auto(accordi_asker *asker, accord_tree **out);
/* Splits paths at once. */
enum accord_status accordi_auto_split(accordi_asker *asker, accord_tree **out);
/* Counts all terms from a pivot in each set at once: few rounds of up to n probes (wide.c). */
enum accord_status accordi_auto_wide(accordi_asker *asker, accord_tree **out);

#endif
