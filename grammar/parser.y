/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of Python 3.11, for Lemon. Layer syntax. Sections are named as in the language
 * reference; each action is one call of a constructor (build.h). No meaning here: which expressions
 * can be targets, the order of arguments and the like are the constructors' business, where names
 * live is the resolver's.
 *
 * The tokens come prepared (tokens.c): NOTIN and ISNOT are one token each, WLPAR is the bracket
 * around with-items, BADLINE a line already reported, MATCH a whole match statement.
 */
%name nkx_lemon
%token_prefix NKX_T_
%token_type {nkx_tok}
%default_type {nkx_ex}
%extra_context {nkx_parser *p}
%stack_size 0
%start_symbol input

%include {
#include "grammar/build.h"
#include "grammar/lemon.h"

struct yyParser;
static bool token_fits(struct yyParser *parser, unsigned kind);

#define NO_EX ((nkx_ex){0})
#define NODE(x) ((x).n)
}

%syntax_error {
    uint8_t accepts[YYNTOKEN] = {0};
    for (unsigned k = 0; k < YYNTOKEN; k++) accepts[k] = token_fits(yypParser, k);
    (void)yymajor;
    nkx_unexpected_token(p, TOKEN, accepts, YYNTOKEN);
}
%parse_failure { p->stop = true; }
%stack_overflow { p->stop = true; }

%code {
/* Would the parser, as it stands, shift a token of this kind? Runs the reductions on a copy. */
static bool token_fits(struct yyParser *parser, unsigned kind)
{
    enum { ROOM = 64 };
    YYACTIONTYPE  pushed[ROOM];
    int           n = 0;
    yyStackEntry *top = parser->yytos;
    for (;;) {
        YYACTIONTYPE state = n > 0 ? pushed[n - 1] : top->stateno;
        YYACTIONTYPE act = yy_find_shift_action((YYCODETYPE)kind, state);
        if (act <= YY_MAX_SHIFTREDUCE || act == YY_ACCEPT_ACTION) return true;
        if (act < YY_MIN_REDUCE) return false;
        unsigned rule = act - YY_MIN_REDUCE;
        int      pop = -yyRuleInfoNRhs[rule];
        if (pop <= n) {
            n -= pop;
        } else {
            top -= pop - n;
            n = 0;
        }
        if (n == ROOM) return false;
        state = n > 0 ? pushed[n - 1] : top->stateno;
        pushed[n++] = yy_find_reduce_action(state, yyRuleInfoLhs[rule]);
    }
}

/* A line ended: the next error is a new one, however near. */
void nkx_lemon_line_end(void *parser)
{
    struct yyParser *pp = parser;
    pp->yyerrcnt = -1;
}

size_t nkx_lemon_depth(void *parser)
{
    struct yyParser *pp = parser;
    return (size_t)(pp->yytos - pp->yystack);
}
}

/* Precedence of operators, weakest first; only within the levels `logic` and `expr`. */
%left OR.
%left AND.
%right NOT.
%left BAR.
%left CARET.
%left AMP.
%left LSHIFT RSHIFT.
%left PLUS MINUS.
%left STAR SLASH DSLASH PERCENT AT.
%right TILDE.
%right POW.

/* ---- 9. Top-level components ---- */

input ::= MODULE stmts(B).       { p->body = B; }
input ::= FIELD star_exprs(E).   { p->field = E.n; }

%type stmts {nkx_nodelist *}
%type line {nkx_nodelist *}
%type small {nkx_node *}
%type compound {nkx_node *}
%type block {nkx_block}

stmts(A) ::= .                                  { A = nkx_nodelist_new(p); }
stmts(A) ::= stmts(B) line(L) NEWLINE.          { A = nkx_nodelist_join(B, L); }
stmts(A) ::= stmts(B) line(L) SEMI(S) NEWLINE.  { A = nkx_nodelist_join(B, L); A->end = S->end; }
stmts(A) ::= stmts(B) compound(S).              { A = nkx_nodelist_node(p, B, S, S->span.end); }
stmts(A) ::= stmts(B) bad NEWLINE.              { A = B; }
stmts(A) ::= stmts(B) bad NEWLINE INDENT stmts DEDENT. { A = B; }

%type bad {int}
bad(A) ::= error.    { A = 0; }
bad(A) ::= BADLINE.  { A = 0; }

line(A) ::= small(S).               { A = nkx_nodelist_node(p, nkx_nodelist_new(p), S, S->span.end); }
line(A) ::= line(B) SEMI small(S).  { A = nkx_nodelist_node(p, B, S, S->span.end); }

block(A) ::= NEWLINE INDENT stmts(B) DEDENT(T). { A = nkx_block_done(B, T); }
block(A) ::= line(B) NEWLINE(T).                { A = nkx_block_done(B, T); }
block(A) ::= line(B) SEMI(S) NEWLINE(T).        { B->end = S->end; A = nkx_block_done(B, T); }

/* ---- 7. Simple statements ---- */

small(A) ::= star_exprs(E).                     { A = nkx_st_expr(p, E); }
small(A) ::= yield_expr(E).                     { A = nkx_st_expr(p, E); }
small(A) ::= assign_chain(T) rhs(V).            { A = nkx_st_assign(p, T.n, T.begin, V); }
small(A) ::= star_exprs(T) aug_op(O) rhs(V).    { A = nkx_st_aug_assign(p, T, O, V); }
small(A) ::= star_exprs(T) COLON test(N).       { A = nkx_st_ann_assign(p, T, N, NO_EX); }
small(A) ::= star_exprs(T) COLON test(N) EQ rhs(V). { A = nkx_st_ann_assign(p, T, N, V); }

%type assign_chain {struct chain}
%include { struct chain { nkx_nodelist *n; uint32_t begin; }; }
assign_chain(A) ::= star_exprs(T) EQ. {
    A.n = nkx_nodelist_add(p, nkx_nodelist_new(p), T);
    A.begin = T.begin;
}
assign_chain(A) ::= assign_chain(B) star_exprs(T) EQ. {
    A.n = nkx_nodelist_add(p, B.n, T);
    A.begin = B.begin;
}

rhs(A) ::= star_exprs(B). { A = B; }
rhs(A) ::= yield_expr(B). { A = B; }

%type aug_op {nkx_tok}
aug_op(A) ::= PLUSEQ|MINUSEQ|STAREQ|SLASHEQ|DSLASHEQ|PERCENTEQ|ATEQ|POWEQ(T). { A = T; }
aug_op(A) ::= AMPEQ|BAREQ|CARETEQ|LSHIFTEQ|RSHIFTEQ(T).                       { A = T; }

small(A) ::= PASS(K).                         { A = nkx_st_keyword(p, NKX_PASS, K); }
small(A) ::= BREAK(K).                        { A = nkx_st_keyword(p, NKX_BREAK, K); }
small(A) ::= CONTINUE(K).                     { A = nkx_st_keyword(p, NKX_CONTINUE, K); }
small(A) ::= RETURN(K).                       { A = nkx_st_return(p, K, NO_EX); }
small(A) ::= RETURN(K) star_exprs(V).         { A = nkx_st_return(p, K, V); }
small(A) ::= RAISE(K).                        { A = nkx_st_raise(p, K, NO_EX, NO_EX); }
small(A) ::= RAISE(K) test(E).                { A = nkx_st_raise(p, K, E, NO_EX); }
small(A) ::= RAISE(K) test(E) FROM test(C).   { A = nkx_st_raise(p, K, E, C); }
small(A) ::= DEL(K) targets(T).               { A = nkx_st_delete(p, K, T); }
small(A) ::= ASSERT(K) test(E).               { A = nkx_st_assert(p, K, E, NO_EX); }
small(A) ::= ASSERT(K) test(E) COMMA test(M). { A = nkx_st_assert(p, K, E, M); }
small(A) ::= GLOBAL(K) names(N).              { A = nkx_st_names(p, NKX_GLOBAL, K, N.last, N.end); }
small(A) ::= NONLOCAL(K) names(N).            { A = nkx_st_names(p, NKX_NONLOCAL, K, N.last, N.end); }

%type names {struct names}
%include { struct names { nkx_ident_cell *last; uint32_t end; }; }
names(A) ::= NAME(N).                { A.last = nkx_idents_add(p, NULL, N); A.end = N->end; }
names(A) ::= names(B) COMMA NAME(N). { A.last = nkx_idents_add(p, B.last, N); A.end = N->end; }

/* Import statements */

%type dotted {nkx_dotted}
%type alias {nkx_alias_cell *}
%type dotted_alias {nkx_alias_cell *}
%type aliases {nkx_alias_cell *}
%type dotted_aliases {nkx_alias_cell *}
%type dots {uint32_t}

small(A) ::= IMPORT(K) dotted_aliases(N). { A = nkx_st_import(p, K, N); }
small(A) ::= FROM(K) dotted(M) IMPORT import_names(N). {
    A = nkx_st_import_from(p, K, 0, M, N.last, N.end);
}
small(A) ::= FROM(K) dots(L) dotted(M) IMPORT import_names(N). {
    A = nkx_st_import_from(p, K, L, M, N.last, N.end);
}
small(A) ::= FROM(K) dots(L) IMPORT import_names(N). {
    A = nkx_st_import_from(p, K, L, (nkx_dotted){0}, N.last, N.end);
}

dots(A) ::= DOT.               { A = 1; }
dots(A) ::= ELLIPSIS.          { A = 3; }
dots(A) ::= dots(B) DOT.       { A = B + 1; }
dots(A) ::= dots(B) ELLIPSIS.  { A = B + 3; }

dotted(A) ::= NAME(N).               { A = nkx_dotted_add(p, (nkx_dotted){0}, N); }
dotted(A) ::= dotted(B) DOT NAME(N). { A = nkx_dotted_add(p, B, N); }

dotted_alias(A) ::= dotted(D).            { A = nkx_aliascell_new(p, D, NULL); }
dotted_alias(A) ::= dotted(D) AS NAME(N). { A = nkx_aliascell_new(p, D, N); }
dotted_aliases(A) ::= dotted_alias(B).                         { A = nkx_aliascell_add(NULL, B); }
dotted_aliases(A) ::= dotted_aliases(B) COMMA dotted_alias(C). { A = nkx_aliascell_add(B, C); }

alias(A) ::= NAME(D).            { A = nkx_aliascell_new(p, nkx_dotted_add(p, (nkx_dotted){0}, D), NULL); }
alias(A) ::= NAME(D) AS NAME(N). { A = nkx_aliascell_new(p, nkx_dotted_add(p, (nkx_dotted){0}, D), N); }
aliases(A) ::= alias(B).                  { A = nkx_aliascell_add(NULL, B); }
aliases(A) ::= aliases(B) COMMA alias(C). { A = nkx_aliascell_add(B, C); }

%type import_names {struct imported}
%include { struct imported { nkx_alias_cell *last; uint32_t end; }; }
import_names(A) ::= STAR(S). {
    A.last = nkx_aliascell_add(NULL, nkx_aliascell_new(p, nkx_dotted_add(p, (nkx_dotted){0}, S), NULL));
    A.end = S->end;
}
import_names(A) ::= aliases(B).                       { A.last = B; A.end = B->alias.span.end; }
import_names(A) ::= LPAR aliases(B) RPAR(R).          { A.last = B; A.end = R->end; }
import_names(A) ::= LPAR aliases(B) COMMA RPAR(R).    { A.last = B; A.end = R->end; }

/* ---- 8. Compound statements ---- */

%type tail {nkx_tail}
%type else_tail {nkx_tail}

compound(A) ::= IF(K) walrus(E) COLON block(B) tail(T). {
    A = nkx_st_if(p, NKX_IF, K, E, B, T);
}
tail(A) ::= else_tail(B). { A = B; }
tail(A) ::= ELIF(K) walrus(E) COLON block(B) tail(T). {
    nkx_node *n = nkx_st_if(p, NKX_IF, K, E, B, T);
    A.orelse = nkx_nodelist_node(p, nkx_nodelist_new(p), n, n->span.end);
    A.finalbody = NULL;
    A.end = n->span.end;
}
else_tail(A) ::= .                    { A = (nkx_tail){0}; }
else_tail(A) ::= ELSE COLON block(B). { A = (nkx_tail){B.stmts, NULL, B.end}; }

compound(A) ::= WHILE(K) walrus(E) COLON block(B) else_tail(T). {
    A = nkx_st_if(p, NKX_WHILE, K, E, B, T);
}
compound(A) ::= for_stmt(S). { A = S; }
%type for_stmt {nkx_node *}
for_stmt(A) ::= FOR(K) target_list(V) IN star_exprs(I) COLON block(B) else_tail(T). {
    A = nkx_st_for(p, K, V, I, B, T);
}

/* The try statement */

%type handlers {nkx_handler_cell *}
%type handler {nkx_handler_cell *}
%type finally {nkx_block}

compound(A) ::= TRY(K) COLON block(B) finally(F). {
    A = nkx_st_try(p, K, B, NULL, (nkx_tail){NULL, F.stmts, F.end});
}
compound(A) ::= TRY(K) COLON block(B) handlers(H) else_tail(T). {
    A = nkx_st_try(p, K, B, H, T);
}
compound(A) ::= TRY(K) COLON block(B) handlers(H) else_tail(T) finally(F). {
    A = nkx_st_try(p, K, B, H, (nkx_tail){T.orelse, F.stmts, F.end});
}
finally(A) ::= FINALLY COLON block(B). { A = B; }

handlers(A) ::= handler(B).             { A = nkx_handler_add(p, NULL, B); }
handlers(A) ::= handlers(B) handler(C). { A = nkx_handler_add(p, B, C); }
handler(A) ::= EXCEPT(K) COLON block(B). {
    A = nkx_handler_new(p, K, NULL, NO_EX, NULL, B);
}
handler(A) ::= EXCEPT(K) test(E) COLON block(B). {
    A = nkx_handler_new(p, K, NULL, E, NULL, B);
}
handler(A) ::= EXCEPT(K) test(E) AS NAME(N) COLON block(B). {
    A = nkx_handler_new(p, K, NULL, E, N, B);
}
handler(A) ::= EXCEPT(K) STAR(S) test(E) COLON block(B). {
    A = nkx_handler_new(p, K, S, E, NULL, B);
}
handler(A) ::= EXCEPT(K) STAR(S) test(E) AS NAME(N) COLON block(B). {
    A = nkx_handler_new(p, K, S, E, N, B);
}

/* The with statement */

%type with_stmt {nkx_node *}
%type with_items {nkx_with_cell *}
compound(A) ::= with_stmt(S). { A = S; }
with_stmt(A) ::= WITH(K) with_items(I) COLON block(B).                  { A = nkx_st_with(p, K, I, B); }
with_stmt(A) ::= WITH(K) WLPAR with_items(I) RPAR COLON block(B).       { A = nkx_st_with(p, K, I, B); }
with_stmt(A) ::= WITH(K) WLPAR with_items(I) COMMA RPAR COLON block(B). { A = nkx_st_with(p, K, I, B); }
with_items(A) ::= test(C).                                 { A = nkx_with_item_new(p, NULL, C, NO_EX); }
with_items(A) ::= test(C) AS expr(T).                      { A = nkx_with_item_new(p, NULL, C, T); }
with_items(A) ::= with_items(B) COMMA test(C).             { A = nkx_with_item_new(p, B, C, NO_EX); }
with_items(A) ::= with_items(B) COMMA test(C) AS expr(T).  { A = nkx_with_item_new(p, B, C, T); }

/* Function and class definitions */

%type def {nkx_node *}
%type class {nkx_node *}
%type decorators {nkx_nodelist *}
%type returns {nkx_ex}

compound(A) ::= def(S).                  { A = S; }
compound(A) ::= class(S).                { A = S; }
compound(A) ::= decorators(D) def(S).    { A = nkx_st_decorated(p, D, S); }
compound(A) ::= decorators(D) class(S).  { A = nkx_st_decorated(p, D, S); }

decorators(A) ::= AT walrus(E) NEWLINE.               { A = nkx_nodelist_add(p, nkx_nodelist_new(p), E); }
decorators(A) ::= decorators(B) AT walrus(E) NEWLINE. { A = nkx_nodelist_add(p, B, E); }

def(A) ::= DEF(K) NAME(N) LPAR params(P) RPAR returns(R) COLON block(B). {
    A = nkx_st_function(p, K, N, P, R, B);
}
returns(A) ::= .              { A = NO_EX; }
returns(A) ::= ARROW test(E). { A = E; }

class(A) ::= CLASS(K) NAME(N) COLON block(B). {
    A = nkx_st_class(p, K, N, NULL, B);
}
class(A) ::= CLASS(K) NAME(N) LPAR RPAR COLON block(B). {
    A = nkx_st_class(p, K, N, NULL, B);
}
class(A) ::= CLASS(K) NAME(N) LPAR args(L) RPAR COLON block(B). {
    A = nkx_st_class(p, K, N, L, B);
}
class(A) ::= CLASS(K) NAME(N) LPAR args(L) COMMA RPAR COLON block(B). {
    A = nkx_st_class(p, K, N, L, B);
}

/* Parameters; `vparams` are a lambda's, without annotations */

%type params {nkx_param_cell *}
%type param_list {nkx_param_cell *}
%type param {nkx_param_cell *}
%type vparams {nkx_param_cell *}
%type vparam_list {nkx_param_cell *}
%type vparam {nkx_param_cell *}

params(A) ::= .                                  { A = NULL; }
params(A) ::= param_list(B).                     { A = B; }
params(A) ::= param_list(B) COMMA.               { A = B; }
param_list(A) ::= param(B).                      { A = nkx_paramcell_add(p, NULL, B); }
param_list(A) ::= param_list(B) COMMA param(C).  { A = nkx_paramcell_add(p, B, C); }
param(A) ::= NAME(N) annotation(T).              { A = nkx_paramcell_new(p, NKX_PARAM_PLAIN, NULL, N, T, NO_EX); }
param(A) ::= NAME(N) annotation(T) EQ test(D).   { A = nkx_paramcell_new(p, NKX_PARAM_PLAIN, NULL, N, T, D); }
param(A) ::= SLASH(M).                           { A = nkx_paramcell_new(p, NKX_PARAM_SLASH, M, NULL, NO_EX, NO_EX); }
param(A) ::= STAR(M).                            { A = nkx_paramcell_new(p, NKX_PARAM_BARE_STAR, M, NULL, NO_EX, NO_EX); }
param(A) ::= STAR(M) NAME(N) annotation(T).      { A = nkx_paramcell_new(p, NKX_PARAM_STAR, M, N, T, NO_EX); }
param(A) ::= STAR(M) NAME(N) COLON STAR(S) expr(T). {
    A = nkx_paramcell_new(p, NKX_PARAM_STAR, M, N, nkx_ex_starred(p, S, T), NO_EX);
}
param(A) ::= POW(M) NAME(N) annotation(T).       { A = nkx_paramcell_new(p, NKX_PARAM_KWARGS, M, N, T, NO_EX); }
annotation(A) ::= .              { A = NO_EX; }
annotation(A) ::= COLON test(E). { A = E; }

vparams(A) ::= .                                    { A = NULL; }
vparams(A) ::= vparam_list(B).                      { A = B; }
vparams(A) ::= vparam_list(B) COMMA.                { A = B; }
vparam_list(A) ::= vparam(B).                       { A = nkx_paramcell_add(p, NULL, B); }
vparam_list(A) ::= vparam_list(B) COMMA vparam(C).  { A = nkx_paramcell_add(p, B, C); }
vparam(A) ::= NAME(N).             { A = nkx_paramcell_new(p, NKX_PARAM_PLAIN, NULL, N, NO_EX, NO_EX); }
vparam(A) ::= NAME(N) EQ test(D).  { A = nkx_paramcell_new(p, NKX_PARAM_PLAIN, NULL, N, NO_EX, D); }
vparam(A) ::= SLASH(M).            { A = nkx_paramcell_new(p, NKX_PARAM_SLASH, M, NULL, NO_EX, NO_EX); }
vparam(A) ::= STAR(M).             { A = nkx_paramcell_new(p, NKX_PARAM_BARE_STAR, M, NULL, NO_EX, NO_EX); }
vparam(A) ::= STAR(M) NAME(N).     { A = nkx_paramcell_new(p, NKX_PARAM_STAR, M, N, NO_EX, NO_EX); }
vparam(A) ::= POW(M) NAME(N).      { A = nkx_paramcell_new(p, NKX_PARAM_KWARGS, M, N, NO_EX, NO_EX); }

/* Coroutines and pattern matching: read, then refused by name */

compound(A) ::= ASYNC(K) def(S).               { A = nkx_st_unsupported(p, "async def", K, S->span.end); }
compound(A) ::= decorators ASYNC(K) def(S).    { A = nkx_st_unsupported(p, "async def", K, S->span.end); }
compound(A) ::= ASYNC(K) for_stmt(S).          { A = nkx_st_unsupported(p, "async for", K, S->span.end); }
compound(A) ::= ASYNC(K) with_stmt(S).         { A = nkx_st_unsupported(p, "async with", K, S->span.end); }
compound(A) ::= MATCH(K).                      { A = nkx_st_unsupported(p, "match", K, K->end); }

/* ---- 6. Expressions ---- */

/* Expression lists: `a`, `a,`, `a, *b` */

%type items2 {struct items}
%include { struct items { nkx_nodelist *l; uint32_t begin; }; }

star_exprs(A) ::= item(B).          { A = nkx_no_star(p, B); }
star_exprs(A) ::= item(B) COMMA(C). {
    A = nkx_ex_seq(p, NKX_TUPLE, nkx_nodelist_add(p, nkx_nodelist_new(p), B), B.begin, C->end);
}
star_exprs(A) ::= items2(B).          { A = nkx_ex_seq(p, NKX_TUPLE, B.l, B.begin, B.l->end); }
star_exprs(A) ::= items2(B) COMMA(C). { A = nkx_ex_seq(p, NKX_TUPLE, B.l, B.begin, C->end); }
items2(A) ::= item(B) COMMA item(C).   {
    A.l = nkx_nodelist_add(p, nkx_nodelist_add(p, nkx_nodelist_new(p), B), C);
    A.begin = B.begin;
}
items2(A) ::= items2(B) COMMA item(C). { A.l = nkx_nodelist_add(p, B.l, C); A.begin = B.begin; }
item(A) ::= test(B).           { A = B; }
item(A) ::= STAR(S) expr(B).   { A = nkx_ex_starred(p, S, B); }

/* Targets of `for` and `del`: no `in` can stand in them */

%type targets {nkx_nodelist *}
%type target_items {nkx_nodelist *}
target_list(A) ::= target(B). { A = nkx_no_star(p, B); }
target_list(A) ::= target(B) COMMA(C). {
    A = nkx_ex_seq(p, NKX_TUPLE, nkx_nodelist_add(p, nkx_nodelist_new(p), B), B.begin, C->end);
}
target_list(A) ::= targets2(B).          { A = nkx_ex_seq(p, NKX_TUPLE, B.l, B.begin, B.l->end); }
target_list(A) ::= targets2(B) COMMA(C). { A = nkx_ex_seq(p, NKX_TUPLE, B.l, B.begin, C->end); }
%type targets2 {struct items}
targets2(A) ::= target(B) COMMA target(C).   {
    A.l = nkx_nodelist_add(p, nkx_nodelist_add(p, nkx_nodelist_new(p), B), C);
    A.begin = B.begin;
}
targets2(A) ::= targets2(B) COMMA target(C). { A.l = nkx_nodelist_add(p, B.l, C); A.begin = B.begin; }
target(A) ::= expr(B).         { A = B; }
target(A) ::= STAR(S) expr(B). { A = nkx_ex_starred(p, S, B); }

targets(A) ::= target_items(B).         { A = B; }
targets(A) ::= target_items(B) COMMA(C). { A = B; A->end = C->end; }
target_items(A) ::= target(B).                       { A = nkx_nodelist_add(p, nkx_nodelist_new(p), B); }
target_items(A) ::= target_items(B) COMMA target(C). { A = nkx_nodelist_add(p, B, C); }

/* Yield, assignment expressions, conditional expressions, lambdas */

yield_expr(A) ::= YIELD(K).                { A = nkx_ex_yield(p, NKX_YIELD, K, NO_EX); }
yield_expr(A) ::= YIELD(K) star_exprs(E).  { A = nkx_ex_yield(p, NKX_YIELD, K, E); }
yield_expr(A) ::= YIELD(K) FROM test(E).   { A = nkx_ex_yield(p, NKX_YIELD_FROM, K, E); }

walrus(A) ::= test(B).                 { A = B; }
walrus(A) ::= NAME(N) WALRUS test(E).  { A = nkx_ex_walrus(p, N, E); }

test(A) ::= logic(B).                            { A = B; }
test(A) ::= logic(B) IF logic(C) ELSE test(D).   { A = nkx_ex_ternary(p, B, C, D); }
test(A) ::= LAMBDA(K) vparams(P) COLON test(E).  { A = nkx_ex_lambda(p, K, P, E); }

/* Boolean operations and comparisons */

logic(A) ::= expr(B).               { A = B; }
logic(A) ::= comparison(B).         { A = B; }
logic(A) ::= NOT(K) logic(B).       { A = nkx_ex_unary(p, NKX_OP_NOT, K, B); }
logic(A) ::= logic(B) AND logic(C). { A = nkx_ex_bool(p, NKX_OP_AND, B, C); }
logic(A) ::= logic(B) OR logic(C).  { A = nkx_ex_bool(p, NKX_OP_OR, B, C); }

%type comp_op {nkx_ast_op}
comparison(A) ::= expr(B) comp_op(O) expr(C).       { A = nkx_ex_compare(p, B, O, C, false); }
comparison(A) ::= comparison(B) comp_op(O) expr(C). { A = nkx_ex_compare(p, B, O, C, true); }
comp_op(A) ::= EQEQ.   { A = NKX_OP_EQ; }
comp_op(A) ::= NE.     { A = NKX_OP_NOTEQ; }
comp_op(A) ::= LT.     { A = NKX_OP_LT; }
comp_op(A) ::= LE.     { A = NKX_OP_LTE; }
comp_op(A) ::= GT.     { A = NKX_OP_GT; }
comp_op(A) ::= GE.     { A = NKX_OP_GTE; }
comp_op(A) ::= IN.     { A = NKX_OP_IN; }
comp_op(A) ::= NOTIN.  { A = NKX_OP_NOTIN; }
comp_op(A) ::= IS.     { A = NKX_OP_IS; }
comp_op(A) ::= ISNOT.  { A = NKX_OP_ISNOT; }

/* Arithmetic */

expr(A) ::= primary(B).               { A = B; }
expr(A) ::= AWAIT(K) primary(B).      { A = nkx_ex_await(p, K, B); }
expr(A) ::= expr(B) BAR expr(C).      { A = nkx_ex_binary(p, NKX_OP_BITOR, B, C); }
expr(A) ::= expr(B) CARET expr(C).    { A = nkx_ex_binary(p, NKX_OP_BITXOR, B, C); }
expr(A) ::= expr(B) AMP expr(C).      { A = nkx_ex_binary(p, NKX_OP_BITAND, B, C); }
expr(A) ::= expr(B) LSHIFT expr(C).   { A = nkx_ex_binary(p, NKX_OP_LSHIFT, B, C); }
expr(A) ::= expr(B) RSHIFT expr(C).   { A = nkx_ex_binary(p, NKX_OP_RSHIFT, B, C); }
expr(A) ::= expr(B) PLUS expr(C).     { A = nkx_ex_binary(p, NKX_OP_ADD, B, C); }
expr(A) ::= expr(B) MINUS expr(C).    { A = nkx_ex_binary(p, NKX_OP_SUB, B, C); }
expr(A) ::= expr(B) STAR expr(C).     { A = nkx_ex_binary(p, NKX_OP_MULT, B, C); }
expr(A) ::= expr(B) SLASH expr(C).    { A = nkx_ex_binary(p, NKX_OP_DIV, B, C); }
expr(A) ::= expr(B) DSLASH expr(C).   { A = nkx_ex_binary(p, NKX_OP_FLOORDIV, B, C); }
expr(A) ::= expr(B) PERCENT expr(C).  { A = nkx_ex_binary(p, NKX_OP_MOD, B, C); }
expr(A) ::= expr(B) AT expr(C).       { A = nkx_ex_binary(p, NKX_OP_MATMULT, B, C); }
expr(A) ::= expr(B) POW expr(C).      { A = nkx_ex_binary(p, NKX_OP_POW, B, C); }
expr(A) ::= PLUS(K) expr(B).  [TILDE] { A = nkx_ex_unary(p, NKX_OP_UADD, K, B); }
expr(A) ::= MINUS(K) expr(B). [TILDE] { A = nkx_ex_unary(p, NKX_OP_USUB, K, B); }
expr(A) ::= TILDE(K) expr(B).         { A = nkx_ex_unary(p, NKX_OP_INVERT, K, B); }

/* Primaries */

primary(A) ::= primary(B) DOT NAME(N).              { A = nkx_ex_attribute(p, B, N); }
primary(A) ::= primary(B) LBRACKET subs(S) RBRACKET(R). { A = nkx_ex_subscript(p, B, S, R); }
primary(A) ::= primary(B) LPAR(L) RPAR(R).          { A = nkx_ex_call(p, B, L, NULL, NULL, R); }
primary(A) ::= primary(B) LPAR(L) args(C) RPAR(R).  { A = nkx_ex_call(p, B, L, C, NULL, R); }
primary(A) ::= primary(B) LPAR(L) args(C) COMMA(M) RPAR(R). { A = nkx_ex_call(p, B, L, C, M, R); }

%type args {nkx_arg_cell *}
%type arg {nkx_arg_cell *}
args(A) ::= arg(B).                { A = nkx_argcell_add(p, NULL, B); }
args(A) ::= args(B) COMMA arg(C).  { A = nkx_argcell_add(p, B, C); }
arg(A) ::= walrus(E).              { A = nkx_argcell_plain(p, E); }
arg(A) ::= walrus(E) comp_fors(F). { A = nkx_argcell_generator(p, E, F); }
arg(A) ::= NAME(N) EQ test(E).     { A = nkx_argcell_keyword(p, N, E); }
arg(A) ::= STAR(S) test(E).        { A = nkx_argcell_plain(p, nkx_ex_starred(p, S, E)); }
arg(A) ::= POW(S) test(E).         { A = nkx_argcell_kwargs(p, S, E); }

%type subs2 {struct items}
subs(A) ::= sub(B). {
    A = B.n->kind != NKX_STARRED
            ? B : nkx_ex_seq(p, NKX_TUPLE, nkx_nodelist_add(p, nkx_nodelist_new(p), B), B.begin, B.end);
}
subs(A) ::= sub(B) COMMA(C). {
    A = nkx_ex_seq(p, NKX_TUPLE, nkx_nodelist_add(p, nkx_nodelist_new(p), B), B.begin, C->end);
}
subs(A) ::= subs2(B).          { A = nkx_ex_seq(p, NKX_TUPLE, B.l, B.begin, B.l->end); }
subs(A) ::= subs2(B) COMMA(C). { A = nkx_ex_seq(p, NKX_TUPLE, B.l, B.begin, C->end); }
subs2(A) ::= sub(B) COMMA sub(C).   {
    A.l = nkx_nodelist_add(p, nkx_nodelist_add(p, nkx_nodelist_new(p), B), C);
    A.begin = B.begin;
}
subs2(A) ::= subs2(B) COMMA sub(C). { A.l = nkx_nodelist_add(p, B.l, C); A.begin = B.begin; }
sub(A) ::= walrus(B).          { A = B; }
sub(A) ::= STAR(S) test(B).    { A = nkx_ex_starred(p, S, B); }
sub(A) ::= opt(B) COLON(C) opt(D).                 { A = nkx_ex_slice(p, B, C, D, NULL, NO_EX); }
sub(A) ::= opt(B) COLON(C) opt(D) COLON(E) opt(F). { A = nkx_ex_slice(p, B, C, D, E, F); }
opt(A) ::= .          { A = NO_EX; }
opt(A) ::= test(B).   { A = B; }

/* Atoms */

primary(A) ::= NAME(N).      { A = nkx_ex_name(p, N); }
primary(A) ::= NUMBER(N).    { A = nkx_ex_number(p, N); }
primary(A) ::= NONE(K).      { A = nkx_ex_const(p, K, NKX_CONST_NONE); }
primary(A) ::= TRUE(K).      { A = nkx_ex_const(p, K, NKX_CONST_TRUE); }
primary(A) ::= FALSE(K).     { A = nkx_ex_const(p, K, NKX_CONST_FALSE); }
primary(A) ::= ELLIPSIS(K).  { A = nkx_ex_const(p, K, NKX_CONST_ELLIPSIS); }
primary(A) ::= strings(S).   { A = nkx_ex_strings(p, S); }
%type strings {nkx_strings}
strings(A) ::= STRING(T).            { A.first = T; A.n = 1; }
strings(A) ::= strings(B) STRING.    { A.first = B.first; A.n = B.n + 1; }

primary(A) ::= LPAR(L) RPAR(R).                { A = nkx_ex_seq(p, NKX_TUPLE, NULL, L->begin, R->end); }
primary(A) ::= LPAR(L) yield_expr(E) RPAR(R).  { A = nkx_ex_paren(E, L, R); }
primary(A) ::= LPAR(L) walrus(E) RPAR(R).      { A = nkx_ex_paren(E, L, R); }
primary(A) ::= LPAR(L) display1(D) RPAR(R).    { A = nkx_ex_seq(p, NKX_TUPLE, D, L->begin, R->end); }
primary(A) ::= LPAR(L) walrus(E) comp_fors(F) RPAR(R). {
    A = nkx_ex_comprehension(p, NKX_COMP_GENERATOR, E, NULL, F, L->begin, R->end);
}
primary(A) ::= LBRACKET(L) RBRACKET(R).             { A = nkx_ex_seq(p, NKX_LIST, NULL, L->begin, R->end); }
primary(A) ::= LBRACKET(L) display(D) RBRACKET(R).  { A = nkx_ex_seq(p, NKX_LIST, D, L->begin, R->end); }
primary(A) ::= LBRACKET(L) walrus(E) comp_fors(F) RBRACKET(R). {
    A = nkx_ex_comprehension(p, NKX_COMP_LIST, E, NULL, F, L->begin, R->end);
}
primary(A) ::= LBRACE(L) display(D) RBRACE(R).      { A = nkx_ex_seq(p, NKX_SET, D, L->begin, R->end); }
primary(A) ::= LBRACE(L) walrus(E) comp_fors(F) RBRACE(R). {
    A = nkx_ex_comprehension(p, NKX_COMP_SET, E, NULL, F, L->begin, R->end);
}
primary(A) ::= LBRACE(L) RBRACE(R).                     { A = nkx_ex_dict(p, L, (nkx_dictitems){0}, R); }
primary(A) ::= LBRACE(L) dict_items(D) RBRACE(R).       { A = nkx_ex_dict(p, L, D, R); }
primary(A) ::= LBRACE(L) dict_items(D) COMMA RBRACE(R). { A = nkx_ex_dict(p, L, D, R); }
primary(A) ::= LBRACE(L) test(E) COLON test(V) comp_fors(F) RBRACE(R). {
    A = nkx_ex_comprehension(p, NKX_COMP_DICT, E, V.n, F, L->begin, R->end);
}

%type dict_items {nkx_dictitems}
dict_items(A) ::= test(K) COLON test(V).  { A = nkx_dictitems_add(p, (nkx_dictitems){0}, K, V); }
dict_items(A) ::= POW expr(V).            { A = nkx_dictitems_add(p, (nkx_dictitems){0}, NO_EX, V); }
dict_items(A) ::= dict_items(B) COMMA test(K) COLON test(V). { A = nkx_dictitems_add(p, B, K, V); }
dict_items(A) ::= dict_items(B) COMMA POW expr(V).           { A = nkx_dictitems_add(p, B, NO_EX, V); }

/* display: one element or more; display1: told from a bracketed expression by a comma */

%type display {nkx_nodelist *}
%type display1 {nkx_nodelist *}
%type display2 {nkx_nodelist *}
display(A) ::= element(B).    { A = nkx_nodelist_add(p, nkx_nodelist_new(p), B); }
display(A) ::= display1(B).   { A = B; }
display1(A) ::= element(B) COMMA.   { A = nkx_nodelist_add(p, nkx_nodelist_new(p), B); }
display1(A) ::= display2(B).        { A = B; }
display1(A) ::= display2(B) COMMA.  { A = B; }
display2(A) ::= element(B) COMMA element(C). {
    A = nkx_nodelist_add(p, nkx_nodelist_add(p, nkx_nodelist_new(p), B), C);
}
display2(A) ::= display2(B) COMMA element(C). { A = nkx_nodelist_add(p, B, C); }
element(A) ::= walrus(B).         { A = B; }
element(A) ::= STAR(S) expr(B).   { A = nkx_ex_starred(p, S, B); }

/* Comprehensions */

%type comp_fors {nkx_comp_cell *}
%type comp_for {nkx_comp_cell *}
%type comp_ifs {nkx_nodelist *}
comp_fors(A) ::= comp_for(B).              { A = nkx_comp_add(p, NULL, B); }
comp_fors(A) ::= comp_fors(B) comp_for(C). { A = nkx_comp_add(p, B, C); }
comp_for(A) ::= FOR(K) target_list(T) IN logic(I) comp_ifs(C). {
    A = nkx_comp_for_new(p, NULL, K, T, I, C);
}
comp_for(A) ::= ASYNC(S) FOR(K) target_list(T) IN logic(I) comp_ifs(C). {
    A = nkx_comp_for_new(p, S, K, T, I, C);
}
comp_ifs(A) ::= .                      { A = NULL; }
comp_ifs(A) ::= comp_ifs(B) IF logic(C). {
    A = nkx_nodelist_add(p, B != NULL ? B : nkx_nodelist_new(p), C);
}
