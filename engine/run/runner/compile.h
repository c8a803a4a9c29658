/* Compilers of the runner: from source to a function that can be called. */
#pragma once
#include "../compiler.h"

typedef struct _LsCode LsCode;
struct _LsCode {
  void   (*call) (void **buffers);      /* calls the kernel with its buffers as arguments */
  void    *function;                    /* the kernel itself, for disassembly; may be NULL */
  gsize    n_function;                  /* its bytes */
  guint64  address;                     /* of the kernel in its file or section: the same in every run */
  gsize    n_static;                    /* bytes of variables that it keeps between calls; 0 also where that is not known */
  GArray  *lines;                       /* LsProtocolLine, or NULL where they were not asked for or are not known */
  gint64   lines_us;                    /* the time for finding them, and for loading the compiler, besides the compilation */
  char    *message;                     /* what the compiler said, "" for nothing */
  const char *version;                  /* of the compiler, "14.0.6"; "" where it does not say. It lasts as long as the process */
  gpointer handle;
  void   (*release) (gpointer handle);
};

/* The compiler's version, "14.0.6", or "" where it does not say; lasts as long as the process. */
const char *ls_version_tcc (void);
const char *ls_version_cc  (const LsCompiler *compiler);
/* flags: further ones, besides the compiler's own. NULL and *message (free with g_free) when the source does not compile. wrapped: the
 * source with ls_call after it. */
LsCode *ls_compile_tcc (const char *options, const char *name, const char *wrapped, gboolean lines, char **message);
LsCode *ls_compile_cc  (const LsCompiler *compiler, const char *flags, const char *directory, const char *name, const char *wrapped,
                        gboolean lines, char **message);
/* text: of LLVM's language, without ls_call. */
const char *ls_version_llvm (void);
LsCode *ls_compile_llvm (const LsCompiler *compiler, const char *flags, const char *name, const char *text, gboolean lines,
                         char **message);
void    ls_code_free   (LsCode *code);
