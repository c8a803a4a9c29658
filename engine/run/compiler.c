/* The table of compilers, made from compilers.def, and looking things up in it. */
#include "compiler.h"

#include <string.h>

const LsCompiler ls_compilers[] = {
#define X(name, target, how, has_half, optimizes, flags, native, gated, sentence) { name, target, LS_COMPILER_##how, has_half, optimizes, \
                                                                                    flags, native, gated, sentence },
#include "compilers.def"
#undef X
  { NULL },
};

const LsCompiler *
ls_compiler_find (const char *name)
{
  for (const LsCompiler *c = ls_compilers; c->name; c++)
    if (g_strcmp0 (c->name, name) == 0)
      return c;
  return NULL;
}

gboolean
ls_compiler_takes (const LsCompiler *compiler, const char *target)
{
  return ls_compiler_reads (compiler, target) || (compiler->how == LS_COMPILER_LOADED && g_strcmp0 (target, "c") == 0);
}

gboolean
ls_compiler_reads (const LsCompiler *compiler, const char *target)
{
  return compiler->target == NULL || g_strcmp0 (compiler->target, target) == 0;
}

gboolean
ls_compiler_is_loaded (const char *name)
{
  const LsCompiler *compiler = ls_compiler_find (name);
  return compiler && compiler->how == LS_COMPILER_LOADED;
}

const LsCompiler *
ls_compiler_default (const char *target)
{
  const LsCompiler *c = ls_compilers;
  while (!ls_compiler_takes (c, target))
    c++;      /* ends at the reference, which takes all */
  return c;
}

const LsCompiler *
ls_compiler_reference (void)
{
  return ls_compiler_default (NULL);
}

char *
ls_compiler_options (const LsCompiler *compiler, gboolean native, const char *cflags)
{
  const char *parts[4] = { NULL };
  guint n = 0;
  if (compiler->optimizes)
    parts[n++] = "-O2";
  if (native && *compiler->native)
    parts[n++] = compiler->native;
  if (cflags && *cflags)
    parts[n++] = cflags;
  return g_strjoinv (" ", (char **) parts);
}

/* The allowed beginnings of a flag, and families of -f and -fno- that choose code without changing its meaning or the calling
 * convention. */
static const char *const known_flags[] = { "-O", "-m", "-g", "-W", "-D", "-U", "-std=", NULL };
static const char *const known_families[] = {
  "align-", "builtin", "cf-protection", "code-hoisting", "crossjumping", "cse-", "data-sections", "dce", "dse", "early-inlining",
  "expensive-optimizations", "function-sections", "gcse", "global-isel", "graphite",
  "if-conversion", "inline", "ipa-", "ira-", "jump-tables", "loop-", "lra-", "lto", "math-errno", "merge-constants", "modulo-sched",
  "move-loop", "omit-frame-pointer", "openmp-simd", "partial-inlining", "peel", "plt",
  "predictive-commoning", "prefetch-loop", "rematerialize", "rename-registers", "reorder-", "reroll-loops", "sched-", "schedule-",
  "selective-scheduling", "semantic-interposition", "shrink-wrap", "slp-", "split-ivs", "split-loops",
  "stack-protector", "store-merging", "strict-aliasing", "thread-jumps", "tree-", "unroll", "unswitch", "vect",
  "version-loops", "web", "wrapv", NULL
};
/* Refused flags: beginnings too. */
static const struct { const char *begins, *why; } refused_flags[] = {
#define FAST "results must follow IEEE 754, in the order of the source"
  { "-Ofast", FAST }, { "-ffast-math", FAST }, { "-funsafe-math-optimizations", FAST }, { "-fassociative-math", FAST },
  { "-freciprocal-math", FAST },
  { "-ffinite-math-only", FAST }, { "-fno-honor-", FAST }, { "-fno-signed-zeros", FAST }, { "-fno-trapping-math", FAST },
  { "-fcx-limited-range", FAST }, { "-fcx-fortran-rules", FAST },
  { "-fexcess-precision", FAST }, { "-ffloat-store", FAST }, { "-fsingle-precision-constant", FAST }, { "-ffp-", FAST },
  { "-fdenormal-fp-math", FAST }, { "-fapprox-func", FAST },
  { "-frounding-math", FAST }, { "-fno-rounding-math", FAST }, { "-mrecip", FAST }, { "-mfpmath", FAST }, { "-mno-ieee", FAST },
  { "-mllvm", "its effect cannot be checked" }, { "-mdaz-ftz", FAST }, { "-mpc", FAST },
#undef FAST
  { "-fno-wrapv", "integers wrap" }, { "-ftrapv", "integers wrap" }, { "-fstrict-overflow", "integers wrap" },
  { "-fstrict-aliasing", "pointers may alias" },
  { "-fplugin", "the compiler itself must not be changed" }, { "-fpass-plugin", "the compiler itself must not be changed" },
  { "-Wl,", "linker flags are not allowed" }, { "-Wp,", "its effect cannot be checked" },
  { "-Wa,", "its effect cannot be checked" }, { "-fsyntax-only", "it prevents "
                                                                        "code generation" }, { "-gsplit-dwarf", "it writes a file" },
#define CALLS "it changes the calling convention or the types"
  { "-m16", CALLS }, { "-m32", CALLS }, { "-mx32", CALLS }, { "-m96bit", CALLS }, { "-m128bit", CALLS }, { "-mabi", CALLS },
  { "-mlong-double", CALLS }, { "-mregparm", CALLS }, { "-msseregparm", CALLS }, { "-mrtd", CALLS },
  { "-msoft-float", CALLS }, { "-mgeneral-regs-only", CALLS }, { "-mno-80387", CALLS }, { "-mno-x87", CALLS }, { "-mms-bitfields", CALLS },
  { "-fsigned-char", CALLS }, { "-funsigned-char", CALLS }, { "-fno-signed-char", CALLS },
  { "-fno-unsigned-char", CALLS }, { "-fshort-", CALLS }, { "-fpack-struct", CALLS },
#undef CALLS
  { "-mveclibabi", "another math library may give other values" }, { "-fveclib", "another math library may give other values" },
};

/* A macro may belong to the kernel, as -DTILE=4: all other names may occur in the text of a kernel or in its headers. text: behind -D or
 * -U. */
static gboolean
is_own_macro (const char *text)
{
  static const char *const of_headers[] = { "INFINITY", "NAN", "HUGE_VAL", "HUGE_VALF", "NULL", NULL };
  g_autofree char *name = g_strndup (text, strcspn (text, "=("));
  gboolean own = g_ascii_isupper (*name) && !g_strv_contains (of_headers, name);
  for (const char *at = name; *at && own; at++)
    own = g_ascii_isupper (*at) || g_ascii_isdigit (*at) || *at == '_';
  return own;
}

static gboolean
has_beginning (const char *text, const char *const *beginnings)
{
  for (; *beginnings; beginnings++)
    if (g_str_has_prefix (text, *beginnings))
      return TRUE;
  return FALSE;
}

static gboolean
is_known (const char *flag)
{
  if (!g_str_has_prefix (flag, "-f"))
    return has_beginning (flag, known_flags);
  const char *family = flag + 2;
  return has_beginning (g_str_has_prefix (family, "no-") ? family + 3 : family, known_families);
}

gboolean
ls_compiler_check_flags (const char *cflags, GError **error)
{
  g_auto (GStrv) flags = NULL;
  g_autoptr (GError) own = NULL;
  if (!g_shell_parse_argv (cflags, NULL, &flags, &own)) {
    if (g_error_matches (own, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING))
      return TRUE;
    g_propagate_error (error, g_steal_pointer (&own));
    return FALSE;
  }
  for (char **flag = flags; *flag; flag++) {
    const char *why = is_known (*flag) ? NULL : "it is not on the list of flags that keep results unchanged";
    for (guint k = 0; k < G_N_ELEMENTS (refused_flags); k++)
      if (g_str_has_prefix (*flag, refused_flags[k].begins))
        why = refused_flags[k].why;
    if (!why && (*flag)[0] == '-' && ((*flag)[1] == 'D' || (*flag)[1] == 'U') && !is_own_macro (*flag + 2))
      why = "the name of a macro must be capital letters, so that it cannot change the kernel's text";
    if (why) {
      g_set_error (error, G_SHELL_ERROR, G_SHELL_ERROR_FAILED, "flag '%s' is refused: %s", *flag, why);
      return FALSE;
    }
  }
  return TRUE;
}

/* Passes of LLVM, and the words that group them, which keep results: names of other passes may print, write files or add calls. */
static const char *const known_passes[] = {
  "adce", "aggressive-instcombine", "alignment-from-assumptions", "always-inline", "annotation-remarks", "bdce", "callsite-splitting",
  "cgscc", "constraint-elimination", "correlated-propagation", "dce", "default", "deadargelim", "div-rem-pairs", "dse", "early-cse",
  "function", "function-attrs", "globaldce", "globalopt", "gvn", "gvn-hoist", "gvn-sink", "indvars", "inline", "instcombine",
  "instsimplify",
  "ipsccp", "irce", "jump-threading", "lcssa", "libcalls-shrinkwrap", "licm", "load-store-vectorizer", "loop", "loop-deletion",
  "loop-distribute", "loop-flatten", "loop-fusion", "loop-idiom", "loop-instsimplify", "loop-interchange", "loop-load-elim", "loop-mssa",
  "loop-predication", "loop-rotate", "loop-simplify", "loop-simplifycfg", "loop-sink", "loop-unroll", "loop-unroll-and-jam",
  "loop-unroll-full", "loop-vectorize", "loop-versioning", "loop-versioning-licm", "lower-expect", "mem2reg", "memcpyopt", "mergeicmps",
  "mldst-motion", "module", "nary-reassociate", "newgvn", "partially-inline-libcalls", "reassociate", "require", "rpo-function-attrs",
  "sccp", "scalarizer", "separate-const-offset-from-gep", "simple-loop-unswitch", "simplifycfg", "sink", "slp-vectorizer", "slsr", "sroa",
  "speculative-execution", "tailcallelim", "vector-combine", NULL
};

gboolean
ls_compiler_check_passes (const char *passes, GError **error)
{
  guint within = 0;      /* <…>, which has parameters of a pass */
  for (const char *at = passes; *at;) {
    gsize n = strspn (at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-=_");
    g_autofree char *word = g_strndup (at, n ? n : 1);
    if (n ? !within && !g_strv_contains (known_passes, word) : !strchr ("<>(),;", *at)) {
      g_set_error (error, G_SHELL_ERROR, G_SHELL_ERROR_FAILED, n ? "'%s' is not on the list of passes that keep results unchanged"
                                                                 : "'%s' does not belong to a list of passes", word);
      return FALSE;
    }
    within += *at == '<';
    within -= *at == '>' && within;
    at += n ? n : 1;
  }
  if (!*passes)
    g_set_error_literal (error, G_SHELL_ERROR, G_SHELL_ERROR_FAILED, "no pass is named");
  return *passes != 0;
}

gboolean
ls_compiler_has_flags (const LsCompiler *compiler, const char *cflags, char **flag)
{
  g_auto (GStrv) words = NULL;
  if (compiler->how != LS_COMPILER_LOADED || !cflags || !*cflags || !g_shell_parse_argv (cflags, NULL, &words, NULL))
    return TRUE;
  for (char **word = words; *word; word++) {
    gboolean level = strlen (*word) == 3 && g_str_has_prefix (*word, "-O") && (*word)[2] >= '0' && (*word)[2] <= '3';
    if (level || g_str_equal (*word, compiler->native) || g_str_has_prefix (*word, LS_PASSES_FLAG))
      continue;
    if (flag)
      *flag = g_strdup (*word);
    return FALSE;
  }
  return TRUE;
}

char *
ls_compiler_list (const char *target, const char *separator)
{
  GString *names = g_string_new (NULL);
  for (const LsCompiler *c = ls_compilers; c->name; c++)
    if (target == NULL || ls_compiler_takes (c, target))
      g_string_append_printf (names, "%s%s", names->len ? separator : "", c->name);
  return g_string_free (names, FALSE);
}
