/* Growing lists of words: command lines. */
#include "cli/programs/programs.h"

static void add_copy(cli_words *words, char *copy)
{
    cli_grow((void **)&words->word, &words->room, words->count + 2, sizeof *words->word);
    words->word[words->count++] = cli_need(copy);
    words->word[words->count] = NULL;
}

void cli_words_add(cli_words *words, const char *text)
{
    add_copy(words, accordi_strdup(text));
}

void cli_words_split(cli_words *words, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, " ");
        if (length)
            add_copy(words, strndup(text, length));
        text += length + (text[length] == ' ');
    }
}

void cli_words_clear(cli_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->word[i]);
    free(words->word);
    *words = (cli_words){0};
}
