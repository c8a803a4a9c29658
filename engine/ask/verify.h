/* Verification: what its two parts share. */
#pragma once
#include "ask.h"

/* Recorded data is wrong. */
#define ls_verify_differs(v, ...)  ls_verify_take_difference (v, g_strdup_printf (__VA_ARGS__))
void ls_verify_take_difference (LsVerify *v, char *text);
/* Something that this program cannot check, and why; said once. */
#define ls_verify_unjudged(v, ...) ls_verify_take_unjudged (v, g_strdup_printf (__VA_ARGS__))
void ls_verify_take_unjudged   (LsVerify *v, char *text);
/* Statements, calls and bindings against their texts (verify-program.c). */
void ls_verify_program  (LsTrace *trace, LsVerify *v);
/* Facts that are recorded twice, or must agree with other rows (verify-doubled.c). */
void ls_verify_doubled  (LsTrace *trace, LsVerify *v);
/* Makes every pass, schedule and text again (verify-execution.c). */
void ls_verify_execution    (LsTrace *trace, LsVerify *v);

/* Contents of buffers: runs kernels again, whose texts must have been made again before (contents.c). */
void ls_verify_contents (LsTrace *trace, LsVerify *v);
/* The buffer's statistics against those of its contents. */
void ls_verify_statistics (LsVerify *v, const LsTraceBuffer *buffer, const void *data);
