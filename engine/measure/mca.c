/* llvm-mca over a loop's text. Jumps are left out: their targets have no meaning outside the function, and their cost is the
 * predictor's. */
#include "mca.h"

#include <glib/gstdio.h>
#include <string.h>

#define MOST_INSTRUCTIONS 1000
#define TURNS             100

static char *
loop_text (const GArray *code, const LsHotLoop *loop)
{
  GString *s = g_string_new (NULL);
  for (guint i = loop->first; i <= loop->last && i < code->len; i++) {
    const char *text = g_array_index (code, LsInstruction, i).text;
    if (text[0] != 'j')
      g_string_append_printf (s, "%s\n", text);
  }
  return g_string_free (s, FALSE);
}

/* The number after a label of its report; 0: there is none. */
static double
number_after (const char *report, const char *label)
{
  const char *at = strstr (report, label);
  return at ? g_ascii_strtod (at + strlen (label), NULL) : 0;
}

/* The table of its report has a row for each instruction of the text: uops, latency, reciprocal throughput. */
static void
take_cycles (const char *report, const GArray *code, const LsHotLoop *loop, double *cycles)
{
  const char *heading = strstr (report, "Instructions:\n"), *at = heading ? strchr (heading, '\n') : NULL;
  for (guint i = loop->first; at && i <= loop->last && i < code->len; i++) {
    if (g_array_index (code, LsInstruction, i).text[0] == 'j')
      continue;
    double value = 0;
    char *end = (char *) at;
    for (guint k = 0; k < 3; k++) {
      const char *from = end;
      value = g_ascii_strtod (from, &end);
      if (end == from)
        return;
    }
    cycles[i] = value;
    at = strchr (end, '\n');
  }
}

char *
ls_mca_sentence (const GArray *code, const LsHotLoop *loop, double *all)
{
  static const char *const names[] = { "llvm-mca", "llvm-mca-14" };
  g_autofree char *program = NULL, *path = NULL, *report = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (names) && !program; i++)
    program = g_find_program_in_path (names[i]);
  if (!program || !loop->found || loop->n > MOST_INSTRUCTIONS)
    return NULL;
  g_autofree char *text = loop_text (code, loop), *turns = g_strdup_printf ("-iterations=%d", TURNS);
  int fd = g_file_open_tmp ("lazyscope-XXXXXX.s", &path, NULL), status;
  if (fd < 0)
    return NULL;
  char *argv[] = { program, "-x86-asm-syntax=intel", "-instruction-info=1", "-resource-pressure=0", turns, path, NULL };
  gboolean ok = g_file_set_contents (path, text, -1, NULL) &&
                g_spawn_sync (NULL, argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &report, NULL, &status, NULL) &&
                g_spawn_check_wait_status (status, NULL);
  g_unlink (path);
  g_close (fd, NULL);
  double cycles = ok ? number_after (report, "Total Cycles:") : 0, ports = ok ? number_after (report, "Block RThroughput:") : 0;
  if (cycles > 0 && all)
    take_cycles (report, code, loop, all);
  return cycles > 0 ? g_strdup_printf ("llvm-mca: %.1f cycles per iteration of the hot loop; its ports need %.1f.", cycles / TURNS, ports)
                    : NULL;
}
