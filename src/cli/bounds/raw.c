/* The raw report of an instrumented program: a record a line, fields separated by tabs, numbers in
 * the hexadecimal of C. Records of kinds that are not known are skipped. */
#include "cli/bounds/program.h"
#include <math.h>
#include <unistd.h>

enum { MOST_FIELDS = 10, MOST_SITES = 1 << 24, MOST_PATHS = 1000 };

typedef struct fields {
    char *at[MOST_FIELDS];
    size_t count;
} fields;

static void split(char *line, fields *f)
{
    f->count = 0;
    while (line && f->count < MOST_FIELDS) {
        f->at[f->count++] = line;
        line = strchr(line, '\t');
        if (line)
            *line++ = 0;
    }
}

static bool read_number(const char *text, double *x)
{
    char *end;
    *x = strtod(text, &end);
    return *text && !*end;
}

static bool read_count(const char *text, unsigned long long *n)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    *n = strtoull(text, &end, 10);
    return !*end;
}

static bool read_site(const cli_raw *raw, const char *text, unsigned *site)
{
    unsigned long long n;
    if (!read_count(text, &n) || n >= raw->sites || !raw->site[n].file)
        return false;
    *site = (unsigned)n;
    return true;
}

static char *copy_of(const char *text)
{
    return cli_need(accordi_utf8(text, true));
}

/* ---- a reader for each kind; false: the record is malformed ---- */

static bool site_record(cli_raw *raw, const fields *f)
{
    unsigned long long id, line, column;
    if (!read_count(f->at[1], &id) || id >= MOST_SITES || !read_count(f->at[4], &line) ||
        !read_count(f->at[5], &column))
        return false;
    size_t before = raw->room[0];
    cli_grow((void **)&raw->site, &raw->room[0], (size_t)id + 1, sizeof *raw->site);
    memset(raw->site + before, 0, (raw->room[0] - before) * sizeof *raw->site);
    raw->sites = id >= raw->sites ? (size_t)id + 1 : raw->sites;
    cli_site *site = &raw->site[id];
    size_t here = strlen(raw->here);
    const char *file = f->at[3] + (strncmp(f->at[3], raw->here, here) == 0 ? here : 0);
    free(site->kind);
    free(site->file);
    *site = (cli_site){copy_of(f->at[2]), copy_of(file), (unsigned)line, (unsigned)column};
    return true;
}

/* "3+8": the event and the byte in it; "-": no event. */
static bool read_position(const char *text, cli_bounded *o)
{
    char *end;
    o->event = CLI_NO_EVENT;
    if (strcmp(text, "-") == 0)
        return true;
    o->event = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '+' || end[1] < '0' || end[1] > '9')
        return false;
    o->offset = strtoull(end + 1, &end, 10);
    return !*end;
}

static bool output_record(cli_raw *raw, const fields *f)
{
    cli_bounded o = {.first_order = (double)NAN,
                     .observed = (double)NAN,
                     .single = strcmp(f->at[2], "f32") == 0};
    bool nan = strcmp(f->at[6], "1") == 0;
    if (!read_site(raw, f->at[1], &o.site) || (!o.single && strcmp(f->at[2], "f64") != 0) ||
        !read_number(f->at[3], &o.value) || !read_number(f->at[4], &o.low) ||
        !read_number(f->at[5], &o.high) || (!nan && strcmp(f->at[6], "0") != 0) || o.low > o.high)
        return false;
    o.may_be_nan = nan;
    o.unknown = strcmp(f->at[7], "-") != 0;
    if ((o.unknown && !read_site(raw, f->at[7], &o.lost_at)) ||
        !read_position(f->count > 8 ? f->at[8] : "-", &o))
        return false;
    cli_grow((void **)&raw->output, &raw->room[1], raw->outputs + 1, sizeof o);
    raw->output[raw->outputs++] = o;
    return true;
}

static bool kept_record(cli_raw *raw, const fields *f)
{
    cli_lost l = {.kept = true};
    if (!read_site(raw, f->at[1], &l.site) || !read_count(f->at[2], &l.count))
        return false;
    l.what = copy_of("memory that was not set was taken as it was");
    cli_grow((void **)&raw->lost, &raw->room[4], raw->losts + 1, sizeof l);
    raw->lost[raw->losts++] = l;
    return true;
}

static bool truncated_record(cli_raw *raw, const fields *f)
{
    raw->truncated = f->count == 1;
    return raw->truncated;
}

static bool read_size(const fields *f, size_t *n)
{
    unsigned long long count;
    bool good = read_count(f->at[1], &count);
    *n = good ? (size_t)count : 0;
    return good;
}

static bool decided_record(cli_raw *raw, const fields *f)
{
    return read_size(f, &raw->decided);
}

static bool events_record(cli_raw *raw, const fields *f)
{
    return read_size(f, &raw->events);
}

/* An older runtime has no width by functions. */
static bool blame_record(cli_raw *raw, const fields *f)
{
    cli_blame b = {0};
    unsigned long long infinite;
    if (!read_site(raw, f->at[1], &b.site) || !read_number(f->at[2], &b.fusion) ||
        !read_number(f->at[3], &b.order) || !read_count(f->at[4], &infinite) ||
        (f->count > 5 && !read_number(f->at[5], &b.function)))
        return false;
    b.infinite = (unsigned)infinite;
    cli_grow((void **)&raw->blame, &raw->room[2], raw->blames + 1, sizeof b);
    raw->blame[raw->blames++] = b;
    return true;
}

static bool decision_record(cli_raw *raw, const fields *f)
{
    cli_decision d = {0};
    if (!read_site(raw, f->at[1], &d.site) || !read_number(f->at[3], &d.low) ||
        !read_number(f->at[4], &d.high) || !read_count(f->at[5], &d.count))
        return false;
    d.what = copy_of(f->at[2]);
    cli_grow((void **)&raw->decision, &raw->room[3], raw->decisions + 1, sizeof d);
    raw->decision[raw->decisions++] = d;
    return true;
}

static bool lost_record(cli_raw *raw, const fields *f)
{
    cli_lost l = {0};
    if (strcmp(f->at[1], "0") != 0 && !read_site(raw, f->at[1], &l.site))
        return false;
    if (!read_count(f->at[3], &l.count))
        return false;
    l.what = copy_of(f->at[2]);
    cli_grow((void **)&raw->lost, &raw->room[4], raw->losts + 1, sizeof l);
    raw->lost[raw->losts++] = l;
    return true;
}

static bool first_record(cli_raw *raw, const fields *f)
{
    unsigned long long output;
    return read_count(f->at[1], &output) && output < raw->outputs &&
           read_number(f->at[2], &raw->output[output].first_order);
}

static bool share_record(cli_raw *raw, const fields *f)
{
    unsigned long long output;
    cli_share s = {0};
    if (!read_count(f->at[1], &output) || output >= raw->outputs ||
        !read_site(raw, f->at[2], &s.site) || !read_number(f->at[3], &s.spread))
        return false;
    s.output = (size_t)output;
    cli_grow((void **)&raw->share, &raw->room[5], raw->shares + 1, sizeof s);
    raw->share[raw->shares++] = s;
    return true;
}

static bool tape_record(cli_raw *raw, const fields *f)
{
    cli_tape *t = &raw->tape;
    free(t->reason);
    t->reason = strcmp(f->at[4], "-") == 0 ? NULL : copy_of(f->at[4]);
    t->used = read_count(f->at[1], &t->nodes) && read_count(f->at[2], &t->bytes) &&
              read_count(f->at[3], &t->segments);
    return t->used;
}

/* Its number, its last site, how often it was set and kept, its format, and how many numbers were
 * assigned anew, and where. */
static bool input_record(cli_raw *raw, const fields *f)
{
    unsigned long long id;
    cli_set_input in = {.single = strcmp(f->at[5], "f32") == 0, .integer = f->at[5][0] == 'i'};
    if (!read_count(f->at[1], &id) || id != raw->inputs || !read_count(f->at[3], &in.set) ||
        !read_count(f->at[4], &in.own) || (in.set && !read_site(raw, f->at[2], &in.site)))
        return false;
    if (f->count > 7 && (!read_count(f->at[6], &in.renewed) ||
                         (in.renewed && !read_site(raw, f->at[7], &in.renewed_at))))
        return false;
    cli_grow((void **)&raw->input, &raw->room[7], raw->inputs + 1, sizeof in);
    raw->input[raw->inputs++] = in;
    return true;
}

static bool margin_record(cli_raw *raw, const fields *f)
{
    cli_margin m = {0};
    if (!read_site(raw, f->at[1], &m.site) || !read_number(f->at[2], &m.distance))
        return false;
    cli_grow((void **)&raw->margin, &raw->room[8], raw->margins + 1, sizeof m);
    raw->margin[raw->margins++] = m;
    return true;
}

static bool value_record(cli_raw *raw, const fields *f)
{
    unsigned long long id;
    double x;
    if (!read_count(f->at[1], &id) || id >= raw->inputs || !read_number(f->at[2], &x))
        return false;
    cli_set_input *in = &raw->input[id];
    cli_grow((void **)&in->value, &in->room, in->values + 1, sizeof x);
    in->value[in->values++] = x;
    return true;
}

static bool read_path(cli_raw *raw, const char *text, unsigned long long *id)
{
    size_t room = raw->room[6];
    if (!read_count(text, id) || *id == 0 || *id > MOST_PATHS)
        return false;
    cli_grow((void **)&raw->path, &raw->room[6], (size_t)*id, sizeof *raw->path);
    memset(raw->path + room, 0, (raw->room[6] - room) * sizeof *raw->path);
    raw->paths = *id > raw->paths ? (size_t)*id : raw->paths;
    return true;
}

/* What follows is the report of this path. Paths come in the order in which they ran. */
static bool path_record(cli_raw *raw, const fields *f)
{
    unsigned long long id, from, before;
    if (!read_path(raw, f->at[1], &id) || !read_count(f->at[2], &from) ||
        !read_count(f->at[3], &before) || from >= id)
        return false;
    cli_path *p = &raw->path[id - 1], *parent = from ? &raw->path[from - 1] : NULL;
    if (p->raw.here || (parent && !parent->raw.here) ||
        before > (parent ? parent->before + parent->raw.outputs : raw->outputs))
        return false;
    p->from = (size_t)from;
    p->before = (size_t)before;
    p->raw.here = cli_need(accordi_strdup(raw->here));
    raw->reading = (size_t)id;
    return true;
}

static bool turned_record(cli_raw *raw, const fields *f)
{
    cli_path *p = raw->reading ? &raw->path[raw->reading - 1] : NULL;
    return p && read_site(&p->raw, f->at[1], &p->site);
}

static bool fate_record(cli_raw *raw, const fields *f)
{
    unsigned long long id, signal;
    if (!read_path(raw, f->at[1], &id) || !read_count(f->at[2], &signal))
        return false;
    raw->path[id - 1].signal = (int)signal;
    return true;
}

static bool open_record(cli_raw *raw, const fields *f)
{
    raw->both = true;
    return read_size(f, &raw->open);
}

static bool end_record(cli_raw *raw, const fields *f)
{
    free(raw->end);
    raw->end = copy_of(f->at[1]);
    raw->stack = f->count > 2 && strcmp(f->at[2], "stack") == 0;
    return true;
}

static bool calls_record(cli_raw *raw, const fields *f)
{
    free(raw->calls);
    raw->calls = copy_of(f->at[1]);
    return true;
}

static const struct kind {
    const char *name;
    size_t least; /* fields */
    bool (*read)(cli_raw *raw, const fields *f);
    bool whole; /* it is about the whole report, not the path at hand */
} kinds[] = {
    {"site", 6, site_record, false},
    {"output", 8, output_record, false},
    {"blame", 5, blame_record, false},
    {"decision", 6, decision_record, false},
    {"lost", 4, lost_record, false},
    {"kept", 3, kept_record, false},
    {"first", 3, first_record, false},
    {"share", 4, share_record, false},
    {"calls", 2, calls_record, false},
    {"end", 2, end_record, false},
    {"truncated", 1, truncated_record, false},
    {"decided", 2, decided_record, false},
    {"events", 2, events_record, false},
    {"tape", 5, tape_record, false},
    {"input", 6, input_record, false},
    {"value", 3, value_record, false},
    {"margin", 3, margin_record, false},
    {"open", 2, open_record, false},
    {"path", 4, path_record, true},
    {"turned", 2, turned_record, true},
    {"fate", 3, fate_record, true},
};

static bool read_line(cli_raw *raw, char *line)
{
    fields f;
    cli_raw *path = raw->reading ? &raw->path[raw->reading - 1].raw : raw;
    split(line, &f);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(f.at[0], kinds[i].name) == 0)
            return f.count >= kinds[i].least && kinds[i].read(kinds[i].whole ? raw : path, &f);
    return true;
}

enum accord_status cli_raw_read(const char *path, cli_raw *raw, accord_error *error)
{
    static const char head[] = "accord-bound-raw 1\n";
    enum accord_status status = ACCORD_OK;
    char *line = NULL;
    size_t room = 0, number = 1;
    ssize_t length;
    *raw = (cli_raw){.decided = SIZE_MAX, .events = CLI_NO_EVENT};
    FILE *file = fopen(path, "re");
    char *folder = getcwd(NULL, 0);
    if (asprintf(&raw->here, "%s/", folder ? folder : "") < 0)
        raw->here = cli_need(NULL);
    free(folder);
    if (!file)
        return accordi_fail(error, ACCORD_IO, "the program left no report of its bounds");
    length = getline(&line, &room, file);
    if (length < 0 || strcmp(line, head) != 0)
        status = accordi_fail(error, ACCORD_PARSE,
                              "the report of the program's bounds does not begin as one of this "
                              "version; is accord installed completely?");
    while (status == ACCORD_OK && (length = getline(&line, &room, file)) > 0) {
        number++;
        if (line[length - 1] != '\n')
            break;
        line[length - 1] = 0;
        if (strlen(line) != (size_t)length - 1 || !read_line(raw, line))
            status = accordi_fail(error, ACCORD_PARSE,
                                  "line %zu of the report of the program's bounds is malformed; "
                                  "this is a fault of accord",
                                  number);
    }
    free(line);
    fclose(file);
    if (status != ACCORD_OK)
        cli_raw_clear(raw);
    return status;
}

static void clear_path(cli_raw *raw)
{
    for (size_t i = 0; i < raw->sites; i++) {
        free(raw->site[i].kind);
        free(raw->site[i].file);
    }
    for (size_t i = 0; i < raw->decisions; i++)
        free(raw->decision[i].what);
    for (size_t i = 0; i < raw->losts; i++)
        free(raw->lost[i].what);
    for (size_t i = 0; i < raw->inputs; i++)
        free(raw->input[i].value);
    free(raw->input);
    free(raw->margin);
    free(raw->site);
    free(raw->output);
    free(raw->blame);
    free(raw->decision);
    free(raw->lost);
    free(raw->share);
    free(raw->here);
    free(raw->tape.reason);
    free(raw->end);
    free(raw->calls);
    *raw = (cli_raw){0};
}

void cli_raw_clear(cli_raw *raw)
{
    for (size_t i = 0; i < raw->paths; i++)
        clear_path(&raw->path[i].raw);
    free(raw->path);
    clear_path(raw);
}
