/* Verification: what its two parts share. */
#pragma once
#include "ask.h"

G_BEGIN_DECLS

/* Something recorded is not what it must be. */
void ls_verify_differs  (LsVerify *v, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Something that this program cannot check, and why; said once. */
void ls_verify_unjudged (LsVerify *v, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Makes every pass, schedule and text again (again.c). */
void ls_verify_again    (LsTrace *trace, LsVerify *v);

G_END_DECLS
