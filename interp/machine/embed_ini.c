/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build tool, run natively: writes the machine files into a C source as byte arrays, so that the
 * program needs no data files. Usage: embed_ini OUT.c FILE.ini...; the name of a file without
 * folder and ending becomes the target's name.
 */
#include <stdio.h>
#include <string.h>

static void base_name(const char *path, char *out, size_t cap)
{
    const char *slash = strrchr(path, '/');
    const char *from = slash ? slash + 1 : path;
    size_t len = strcspn(from, ".");
    if (len >= cap) len = cap - 1;
    memcpy(out, from, len);
    out[len] = '\0';
}

static int embed_file(FILE *out, const char *path, size_t index)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        perror(path);
        return 1;
    }
    (void)fprintf(out, "static const unsigned char text_%zu[] = {", index);
    int c;
    for (size_t n = 0; (c = fgetc(in)) != EOF; n++) {
        (void)fprintf(out, "%s%d,", n % 20 ? "" : "\n", c);
    }
    (void)fprintf(out, "0};\n\n");
    (void)fclose(in);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        (void)fprintf(stderr, "usage: embed_ini OUT.c FILE.ini...\n");
        return 2;
    }
    FILE *out = fopen(argv[1], "wb");
    if (out == NULL) {
        perror(argv[1]);
        return 1;
    }
    int failed = 0;
    (void)fprintf(out, "/* Written by embed_ini from the machine files. */\n"
                       "#include \"interp/machine/machines.h\"\n\n");
    for (int i = 2; i < argc; i++) failed |= embed_file(out, argv[i], (size_t)i - 2);
    (void)fprintf(out, "const nkx_machine_text nkx_machine_texts[] = {\n");
    for (int i = 2; i < argc; i++) {
        char name[64];
        base_name(argv[i], name, sizeof name);
        (void)fprintf(out, "    {\"%s\", (const char *)text_%d, sizeof text_%d - 1},\n", name,
                      i - 2, i - 2);
    }
    (void)fprintf(out, "    {0, 0, 0},\n};\n");
    return fclose(out) != 0 || failed;
}
