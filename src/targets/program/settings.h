/* Settings behind the head of a notation: ",local=16,global=64". Internal. */
#ifndef ACCORDI_SETTINGS_H
#define ACCORDI_SETTINGS_H

#include "base/base.h"

typedef struct accordi_setting {
    const char *name;
    /* Puts the value into the plan; ACCORD_ARG with what would have been right. */
    enum accord_status (*take)(const struct accordi_setting *setting, const char *value, void *plan,
                               accord_error *error);
    size_t at;          /* where in the plan it goes */
    size_t least, most; /* of a number; of a text `most` is the room that it has */
    bool word;          /* it has no value: "in-place" */
    bool rest;          /* its value is all that follows, with commas */
} accordi_setting;

/* What `take` may be: a text into a char array, a number into a size_t, true into a bool. */
enum accord_status accordi_take_text(const accordi_setting *setting, const char *value, void *plan,
                                     accord_error *error);
enum accord_status accordi_take_count(const accordi_setting *setting, const char *value, void *plan,
                                      accord_error *error);
enum accord_status accordi_take_word(const accordi_setting *setting, const char *value, void *plan,
                                     accord_error *error);

/* Reads "" or ",NAME=VALUE,…" into the plan; `kind` is the word before the colon, for errors. */
enum accord_status accordi_settings_read(const char *text, const char *kind,
                                         const accordi_setting *settings, size_t count, void *plan,
                                         accord_error *error);

#endif
