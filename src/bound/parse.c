/* From C text to an expression, by operator precedence; scan.c reads the words.
 *
 * In: text, and intervals for names. Out: nodes. Operands wait on one stack, operators on another;
 * an operator becomes a node as soon as one that binds less follows, or its parenthesis ends. */
#include "bound/bound.h"
#include "bound/scan.h"
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

typedef struct name {
    const char *at; /* borrowed */
    size_t length;
    uint32_t node;
} name;

typedef struct parser {
    accordi_scanner in;
    accord_bound_expression *out;
    waiting *operators;
    uint32_t *operands;
    name *names;
    size_t waits, wait_room, values, value_room, known, name_room;
} parser;

static bool fail_at(parser *p, const waiting *w, const char *what)
{
    return accordi_scan_fail(&p->in, w->column, what);
}

static bool fail_here(parser *p, const char *what)
{
    return accordi_scan_fail(&p->in, accordi_scan_column(&p->in, p->in.at), what);
}

/* ---- the stacks ---- */

static bool push_value(parser *p, uint32_t node)
{
    if (!accordi_grow((void **)&p->operands, &p->value_room, p->values + 1, sizeof *p->operands)) {
        p->in.status = accordi_nomem(p->in.error);
        return false;
    }
    p->operands[p->values++] = node;
    return true;
}

/* What begins at `at`. */
static waiting begin(const parser *p, const char *at, enum kind kind,
                     enum accord_bound_operation operation)
{
    return (waiting){.kind = kind,
                     .binds = kind == SIGN || kind == CAST ? ACCORDI_BINDS_UNARY : 0,
                     .operation = operation,
                     .column = accordi_scan_column(&p->in, at)};
}

static bool push_operator(parser *p, waiting w)
{
    if (!accordi_grow((void **)&p->operators, &p->wait_room, p->waits + 1, sizeof *p->operators)) {
        p->in.status = accordi_nomem(p->in.error);
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
        return fail_at(p, w,
                       "this is a division of integers in C, which drops the remainder; write one "
                       "of them with a point, as in 1.0/2");
    if (w->kind == CAST)
        p->in.status = accord_bound_convert(p->out, w->format, operand[0], &node, p->in.error);
    else
        p->in.status = accord_bound_apply(p->out, w->operation, operand, &node, p->in.error);
    if (p->in.status == ACCORD_ARG) { /* formats that do not go together */
        accord_error why = {0};
        accord_bound_apply(p->out, w->operation, operand, &node, &why);
        return fail_at(p, w, why.text);
    }
    if (p->in.status != ACCORD_OK)
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
    p->in.status = accord_bound_value(p->out, NULL, nearest, nearest, &node, p->in.error);
    if (p->in.status == ACCORD_OK && c->single && f == ACCORD_F64) {
        p->in.status = accord_bound_convert(p->out, ACCORD_F32, node, &node, p->in.error);
    } else if (p->in.status == ACCORD_OK) {
        accordi_node *n = &p->out->node[node];
        n->wide_low = accord_format_round(f, ACCORD_DOWN, c->low);
        n->wide_high = accord_format_round(f, ACCORD_UP, c->high);
        n->integer = c->integer;
    }
    return p->in.status == ACCORD_OK && push_value(p, node);
}

static bool read_number(parser *p)
{
    accordi_constant c;
    const char *wrong = accordi_bound_constant(p->in.at, &c);
    if (!wrong && (accordi_scan_length(c.end) || *c.end == '.'))
        wrong = "this is not a number";
    if (wrong)
        return fail_here(p, wrong);
    p->in.at = c.end;
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
    size_t length = accordi_scan_length(p->in.at);
    const char *after = accordi_scan_past_blanks(p->in.at + length);
    char text[160];
    if (*after == '(') {
        waiting call = begin(p, p->in.at, CALL, ACCORD_BOUND_VALUE);
        if (accordi_bound_by_name(p->in.at, length, &call.operation)) {
            size_t plain = strlen(accordi_bound_name(call.operation));
            call.single = length == plain + 1 && p->in.at[plain] == 'f';
            p->in.at = after + 1;
            return push_operator(p, call);
        }
        snprintf(text, sizeof text,
                 "there are no bounds of a function %.*s; doc/bound.md lists "
                 "the functions that have bounds",
                 (int)(length < 40 ? length : 40), p->in.at);
        return fail_here(p, text);
    }
    const name *found = find_name(p, p->in.at, length);
    if (!found) {
        snprintf(text, sizeof text, "%.*s has no value; give it one, as in %.*s=1.5",
                 (int)(length < 40 ? length : 40), p->in.at, (int)(length < 40 ? length : 40),
                 p->in.at);
        return fail_here(p, text);
    }
    p->in.at += length;
    return push_value(p, found->node);
}

/* Reads one thing where an operand may begin; *operand: it was one. */
static bool read_operand(parser *p, bool *operand)
{
    char c = *p->in.at;
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
    waiting cast = begin(p, p->in.at, CAST, ACCORD_BOUND_CONVERT);
    if (accordi_scan_cast(&p->in, &cast.format))
        return push_operator(p, cast);
    if (c == '(')
        return push_operator(p, begin(p, p->in.at++, PARENTHESIS, ACCORD_BOUND_PARENTHESES));
    if (c == '-')
        return push_operator(p, begin(p, p->in.at++, SIGN, ACCORD_BOUND_NEGATE));
    if (c == '+') {
        p->in.at++;
        return true;
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
        return fail_at(p, &w, text);
    }
    for (unsigned i = 0; w.single && i < needed; i++) {
        uint32_t *operand = &p->operands[p->values - needed + i];
        if (p->out->node[*operand].format == ACCORD_F64)
            p->in.status = accord_bound_convert(p->out, ACCORD_F32, *operand, operand, p->in.error);
        if (p->in.status != ACCORD_OK)
            return false;
    }
    return make(p, &w);
}

static bool fail_unfinished(parser *p, const waiting *w)
{
    return fail_at(p, w,
                   w->kind == QUESTION ? "this question mark has no colon"
                                       : "this parenthesis is never closed");
}

static bool close_parenthesis(parser *p)
{
    if (!reduce(p, ACCORDI_BINDS_NONE))
        return false;
    if (p->waits == 0)
        return fail_here(p, "this closing parenthesis has no opening one");
    if (p->operators[p->waits - 1].kind == QUESTION)
        return fail_unfinished(p, &p->operators[p->waits - 1]);
    p->in.at++;
    return close_call(p);
}

/* The condition is complete at the question mark; a colon makes of it an operator that waits. */
static bool read_question(parser *p)
{
    waiting question = begin(p, p->in.at++, QUESTION, ACCORD_BOUND_SELECT);
    return reduce(p, ACCORDI_BINDS_EQUALITY) && push_operator(p, question);
}

static bool read_colon(parser *p)
{
    if (!reduce(p, ACCORDI_BINDS_TERNARY))
        return false;
    if (p->waits == 0 || p->operators[p->waits - 1].kind != QUESTION)
        return fail_here(p, "this colon has no question mark");
    p->operators[p->waits - 1].kind = BINARY;
    p->operators[p->waits - 1].binds = ACCORDI_BINDS_TERNARY;
    p->in.at++;
    return true;
}

static bool next_argument(parser *p)
{
    if (!reduce(p, ACCORDI_BINDS_NONE))
        return false;
    if (p->waits == 0 || p->operators[p->waits - 1].kind != CALL)
        return fail_here(p, "a comma may stand only between the arguments of a function");
    p->operators[p->waits - 1].arguments++;
    p->in.at++;
    return true;
}

static bool read_binary(parser *p)
{
    const char *at = p->in.at;
    const accordi_operator *found = accordi_scan_operator(&p->in);
    if (!found || !reduce(p, found->binds))
        return false;
    waiting w = begin(p, at, BINARY, found->operation);
    w.binds = found->binds;
    return push_operator(p, w);
}

/* Up to a semicolon or the end; the node comes back on the stack. */
static bool read_expression(parser *p)
{
    bool operand = false;
    for (;;) {
        accordi_scan_blanks(&p->in);
        bool good = true;
        if (!operand)
            good = read_operand(p, &operand);
        else if (*p->in.at == ')')
            good = close_parenthesis(p);
        else if (*p->in.at == ',')
            good = next_argument(p), operand = false;
        else if (*p->in.at == '?')
            good = read_question(p), operand = false;
        else if (*p->in.at == ':')
            good = read_colon(p), operand = false;
        else if (*p->in.at == ';' || *p->in.at == 0)
            break;
        else
            good = read_binary(p), operand = false;
        if (!good)
            return false;
    }
    if (!reduce(p, ACCORDI_BINDS_NONE))
        return false;
    return p->waits == 0 || fail_unfinished(p, &p->operators[p->waits - 1]);
}

/* ---- statements ---- */

static bool know(parser *p, const char *at, size_t length, uint32_t node)
{
    if (!accordi_grow((void **)&p->names, &p->name_room, p->known + 1, sizeof *p->names)) {
        p->in.status = accordi_nomem(p->in.error);
        return false;
    }
    p->names[p->known++] = (name){at, length, node};
    return true;
}

static bool read_statements(parser *p)
{
    const char *target;
    size_t length;
    for (;;) {
        enum accord_format type = p->out->format;
        accordi_scan_word(&p->in, "const");
        bool declares = accordi_scan_type(&p->in, &type);
        if (!accordi_scan_target(&p->in, &target, &length))
            break;
        waiting assign = begin(p, target, SIGN, ACCORD_BOUND_ASSIGN);
        waiting cast = begin(p, target, CAST, ACCORD_BOUND_CONVERT);
        cast.format = type;
        if (!read_expression(p))
            return false;
        if (declares && p->out->node[p->operands[p->values - 1]].format != type && !make(p, &cast))
            return false;
        if (*p->in.at != ';')
            return fail_here(p, "an expression should follow the assignment, after a semicolon");
        p->in.at++;
        if (!make(p, &assign) || !know(p, target, length, p->operands[--p->values]))
            return false;
    }
    accordi_scan_word(&p->in, "return");
    if (!read_expression(p))
        return false;
    if (*p->in.at == ';')
        p->in.at++;
    accordi_scan_blanks(&p->in);
    return *p->in.at == 0 || fail_here(p, "nothing should follow the last expression");
}

/* The result is the last node, also where it is a name. */
static bool finish(parser *p)
{
    waiting last = begin(p, p->in.text, PARENTHESIS, ACCORD_BOUND_PARENTHESES);
    return p->operands[p->values - 1] + 1 == p->out->count || make(p, &last);
}

static bool bind_all(parser *p, size_t bindings, const accord_bound_binding *binding)
{
    for (size_t i = 0; i < bindings; i++) {
        uint32_t node = 0;
        const char *text = binding[i].name;
        p->in.status =
            accord_bound_value(p->out, text, binding[i].low, binding[i].high, &node, p->in.error);
        if (p->in.status != ACCORD_OK || !know(p, text, strlen(text), node))
            return false;
    }
    return true;
}

enum accord_status accord_bound_parse(const char *text, enum accord_format format, size_t bindings,
                                      const accord_bound_binding *binding,
                                      accord_bound_expression **out, accord_error *error)
{
    parser p = {.in = {.text = text, .at = text, .error = error}};
    p.in.status = accord_bound_expression_new(format, &p.out, error);
    bool good = p.in.status == ACCORD_OK && bind_all(&p, bindings, binding) &&
                read_statements(&p) && finish(&p);
    free(p.operators);
    free(p.operands);
    free(p.names);
    if (good)
        *out = p.out;
    else
        accord_bound_expression_free(p.out);
    return good ? ACCORD_OK : p.in.status;
}
