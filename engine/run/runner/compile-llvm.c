/* LLVM as a library: from its language to code in memory.
 *
 * Only lazyscope-runner-llvm has this. It finds libLLVM at run time by the names of its files and each function by its name, so that
 * nothing is needed to build it, and nothing but the library to run it. Contexts, modules and buffers live for one compilation: only the
 * target machines stay, one for each set of flags.
 *
 * The passes are those of clang at the same level; floats have no flags that allow other results, and the target machine fuses nothing
 * that the text does not.
 */
#include <dlfcn.h>
#include <math.h>
#include <string.h>

#include "../../render/llvm-file.h"
#include "../llvm-library.h"
#include "code-cache.h"
#include "code-lines.h"
#include "compile.h"
#include "load-object.h"
#include "typed-pointers.h"

typedef void *P;

static struct {
#define X(result, name, parameters) result (*name) parameters;
#define O X
#include "llvm-table.def"
#undef O
#undef X
} llvm;

static struct { gboolean tried; char *why; char version[32]; char *triple, *cpu, *features; P target; } library;

#define CODE_PIC     2      /* LLVMRelocPIC */
#define CODE_SMALL   3      /* LLVMCodeModelSmall */
#define FILE_OBJECT  1      /* LLVMObjectFile */
#define SAY_STATUS   2      /* LLVMReturnStatusAction */

/* The character of six bits at a place of a bit stream, as LLVM's bitcode has them. */
static char
six_bits (const guint8 *bytes, gsize n, gsize at)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
  guint value = 0;
  for (guint k = 0; k < 6; k++)
    value |= (at + k) / 8 < n ? (guint) (bytes[(at + k) / 8] >> (at + k) % 8 & 1) << k : 0;
  return letters[value];
}

/* "14.0.6": versions before 16 have no function for it, and write it into their bitcode, as "LLVM14.0.6". */
static void
take_version (guint major)
{
  g_snprintf (library.version, sizeof library.version, "%u", major);
  if (llvm.LLVMGetVersion) {
    unsigned number[3] = { 0 };
    llvm.LLVMGetVersion (&number[0], &number[1], &number[2]);
    g_snprintf (library.version, sizeof library.version, "%u.%u.%u", number[0], number[1], number[2]);
    return;
  }
  P context = llvm.LLVMContextCreate (), module = llvm.LLVMModuleCreateWithNameInContext ("empty", context),
    written = llvm.LLVMWriteBitcodeToMemoryBuffer (module);
  gsize n = llvm.LLVMGetBufferSize (written);
  const guint8 *bytes = (const guint8 *) llvm.LLVMGetBufferStart (written);
  for (gsize bit = 0; bit < 8 * n; bit++) {
    char text[16] = "";
    for (guint k = 0; k < sizeof text - 1; k++)
      text[k] = six_bits (bytes, n, bit + 6 * k);
    guint digits = (guint) strspn (text + 4, "0123456789.");
    if (strncmp (text, "LLVM", 4) == 0 && digits >= 5) {
      g_strlcpy (library.version, text + 4, digits + 1);
      break;
    }
  }
  llvm.LLVMDisposeMemoryBuffer (written);
  llvm.LLVMDisposeModule (module);
  llvm.LLVMContextDispose (context);
}

static gboolean
find_functions (void *handle)
{
#define O(result, name, parameters) *(void **) &llvm.name = dlsym (handle, #name);
#define X(result, name, parameters) O (result, name, parameters) \
  if (!llvm.name) { \
    library.why = g_strdup_printf ("the library has no function %s", #name); \
    return FALSE; \
  }
#include "llvm-table.def"
#undef X
#undef O
  return TRUE;
}

static gboolean
load_library (void)
{
  if (library.tried)
    return library.why == NULL;
  library.tried = TRUE;
  const char *path = ls_llvm_library ();
  void *handle = path ? dlopen (path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!handle) {
    library.why = g_strdup (path ? dlerror () : "libLLVM is not installed");
    return FALSE;
  }
  if (!find_functions (handle))
    return FALSE;
  guint major = ls_llvm_library_major (path);
  llvm.LLVMInitializeX86TargetInfo ();
  llvm.LLVMInitializeX86Target ();
  llvm.LLVMInitializeX86TargetMC ();
  llvm.LLVMInitializeX86AsmPrinter ();
  library.triple = llvm.LLVMGetDefaultTargetTriple ();
  char *message = NULL;
  if (llvm.LLVMGetTargetFromTriple (library.triple, &library.target, &message) != 0) {
    library.why = g_strdup (message);
    return FALSE;
  }
  library.cpu = llvm.LLVMGetHostCPUName ();
  library.features = llvm.LLVMGetHostCPUFeatures ();
  take_version (major);
  return TRUE;
}

const char *
ls_version_llvm (void)
{
  return load_library () ? library.version : "";
}

/* --- flags --- */

typedef struct { int level; gboolean native; const char *passes; } Flags;

static gboolean
read_flags (const LsCompiler *compiler, const char *flags, char ***words, Flags *out, char **message)
{
  *out = (Flags) { 2, FALSE, NULL };
  if (!g_shell_parse_argv (*flags ? flags : "-O2", NULL, words, NULL)) {
    *message = g_strdup_printf ("flags \"%s\" cannot be read", flags);
    return FALSE;
  }
  g_autofree char *other = NULL;
  if (!ls_compiler_has_flags (compiler, flags, &other)) {
    *message = g_strdup_printf ("flag '%s' is not LLVM's, which has -O0 to -O3, -march=native and -passes=PASSES", other);
    return FALSE;
  }
  g_autoptr (GError) error = NULL;
  for (char **word = *words; *word; word++)
    if (g_str_has_prefix (*word, LS_PASSES_FLAG) && !ls_compiler_check_passes (*word + strlen (LS_PASSES_FLAG), &error)) {
      *message = g_strdup (error->message);
      return FALSE;
    }
  for (char **word = *words; *word; word++)
    if (g_str_has_prefix (*word, "-O"))
      out->level = (*word)[2] - '0';
    else if (strcmp (*word, "-march=native") == 0)
      out->native = TRUE;
    else if (g_str_has_prefix (*word, LS_PASSES_FLAG))
      out->passes = *word + strlen (LS_PASSES_FLAG);
  return TRUE;
}

static P
machine_of (const Flags *flags)
{
  static P machines[4][2];
  P *machine = &machines[flags->level][flags->native];
  if (!*machine)
    *machine = llvm.LLVMCreateTargetMachine (library.target, library.triple, flags->native ? library.cpu : "x86-64",
                                             flags->native ? library.features : "", flags->level, CODE_PIC, CODE_SMALL);
  return *machine;
}

/* --- from text to an object --- */

static gboolean
types_pointers (void)
{
  return ls_llvm_library_major (ls_llvm_library ()) < 15;
}

/* A function that takes the arguments in a table, one way of calling for any number of them: an argument that is not a pointer is an
 * int, which is in its own memory. NULL: the text has no such function. */
static char *
wrap (const char *name, const char *text)
{
  g_autofree char *begin = g_strdup_printf ("define void @%s(", name);
  const char *from = strstr (text, begin), *end = from ? strstr (from, ") nounwind") : NULL;
  if (!end)
    return NULL;
  from += strlen (begin);
  g_autofree char *list = g_strndup (from, (gsize) (end - from));
  g_auto (GStrv) each = g_strsplit (list, ", ", -1);
  GString *out = g_string_new (text), *call = g_string_new (NULL);
  gboolean typed = types_pointers ();
  const char *pointer = typed ? "i8*" : "ptr", *table = typed ? "i8**" : "ptr";
  if (typed) {
    g_autofree char *whole = ls_typed_pointers (text);
    if (!whole) {
      g_string_free (out, TRUE);
      g_string_free (call, TRUE);
      return NULL;
    }
    g_string_assign (out, whole);
  }
  g_string_append_printf (out, "\ndefine void @ls_call(%s %%a) nounwind {\n", table);
  for (guint k = 0; each[k]; k++) {
    gboolean is_pointer = g_str_has_prefix (each[k], "ptr ");
    guint bits = is_pointer ? 0 : (guint) g_ascii_strtoull (each[k] + 1, NULL, 10);
    g_autofree char *of = !typed ? NULL : is_pointer ? ls_pointee (text, strchr (each[k], '%')) : g_strdup ("i32"),
                    *type = typed ? g_strconcat (of, "*", NULL) : g_strdup ("ptr");
    g_string_append_printf (out, "  %%p%u = getelementptr inbounds %s, %s %%a, i64 %u\n  %%q%u = load %s, %s %%p%u\n", k, pointer, table,
                            k, k, pointer, table, k);
    if (typed)
      g_string_append_printf (out, "  %%t%u = bitcast i8* %%q%u to %s\n", k, k, type);
    if (!is_pointer)
      g_string_append_printf (out, "  %%i%u = load i32, %s %%%c%u\n", k, type, typed ? 't' : 'q', k);
    if (!is_pointer && bits != 32)
      g_string_append_printf (out, "  %%j%u = %s i32 %%i%u to i%u\n", k, bits < 32 ? "trunc" : "sext", k, bits);
    g_autofree char *passed = is_pointer ? g_strdup (type) : g_strndup (each[k], strcspn (each[k], " "));
    g_string_append_printf (call, "%s%s %%%c%u", k ? ", " : "", passed, is_pointer ? (typed ? 't' : 'q') : bits == 32 ? 'i' : 'j', k);
  }
  g_string_append_printf (out, "  call void @%s(%s) noinline\n  ret void\n}\n", name, call->str);
  g_string_free (call, TRUE);
  return g_string_free (out, FALSE);
}

static void
take_message (char **message, char *said)
{
  *message = g_strdup (said ? said : "LLVM gave no reason");
  if (said)
    llvm.LLVMDisposeMessage (said);
}

static gboolean
run_passes (P module, const Flags *flags, P machine, char **message)
{
  g_autofree char *passes = flags->passes ? g_strdup (flags->passes) : g_strdup_printf ("default<O%d>", flags->level);
  P options = llvm.LLVMCreatePassBuilderOptions ();
  gboolean optimizes = flags->level > 1;      /* as clang: at -O1 no vectors */
  llvm.LLVMPassBuilderOptionsSetLoopVectorization (options, optimizes);
  llvm.LLVMPassBuilderOptionsSetSLPVectorization (options, optimizes);
  llvm.LLVMPassBuilderOptionsSetLoopUnrolling (options, optimizes);
  llvm.LLVMPassBuilderOptionsSetLoopInterleaving (options, optimizes);
  P error = llvm.LLVMRunPasses (module, passes, machine, options);
  llvm.LLVMDisposePassBuilderOptions (options);
  if (!error)
    return TRUE;
  char *said = llvm.LLVMGetErrorMessage (error);
  *message = g_strdup_printf ("passes \"%s\": %s", passes, said);
  llvm.LLVMDisposeErrorMessage (said);
  return FALSE;
}

/* The object's bytes, or NULL. */
static guint8 *
make_object (const char *wrapped, const Flags *flags, gsize *n, char **message)
{
  P context = llvm.LLVMContextCreate (), module = NULL, machine = machine_of (flags), object = NULL;
  P buffer = llvm.LLVMCreateMemoryBufferWithMemoryRangeCopy (wrapped, strlen (wrapped), LS_LLVM_FILE);
  char *said = NULL;
  guint8 *bytes = NULL;
  if (llvm.LLVMParseIRInContext (context, buffer, &module, &said) != 0)
    take_message (message, said);
  else {
    P layout = llvm.LLVMCreateTargetDataLayout (machine);
    llvm.LLVMSetTarget (module, library.triple);
    llvm.LLVMSetModuleDataLayout (module, layout);
    llvm.LLVMDisposeTargetData (layout);
    if (llvm.LLVMVerifyModule (module, SAY_STATUS, &said) != 0)
      take_message (message, said);
    else {
      llvm.LLVMDisposeMessage (said);
      said = NULL;
      if (run_passes (module, flags, machine, message)) {
        if (llvm.LLVMTargetMachineEmitToMemoryBuffer (machine, module, FILE_OBJECT, &said, &object) != 0)
          take_message (message, said);
        else {
          *n = llvm.LLVMGetBufferSize (object);
          bytes = g_memdup2 (llvm.LLVMGetBufferStart (object), *n);
          llvm.LLVMDisposeMemoryBuffer (object);
        }
      }
    }
    llvm.LLVMDisposeModule (module);
  }
  llvm.LLVMContextDispose (context);
  return bytes;
}

/* What is kept is the version in the first VERSION bytes, and the object: so code that is kept needs no library. */
#define VERSION 32

static guint8 *
take_kept (const char *key, gsize *n, const char **version)
{
  g_autofree guint8 *bytes = ls_code_cache_bytes (key, n);
  if (!bytes || *n <= VERSION || bytes[VERSION - 1])
    return NULL;
  *version = g_intern_string ((const char *) bytes);
  *n -= VERSION;
  return g_memdup2 (bytes + VERSION, *n);
}

static void
keep (const char *key, const guint8 *object, gsize n)
{
  g_autofree guint8 *bytes = g_malloc0 (VERSION + n);
  g_strlcpy ((char *) bytes, library.version, VERSION);
  memcpy (bytes + VERSION, object, n);
  ls_code_cache_keep_bytes (key, bytes, VERSION + n);
}

static void
unload (gpointer loaded)
{
  ls_unload_object (loaded);
  g_free (loaded);
}

LsCode *
ls_compile_llvm (const LsCompiler *compiler, const char *flags, const char *name, const char *text, gboolean lines, char **message)
{
  g_auto (GStrv) words = NULL;
  Flags read;
  if (!read_flags (compiler, flags, &words, &read, message))
    return NULL;
  g_autofree char *wrapped = wrap (name, text);
  if (!wrapped) {
    g_autofree char *begin = g_strdup_printf ("define void @%s(", name);
    *message = g_strdup (strstr (text, begin) && types_pointers () ? "the text has a pointer whose type is not known, which LLVM 14 needs"
                                                                   : "the text does not define the function");
    return NULL;
  }
  gsize n = 0;
  const char *version = "";
  g_autofree char *key = ls_code_cache_key_file (ls_llvm_library (), compiler, flags, TRUE, wrapped);
  g_autofree guint8 *object = key ? take_kept (key, &n, &version) : NULL;
  gint64 loading = g_get_monotonic_time ();
  if (!object) {
    version = ls_version_llvm ();
    loading = g_get_monotonic_time () - loading;
    if (!load_library ()) {
      *message = g_strdup (library.why);
      return NULL;
    }
    object = make_object (wrapped, &read, &n, message);
    if (!object)
      return NULL;
    if (key)
      keep (key, object, n);
  } else
    loading = 0;
  g_autofree LsLoaded *loaded = g_new0 (LsLoaded, 1);
  if (!ls_load_object (object, n, "ls_call", name, loaded, message))
    return NULL;
  LsCode *code = g_new0 (LsCode, 1);
  code->call = (void (*) (void **)) loaded->call;
  code->function = loaded->function;
  code->n_function = loaded->n_function;
  code->address = loaded->address;
  code->message = g_strdup ("");
  code->version = version;
  gint64 begin = g_get_monotonic_time ();
  if (lines && code->n_function)
    code->lines = ls_code_lines_image ((char *) object, n, LS_LLVM_FILE, code->address, code->n_function);
  code->lines_us = g_get_monotonic_time () - begin + loading;
  code->handle = g_steal_pointer (&loaded);
  code->release = unload;
  return code;
}
