/* Programs under study: C files that are built and run with temporary files. Shared by the verbs
 * bound and sweep. */
#ifndef ACCORD_CLI_PROGRAMS_H
#define ACCORD_CLI_PROGRAMS_H

#include "base/child.h"
#include "cli/command/cli.h"

/* ---- scratch.c: a folder for temporary files ---- */

typedef struct cli_scratch {
    char *path;
    int lifeline; /* while this end is open the folder stays */
    pid_t guard;
} cli_scratch;

/* Makes the folder in $TMPDIR or /tmp. It goes when it is freed, or when this process ends, however
 * that happens. False after an error was printed. */
bool cli_scratch_new(cli_scratch *scratch);
void cli_scratch_free(cli_scratch *scratch); /* fine after zeros */
/* The path of a file in it, the caller's to free. */
char *cli_scratch_path(const cli_scratch *scratch, const char *format, ...) ACCORDI_PRINTF(2, 3);

/* ---- job.c: programs that run beside each other ---- */

/* An environment variable for the time in which a program is started; value NULL: as it is. */
typedef struct cli_setting {
    const char *name, *value;
} cli_setting;

typedef struct cli_job {
    accordi_child child;
    double start, seconds; /* seconds: how long it took, once it has ended */
    double limit;          /* 0: none */
    bool timed_out;
} cli_job;

/* Starts argv[0], a path, in a process group of its own; `in`, `out` and `err` are paths, NULL for
 * /dev/null. `settings` ends with a NULL name. */
enum accord_status cli_job_start(cli_job *job, char *const argv[], const char *in, const char *out,
                                 const char *err, const cli_setting *settings, double limit,
                                 accord_error *error);
/* Whether it has ended; at its limit it is killed. */
bool cli_job_ended(cli_job *job);
bool cli_job_good(const cli_job *job); /* it exited with status 0 */
/* "crashed with signal 11 (Segmentation fault)", "took longer than 5 s". */
void cli_job_fate(const cli_job *job, char *text, size_t size);

/* ---- words.c ---- */

/* A growing list of words, NULL at its end. */
typedef struct cli_words {
    char **word;
    size_t count, room;
} cli_words;
void cli_words_add(cli_words *words, const char *text);
/* The words of a text, which spaces separate. */
void cli_words_split(cli_words *words, const char *text);
void cli_words_clear(cli_words *words);

/* ---- sources.c: the files and flags of a program ---- */

/* Whether the operands and flags of the command line are those of a program; prints an error if
 * not, e.g. where a flag chooses the arithmetic. */
bool cli_program_check(const cli_args *args);
/* Words of a compiler's command: the flags of the program, but for libraries and objects. */
void cli_program_flags(const cli_args *args, cli_words *words);
/* The libraries and objects among them, and -lm. */
void cli_program_libraries(const cli_args *args, cli_words *words);
/* Whether a file of the program contains this word. */
bool cli_program_mentions(const cli_args *args, const char *word);
/* What a compiler said, in one line: its first error, else its first line; "" if it said nothing.
 * `path` is the file it wrote to. */
void cli_compiler_said(const char *path, char *text, size_t size);
/* The first line of a file without its newline; false if there is none. */
bool cli_first_line(const char *path, char *line, size_t size);

/* Whether a flag chooses what models are named after, such as -ffast-math. */
bool cli_chooses_arithmetic(const char *flag);
/* Whether the value of a flag is the next word, as of -I. */
bool cli_takes_next(const char *flag);

/* ---- embedded.c: what accord cc leaves in objects, programs and libraries ---- */

#define CLI_BITCODE_SECTION ".accord_bitcode"
#define CLI_LINK_SECTION ".accord_link"

typedef struct cli_span {
    const char *data;
    size_t length;
} cli_span;

/* Appends a whole file; false if it cannot be read. */
bool cli_file_bytes(const char *path, accordi_buffer *out);
bool cli_is_elf(const char *path);
/* The bytes of a section of a file of 64 bits in memory; false: there is none. */
bool cli_elf_section(const char *data, size_t size, const char *name, cli_span *out);
void cli_put_piece(const char *name, const accordi_buffer *bitcode, accordi_buffer *out);
/* The first piece of what is left of a section, which is taken off; false: it holds no piece. */
bool cli_take_piece(cli_span *section, cli_span *bitcode);
/* Adds "PATH(MEMBER)" for each object in an archive that lacks a section. */
void cli_archive_members_without(const char *data, size_t size, const char *section,
                                 const char *path, cli_words *out);

/* ---- compilers.c and flag_sets.c ---- */

/* CLI_OPENCL: the compiler is that of the host, and flags are those of kernels. */
enum cli_family { CLI_GCC, CLI_CLANG, CLI_TCC, CLI_OPENCL, CLI_FAMILIES };

typedef struct cli_compiler {
    char *path, *name; /* name: "gcc-12" */
    char version[24];
    enum cli_family family;
    const char *machine; /* NULL: this one */
    char *emulator;      /* a path; NULL: none is needed */
} cli_compiler;

typedef struct cli_compilers {
    cli_compiler *list;
    size_t count, room;
} cli_compilers;

/* All compilers on the PATH, in the order of the table of kinds, versions ascending. */
void cli_compilers_find(cli_compilers *out, const cli_scratch *scratch);
/* Adds OpenCL, with the first compiler for this machine, if there is one. */
void cli_compilers_add_opencl(cli_compilers *compilers);
void cli_compilers_clear(cli_compilers *compilers);
/* The path of a program that stands on the PATH, the caller's to free; NULL: there is none. */
char *cli_find_program(const char *name);

/* Flags that are tried, and the model of accord/bound.h that they name for each family; NULL: not
 * tried with it. */
typedef struct cli_flag_set {
    const char *flags;
    bool x86; /* of x86 processors only */
    const char *model[CLI_FAMILIES];
} cli_flag_set;
/* The i-th row, NULL past the end. */
const cli_flag_set *cli_flag_set_at(size_t i);
/* Whether all that a model allows is allowed by others: names of models between commas. */
bool cli_model_within(const char *model, const char *others);
/* Whether a compiler takes a row: its family has a model there, and its machine the flags. */
bool cli_flag_set_fits(const cli_flag_set *set, const cli_compiler *compiler);

/* ---- numbers.c: the floating-point numbers that a run wrote ---- */

enum cli_number_kind {
    CLI_F32 = 'f', /* four bytes of fwrite */
    CLI_F64 = 'd', /* an argument of printf, eight bytes of fwrite */
    CLI_LONG_DOUBLE = 'l',
    CLI_BLOCK = 'w' /* of events: a call of fwrite */
};

/* What a run wrote: an argument of printf, or a call of fwrite. */
typedef struct cli_event {
    enum cli_number_kind kind;
    const char *data;
    size_t bytes, element; /* element: the size that fwrite was given */
} cli_event;

typedef struct cli_events {
    cli_event *list;
    size_t count, room;
    accordi_buffer text; /* of the file, in which the events are */
} cli_events;

/* Reads the file that capture.c wrote; a file that is not there holds none. */
enum accord_status cli_events_read(const char *path, cli_events *out, accord_error *error);
void cli_events_clear(cli_events *events);
/* Do they have the same kinds and sizes? */
bool cli_events_alike(const cli_events *a, const cli_events *b);
/* The number at a byte of an event; false if it has none there. `single`: a float, if it stands in
 * memory. */
bool cli_event_number(const cli_events *events, size_t number, size_t offset, bool single,
                      long double *x);

typedef struct cli_written_number {
    double value;  /* rounded, if it is a long double */
    uint64_t bits; /* equal if and only if the numbers are; all NaN are equal */
    enum cli_number_kind kind;
} cli_written_number;

typedef struct cli_written_numbers {
    cli_written_number *list;
    size_t count, room;
} cli_written_numbers;

/* The numbers of a file that capture.c wrote. */
enum accord_status cli_written_read(const char *path, cli_written_numbers *out,
                                    accord_error *error);
void cli_written_clear(cli_written_numbers *numbers);

/* A device that a build of OpenCL compiled its kernels for. */
typedef struct cli_device {
    char *name, *version, *driver, *platform;
} cli_device;

/* ---- devices.c ---- */

/* The different devices in the file of capture.c that belongs to this file of numbers. */
size_t cli_devices_read(const char *numbers, cli_device **out);
/* So that the next run writes it anew. */
void cli_devices_forget(const char *numbers);
void cli_devices_free(cli_device *device, size_t count);

/* ---- builds.c: one program, built and run with every compiler and its flags ---- */

enum cli_build_state { CLI_BUILD_WAITS, CLI_BUILD_WORKS, CLI_BUILD_READY, CLI_BUILD_FAILED };

typedef struct cli_build {
    const cli_compiler *compiler;
    const cli_flag_set *set;
    enum cli_build_state state;
    bool compiled;       /* else it failed before its run */
    char why[400];       /* if it failed */
    int exit_status;     /* of the run */
    double seconds;      /* of the run */
    char *numbers;       /* the file of them */
    char *program, *log; /* the executable, and what the compiler said */
    cli_device *device;
    size_t devices;
    cli_job job;
} cli_build;

/* Sources in the place of those of the command line. */
typedef struct cli_feed {
    cli_words sources, flags;
    char *values; /* a file; programs find its path in ACCORD_GIVEN */
} cli_feed;

typedef struct cli_builds {
    const cli_args *args;
    const cli_feed *feed; /* NULL: the sources are the operands */
    const cli_scratch *scratch;
    cli_bar *bar;
    cli_compilers compilers;
    cli_build *list;
    size_t count;
} cli_builds;

/* All builds there are, in the order of compilers and then of flags, compiled and run; `within`:
 * only those whose model allows no more than these, NULL: all. `feed` may be NULL. Those that fail
 * say why. CLI_YES, or the exit status after an error was printed. */
int cli_builds_make(cli_builds *builds, const cli_args *args, const cli_scratch *scratch,
                    const cli_feed *feed, const char *within, cli_bar *bar);
/* Its types have the sizes of this machine. */
bool cli_build_is_native(const cli_build *build);
/* The build whose records are most like those of the program with bounds, which clang compiles for
 * this machine: compilers evaluate operands in different orders, for example. NULL: none is for
 * this machine. */
cli_build *cli_builds_reference(const cli_builds *builds);
/* The file that is the standard input of each run; NULL: there is none. */
const char *cli_input_of_runs(void);
/* Runs a build again, with its numbers in the same file. */
int cli_builds_run_again(cli_builds *builds, cli_build *build);
void cli_builds_clear(cli_builds *builds);

#endif
