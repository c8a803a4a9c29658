/* The options of a run: options of lazyscope-cli run, as set in the form of the window and written on a command line. */
#pragma once
#include <glib.h>

typedef struct {
  char *compiler, *target, *profile;      /* NULL: the default */
  char *kernels;                          /* options of kernels as --variant takes them, "opt=UPCAST:0:4,k3:opt=UNROLL:0:4"; NULL: the
                                           * heuristic's */
  char *settings;                         /* "NOOPT=1 SPEC=2", names apart from profile; NULL: none */
  char *disabled;                         /* names of rules, with spaces between them; NULL: none */
  char *rules;                            /* paths of rule files, a line each; NULL: none */
} LsRunOptions;

LsRunOptions *ls_run_options_copy  (const LsRunOptions *options);
void          ls_run_options_free  (LsRunOptions *options);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LsRunOptions, ls_run_options_free)
gboolean      ls_run_options_equal (const LsRunOptions *a, const LsRunOptions *b);
/* The command line's words after "run FILE", NULL at their end. Free with g_strfreev. */
char        **ls_run_options_words   (const LsRunOptions *options);
/* "lazyscope-cli run softmax.py --set NOOPT=1", quoted for a shell. Free with g_free. */
char         *ls_run_options_command (const LsRunOptions *options, const char *program);
/* Their changes, "clang · NOOPT=1 · without factor"; "" if there are none. Free with g_free. */
char         *ls_run_options_describe (const LsRunOptions *options);
/* The options that a recording does not have, for one of its kernels, as a variant of compare:
 * "compiler=clang,without=factor,c=/folder/mine.c". c_files: C files, too. NULL: there is something that a variant cannot say. Free with
 * g_free. */
char         *ls_run_options_variant (const LsRunOptions *options, guint kernel, gboolean c_files);
/* The error in the options of kernels, or NULL. Free with g_free. */
char         *ls_run_options_check   (const LsRunOptions *options);
