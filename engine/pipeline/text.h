/* The last stages before the compiler: from a kernel's final graph to its list, its procedure and its source. */
#pragma once
#include "render/render.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct {
  LsContext        *ctx;
  const LsSettings *settings;
  const LsTarget   *target;
  LsTrace          *trace;         /* gets the times of the stages */
  gboolean          recording;     /* and their passes */
} LsTextStages;

/* linearize, procedure and render: fills the kernel's listing, procedure and source. The list, for who launches the kernel, or NULL. rendered: what
 * ls_kernel_take_rendered takes. */
GPtrArray *ls_kernel_make_text     (const LsTextStages *stages, LsKernel *kernel, LsUOp *final, LsRendered **rendered, GError **error);
/* Source links and expressions of a kernel from what its renderer left; it makes copies of texts, which may wait until somebody reads the recording. */
void       ls_kernel_take_rendered (LsTrace *trace, LsKernel *kernel, const LsRendered *rendered);
/* A kernel whose code is an earlier one's shares its text. */
void       ls_kernel_share_text    (LsKernel *kernel, const LsKernel *earlier);

G_END_DECLS
