/* Sums of written decimals, exact in decimal. */
#ifndef ACCORD_CLI_DECIMAL_H
#define ACCORD_CLI_DECIMAL_H

#include "cli/command/cli.h"

/* Limb i counts units of 10^(9 (low + i)); the highest bears the sign, those below are 0 … 10^9 - 1
 * once cli_decimal_sign has been asked, and until the next term. All bytes zero is 0. Memory grows
 * with the distance between the highest and the lowest digit ever added, which CLI_DECIMAL_MOST
 * bounds. */
typedef struct cli_decimal {
    int64_t *limb;
    int low, limbs;
    int pending;  /* additions since the carries */
    int decimals; /* the most digits behind the point that a term had */
} cli_decimal;

/* No digit but 0 may stand at 10^CLI_DECIMAL_MOST and above, or below 10^-CLI_DECIMAL_MOST. */
enum { CLI_DECIMAL_MOST = 100000, CLI_DECIMAL_DIGITS = 9 };

enum cli_decimal_added {
    CLI_DECIMAL_ADDED,
    CLI_DECIMAL_NONE,       /* not a decimal */
    CLI_DECIMAL_BEYOND,     /* digits beyond CLI_DECIMAL_MOST */
    CLI_DECIMAL_BEYOND_F64, /* hexadecimal digits where no f64 has any */
    CLI_DECIMAL_NOMEM
};

/* Adds the decimal written in at[0] … at[length - 1], like -12.50 or 3e-4; or subtracts it. */
enum cli_decimal_added cli_decimal_add(cli_decimal *sum, const char *at, size_t length,
                                       bool negate);
/* Adds the hexadecimal number written there, like 0x1.8p-3, all its digits. After a failure the sum
 * may hold some of them. */
enum cli_decimal_added cli_decimal_add_hex(cli_decimal *sum, const char *at, size_t length);
/* Adds or subtracts a finite x, every bit of it; the decimals of the sum stay as they are. */
bool cli_decimal_add_f64(cli_decimal *sum, double x, bool negate);
/* Adds the terms of another. False when there is no memory, as above. */
bool cli_decimal_merge(cli_decimal *sum, const cli_decimal *other);
void cli_decimal_clear(cli_decimal *sum);

/* -1, 0, 1 */
int cli_decimal_sign(cli_decimal *sum);
/* Appends the sum with as many decimals as the term that had most; or with a power of ten, where it
 * would be long for its zeros. */
void cli_decimal_put(cli_decimal *sum, accordi_buffer *out);
/* A number that every format and rounding rounds as they would round the sum. False: no memory. */
bool cli_decimal_round(cli_decimal *sum, accord_exact_wide *out);

#endif
