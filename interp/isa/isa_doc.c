/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction table as text: docs/isa.md and `nkx isa NAME`. Layer isa; all facts come from the
 * rows. */
#include "interp/isa/row.h"

#include <string.h>

static const struct {
    unsigned bit;
    const char *name, *text;
} engines[] = {
    {NKX_ENG_PE,   "PE",   "tensor"},
    {NKX_ENG_DVE,  "DVE",  "vector"},
    {NKX_ENG_ACT,  "ACT",  "scalar"},
    {NKX_ENG_POOL, "POOL", "gpsimd"},
    {NKX_ENG_SP,   "SP",   "sync"  },
    {NKX_ENG_DMA,  "DMA",  "dma"   },
};

static void engine_list(nkx_buf *out, unsigned bits)
{
    bool any = false;
    for (size_t i = 0; i < NKX_COUNT(engines); i++) {
        if (!(bits & engines[i].bit)) continue;
        nkx_buf_printf(out, "%s%s", any ? ", " : "", engines[i].text);
        any = true;
    }
}

static const char *targets(int gen)
{
    return gen <= 2 ? "all" : gen == 3 ? "gen3 on (trn2, trn3)" : "gen4 (trn3)";
}

static void signature(nkx_buf *out, const nkx_insn *r)
{
    nkx_buf_printf(out, "%s(", r->name);
    for (int i = 0; r->params[i].name != NULL; i++) {
        nkx_buf_printf(out, "%s%s", i ? ", " : "", r->params[i].name);
        if (!r->params[i].required) {
            nkx_buf_printf(out, "=%s", r->params[i].dflt != NULL ? r->params[i].dflt : "None");
        }
    }
    nkx_buf_str(out, ", name=None)");
}

static void spaces(nkx_buf *out, unsigned s, unsigned engine_bits)
{
    if (s == 0) s = engine_bits == NKX_ENG_POOL ? NKX_IN_SBUF : NKX_IN_SBUF | NKX_IN_PSUM;
    const char *sep = "";
    if (s & NKX_IN_HBM) {
        nkx_buf_str(out, "HBM");
        sep = ", ";
    }
    if (s & NKX_IN_SBUF) {
        nkx_buf_printf(out, "%sSBUF", sep);
        sep = ", ";
    }
    if (s & NKX_IN_PSUM) nkx_buf_printf(out, "%sPSUM", sep);
}

static void types(nkx_buf *out, uint32_t set)
{
    if (set == 0 || set == NKX_DTS_PLAIN) {
        nkx_buf_str(out, "all but packed types and e8m0");
        return;
    }
    if (set == NKX_DTS_ALL) {
        nkx_buf_str(out, "all");
        return;
    }
    bool any = false;
    for (int t = 0; t < NKX_N_DTYPES; t++) {
        if (!(set >> t & 1u)) continue;
        nkx_buf_printf(out, "%s%s", any ? ", " : "", nkx_dtypes[t].name);
        any = true;
    }
}

static const char *direction(const nkx_isa_param *p)
{
    static const char *const names[] = {"", "in", "out", "in and out"};
    return names[p->dir & 3u];
}

static void operand_facts(nkx_buf *out, const nkx_insn *r, const nkx_isa_param *p)
{
    if (!(p->accept & (NKX_P_TILE | NKX_ACCEPT(NKX_ARG_VIEWS)))) return;
    nkx_buf_printf(out, " (%s; ", direction(p));
    spaces(out, p->spaces, r->engines);
    nkx_buf_str(out, "; ");
    types(out, p->dtypes);
    if (p->flags & NKX_PF_COLUMN) nkx_buf_str(out, "; (P, 1)");
    if (p->flags & NKX_PF_INDIRECT) nkx_buf_str(out, "; may be .indirect() on gen4");
    if (p->flags & NKX_PF_VECTOR) nkx_buf_str(out, "; may gather or scatter rows");
    nkx_buf_char(out, ')');
}

static void parameters(nkx_buf *out, const nkx_insn *r, const char *bullet, const char *quote)
{
    for (int i = 0; r->params[i].name != NULL; i++) {
        const nkx_isa_param *p = &r->params[i];
        nkx_buf_printf(out, "%s%s%s%s: %s", bullet, quote, p->name, quote,
                       p->doc != NULL ? p->doc : "");
        operand_facts(out, r, p);
        nkx_buf_char(out, '\n');
    }
}

void nkx_isa_help(const nkx_insn *r, nkx_buf *out)
{
    signature(out, r);
    nkx_buf_printf(out, "\n\n%s\n\nengines: ", r->brief);
    engine_list(out, r->engines);
    nkx_buf_printf(out, "\ntargets: %s\nsince:   NKI %s\ncycles:  %s\n\n", targets(r->min_gen),
                   r->since, r->cost_doc);
    parameters(out, r, "  ", "");
    nkx_buf_printf(out, "\n%s\n\nExample:\n\n%s", r->doc, r->example != NULL ? r->example : "");
}

static void markdown_row(nkx_buf *out, const nkx_insn *r)
{
    nkx_buf_printf(out, "### %s\n\n```text\n", r->name);
    signature(out, r);
    nkx_buf_printf(out, "\n```\n\n%s\n\n%s\n\n", r->brief, r->doc);
    parameters(out, r, "- ", "`");
    nkx_buf_str(out, "\nEngines: ");
    engine_list(out, r->engines);
    nkx_buf_printf(out, ". Targets: %s. Since NKI %s. Cycles: %s.\n\n", targets(r->min_gen),
                   r->since, r->cost_doc);
    if (r->example != NULL) nkx_buf_printf(out, "```python\n%s```\n\n", r->example);
}

static void overview(nkx_buf *out)
{
    nkx_buf_str(out, "| instruction | engines | targets | cycles |\n|---|---|---|---|\n");
    for (size_t i = 0; nkx_isa_table[i] != NULL; i++) {
        const nkx_insn *r = nkx_isa_table[i];
        nkx_buf_printf(out, "| [%s](#%s) | ", r->name, r->name);
        engine_list(out, r->engines);
        nkx_buf_printf(out, " | %s | %s |\n", targets(r->min_gen), r->cost_doc);
    }
}

static bool same_section(const nkx_insn *a, const nkx_insn *b)
{
    return strcmp(a->section, b->section) == 0;
}

static bool section_seen(const nkx_insn *row)
{
    for (const nkx_insn *const *r = nkx_isa_table; *r != NULL && *r != row; r++) {
        if (same_section(*r, row)) return true;
    }
    return false;
}

static void sections(nkx_buf *out)
{
    for (const nkx_insn *const *first = nkx_isa_table; *first != NULL; first++) {
        if (section_seen(*first)) continue;
        nkx_buf_printf(out, "## %s\n\n", (*first)->section);
        for (const nkx_insn *const *r = first; *r != NULL; r++) {
            if (same_section(*r, *first)) markdown_row(out, *r);
        }
    }
}

static void enum_tables(nkx_buf *out)
{
    nkx_buf_str(out, "## Enums\n\n");
    for (int e = 0; e < NKX_N_ISA_ENUMS; e++) {
        nkx_buf_printf(out, "- `%s`: %s ", nkx_isa_enums[e].name, nkx_isa_enums[e].doc);
        for (const nkx_isa_member *m = nkx_isa_enums[e].members; m->name != NULL; m++) {
            nkx_buf_printf(out, "%s`%s` %d", m == nkx_isa_enums[e].members ? "" : ", ", m->name,
                           m->value);
        }
        nkx_buf_str(out, ".\n");
    }
}

void nkx_isa_markdown(nkx_buf *out)
{
    nkx_buf_str(out, "# Instructions\n\nWritten by `nkx isa --markdown` from the instruction "
                     "table. N is the number of elements per partition "
                     "of the destination unless said otherwise. Cycles are data cycles of the "
                     "executing engine by the published "
                     "formulas; the timing model adds the overheads of the machine file. All "
                     "operands can be given by keyword; "
                     "`name=` labels an instruction in lists and profiles.\n\n");
    overview(out);
    nkx_buf_char(out, '\n');
    sections(out);
    enum_tables(out);
}
