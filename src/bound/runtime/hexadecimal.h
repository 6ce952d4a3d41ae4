/* Numbers as text, as printf writes them with %a. Internal. */
#ifndef ACCORDI_HEXADECIMAL_H
#define ACCORDI_HEXADECIMAL_H

enum { ACCORDI_HEXADECIMAL_SIZE = 32 };

/* Writes what glibc's printf gives for "%a", without a zero byte, in at most
 * ACCORDI_HEXADECIMAL_SIZE bytes. Returns where it ends. */
char *accordi_put_hexadecimal(char *to, double x);

#endif
