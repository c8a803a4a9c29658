/* Machine code as text, by Capstone, for the machine this runs on. Bytes that are not an instruction are shown as data, so that the text
 * always covers the whole code. */
#include "run.h"
#include "ir/number.h"

#include <capstone.h>
#include <string.h>

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

guint
ls_code_line_at (const GArray *lines, guint64 offset)
{
  guint low = 0, high = lines ? lines->len : 0;
  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index (lines, LsCodeLine, middle).offset <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? g_array_index (lines, LsCodeLine, low - 1).line : 0;
}

GArray *
ls_disassemble (const guint8 *code, gsize n_code, guint64 address, const GArray *lines)
{
  GArray *out = g_array_new (FALSE, FALSE, sizeof (LsInstruction));
  g_array_set_clear_func (out, clear_instruction);
  csh handle;
  if (n_code == 0 || !open_for_this_machine (&handle))
    return out;
  guint64 start = address;
  cs_option (handle, CS_OPT_SKIPDATA, CS_OPT_ON);
  cs_insn *instruction = cs_malloc (handle);
  while (cs_disasm_iter (handle, &code, &n_code, &address, instruction)) {
    LsInstruction row = { instruction->address, instruction->size, ls_code_line_at (lines, instruction->address - start), { 0 },
                          g_strconcat (instruction->mnemonic, *instruction->op_str ? " " : "", instruction->op_str, NULL) };
    memcpy (row.bytes, instruction->bytes, MIN (instruction->size, sizeof row.bytes));
    g_array_append_val (out, row);
  }
  cs_free (instruction, 1);
  cs_close (&handle);
  return out;
}

char *
ls_instruction_print (const LsInstruction *instruction)
{
  GString *text = g_string_new (NULL);
  g_string_printf (text, "%4" G_GINT64_MODIFIER "x: ", instruction->address);
  for (guint k = 0; k < MIN (instruction->size, sizeof instruction->bytes); k++)
    g_string_append_printf (text, "%02x ", instruction->bytes[k]);
  g_string_append (text, instruction->text);
  return g_string_free (text, FALSE);
}

char *
ls_instructions_print (const GArray *instructions)
{
  GString *out = g_string_new (NULL);
  const LsInstruction *first = &g_array_index (instructions, LsInstruction, 0),
                      *last = instructions->len ? first + instructions->len - 1 : first;
  for (guint i = 0; i < instructions->len; i++) {
    for (const char *p = first[i].text, *end; *p; p = end) {
      guint64 value = 0;
      end = p + 2;
      gboolean is_number = g_str_has_prefix (p, "0x") && ls_number_uint (&end, 16, G_MAXUINT64, &value) && value > 0;
      if (is_number && value >= first->address && value < last->address + last->size) {
        g_string_append_printf (out, "+0x%" G_GINT64_MODIFIER "x", value - first->address);
      } else {
        end = p + 1;
        g_string_append_c (out, *p);
      }
    }
    g_string_append_c (out, '\n');
  }
  return g_string_free (out, FALSE);
}
