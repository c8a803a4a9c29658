/* Machine code as text, by Capstone, for the machine this runs on. Bytes that are no instruction are shown as data, so that the text
 * always covers the whole code. */
#include "run.h"

#include <capstone.h>

static void
clear_instruction (gpointer data)
{
  g_free (((LsInstruction *) data)->text);
}

static gboolean
open_for_this_machine (csh *handle)
{
#if defined(__x86_64__)
  return cs_open (CS_ARCH_X86, CS_MODE_64, handle) == CS_ERR_OK;
#elif defined(__aarch64__)
  return cs_open (CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, handle) == CS_ERR_OK;
#else
  return FALSE;
#endif
}

GArray *
ls_disassemble (const guint8 *code, gsize n_code, guint64 address)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (LsInstruction));
  g_array_set_clear_func (lines, clear_instruction);
  csh handle;
  if (n_code == 0 || !open_for_this_machine (&handle))
    return lines;
  cs_option (handle, CS_OPT_SKIPDATA, CS_OPT_ON);
  cs_insn *instruction = cs_malloc (handle);
  while (cs_disasm_iter (handle, &code, &n_code, &address, instruction))
    {
      GString *text = g_string_new (NULL);
      g_string_printf (text, "%4" G_GINT64_MODIFIER "x: ", (guint64) instruction->address);
      for (guint k = 0; k < instruction->size; k++)
        g_string_append_printf (text, "%02x ", instruction->bytes[k]);
      g_string_append_printf (text, "%s%s%s", instruction->mnemonic, *instruction->op_str ? " " : "", instruction->op_str);
      LsInstruction line = { instruction->address, instruction->size, g_string_free (text, FALSE) };
      g_array_append_val (lines, line);
    }
  cs_free (instruction, 1);
  cs_close (&handle);
  return lines;
}
