/* A variant: what a program is compiled with, as one text.
 * "compiler=clang,cflags=-O3,llvm=default<O3>,native=0,k3:opt=UPCAST:0:4,acc=vector,c=mine.c,without=factor,
 * schedule=r2:inline:costly-expand@9.softmax" */
#pragma once
#include "render/render.h"
#include "rewrite/rewrite.h"
#include "run/compiler.h"
#include "settings.h"

typedef struct {
  LsSettings      settings;
  const LsTarget *target;
  const char     *compiler;     /* named, or after ls_variant_complete the target's default; its code computes the values */
  gboolean        named;        /* the compiler was named: it gives the times, too */
  char           *options;      /* for LsSession's; NULL: the heuristic's choice */
  char           *cflags;       /* or NULL */
  char           *passes;       /* of LLVM, which then gives the times; or NULL */
  gboolean        not_native;
  char           *schedule_choices;      /* decisions of schedules that are turned around, a line each (trace/what-if.h); or NULL */
  char           *c_files;      /* of kernels written by hand, "k3:/folder/mine.c" a line; or NULL */
  char           *rules;        /* rule files, a line each; or NULL */
  char           *disabled;     /* names of rules that are left out, a line each; or NULL */
} LsVariant;

/* The default target, nothing named; settings by ls_settings_init. Clear with ls_variant_clear. */
void     ls_variant_init     (LsVariant *variant);
void     ls_variant_clear    (LsVariant *variant);
void     ls_variant_copy     (LsVariant *to, const LsVariant *from);
/* Adds what a text says. FALSE with LS_ERROR_USAGE: the part that is wrong, and the valid values. */
gboolean ls_variant_apply    (LsVariant *variant, const char *spec, GError **error);
/* Fills in omitted parts; target, compiler and flags must fit together. FALSE with LS_ERROR_USAGE. */
gboolean ls_variant_complete (LsVariant *variant, GError **error);

/* Whose code is timed: the compiler that was named, else the first installed one that optimizes. After ls_variant_complete. */
const LsCompiler *ls_variant_timer (const LsVariant *variant);
/* The flags of a compiler in this variant; free with g_free. */
char    *ls_variant_flags    (const LsVariant *variant, const char *compiler);

/* The options of a kernel in a variant's options, "UPCAST:0:4,k3:UNROLL:0:4": those that name it, else those that name none. NULL: none
 * is for it, the heuristic chooses. Free with g_free. */
char    *ls_options_of_kernel (const char *options, guint kernel, gboolean *named);
/* Likewise of its C files: the one that takes the place of a kernel's code, or NULL. The last one of several. */
char    *ls_c_file_of_kernel (const char *c_files, guint kernel, gboolean *named);
/* Whether it has rules of its own, or leaves some out; and the built-in ones with that. NULL with an error of a rule file; free with
 * ls_rule_library_unref. */
gboolean ls_variant_has_rules (const LsVariant *variant);
LsRuleLibrary *ls_variant_library (const LsVariant *variant, GError **error);
