/* Bytes from files, pipes and memory, through a window that moves along them. */
#ifndef ACCORD_CLI_SOURCE_H
#define ACCORD_CLI_SOURCE_H

#include "cli/command/cli.h"

#define CLI_UNKNOWN UINT64_MAX

/* The window is data[0] … data[length - 1], a byte more that is zero or of no meaning, and may be
 * written to; what lies before `head` is used up. Offsets count from where the source began. */
typedef struct cli_source {
    const char *name; /* the path, or "standard input" */
    char *data;
    size_t head, length;
    size_t block;    /* how much to read at once; 1 MiB when 0 */
    bool ended;      /* nothing comes after the window */
    bool regular;    /* a file with a size: it can be read anywhere */
    uint64_t size;   /* of a regular file, else CLI_UNKNOWN */
    uint64_t offset; /* of data[0] */
    bool counts;     /* lines */
    uint64_t lines;  /* newlines before data[0] */
    uint64_t line;   /* where the line began in which data[0] lies */

    int fd;
    bool borrowed;           /* the fd is another's */
    uint64_t start;          /* where in the file the source began */
    const char *memory;      /* instead of a file: `size` bytes */
    size_t capacity;         /* of data */
    char *map;               /* a part of the file in memory */
    size_t mapped;           /* its bytes */
    uint64_t taken, counted; /* bytes read so far; those that cli_source_taken has told of */
} cli_source;

/* Opens a file ("-": standard input). ACCORD_IO with a reason in *error. */
enum accord_status cli_source_open(cli_source *source, const char *path, accord_error *error);
void cli_source_memory(cli_source *source, const char *name, const void *data, size_t size);
/* The bytes of an open regular file from `offset` on, read independently; what is needed of
 * `source` must stay open. */
void cli_source_at(const cli_source *source, uint64_t offset, cli_source *part);
void cli_source_close(cli_source *source);

enum cli_more { CLI_MORE, CLI_NO_MORE, CLI_MORE_FAILED };
/* Forgets what lies before `head`, moves the rest to the front, and reads more behind it: at least
 * one byte, or there are no more. The window grows when it is full, up to CLI_WINDOW. */
enum cli_more cli_source_more(cli_source *source, accord_error *error);
/* The same until `bytes` lie behind head; CLI_NO_MORE when there are fewer. */
enum cli_more cli_source_need(cli_source *source, size_t bytes, accord_error *error);
enum { CLI_WINDOW = 1 << 24 };

/* Maps bytes of a regular file, at most 4 MiB and `bytes`, from `offset` on; forgets those mapped
 * before. NULL when that is not possible, and reading may be. */
const char *cli_source_map(cli_source *source, uint64_t offset, uint64_t bytes, size_t *length);

/* How many more bytes were read or mapped since this was last asked. */
uint64_t cli_source_taken(cli_source *source);

#endif
