/* Line tables of compiled functions.
 *
 * clang and gcc write DWARF into the very object that is run, which libdw reads. libtcc writes stabs, keeps them to itself for code in
 * memory, and puts them only into objects: it writes one, which is loaded and read, and the table counts only when the function has the
 * object's bytes wherever the linker does not write. A line of another file than kernel.c (of the launcher or a dialect's prelude) is 0,
 * and so is code that the compiler assigns to no line.
 */
#include "code-lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#define SOURCE_NAME "kernel.c"

/* Lines follow each other at ascending offsets; of several at one offset the last holds, and an entry that repeats its predecessor
 * says nothing. */
static void
add_line (GArray *lines, guint64 offset, guint line)
{
  LsProtocolLine new = { (guint32) offset, line };
  if (lines->len && g_array_index (lines, LsProtocolLine, lines->len - 1).offset == new.offset)
    g_array_set_size (lines, lines->len - 1);
  if (lines->len == 0 || g_array_index (lines, LsProtocolLine, lines->len - 1).line != line)
    g_array_append_val (lines, new);
}

static GArray *
lines_or_null (GArray *lines)
{
  if (lines->len == 0)
    g_clear_pointer (&lines, g_array_unref);
  return lines;
}

/* --- DWARF --- */

static int
by_address (gconstpointer a, gconstpointer b)
{
  Dwarf_Addr x = 0, y = 0;
  dwarf_lineaddr (*(Dwarf_Line *const *) a, &x);
  dwarf_lineaddr (*(Dwarf_Line *const *) b, &y);
  return x < y ? -1 : x > y;
}

static void
lines_of_unit (Dwarf_Die *unit, const char *file, guint64 address, gsize n_code, GArray *out)
{
  Dwarf_Lines *all;
  gsize n;
  if (dwarf_getsrclines (unit, &all, &n) != 0)
    return;
  g_autoptr (GPtrArray) inside = g_ptr_array_new ();
  for (gsize i = 0; i < n; i++) {
    Dwarf_Line *line = dwarf_onesrcline (all, i);
    Dwarf_Addr at;
    bool ends = false;
    if (line && dwarf_lineaddr (line, &at) == 0 && dwarf_lineendsequence (line, &ends) == 0 && !ends && at >= address &&
        at - address < n_code)
      g_ptr_array_add (inside, line);
  }
  g_ptr_array_sort (inside, by_address);      /* stable: rows of one address stay in order */
  for (guint i = 0; i < inside->len; i++) {
    Dwarf_Addr at;
    int number = 0;
    const char *name = dwarf_linesrc (inside->pdata[i], NULL, NULL);
    g_autofree char *base = name ? g_path_get_basename (name) : NULL;
    dwarf_lineaddr (inside->pdata[i], &at);
    dwarf_lineno (inside->pdata[i], &number);
    add_line (out, at - address, g_strcmp0 (base, file) == 0 && number > 0 ? (guint) number : 0);
  }
}

static void
lines_of_all (Dwarf *dwarf, const char *file, guint64 address, gsize n_code, GArray *lines)
{
  Dwarf_CU *unit = NULL;
  Dwarf_Die die;
  while (dwarf && lines->len == 0 && dwarf_get_units (dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
    lines_of_unit (&die, file, address, n_code, lines);
}

GArray *
ls_code_lines_dwarf (const char *object, guint64 address, gsize n_code)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (LsProtocolLine));
  int fd = open (object, O_RDONLY | O_CLOEXEC);
  Dwarf *dwarf = fd >= 0 ? dwarf_begin (fd, DWARF_C_READ) : NULL;
  lines_of_all (dwarf, SOURCE_NAME, address, n_code, lines);
  if (dwarf)
    dwarf_end (dwarf);
  if (fd >= 0)
    close (fd);
  return lines_or_null (lines);
}

GArray *
ls_code_lines_image (char *image, gsize n, const char *file, guint64 address, gsize n_code)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (LsProtocolLine));
  elf_version (EV_CURRENT);
  Elf *elf = elf_memory (image, n);
  Dwarf *dwarf = elf ? dwarf_begin_elf (elf, DWARF_C_READ, NULL) : NULL;
  lines_of_all (dwarf, file, address, n_code, lines);
  if (dwarf)
    dwarf_end (dwarf);
  if (elf)
    elf_end (elf);
  return lines_or_null (lines);
}

/* --- stabs --- */

typedef struct { guint32 name; guint8 type, other; guint16 desc; guint32 value; } Stab;
enum { N_FUN = 0x24, N_SLINE = 0x44, N_SO = 0x64, N_SOL = 0x84 };

typedef struct { Elf_Data *text, *text_relocations, *symbols, *stabs, *stab_names; guint32 symbol_names; } Object;

static void
find_sections (Elf *elf, Object *o)
{
  gsize names = 0, text = 0;
  memset (o, 0, sizeof *o);
  if (elf_getshdrstrndx (elf, &names) != 0)
    return;
  for (Elf_Scn *section = NULL; (section = elf_nextscn (elf, section));) {
    GElf_Shdr head;
    if (!gelf_getshdr (section, &head))
      continue;
    const char *name = elf_strptr (elf, names, head.sh_name);
    Elf_Data *data = elf_getdata (section, NULL);
    if (g_strcmp0 (name, ".text") == 0) {
      o->text = data;
      text = elf_ndxscn (section);
    } else if (g_strcmp0 (name, ".stab") == 0)
      o->stabs = data;
    else if (g_strcmp0 (name, ".stabstr") == 0)
      o->stab_names = data;
    else if (head.sh_type == SHT_SYMTAB) {
      o->symbols = data;
      o->symbol_names = head.sh_link;
    } else if (head.sh_type == SHT_RELA && head.sh_info == text)
      o->text_relocations = data;
  }
}

static gboolean
find_function (Elf *elf, const Object *o, const char *name, guint64 *start)
{
  GElf_Sym symbol;
  for (int i = 0; gelf_getsym (o->symbols, i, &symbol); i++)
    if (g_strcmp0 (elf_strptr (elf, o->symbol_names, symbol.st_name), name) == 0 && symbol.st_shndx != SHN_UNDEF) {
      *start = symbol.st_value;
      return TRUE;
    }
  return FALSE;
}

/* The same bytes, except the four that each relocation overwrites. */
static gboolean
is_same_code (const Object *o, guint64 start, const guint8 *code, gsize n_code)
{
  if (o->text->d_size < start || o->text->d_size - start < n_code)
    return FALSE;
  g_autofree guint8 *linked = g_malloc0 (n_code);
  GElf_Rela relocation;
  for (int i = 0; o->text_relocations && gelf_getrela (o->text_relocations, i, &relocation); i++)
    for (guint b = 0; b < 4 && relocation.r_offset >= start; b++)
      if (relocation.r_offset - start + b < n_code)
        linked[relocation.r_offset - start + b] = TRUE;
  const guint8 *bytes = (const guint8 *) o->text->d_buf + start;
  for (gsize i = 0; i < n_code; i++)
    if (!linked[i] && bytes[i] != code[i])
      return FALSE;
  return TRUE;
}

static const char *
stab_text (const Object *o, guint32 at)
{
  const char *names = o->stab_names->d_buf;
  return at < o->stab_names->d_size && memchr (names + at, '\0', o->stab_names->d_size - at) ? names + at : "";
}

/* A stab's line has 16 bits: when lines fall by half of that range, the count has overflowed. */
static void
read_stabs (const Object *o, const char *function, gsize n_code, GArray *lines)
{
  g_autofree char *begins = g_strconcat (function, ":", NULL);
  gboolean inside = FALSE, counts = TRUE;
  guint over = 0, last = 0;
  for (gsize at = 0; at + sizeof (Stab) <= o->stabs->d_size; at += sizeof (Stab)) {
    Stab stab;
    memcpy (&stab, (const guint8 *) o->stabs->d_buf + at, sizeof stab);
    const char *text = stab_text (o, stab.name);
    if (stab.type == N_FUN)
      inside = g_str_has_prefix (text, begins);
    else if (stab.type == N_SOL || stab.type == N_SO)
      counts = g_str_equal (text, SOURCE_NAME);
    if (stab.type != N_SLINE || (guint) stab.value >= n_code)
      continue;
    if (inside && counts && stab.desc + 32768u < last)
      over++;
    if (inside && counts)
      last = stab.desc;
    if (inside)
      add_line (lines, stab.value, counts ? over * 65536 + stab.desc : 0);
  }
}

GArray *
ls_code_lines_stabs (int object, const char *function, const guint8 *code, gsize n_code)
{
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (LsProtocolLine));
  elf_version (EV_CURRENT);
  lseek (object, 0, SEEK_SET);
  Elf *elf = elf_begin (object, ELF_C_READ, NULL);
  Object o;
  guint64 start;
  if (elf)
    find_sections (elf, &o);
  if (elf && o.text && o.symbols && o.stabs && o.stab_names && find_function (elf, &o, function, &start) &&
      is_same_code (&o, start, code, n_code))
    read_stabs (&o, function, n_code, lines);
  if (elf)
    elf_end (elf);
  return lines_or_null (lines);
}
