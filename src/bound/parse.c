/* From C text to an expression, by operator precedence.
 *
 * In: text, and intervals for names. Out: nodes. Operands wait on one stack, operators on another;
 * an operator becomes a node as soon as one that binds less follows, or its parenthesis ends. Every
 * error names the column, counted from 1. */
#include "bound/bound.h"
#include <ctype.h>

enum kind { BINARY, SIGN, CAST, PARENTHESIS, CALL, QUESTION };

/* An operator that waits for its last operand; `binds`: the higher, the closer. */
typedef struct waiting {
    enum kind kind;
    int binds;
    enum accord_bound_operation operation;
    enum accord_format format;
    size_t column;
    unsigned arguments; /* of a CALL: commas so far */
    bool single;        /* of a CALL: its name ends in f */
} waiting;

/* How closely operators bind; below NONE are parentheses. */
enum { NONE = 1, TERNARY = 1, EQUALITY, ORDER, SUM, PRODUCT, UNARY };

typedef struct name {
    const char *at; /* borrowed */
    size_t length;
    uint32_t node;
} name;

typedef struct parser {
    const char *text, *at;
    accord_bound_expression *out;
    waiting *operators;
    uint32_t *operands;
    name *names;
    size_t waits, wait_room, values, value_room, known, name_room;
    accord_error *error;
    enum accord_status status;
} parser;

static bool fail_at(parser *p, size_t column, const char *what)
{
    p->status = accordi_fail(p->error, ACCORD_PARSE, "column %zu: %s", column, what);
    return false;
}

static size_t column_of(const parser *p, const char *at)
{
    return (size_t)(at - p->text) + 1;
}

static bool fail_here(parser *p, const char *what)
{
    return fail_at(p, column_of(p, p->at), what);
}

static void skip_blanks(parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (isalnum((unsigned char)at[n]) || at[n] == '_')
        n++;
    return n;
}

/* ---- the stacks ---- */

static bool push_value(parser *p, uint32_t node)
{
    if (!accordi_grow((void **)&p->operands, &p->value_room, p->values + 1, sizeof *p->operands)) {
        p->status = accordi_nomem(p->error);
        return false;
    }
    p->operands[p->values++] = node;
    return true;
}

static bool push_operator(parser *p, waiting w)
{
    if (!accordi_grow((void **)&p->operators, &p->wait_room, p->waits + 1, sizeof *p->operators)) {
        p->status = accordi_nomem(p->error);
        return false;
    }
    p->operators[p->waits++] = w;
    return true;
}

/* Is the node an integer in C, made of these? */
static bool is_integer(const parser *p, const waiting *w, const uint32_t *operand, unsigned count)
{
    bool all = w->kind != CAST && w->operation != ACCORD_BOUND_ASSIGN;
    for (unsigned i = w->operation == ACCORD_BOUND_SELECT; all && i < count; i++)
        all = p->out->node[operand[i]].integer;
    return (all && w->kind != CALL) ||
           (w->operation >= ACCORD_BOUND_LESS && w->operation <= ACCORD_BOUND_NOT_EQUAL);
}

/* Makes a node of the topmost operands. */
static bool make(parser *p, const waiting *w)
{
    unsigned count = w->kind == CAST ? 1 : accordi_bound_operands(w->operation);
    uint32_t operand[3] = {0}, node = 0;
    p->values -= count;
    for (unsigned i = 0; i < count; i++)
        operand[i] = p->operands[p->values + i];
    bool integer = is_integer(p, w, operand, count);
    if (integer && w->operation == ACCORD_BOUND_DIVIDE)
        return fail_at(p, w->column,
                       "this is a division of integers in C, which drops the remainder; write one "
                       "of them with a point, as in 1.0/2");
    if (w->kind == CAST)
        p->status = accord_bound_convert(p->out, w->format, operand[0], &node, p->error);
    else
        p->status = accord_bound_apply(p->out, w->operation, operand, &node, p->error);
    if (p->status == ACCORD_ARG) { /* formats that do not go together */
        accord_error why = {0};
        accord_bound_apply(p->out, w->operation, operand, &node, &why);
        return fail_at(p, w->column, why.text);
    }
    if (p->status != ACCORD_OK)
        return false;
    p->out->node[node].integer = integer;
    return push_value(p, node);
}

/* Makes nodes of the operators that bind as closely or more. */
static bool reduce(parser *p, int binds)
{
    while (p->waits && p->operators[p->waits - 1].binds >= binds) {
        waiting w = p->operators[--p->waits];
        if (!make(p, &w))
            return false;
    }
    return true;
}

/* ---- operands ---- */

static bool push_constant(parser *p, const accordi_constant *c)
{
    uint32_t node = 0;
    enum accord_format f = p->out->format;
    double nearest = c->single || f == ACCORD_F32 ? c->narrow : c->x;
    p->status = accord_bound_value(p->out, NULL, nearest, nearest, &node, p->error);
    if (p->status == ACCORD_OK && c->single && f == ACCORD_F64) {
        p->status = accord_bound_convert(p->out, ACCORD_F32, node, &node, p->error);
    } else if (p->status == ACCORD_OK) {
        accordi_node *n = &p->out->node[node];
        n->wide_low = accord_format_round(f, ACCORD_DOWN, c->low);
        n->wide_high = accord_format_round(f, ACCORD_UP, c->high);
        n->integer = c->integer;
    }
    return p->status == ACCORD_OK && push_value(p, node);
}

static bool read_number(parser *p)
{
    accordi_constant c;
    const char *wrong = accordi_bound_constant(p->at, &c);
    if (!wrong && (word_length(c.end) || *c.end == '.'))
        wrong = "this is not a number";
    if (wrong)
        return fail_here(p, wrong);
    p->at = c.end;
    return push_constant(p, &c);
}

static const name *find_name(const parser *p, const char *at, size_t length)
{
    for (size_t i = p->known; i-- > 0;)
        if (p->names[i].length == length && memcmp(p->names[i].at, at, length) == 0)
            return &p->names[i];
    return NULL;
}

static bool read_name(parser *p)
{
    size_t length = word_length(p->at);
    const char *after = p->at + length;
    char text[160];
    while (isspace((unsigned char)*after))
        after++;
    if (*after == '(') {
        waiting call = {CALL, 0, ACCORD_BOUND_VALUE, ACCORD_F64, column_of(p, p->at), 0, false};
        if (accordi_bound_by_name(p->at, length, &call.operation)) {
            size_t plain = strlen(accordi_bound_name(call.operation));
            call.single = length == plain + 1 && p->at[plain] == 'f';
            p->at = after + 1;
            return push_operator(p, call);
        }
        snprintf(text, sizeof text,
                 "there are no bounds of a function %.*s; doc/bound.md lists "
                 "the functions that have bounds",
                 (int)(length < 40 ? length : 40), p->at);
        return fail_here(p, text);
    }
    const name *found = find_name(p, p->at, length);
    if (!found) {
        snprintf(text, sizeof text, "%.*s has no value; give it one, as in %.*s=1.5",
                 (int)(length < 40 ? length : 40), p->at, (int)(length < 40 ? length : 40), p->at);
        return fail_here(p, text);
    }
    p->at += length;
    return push_value(p, found->node);
}

static const struct {
    const char *name;
    enum accord_format format;
} types[] = {{"float", ACCORD_F32},
             {"double", ACCORD_F64},
             {"_Float16", ACCORD_F16},
             {"__bf16", ACCORD_BF16}};

/* (float) and the like at an opening parenthesis; false: it is none. */
static bool read_cast(parser *p, bool *good)
{
    const char *at = p->at + 1;
    while (isspace((unsigned char)*at))
        at++;
    size_t length = word_length(at);
    const char *after = at + length;
    while (isspace((unsigned char)*after))
        after++;
    for (size_t i = 0; i < sizeof types / sizeof *types && *after == ')'; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, at, length) == 0) {
            *good = push_operator(p, (waiting){CAST, UNARY, ACCORD_BOUND_CONVERT, types[i].format,
                                               column_of(p, p->at), 0, false});
            p->at = after + 1;
            return true;
        }
    return false;
}

/* Reads one thing where an operand may begin; *operand: it was one. */
static bool read_operand(parser *p, bool *operand)
{
    char c = *p->at;
    bool good = true;
    *operand = isdigit((unsigned char)c) || c == '.';
    if (*operand)
        return read_number(p);
    if (isalpha((unsigned char)c) || c == '_') {
        size_t waits = p->waits;
        good = read_name(p);
        *operand = good && p->waits == waits;
        return good;
    }
    if (c == '(') {
        if (read_cast(p, &good))
            return good;
        p->at++;
        return push_operator(p, (waiting){PARENTHESIS, 0, ACCORD_BOUND_PARENTHESES, ACCORD_F64,
                                          column_of(p, p->at - 1), 0, false});
    }
    if (c == '+' || c == '-') {
        p->at++;
        return c == '+' || push_operator(p, (waiting){SIGN, UNARY, ACCORD_BOUND_NEGATE, ACCORD_F64,
                                                      column_of(p, p->at - 1), 0, false});
    }
    return fail_here(p, c ? "a number, a name or an opening parenthesis is expected here"
                          : "the expression ends where an operand is expected");
}

/* ---- operators ---- */

static bool close_call(parser *p)
{
    waiting w = p->operators[--p->waits];
    char text[100];
    unsigned needed = accordi_bound_operands(w.operation);
    if (w.kind == CALL && w.arguments + 1 != needed) {
        snprintf(text, sizeof text, "%s takes %u argument%s, not %u",
                 accordi_bound_name(w.operation), needed, needed == 1 ? "" : "s", w.arguments + 1);
        return fail_at(p, w.column, text);
    }
    for (unsigned i = 0; w.single && i < needed; i++) {
        uint32_t *operand = &p->operands[p->values - needed + i];
        if (p->out->node[*operand].format == ACCORD_F64)
            p->status = accord_bound_convert(p->out, ACCORD_F32, *operand, operand, p->error);
        if (p->status != ACCORD_OK)
            return false;
    }
    return make(p, &w);
}

static bool fail_unfinished(parser *p, const waiting *w)
{
    return fail_at(p, w->column,
                   w->kind == QUESTION ? "this question mark has no colon"
                                       : "this parenthesis is never closed");
}

static bool close_parenthesis(parser *p)
{
    if (!reduce(p, NONE))
        return false;
    if (p->waits == 0)
        return fail_here(p, "this closing parenthesis has no opening one");
    if (p->operators[p->waits - 1].kind == QUESTION)
        return fail_unfinished(p, &p->operators[p->waits - 1]);
    p->at++;
    return close_call(p);
}

/* The condition is complete at the question mark; a colon makes of it an operator that waits. */
static bool read_question(parser *p)
{
    size_t column = column_of(p, p->at++);
    return reduce(p, EQUALITY) && push_operator(p, (waiting){QUESTION, 0, ACCORD_BOUND_SELECT,
                                                             ACCORD_F64, column, 0, false});
}

static bool read_colon(parser *p)
{
    if (!reduce(p, TERNARY))
        return false;
    if (p->waits == 0 || p->operators[p->waits - 1].kind != QUESTION)
        return fail_here(p, "this colon has no question mark");
    p->operators[p->waits - 1].kind = BINARY;
    p->operators[p->waits - 1].binds = TERNARY;
    p->at++;
    return true;
}

static bool next_argument(parser *p)
{
    if (!reduce(p, NONE))
        return false;
    if (p->waits == 0 || p->operators[p->waits - 1].kind != CALL)
        return fail_here(p, "a comma may stand only between the arguments of a function");
    p->operators[p->waits - 1].arguments++;
    p->at++;
    return true;
}

static bool read_binary(parser *p)
{
    static const struct {
        const char *text;
        int binds;
        enum accord_bound_operation operation;
    } all[] = {{"==", EQUALITY, ACCORD_BOUND_EQUAL},   {"!=", EQUALITY, ACCORD_BOUND_NOT_EQUAL},
               {"<=", ORDER, ACCORD_BOUND_LESS_EQUAL}, {">=", ORDER, ACCORD_BOUND_GREATER_EQUAL},
               {"<", ORDER, ACCORD_BOUND_LESS},        {">", ORDER, ACCORD_BOUND_GREATER},
               {"+", SUM, ACCORD_BOUND_ADD},           {"-", SUM, ACCORD_BOUND_SUBTRACT},
               {"*", PRODUCT, ACCORD_BOUND_MULTIPLY},  {"/", PRODUCT, ACCORD_BOUND_DIVIDE}};
    static const char *const others[] = {
        "&&", "||", "<<", ">>", "++", "--", "+=", "-=", "*=", "/=", "%", "^", "&", "|", "[", "="};
    char text[120];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(p->at, others[i], strlen(others[i])) == 0 && strncmp(p->at, "==", 2) != 0) {
            snprintf(text, sizeof text,
                     "the operator %s is not supported here; use + - * / ?: and comparisons",
                     others[i]);
            return fail_here(p, text);
        }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t length = strlen(all[i].text);
        if (strncmp(p->at, all[i].text, length) != 0)
            continue;
        waiting w = {BINARY, all[i].binds, all[i].operation, ACCORD_F64, column_of(p, p->at),
                     0,      false};
        p->at += length;
        return reduce(p, w.binds) && push_operator(p, w);
    }
    return fail_here(p, "an operator is expected here: + - * / < <= > >= == != or ?:");
}

/* Up to a semicolon or the end; the node comes back on the stack. */
static bool read_expression(parser *p)
{
    bool operand = false;
    for (;;) {
        skip_blanks(p);
        bool good = true;
        if (!operand)
            good = read_operand(p, &operand);
        else if (*p->at == ')')
            good = close_parenthesis(p);
        else if (*p->at == ',')
            good = next_argument(p), operand = false;
        else if (*p->at == '?')
            good = read_question(p), operand = false;
        else if (*p->at == ':')
            good = read_colon(p), operand = false;
        else if (*p->at == ';' || *p->at == 0)
            break;
        else
            good = read_binary(p), operand = false;
        if (!good)
            return false;
    }
    if (!reduce(p, NONE))
        return false;
    return p->waits == 0 || fail_unfinished(p, &p->operators[p->waits - 1]);
}

/* ---- statements ---- */

static bool know(parser *p, const char *at, size_t length, uint32_t node)
{
    if (!accordi_grow((void **)&p->names, &p->name_room, p->known + 1, sizeof *p->names)) {
        p->status = accordi_nomem(p->error);
        return false;
    }
    p->names[p->known++] = (name){at, length, node};
    return true;
}

static bool skip_word(parser *p, const char *word)
{
    skip_blanks(p);
    bool here = word_length(p->at) == strlen(word) && memcmp(p->at, word, strlen(word)) == 0;
    p->at += here ? strlen(word) : 0;
    return here;
}

/* The type of a declaration; the format of the expression where there is none. */
static enum accord_format read_type(parser *p, bool *declares)
{
    skip_word(p, "const");
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (skip_word(p, types[i].name)) {
            *declares = true;
            return types[i].format;
        }
    return p->out->format;
}

/* "t = …;": false, and nothing read, where there is no such beginning. */
static bool read_target(parser *p, const char **at, size_t *length)
{
    skip_blanks(p);
    size_t n = isdigit((unsigned char)*p->at) ? 0 : word_length(p->at);
    const char *after = p->at + n;
    while (isspace((unsigned char)*after))
        after++;
    if (n == 0 || *after != '=' || after[1] == '=')
        return false;
    *at = p->at;
    *length = n;
    p->at = after + 1;
    return true;
}

static bool read_statements(parser *p)
{
    const char *target;
    size_t length;
    for (;;) {
        bool declares = false;
        enum accord_format type = read_type(p, &declares);
        if (!read_target(p, &target, &length))
            break;
        waiting assign = {SIGN, 0, ACCORD_BOUND_ASSIGN, ACCORD_F64, column_of(p, target), 0, false};
        waiting cast = {CAST, 0, ACCORD_BOUND_CONVERT, type, column_of(p, target), 0, false};
        if (!read_expression(p))
            return false;
        if (declares && p->out->node[p->operands[p->values - 1]].format != type && !make(p, &cast))
            return false;
        if (*p->at != ';')
            return fail_here(p, "an expression should follow the assignment, after a semicolon");
        p->at++;
        if (!make(p, &assign) || !know(p, target, length, p->operands[--p->values]))
            return false;
    }
    skip_word(p, "return");
    if (!read_expression(p))
        return false;
    if (*p->at == ';')
        p->at++;
    skip_blanks(p);
    return *p->at == 0 || fail_here(p, "nothing should follow the last expression");
}

/* The result is the last node, also where it is a name. */
static bool finish(parser *p)
{
    waiting last = {PARENTHESIS, 0, ACCORD_BOUND_PARENTHESES, ACCORD_F64, 1, 0, false};
    return p->operands[p->values - 1] + 1 == p->out->count || make(p, &last);
}

static bool bind_all(parser *p, size_t bindings, const accord_bound_binding *binding)
{
    for (size_t i = 0; i < bindings; i++) {
        uint32_t node = 0;
        const char *text = binding[i].name;
        p->status =
            accord_bound_value(p->out, text, binding[i].low, binding[i].high, &node, p->error);
        if (p->status != ACCORD_OK || !know(p, text, strlen(text), node))
            return false;
    }
    return true;
}

enum accord_status accord_bound_parse(const char *text, enum accord_format format, size_t bindings,
                                      const accord_bound_binding *binding,
                                      accord_bound_expression **out, accord_error *error)
{
    parser p = {.text = text, .at = text, .error = error};
    p.status = accord_bound_expression_new(format, &p.out, error);
    bool good = p.status == ACCORD_OK && bind_all(&p, bindings, binding) && read_statements(&p) &&
                finish(&p);
    free(p.operators);
    free(p.operands);
    free(p.names);
    if (good)
        *out = p.out;
    else
        accord_bound_expression_free(p.out);
    return good ? ACCORD_OK : p.status;
}
