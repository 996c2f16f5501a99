/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine files: parsing, the built-in targets, docs/machine.md. Layer machine. The parser is
 * strict: an unknown key, a wrong unit or a value out of range is a diagnostic at its place, and a
 * file is read to its end so that all faults show at once.
 */
#include "interp/machine/config.h"
#include "interp/base/file.h"
#include "interp/machine/machines.h"

#include <stdlib.h>
#include <string.h>

const nkx_mparam_row nkx_mparam_rows[NKX_N_MPARAMS] = {
#define NKX_MPARAM(id, key, unit, lo, hi, doc) {key, unit, doc, lo, hi},
#include "interp/machine/params.def"
#undef NKX_MPARAM
};

/* Units a file may use beside the row's own, as factors of it. */
typedef struct unit_row {
    const char *text, *base;
    double factor;
} unit_row;

static const unit_row UNITS[] = {
    {"ps",    "ns",     1e-3        },
    {"us",    "ns",     1e3         },
    {"ms",    "ns",     1e6         },
    {"MHz",   "GHz",    1e-3        },
    {"GB/s",  "B/ns",   1           },
    {"TB/s",  "B/ns",   1e3         },
    {"KiB",   "B",      1024        },
    {"MiB",   "B",      1048576     },
    {"GiB",   "B",      1073741824.0},
    {"cycle", "cycles", 1           },
};

enum { PS_PER_NS = 1000, LONGEST_FILE = 1 << 20 };

static const char *const TARGETS[] = {"trn1", "inf2", "gen2", "trn2", "gen3", "trn3", "gen4"};

const char *const *nkx_target_names(size_t *n)
{
    *n = NKX_COUNT(TARGETS);
    return TARGETS;
}

const char *nkx_target_canonical(const char *name)
{
    static const struct {
        const char *alias, *target;
    } ALIASES[] = {
        {"inf2", "trn1"},
        {"gen2", "trn1"},
        {"gen3", "trn2"},
        {"gen4", "trn3"}
    };
    for (size_t i = 0; i < NKX_COUNT(ALIASES); i++) {
        if (strcmp(name, ALIASES[i].alias) == 0) return ALIASES[i].target;
    }
    for (const nkx_machine_text *m = nkx_machine_texts; m->name; m++) {
        if (strcmp(name, m->name) == 0) return m->name;
    }
    return NULL;
}

/* A stretch of one line. */
typedef struct piece {
    const char *at;
    size_t len;
} piece;

static piece trim(const char *begin, const char *end)
{
    while (begin < end && (*begin == ' ' || *begin == '\t' || *begin == '\r')) begin++;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    return (piece){begin, (size_t)(end - begin)};
}

static bool piece_is(piece p, const char *s)
{
    return strlen(s) == p.len && memcmp(p.at, s, p.len) == 0;
}

typedef struct parser {
    nkx_config *c;
    const nkx_source *src;
    nkx_diags *diags;
    bool seen[NKX_N_MPARAMS];
    bool failed;
} parser;

static nkx_span span_of(const parser *p, piece x)
{
    uint32_t begin = (uint32_t)(x.at - p->src->text);
    return (nkx_span){p->src->id, begin, begin + (uint32_t)x.len};
}

static void fail(parser *p, const nkx_diag *g)
{
    if (nkx_diag_stops(g)) p->failed = true;
}

static void unknown_key(parser *p, piece key)
{
    const char *names[NKX_N_MPARAMS];
    char text[64] = {0};
    memcpy(text, key.at, key.len < sizeof text ? key.len : sizeof text - 1);
    for (size_t i = 0; i < NKX_N_MPARAMS; i++) names[i] = nkx_mparam_rows[i].key;
    const char *near = nkx_nearest(text, names, NKX_N_MPARAMS);
    nkx_diag *g =
        nkx_diag_add(p->diags, NKX_E620, span_of(p, key), "unknown machine parameter '%s'", text);
    if (near) {
        nkx_diag_hint(p->diags, g, "Did you mean '%s'? docs/machine.md lists all of them.", near);
    } else {
        nkx_diag_hint(p->diags, g, "docs/machine.md lists all of them.");
    }
    fail(p, g);
}

static bool unit_factor(const char *want, piece unit, double *factor)
{
    *factor = 1;
    if (piece_is(unit, want)) return true;
    for (size_t i = 0; i < NKX_COUNT(UNITS); i++) {
        *factor = UNITS[i].factor;
        if (strcmp(UNITS[i].base, want) == 0 && piece_is(unit, UNITS[i].text)) return true;
    }
    return false;
}

/* `12.5 ns`: the number, then what follows as its unit. */
static bool split_number(piece value, double *number, piece *unit)
{
    char text[48];
    if (value.len == 0 || value.len >= sizeof text) return false;
    if (strchr("0123456789.-", value.at[0]) == NULL) return false;
    memcpy(text, value.at, value.len);
    text[value.len] = '\0';
    if (strpbrk(text, "xX")) return false; /* no hexadecimal */
    char *end = NULL;
    *number = strtod(text, &end);
    if (end == text) return false;
    *unit = trim(value.at + (end - text), value.at + value.len);
    return true;
}

static void set_param(parser *p, size_t id, piece key, piece value, piece where)
{
    const nkx_mparam_row *row = &nkx_mparam_rows[id];
    double number = 0, factor = 1;
    piece unit = {value.at, 0};
    bool whole = *row->unit == '\0' && row->lo >= 1;
    if (p->seen[id]) {
        fail(p, nkx_diag_add(p->diags, NKX_E623, span_of(p, key), "'%s' is given twice", row->key));
        return;
    }
    p->seen[id] = true;
    if (!split_number(value, &number, &unit) || !unit_factor(row->unit, unit, &factor)) {
        fail(p, nkx_diag_add(p->diags, NKX_E621, span_of(p, value),
                             "'%s' wants a number%s%s, found '%.*s'", row->key,
                             *row->unit ? " in " : " without unit", row->unit,
                             (int)(value.len < 40 ? value.len : 40), value.at));
        return;
    }
    number *= factor;
    if (!(number >= row->lo && number <= row->hi) || (whole && number != (double)(int64_t)number)) {
        fail(p, nkx_diag_add(p->diags, NKX_E622, span_of(p, value),
                             "'%s' is %g%s%s, accepted are %g to %g%s", row->key, number,
                             *row->unit ? " " : "", row->unit, row->lo, row->hi,
                             whole ? ", whole numbers" : ""));
        return;
    }
    p->c->v[id] = strcmp(row->unit, "ns") == 0 ? number * PS_PER_NS : number;
    p->c->where[id] = where.len ? nkx_arena_str(&p->c->arena, where.at, where.len) : "not stated";
}

/* `target` and `generation` say what kind of machine it is; all other keys are parameters. */
static bool set_header(parser *p, piece key, piece value)
{
    if (piece_is(key, "target")) {
        if (value.len == 0) {
            fail(p, nkx_diag_add(p->diags, NKX_E621, span_of(p, key),
                                 "'target' wants a name, found nothing"));
        }
        p->c->name = nkx_arena_str(&p->c->arena, value.at, value.len);
        return true;
    }
    if (!piece_is(key, "generation")) return false;
    if (value.len == 1 && *value.at >= '2' && *value.at <= '4') {
        p->c->gen = *value.at - '0';
    } else {
        fail(p, nkx_diag_add(p->diags, NKX_E622, span_of(p, value),
                             "'generation' is %.*s, accepted are 2 to 4",
                             (int)(value.len < 40 ? value.len : 40), value.at));
    }
    return true;
}

static void parse_line(parser *p, const char *begin, const char *end)
{
    piece line = trim(begin, end);
    if (line.len == 0 || *line.at == '#') return;
    const char *stop = line.at + line.len;
    const char *semi = memchr(line.at, ';', line.len);
    const char *equal = memchr(line.at, '=', (size_t)((semi ? semi : stop) - line.at));
    if (equal == NULL) {
        nkx_diag *g = nkx_diag_add(p->diags, NKX_E624, span_of(p, line),
                                   "no '=' in this line of a machine file");
        nkx_diag_hint(
            p->diags, g,
            "Lines are 'key = value unit ; where the value comes from', or comments after '#'.");
        fail(p, g);
        return;
    }
    piece key = trim(line.at, equal);
    piece value = trim(equal + 1, semi ? semi : stop);
    piece where = semi ? trim(semi + 1, stop) : (piece){stop, 0};
    if (set_header(p, key, value)) return;
    for (size_t i = 0; i < NKX_N_MPARAMS; i++) {
        if (piece_is(key, nkx_mparam_rows[i].key)) {
            set_param(p, i, key, value, where);
            return;
        }
    }
    unknown_key(p, key);
}

bool nkx_config_parse(nkx_config *c, const nkx_source *src, nkx_diags *diags)
{
    parser p = {.c = c, .src = src, .diags = diags};
    const char *at = src->text, *end = src->text + src->len;
    while (at < end) {
        const char *nl = memchr(at, '\n', (size_t)(end - at));
        parse_line(&p, at, nl ? nl : end);
        at = nl ? nl + 1 : end;
    }
    return !p.failed;
}

/* Values that only make sense together. */
static bool check_whole(const nkx_config *c, nkx_diags *diags)
{
    const char *what = NULL;
    if (c->v[NKX_MP_SBUF_USABLE] > c->v[NKX_MP_SBUF_BYTES]) {
        what = "'sbuf.usable' is above 'sbuf.bytes'";
    }
    if (c->v[NKX_MP_PSUM_BANK] > c->v[NKX_MP_PSUM_BYTES]) {
        what = "'psum.bank' is above 'psum.bytes'";
    }
    if (what == NULL) return true;
    return !nkx_diag_stops(nkx_diag_add(diags, NKX_E622, (nkx_span){0}, "%s", what));
}

static bool load_override(nkx_config *c, const char *path, nkx_diags *diags)
{
    nkx_buf text = {0};
    const char *why = NULL;
    if (!nkx_file_read(path, LONGEST_FILE, &text, &why)) {
        nkx_buf_fini(&text);
        return !nkx_diag_stops(nkx_diag_add(diags, NKX_E626, (nkx_span){0},
                                            "cannot read machine file '%s': %s", path, why));
    }
    const nkx_source *src = nkx_sources_add(diags->sources, path, text.at ? text.at : "", text.len);
    nkx_buf_fini(&text);
    return nkx_config_parse(c, src, diags);
}

bool nkx_config_load(nkx_config *c, const char *target, const char *override_path, nkx_diags *diags)
{
    *c = (nkx_config){0};
    nkx_arena_init(&c->arena);
    const char *name = nkx_target_canonical(target);
    if (name == NULL) {
        size_t n;
        const char *const *names = nkx_target_names(&n);
        const char *near = nkx_nearest(target, names, n);
        nkx_diag *g = nkx_diag_add(
            diags, NKX_E625, (nkx_span){0},
            "unknown target '%s', known are trn1, inf2, trn2, trn3, gen2, gen3, gen4", target);
        if (near) nkx_diag_hint(diags, g, "Did you mean '%s'?", near);
        return false;
    }
    const nkx_machine_text *m = nkx_machine_texts;
    while (strcmp(m->name, name) != 0) m++;
    nkx_source src = {.path = nkx_arena_str(&c->arena, name, strlen(name)), .len = m->len};
    src.text = nkx_arena_str(&c->arena, m->text, m->len);
    if (!nkx_config_parse(c, &src, diags)) return false;
    if (override_path && !load_override(c, override_path, diags)) return false;
    return check_whole(c, diags);
}

void nkx_config_fini(nkx_config *c)
{
    nkx_arena_fini(&c->arena);
    *c = (nkx_config){0};
}

static void markdown_value(const nkx_config *c, size_t id, nkx_buf *out)
{
    const char *unit = nkx_mparam_rows[id].unit;
    double v = strcmp(unit, "ns") == 0 ? c->v[id] / PS_PER_NS : c->v[id];
    if (v >= 1e6) {
        nkx_buf_printf(out, " %.0f |", v);
    } else {
        nkx_buf_printf(out, " %.7g |", v);
    }
}

static void markdown_table(const nkx_config *c, size_t n, nkx_buf *out)
{
    nkx_buf_str(out, "| parameter | unit |");
    for (size_t t = 0; t < n; t++) nkx_buf_printf(out, " %s |", c[t].name);
    nkx_buf_str(out, " meaning |\n|---|---|");
    for (size_t t = 0; t < n; t++) nkx_buf_str(out, "---|");
    nkx_buf_str(out, "---|\n");
    for (size_t i = 0; i < NKX_N_MPARAMS; i++) {
        const nkx_mparam_row *row = &nkx_mparam_rows[i];
        nkx_buf_printf(out, "| `%s` | %s |", row->key, *row->unit ? row->unit : "-");
        for (size_t t = 0; t < n; t++) markdown_value(&c[t], i, out);
        nkx_buf_printf(out, " %s |\n", row->doc);
    }
}

static void markdown_provenance(const nkx_config *c, size_t n, nkx_buf *out)
{
    nkx_buf_str(out, "\n## Where the values come from\n\n"
                     "*documented*: in the vendor's documents. *measured*: read from public device "
                     "traces and figures.\n"
                     "*fitted*: chosen so that published run times come out. *inferred*: follows "
                     "from such figures.\n"
                     "*assumed*: no figure is public.\n\n| parameter |");
    for (size_t t = 0; t < n; t++) nkx_buf_printf(out, " %s |", c[t].name);
    nkx_buf_str(out, "\n|---|");
    for (size_t t = 0; t < n; t++) nkx_buf_str(out, "---|");
    nkx_buf_char(out, '\n');
    for (size_t i = 0; i < NKX_N_MPARAMS; i++) {
        nkx_buf_printf(out, "| `%s` |", nkx_mparam_rows[i].key);
        for (size_t t = 0; t < n; t++) nkx_buf_printf(out, " %s |", c[t].where[i]);
        nkx_buf_char(out, '\n');
    }
}

void nkx_config_markdown(nkx_buf *out)
{
    nkx_config c[8];
    size_t n = 0;
    nkx_sources *sources = nkx_sources_new();
    nkx_diags diags;
    nkx_diags_init(&diags, sources);
    for (const nkx_machine_text *m = nkx_machine_texts; m->name && n < NKX_COUNT(c); m++, n++) {
        if (!nkx_config_load(&c[n], m->name, NULL, &diags)) nkx_unreachable();
    }
    nkx_buf_str(out, "# Machine parameters\n\n"
                     "Written from the machine files; do not edit. A file given with `--machine` "
                     "may set any of these:\n"
                     "`key = value unit ; where the value comes from`, a line each. `inf2` and "
                     "`gen2` are `trn1`, `gen3` is\n"
                     "`trn2`, `gen4` is `trn3`.\n\n");
    markdown_table(c, n, out);
    markdown_provenance(c, n, out);
    while (n > 0) nkx_config_fini(&c[--n]);
    nkx_diags_fini(&diags);
    nkx_sources_free(sources);
}
