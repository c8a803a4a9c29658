/* Kernels that access foreign resources: files, sockets, other processes. Each is ended and named; the test, which is the parent they
 * aim at, goes on. */
#include <linux/landlock.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "launches.h"

/* body: of a function that has out; call: what the error says. */
typedef struct { const char *name, *body, *call; } Case;

/* By functions of the C library, for clang and gcc. */
static const Case by_library[] = {
  { "kill", "*out = kill (getppid (), SIGTERM);", "kill" },
  { "kill-group", "*out = kill (-getpgid (getppid ()), SIGTERM);", "kill" },
  { "queue", "union sigval v = { 0 }; *out = sigqueue (getppid (), SIGTERM, v);", "call 129" },
  { "trace", "*out = (int) ptrace (PTRACE_ATTACH, getppid (), 0, 0);", "ptrace" },
  { "other-memory", "struct iovec v = { out, 4 }; *out = (int) process_vm_readv (getppid (), &v, 1, &v, 1, 0);", "process_vm_readv" },
  { "open", "*out = open (\"/etc/passwd\", O_RDONLY);", "openat" },
  { "create", "*out = open (\"/tmp/lazyscope-kernel\", O_CREAT | O_WRONLY, 0600);", "openat" },
  { "remove", "*out = unlink (\"/tmp/lazyscope-kernel\");", "unlink" },
  { "socket", "*out = socket (AF_INET, SOCK_STREAM, 0);", "socket" },
  { "fork", "*out = fork ();", "clone" },
  { "exec", "*out = execl (\"/bin/true\", \"true\", (char *) 0);", "execve" },
  { "system", "*out = system (\"true\");", "a call" },
  { "read", "*out = (int) read (0, out, 4);", "read" },
  { "in-a-thread", "pthread_t t; pthread_create (&t, 0, reach, out); pthread_join (t, 0);", "kill" },
};

static const char HEADERS[] = "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <pthread.h>\n#include <signal.h>\n#include <stdlib.h>\n"
                              "#include <sys/ptrace.h>\n#include <sys/socket.h>\n#include <sys/uio.h>\n#include <unistd.h>\n"
                              "static void *reach (void *out) { *(int *) out = kill (getppid (), SIGTERM); return 0; }\n";

#ifdef __x86_64__
#define CALL(number, one, two) "long r; " \
                               "__asm__ volatile (\"syscall\" : \"=a\" (r) : \"a\" (" #number "L), \"D\" (" one "), \"S\" (" two ") : " \
                               "\"rcx\", \"r11\", \"memory\"); *out = (int) r;"
/* By the machine's own instruction, which is all that tcc's code has. */
static const Case by_instruction[] = {
  { "kill-1", CALL (62, "1L", "15L"), "kill" },
  { "open", CALL (2, "\"/etc/passwd\"", "0L"), "open" },
  { "socket", CALL (41, "1L", "1L"), "socket" },
  { "fork", CALL (57, "0L", "0L"), "fork" },
  { "clone3", CALL (435, "0L", "0L"), "" },      /* is not there: the call fails and the kernel goes on */
  { "x32-kill", CALL (0x4000003e, "1L", "15L"), "call 1073741886" },
  { "i386-kill", "int r; __asm__ volatile (\"int $0x80\" : \"=a\" (r) : \"a\" (37), \"b\" (1), \"c\" (15) : \"memory\"); *out = r;",
    "call 37 of another machine" },
};
#endif

#ifdef __SANITIZE_ADDRESS__
static const gboolean limited = FALSE;
#else
static const gboolean limited = TRUE;
#endif

static void
check_case (const char *compiler, const char *headers, const Case *c, guint threads)
{
  g_autoptr (LsRunner) runner = ls_runner_new ();
  g_autoptr (GError) error = NULL;
  LsBuffer *buffer = new_buffer (runner, LS_INT32, 1);
  const char *function = threads ? "%svoid f (int *out, const int thread) { if (thread == 1) { %s } }\n" : "%svoid f (int *out) { %s }\n";
  g_autofree char *source = g_strdup_printf (function, headers, c->body);
  g_autofree char *says = g_strdup_printf ("kernel f was killed: it called %s, and", c->call);
  gboolean ok = launch_source (runner, compiler, source, threads, buffer, &error);
  if (!*c->call) {
    g_assert_no_error (error);
    g_assert_cmpint (*(int *) buffer->data, <, 0);
  } else if (ok || !error || !strstr (error->message, says)) {
    g_test_fail_printf ("%s, %s: %s", compiler, c->name, error ? error->message : "no error");
  }
  g_clear_error (&error);
  /* and the next kernel runs */
  g_assert_true (launch_source (runner, compiler, "void f (int *out) { out[0] = 7; }\n", 0, buffer, &error));
  g_assert_cmpint (*(int *) buffer->data, ==, 7);
}

static void
test_library (gconstpointer compiler)
{
  if (!have (compiler))
    return;
  if (!limited) {
    g_test_skip ("the sanitizer needs rights that kernels do not have");
    return;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (by_library); i++)
    check_case (compiler, HEADERS, &by_library[i], 0);
  check_case (compiler, HEADERS, &by_library[0], 2);      /* in a thread of the pool */
}

static void
test_instruction (gconstpointer compiler)
{
#ifdef __x86_64__
  if (!have (compiler))
    return;
  if (!limited) {
    g_test_skip ("the sanitizer needs rights that kernels do not have");
    return;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (by_instruction); i++)
    check_case (compiler, "", &by_instruction[i], 0);
#else
  g_test_skip ("the calls are written for x86-64");
#endif
}

/* Code that would run while the object is loaded, on the thread that compiles. */
static void
test_early (gconstpointer compiler)
{
  static const char *const texts[] = {
    "static volatile int seen;\n__attribute__ ((constructor)) static void early (void) { seen = 1; }\nvoid f (int *out) { *out = 1; }\n",
    "static volatile int seen;\n__attribute__ ((destructor)) static void late (void) { seen = 1; }\nvoid f (int *out) { *out = 1; }\n",
    "void _init (void) { }\nvoid f (int *out) { *out = 1; }\n",
    "static int one (void) { return 1; }\nstatic void *choose (void) { return one; }\nint chosen (void) __attribute__ ((ifunc "
    "(\"choose\")));\nvoid f (int *out) { *out = chosen (); }\n",
    "static int one (void) { return 1; }\nstatic void *choose (void) { return one; }\nstatic int chosen (void) __attribute__ ((ifunc "
    "(\"choose\")));\nvoid f (int *out) { *out = chosen (); }\n",
    "__attribute__ ((section (\".init_array\"), used)) static void *early[1];\nvoid f (int *out) { *out = 1; }\n",
  };
  if (!have (compiler))
    return;
  g_autoptr (LsRunner) runner = ls_runner_new ();
  LsBuffer *buffer = new_buffer (runner, LS_INT32, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    if (launch_source (runner, compiler, texts[i], 0, buffer, &error) || !strstr (error->message,
                                                                                  "it has code that runs when it is loaded"))
      g_test_fail_printf ("%s, %s: %s", (const char *) compiler, texts[i], error ? error->message : "no error");
  }
}

/* A file that a compiler reads is put into the code by its assembler: by a directive, or in gcc's case by the name of a section. */
static void
test_files (gconstpointer compiler)
{
  static const char *const texts[] = {
    "__asm__ (\".pushsection .data\\nread: .incbin \\\"/etc/passwd\\\"\\n.popsection\");\nextern char read[];\nvoid f (int *out) { *out = "
    "read[0]; }\n",
    "__attribute__ ((section (\".data\\n.incbin \\\"/etc/passwd\\\"\\n.data #\"))) int read = 3;\nvoid f (int *out) { *out = read; }\n",
  };
  if (!have (compiler))
    return;
  if (syscall (SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION) < 0) {
    g_test_skip ("this system has no Landlock, which keeps files from compilers");
    return;
  }
  g_autoptr (LsRunner) runner = ls_runner_new ();
  LsBuffer *buffer = new_buffer (runner, LS_INT32, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;
    /* which takes the name as it is */
    gboolean ok = launch_source (runner, compiler, texts[i], 0, buffer, &error), is_name = i == 1 && g_str_equal (compiler, "clang");
    if (ok != is_name || (!ok && !g_error_matches (error, LS_ERROR, LS_ERROR_COMPILE)))
      g_test_fail_printf ("%s, %s: %s", (const char *) compiler, texts[i], error ? error->message : "no error");
    if (error)
      g_test_message ("%s", error->message);
  }
}

int
main (int argc, char **argv)
{
  static const char *const compilers[] = { "tcc", "clang", "gcc" };
  g_test_init (&argc, &argv, NULL);
  for (gsize c = 0; c < G_N_ELEMENTS (compilers); c++) {
    g_autofree char *library = g_strdup_printf ("/rights/%s/library", compilers[c]);
    g_autofree char *instruction = g_strdup_printf ("/rights/%s/instruction", compilers[c]);
    g_autofree char *early = g_strdup_printf ("/rights/%s/early", compilers[c]);
    g_autofree char *files = g_strdup_printf ("/rights/%s/files", compilers[c]);
    g_test_add_data_func (instruction, compilers[c], test_instruction);
    if (c > 0) {      /* tcc links functions of arithmetic and no others */
      g_test_add_data_func (library, compilers[c], test_library);
      g_test_add_data_func (early, compilers[c], test_early);
      g_test_add_data_func (files, compilers[c], test_files);
    }
  }
  return g_test_run ();
}
