/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports of a profile (timing.md 7): a table for terminals, JSON with the vendor's metric names,
 * annotated source, callgrind, one HTML file, and an event log for Perfetto. Reports read the
 * timeline's summary and decide nothing; equal summaries give equal bytes. Every report names the
 * model's version and its published error, and says that it is not cycle accurate.
 */
#ifndef NKX_REPORT_REPORT_H
#define NKX_REPORT_REPORT_H

#include "interp/base/buf.h"
#include "interp/base/source.h"
#include "interp/machine/timeline.h"

/* All borrowed for the call. */
typedef struct nkx_report_of {
    const nkx_summary *summary;
    nkx_sources *sources;
    const char *kernel; /* shown in the heading; may be NULL */
} nkx_report_of;

void nkx_report_table(const nkx_report_of *r, bool colour, nkx_buf *out);
void nkx_report_json(const nkx_report_of *r, nkx_buf *out);
/* The source with columns of time, of every file that instructions come from. */
void nkx_report_annotate(const nkx_report_of *r, bool colour, nkx_buf *out);
void nkx_report_callgrind(const nkx_report_of *r, nkx_buf *out);
void nkx_report_html(const nkx_report_of *r, nkx_buf *out);

/*
 * One line of an instruction in time, without newline: id, engine, start, duration, wait, opcode,
 * operands, place. For `nkx list`, `:list` of the REPL and logs.
 */
void nkx_report_event(const nkx_event *e, nkx_sources *sources, nkx_buf *out);
/* "1.234 ms", "56.7 us", "890 ns". */
void nkx_report_time(int64_t ps, nkx_buf *out);

/*
 * Event log in Chrome's JSON form, written as instructions are issued: a track for each engine and
 * DMA ring, flow arrows for waits, counters of memory in use. Times count from the start of the
 * kernel.
 */
typedef struct nkx_trace nkx_trace;
/* NULL and *why when the file cannot be made. Listens to the core's timeline until closed. */
nkx_trace *nkx_trace_open(nkx_core *core, const char *path, const char **why);
/* Ends and frees. False and *why when not all could be written. */
NKX_MUST_USE bool nkx_trace_close(nkx_trace *t, const char **why);

#endif
