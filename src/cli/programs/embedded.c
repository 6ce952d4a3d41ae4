/* What accord cc leaves in objects, programs and libraries, in sections that are never loaded.
 *
 * .accord_bitcode: for each C file a line "accord-bitcode 1 BYTES NAME" and the bitcode. Linkers
 * put sections of one name after each other, so a program has the pieces of all objects in it,
 * those from archives as well. .accord_link: words of the compiler's command that linked it, each
 * ended by a zero byte. Everything that is read here may come from anywhere, so nothing is trusted.
 */
#include "cli/programs/programs.h"
#include <ar.h>
#include <elf.h>
#include <errno.h>
#include <unistd.h>

static const char piece_head[] = "accord-bitcode 1 ";

/* ---- files ---- */

bool cli_file_bytes(const char *path, accordi_buffer *out)
{
    char block[65536];
    FILE *file = fopen(path, "re");
    size_t count;
    if (!file)
        return false;
    while ((count = fread(block, 1, sizeof block, file)) > 0)
        accordi_buffer_append(out, block, count);
    bool good = !ferror(file) && !out->failed;
    fclose(file);
    return good;
}

bool cli_is_elf(const char *path)
{
    char magic[SELFMAG] = "";
    FILE *file = fopen(path, "re");
    bool good =
        file && fread(magic, 1, SELFMAG, file) == SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0;
    if (file)
        fclose(file);
    return good;
}

/* ---- sections ---- */

typedef struct sections {
    const char *data;
    size_t size, first, count, names; /* names: the index of the section with their names */
} sections;

static bool get_section(const sections *s, size_t i, Elf64_Shdr *out)
{
    size_t at = s->first + i * sizeof *out;
    if (at < s->first || s->size < sizeof *out || at > s->size - sizeof *out)
        return false;
    memcpy(out, s->data + at, sizeof *out);
    return out->sh_type == SHT_NOBITS ||
           (out->sh_offset <= s->size && out->sh_size <= s->size - out->sh_offset);
}

static bool open_sections(sections *s)
{
    Elf64_Ehdr head;
    Elf64_Shdr zeroth;
    if (s->size < sizeof head)
        return false;
    memcpy(&head, s->data, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_shentsize != sizeof zeroth)
        return false;
    s->first = (size_t)head.e_shoff;
    s->count = head.e_shnum;
    s->names = head.e_shstrndx;
    if ((s->count == 0 || s->names == SHN_XINDEX) && !get_section(s, 0, &zeroth))
        return false;
    if (s->count == 0) /* too many for the header */
        s->count = (size_t)zeroth.sh_size;
    if (s->names == SHN_XINDEX)
        s->names = zeroth.sh_link;
    return true;
}

bool cli_elf_section(const char *data, size_t size, const char *name, cli_span *out)
{
    sections s = {.data = data, .size = size};
    Elf64_Shdr names, section;
    size_t length = strlen(name) + 1;
    if (!open_sections(&s) || !get_section(&s, s.names, &names) || names.sh_type == SHT_NOBITS)
        return false;
    for (size_t i = 1; i < s.count && get_section(&s, i, &section); i++) {
        if (section.sh_type == SHT_NOBITS || section.sh_name > names.sh_size ||
            names.sh_size - section.sh_name < length ||
            memcmp(data + names.sh_offset + section.sh_name, name, length) != 0)
            continue;
        *out = (cli_span){data + section.sh_offset, (size_t)section.sh_size};
        return true;
    }
    return false;
}

/* ---- pieces ---- */

void cli_put_piece(const char *name, const accordi_buffer *bitcode, accordi_buffer *out)
{
    accordi_buffer_printf(out, "%s%zu %s\n", piece_head, bitcode->length, name);
    accordi_buffer_append(out, bitcode->data, bitcode->length);
}

bool cli_take_piece(cli_span *section, cli_span *bitcode)
{
    size_t head = strlen(piece_head);
    char *end;
    if (section->length <= head || memcmp(section->data, piece_head, head) != 0)
        return false;
    const char *line = memchr(section->data, '\n', section->length);
    if (!line)
        return false;
    errno = 0;
    unsigned long long bytes = strtoull(section->data + head, &end, 10);
    size_t left = section->length - (size_t)(line + 1 - section->data);
    if (errno || end == section->data + head || *end != ' ' || bytes == 0 || bytes > left)
        return false;
    *bitcode = (cli_span){line + 1, (size_t)bytes};
    *section = (cli_span){line + 1 + bytes, left - (size_t)bytes};
    return true;
}

/* ---- archives ---- */

/* The length of a member's name in its header, without what ends it. */
static int name_length(const char *name, size_t room)
{
    size_t i = 0;
    while (i < room && name[i] != '/' && name[i] != '\n')
        i++;
    while (i > 0 && name[i - 1] == ' ')
        i--;
    return (int)i;
}

/* "name.o", or "/123": its place in the table of long names. */
static void name_member(const struct ar_hdr *head, cli_span longs, char name[256])
{
    const char *at = head->ar_name;
    size_t room = sizeof head->ar_name;
    size_t place = at[0] == '/' ? (size_t)strtoul(at + 1, NULL, 10) : 0;
    if (at[0] == '/' && place < longs.length) {
        at = longs.data + place;
        room = longs.length - place;
    }
    int length = name_length(at, room);
    snprintf(name, 256, "%.*s", length > 255 ? 255 : length, at);
}

void cli_archive_members_without(const char *data, size_t size, const char *section,
                                 const char *path, cli_words *out)
{
    cli_span longs = {NULL, 0}, found;
    struct ar_hdr head;
    if (size < SARMAG || memcmp(data, ARMAG, SARMAG) != 0)
        return;
    for (size_t at = SARMAG; at < size && size - at >= sizeof head;) {
        memcpy(&head, data + at, sizeof head);
        at += sizeof head;
        char digits[sizeof head.ar_size + 1] = "", name[256];
        memcpy(digits, head.ar_size, sizeof head.ar_size);
        size_t length = (size_t)strtoull(digits, NULL, 10);
        if (memcmp(head.ar_fmag, ARFMAG, sizeof head.ar_fmag) != 0 || length > size - at)
            return;
        if (memcmp(head.ar_name, "//", 2) == 0) {
            longs = (cli_span){data + at, length};
        } else if (length > SELFMAG && memcmp(data + at, ELFMAG, SELFMAG) == 0 &&
                   !cli_elf_section(data + at, length, section, &found)) {
            accordi_buffer text = {0};
            name_member(&head, longs, name);
            accordi_buffer_printf(&text, "%s(%s)", path, name);
            cli_words_add(out, cli_need(text.data));
            accordi_buffer_clear(&text);
        }
        at += length + length % 2;
    }
}
