/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build tool, run natively: writes the standard library's .nki files into one C source as byte
 * arrays, so that the program needs no files beside it. Usage: embed_text OUT.c [FILE.nki...].
 */
#include <stdio.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int embed_file(FILE *out, const char *path, int index)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        perror(path);
        return 1;
    }
    fprintf(out, "static const unsigned char text_%d[] = {", index);
    int c;
    for (size_t n = 0; (c = fgetc(in)) != EOF; n++) fprintf(out, "%s%d,", n % 20 ? "" : "\n", c);
    fprintf(out, "0};\n\n");
    return fclose(in) != 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: embed_text OUT.c [FILE.nki...]\n");
        return 2;
    }
    FILE *out = fopen(argv[1], "wb");
    if (out == NULL) {
        perror(argv[1]);
        return 1;
    }
    int failed = 0;
    fprintf(out, "/* Written by embed_text from the standard library's files. */\n"
                 "#include \"interp/eval/stdlib_embed.h\"\n\n");
    for (int i = 2; i < argc; i++) failed |= embed_file(out, argv[i], i);
    fprintf(out, "const nkx_stdlib_file nkx_stdlib_files[] = {\n");
    for (int i = 2; i < argc; i++) {
        fprintf(out, "    {\"%s\", (const char *)text_%d, sizeof text_%d - 1},\n",
                base_name(argv[i]), i, i);
    }
    fprintf(out, "    {0, 0, 0},\n};\n");
    return fclose(out) != 0 || failed;
}
