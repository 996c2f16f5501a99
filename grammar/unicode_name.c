/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Characters by name. Layer syntax. The full table has some 150,000 rows and kernels have no use
 * for them: here are the families that can be computed and the signs that occur in messages.
 */
#include "grammar/unicode_name.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t codepoint;
} signs[] = {
    {"SPACE",                                 0x20  },
    {"EXCLAMATION MARK",                      0x21  },
    {"QUOTATION MARK",                        0x22  },
    {"NUMBER SIGN",                           0x23  },
    {"DOLLAR SIGN",                           0x24  },
    {"PERCENT SIGN",                          0x25  },
    {"AMPERSAND",                             0x26  },
    {"APOSTROPHE",                            0x27  },
    {"LEFT PARENTHESIS",                      0x28  },
    {"RIGHT PARENTHESIS",                     0x29  },
    {"ASTERISK",                              0x2A  },
    {"PLUS SIGN",                             0x2B  },
    {"COMMA",                                 0x2C  },
    {"HYPHEN-MINUS",                          0x2D  },
    {"FULL STOP",                             0x2E  },
    {"SOLIDUS",                               0x2F  },
    {"COLON",                                 0x3A  },
    {"SEMICOLON",                             0x3B  },
    {"LESS-THAN SIGN",                        0x3C  },
    {"EQUALS SIGN",                           0x3D  },
    {"GREATER-THAN SIGN",                     0x3E  },
    {"QUESTION MARK",                         0x3F  },
    {"COMMERCIAL AT",                         0x40  },
    {"LEFT SQUARE BRACKET",                   0x5B  },
    {"REVERSE SOLIDUS",                       0x5C  },
    {"RIGHT SQUARE BRACKET",                  0x5D  },
    {"CIRCUMFLEX ACCENT",                     0x5E  },
    {"LOW LINE",                              0x5F  },
    {"GRAVE ACCENT",                          0x60  },
    {"LEFT CURLY BRACKET",                    0x7B  },
    {"VERTICAL LINE",                         0x7C  },
    {"RIGHT CURLY BRACKET",                   0x7D  },
    {"TILDE",                                 0x7E  },
    {"NO-BREAK SPACE",                        0xA0  },
    {"SECTION SIGN",                          0xA7  },
    {"COPYRIGHT SIGN",                        0xA9  },
    {"DEGREE SIGN",                           0xB0  },
    {"PLUS-MINUS SIGN",                       0xB1  },
    {"SUPERSCRIPT TWO",                       0xB2  },
    {"SUPERSCRIPT THREE",                     0xB3  },
    {"MICRO SIGN",                            0xB5  },
    {"MIDDLE DOT",                            0xB7  },
    {"MULTIPLICATION SIGN",                   0xD7  },
    {"DIVISION SIGN",                         0xF7  },
    {"ZERO WIDTH SPACE",                      0x200B},
    {"EN DASH",                               0x2013},
    {"EM DASH",                               0x2014},
    {"LEFT SINGLE QUOTATION MARK",            0x2018},
    {"RIGHT SINGLE QUOTATION MARK",           0x2019},
    {"LEFT DOUBLE QUOTATION MARK",            0x201C},
    {"RIGHT DOUBLE QUOTATION MARK",           0x201D},
    {"BULLET",                                0x2022},
    {"HORIZONTAL ELLIPSIS",                   0x2026},
    {"EURO SIGN",                             0x20AC},
    {"LEFTWARDS ARROW",                       0x2190},
    {"UPWARDS ARROW",                         0x2191},
    {"RIGHTWARDS ARROW",                      0x2192},
    {"DOWNWARDS ARROW",                       0x2193},
    {"FOR ALL",                               0x2200},
    {"ELEMENT OF",                            0x2208},
    {"N-ARY SUMMATION",                       0x2211},
    {"MINUS SIGN",                            0x2212},
    {"SQUARE ROOT",                           0x221A},
    {"INFINITY",                              0x221E},
    {"ALMOST EQUAL TO",                       0x2248},
    {"NOT EQUAL TO",                          0x2260},
    {"LESS-THAN OR EQUAL TO",                 0x2264},
    {"GREATER-THAN OR EQUAL TO",              0x2265},
    {"BOX DRAWINGS LIGHT HORIZONTAL",         0x2500},
    {"BOX DRAWINGS LIGHT VERTICAL",           0x2502},
    {"BOX DRAWINGS LIGHT UP AND RIGHT",       0x2514},
    {"BOX DRAWINGS LIGHT VERTICAL AND RIGHT", 0x251C},
    {"CHECK MARK",                            0x2713},
    {"BALLOT X",                              0x2717},
};

/* From U+0391 and U+03B1 on; the gap at 17 is the final sigma's. */
static const char *const greek[] = {
    "ALPHA", "BETA",  "GAMMA",   "DELTA", "EPSILON", "ZETA",    "ETA",   "THETA", "IOTA",
    "KAPPA", "LAMDA", "MU",      "NU",    "XI",      "OMICRON", "PI",    "RHO",   "FINAL SIGMA",
    "SIGMA", "TAU",   "UPSILON", "PHI",   "CHI",     "PSI",     "OMEGA",
};

static const char *const digits[] = {
    "ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE",
};

/* The name without `prefix`, or NULL if it does not begin with it. */
static const char *behind(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return strncmp(name, prefix, n) == 0 ? name + n : NULL;
}

static bool in_list(const char *const *list, size_t n, const char *name, uint32_t first,
                    uint32_t *out)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i], name) != 0) continue;
        *out = first + (uint32_t)i;
        return true;
    }
    return false;
}

static bool latin(const char *letter, uint32_t first, uint32_t *out)
{
    if (letter[0] < 'A' || letter[0] > 'Z' || letter[1] != '\0') return false;
    *out = first + (uint32_t)(letter[0] - 'A');
    return true;
}

static bool find(const char *name, uint32_t *out)
{
    const char *rest;
    if ((rest = behind(name, "LATIN SMALL LETTER ")) != NULL) return latin(rest, 'a', out);
    if ((rest = behind(name, "LATIN CAPITAL LETTER ")) != NULL) return latin(rest, 'A', out);
    if ((rest = behind(name, "GREEK SMALL LETTER ")) != NULL) {
        return in_list(greek, NKX_COUNT(greek), rest, 0x3B1, out);
    }
    if ((rest = behind(name, "GREEK CAPITAL LETTER ")) != NULL &&
        strcmp(rest, "FINAL SIGMA") != 0) {
        return in_list(greek, NKX_COUNT(greek), rest, 0x391, out);
    }
    if ((rest = behind(name, "DIGIT ")) != NULL) {
        return in_list(digits, NKX_COUNT(digits), rest, '0', out);
    }
    for (size_t i = 0; i < NKX_COUNT(signs); i++) {
        if (strcmp(signs[i].name, name) != 0) continue;
        *out = signs[i].codepoint;
        return true;
    }
    return false;
}

bool nkx_unicode_by_name(const char *name, size_t len, uint32_t *codepoint)
{
    char upper[64] = {0};
    if (len >= sizeof upper) return false;
    for (size_t i = 0; i < len; i++) {
        upper[i] = name[i];
        if (name[i] >= 'a' && name[i] <= 'z') upper[i] = (char)(name[i] - 'a' + 'A');
    }
    return find(upper, codepoint);
}
