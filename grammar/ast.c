/* SPDX-License-Identifier: Apache-2.0 */
/* Names of node kinds and operators. Layer syntax. */
#include "grammar/ast.h"

static const char *const kind_names[NKX_N_KINDS] = {
    [NKX_FUNCTION_DEF] = "FunctionDef",
    [NKX_CLASS_DEF] = "ClassDef",
    [NKX_RETURN] = "Return",
    [NKX_DELETE] = "Delete",
    [NKX_ASSIGN] = "Assign",
    [NKX_AUG_ASSIGN] = "AugAssign",
    [NKX_ANN_ASSIGN] = "AnnAssign",
    [NKX_FOR] = "For",
    [NKX_WHILE] = "While",
    [NKX_IF] = "If",
    [NKX_WITH] = "With",
    [NKX_RAISE] = "Raise",
    [NKX_TRY] = "Try",
    [NKX_ASSERT_STMT] = "Assert",
    [NKX_IMPORT] = "Import",
    [NKX_IMPORT_FROM] = "ImportFrom",
    [NKX_GLOBAL] = "Global",
    [NKX_NONLOCAL] = "Nonlocal",
    [NKX_EXPR_STMT] = "Expr",
    [NKX_PASS] = "Pass",
    [NKX_BREAK] = "Break",
    [NKX_CONTINUE] = "Continue",
    [NKX_UNSUPPORTED_STMT] = "Unsupported",
    [NKX_BOOL_OP] = "BoolOp",
    [NKX_NAMED_EXPR] = "NamedExpr",
    [NKX_BIN_OP] = "BinOp",
    [NKX_UNARY_OP] = "UnaryOp",
    [NKX_LAMBDA] = "Lambda",
    [NKX_IF_EXP] = "IfExp",
    [NKX_DICT] = "Dict",
    [NKX_SET] = "Set",
    [NKX_COMPREHENSION] = "Comprehension",
    [NKX_AWAIT] = "Await",
    [NKX_YIELD] = "Yield",
    [NKX_YIELD_FROM] = "YieldFrom",
    [NKX_COMPARE] = "Compare",
    [NKX_CALL] = "Call",
    [NKX_JOINED_STR] = "JoinedStr",
    [NKX_FORMATTED] = "FormattedValue",
    [NKX_CONSTANT] = "Constant",
    [NKX_ATTRIBUTE] = "Attribute",
    [NKX_SUBSCRIPT] = "Subscript",
    [NKX_STARRED] = "Starred",
    [NKX_NAME] = "Name",
    [NKX_LIST] = "List",
    [NKX_TUPLE] = "Tuple",
    [NKX_SLICE] = "Slice",
};

static const char *const op_texts[] = {
    [NKX_OP_ADD] = "+",       [NKX_OP_SUB] = "-",        [NKX_OP_MULT] = "*",
    [NKX_OP_MATMULT] = "@",   [NKX_OP_DIV] = "/",        [NKX_OP_MOD] = "%",
    [NKX_OP_POW] = "**",      [NKX_OP_LSHIFT] = "<<",    [NKX_OP_RSHIFT] = ">>",
    [NKX_OP_BITOR] = "|",     [NKX_OP_BITXOR] = "^",     [NKX_OP_BITAND] = "&",
    [NKX_OP_FLOORDIV] = "//", [NKX_OP_INVERT] = "~",     [NKX_OP_NOT] = "not",
    [NKX_OP_UADD] = "+",      [NKX_OP_USUB] = "-",       [NKX_OP_AND] = "and",
    [NKX_OP_OR] = "or",       [NKX_OP_EQ] = "==",        [NKX_OP_NOTEQ] = "!=",
    [NKX_OP_LT] = "<",        [NKX_OP_LTE] = "<=",       [NKX_OP_GT] = ">",
    [NKX_OP_GTE] = ">=",      [NKX_OP_IS] = "is",        [NKX_OP_ISNOT] = "is not",
    [NKX_OP_IN] = "in",       [NKX_OP_NOTIN] = "not in",
};

const char *nkx_kind_name(nkx_kind k)
{
    return k < NKX_N_KINDS ? kind_names[k] : "?";
}

const char *nkx_op_text(nkx_ast_op op)
{
    return (size_t)op < NKX_COUNT(op_texts) ? op_texts[op] : "?";
}
