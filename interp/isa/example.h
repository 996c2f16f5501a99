/* SPDX-License-Identifier: Apache-2.0 */
/* Frame of the example programs in rows: the kernel's lines between a fixed head and tail. */
#ifndef NKX_ISA_EXAMPLE_H
#define NKX_ISA_EXAMPLE_H

/* Lines of a kernel without arguments that end in `return out`; run as a script or checked. */
#define NKX_EXAMPLE(body)                                                                          \
    "import nki\nimport nki.isa as nisa\nimport nki.language as nl\n\n\n@nki.jit\ndef "            \
    "kernel():\n" body "\n\nif __name__ == \"__main__\":\n    print(nki.simulate(kernel)())\n"
/* The same for instructions that came with gen4. */
#define NKX_EXAMPLE_GEN4(body) "# target: trn3\n" NKX_EXAMPLE(body)
/* Makes tile `t` of a type filled with a value. */
#define NKX_EX_TILE(t, shape, dtype, value)                                                        \
    "    " t " = nl.ndarray(" shape ", dtype=nl." dtype ", buffer=nl.sbuf)\n"                      \
    "    nisa.memset(dst=" t ", value=" value ")\n"
/* Stores tile `t` and returns it. */
#define NKX_EX_STORE(t, shape, dtype)                                                              \
    "    out = nl.ndarray(" shape ", dtype=nl." dtype ", buffer=nl.shared_hbm)\n"                  \
    "    nisa.dma_copy(dst=out, src=" t ")\n    return out\n"

#endif
