/* Families of orders for people: the report and the picture (accord/family.h). */
#ifndef ACCORD_CLI_FAMILY_H
#define ACCORD_CLI_FAMILY_H

#include "cli/command/cli.h"

/* A family with the forms of its rules, each once. */
typedef struct cli_family_forms {
    const accord_family *family;
    const char **form;
    size_t forms;
} cli_family_forms;

void cli_family_forms_make(cli_family_forms *forms, const accord_family *family);
void cli_family_forms_clear(cli_family_forms *forms);
/* The number of the form; whether its rules say more than what was asked at single n. */
size_t cli_family_form(const cli_family_forms *forms, const char *form);
bool cli_family_is_shared(const cli_family_forms *forms, size_t form);
/* "A", …, "Z", "AA", … */
void cli_family_letter(size_t form, char letter[16]);

void cli_family_report(accordi_buffer *out, const cli_family_forms *forms, const char *name,
                       const accord_family_account *account);
void cli_family_svg(accordi_buffer *out, const cli_family_forms *forms, const char *name,
                    const accord_family_account *account);

/* From TARGET, the options, and what a file says (`like`, or NULL): what is asked (family.c). False
 * after an error was printed. */
typedef struct cli_family_question {
    accord_target_options options;
    accord_family_options limits;
    accord_family_target *target;
    cli_bar bar;
} cli_family_question;
bool cli_family_open(const cli_args *args, const char *notation, const accord_record *like,
                     cli_family_question *question, int *status);
void cli_family_close(cli_family_question *question);

#endif
