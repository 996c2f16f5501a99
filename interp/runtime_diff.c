/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two JSON reports of `nkx profile --json`: what changed. Walks both trees side by side and lists
 * every number that differs, so that a new metric needs no change here.
 */
#include "interp/base/buf.h"
#include "interp/base/json.h"
#include "interp/include/nkx.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct diff {
    nkx_buf *text;
    nkx_json json;
    bool as_json;
    size_t changed, same;
} diff;

static void number_row(diff *d, const char *path, double a, double b)
{
    double rel = a != 0 ? 100.0 * (b - a) / fabs(a) : 0;
    d->changed++;
    if (!d->as_json) {
        nkx_buf_printf(d->text, "%-44s %14.6g %14.6g", path, a, b);
        if (a != 0) nkx_buf_printf(d->text, "  %+.1f %%", rel);
        nkx_buf_char(d->text, '\n');
        return;
    }
    nkx_json_begin(&d->json, '{');
    nkx_json_key(&d->json, "name");
    nkx_json_str(&d->json, path);
    nkx_json_key(&d->json, "before");
    nkx_json_num(&d->json, a);
    nkx_json_key(&d->json, "after");
    nkx_json_num(&d->json, b);
    nkx_json_end(&d->json, '}');
}

static void text_row(diff *d, const char *path, const char *a, const char *b)
{
    d->changed++;
    if (!d->as_json) {
        nkx_buf_printf(d->text, "%-44s %14s %14s\n", path, a, b);
        return;
    }
    nkx_json_begin(&d->json, '{');
    nkx_json_key(&d->json, "name");
    nkx_json_str(&d->json, path);
    nkx_json_key(&d->json, "before");
    nkx_json_str(&d->json, a);
    nkx_json_key(&d->json, "after");
    nkx_json_str(&d->json, b);
    nkx_json_end(&d->json, '}');
}

static char *join(const char *path, const char *key)
{
    nkx_buf b = {0};
    nkx_buf_printf(&b, "%s%s%s", path, *path ? "." : "", key);
    return nkx_buf_take(&b);
}

static void walk(diff *d, const char *path, json_t *a, json_t *b, int depth);

static void walk_objects(diff *d, const char *path, json_t *a, json_t *b, int depth)
{
    const char *key;
    json_t *v;
    json_object_foreach(a, key, v)
    {
        char *p = join(path, key);
        json_t *w = json_object_get(b, key);
        if (w) {
            walk(d, p, v, w, depth + 1);
        } else {
            text_row(d, p, "present", "gone");
        }
        free(p);
    }
    json_object_foreach(b, key, v)
    {
        if (json_object_get(a, key)) continue;
        char *p = join(path, key);
        text_row(d, p, "absent", "new");
        free(p);
    }
}

/* A row of a table is known by its name, opcode or place; other lists go by position. */
static const char *row_key(json_t *row, char *out, size_t size)
{
    static const char *const keys[] = {"name", "opcode", "engine", "file", "line", "function"};
    size_t len = 0;
    out[0] = '\0';
    for (size_t i = 0; i < NKX_COUNT(keys); i++) {
        json_t *v = json_object_get(row, keys[i]);
        if (json_is_string(v)) {
            len += (size_t)snprintf(out + len, size - len, "%s%s", len ? ":" : "",
                                    json_string_value(v));
        }
        if (json_is_integer(v)) {
            len += (size_t)snprintf(out + len, size - len, "%s%lld", len ? ":" : "",
                                    (long long)json_integer_value(v));
        }
        if (len >= size) break;
    }
    return out;
}

static json_t *find_row(json_t *list, const char *key)
{
    char other[256];
    json_t *v;
    size_t i;
    json_array_foreach(list, i, v)
    {
        if (json_is_object(v) && strcmp(row_key(v, other, sizeof other), key) == 0) return v;
    }
    return NULL;
}

static void walk_rows(diff *d, const char *path, json_t *a, json_t *b, int depth)
{
    json_t *v;
    size_t i;
    char key[256];
    json_array_foreach(a, i, v)
    {
        char *p = join(path, row_key(v, key, sizeof key));
        json_t *w = find_row(b, key);
        if (w) {
            walk(d, p, v, w, depth + 1);
        } else {
            text_row(d, p, "present", "gone");
        }
        free(p);
    }
    json_array_foreach(b, i, v)
    {
        if (find_row(a, row_key(v, key, sizeof key))) continue;
        char *p = join(path, key);
        text_row(d, p, "absent", "new");
        free(p);
    }
}

static void compare_numbers(diff *d, const char *path, double a, double b)
{
    if (a == b) {
        d->same++;
    } else {
        number_row(d, path, a, b);
    }
}

static void compare_texts(diff *d, const char *path, const char *a, const char *b)
{
    if (strcmp(a, b) == 0) {
        d->same++;
    } else {
        text_row(d, path, a, b);
    }
}

static bool holds_rows(json_t *list)
{
    return json_is_object(json_array_get(list, 0));
}

static void walk(diff *d, const char *path, json_t *a, json_t *b, int depth)
{
    if (depth > 20) return;
    if (json_is_number(a) && json_is_number(b)) {
        compare_numbers(d, path, json_number_value(a), json_number_value(b));
    } else if (json_is_string(a) && json_is_string(b)) {
        compare_texts(d, path, json_string_value(a), json_string_value(b));
    } else if (json_is_object(a) && json_is_object(b)) {
        walk_objects(d, path, a, b, depth);
    } else if (json_is_array(a) && json_is_array(b) && (holds_rows(a) || holds_rows(b))) {
        walk_rows(d, path, a, b, depth);
    }
}

static json_t *read_report(const char *path, char **why)
{
    json_error_t e;
    json_t *j = json_load_file(path, 0, &e);
    if (json_is_object(j)) return j;
    nkx_buf b = {0};
    if (j == NULL && e.line > 0) {
        nkx_buf_printf(&b, "%s:%d:%d: %s", path, e.line, e.column, e.text);
    } else if (j == NULL) {
        nkx_buf_printf(&b, "cannot read '%s': %s", path, e.text);
    } else {
        nkx_buf_printf(&b, "'%s' is no report of nkx profile --json: it holds no object", path);
    }
    *why = nkx_buf_take(&b);
    json_decref(j);
    return NULL;
}

char *nkx_profile_diff(const char *path_a, const char *path_b, bool json, char **why)
{
    nkx_buf out = {0};
    json_t *a = read_report(path_a, why);
    json_t *b = a ? read_report(path_b, why) : NULL;
    if (b) {
        diff d = {.text = &out, .json = {.out = &out}, .as_json = json};
        if (json) {
            nkx_json_begin(&d.json, '[');
        } else {
            nkx_buf_printf(&out, "%-44s %14s %14s\n", "metric", "before", "after");
        }
        walk(&d, "", a, b, 0);
        if (json) {
            nkx_json_end(&d.json, ']');
        } else if (d.changed == 0) {
            nkx_buf_printf(&out, "no difference in %zu values\n", d.same);
        }
    }
    json_decref(a);
    json_decref(b);
    return b ? nkx_buf_take(&out) : NULL;
}
