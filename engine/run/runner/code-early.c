/* The functions that the loader calls by itself: those that the dynamic section names, and those that choose another one's address
 * (ifunc), by a symbol or a relocation. */
#include "code-early.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#ifdef __aarch64__
#define IRELATIVE R_AARCH64_IRELATIVE
#else
#define IRELATIVE R_X86_64_IRELATIVE
#endif

static gboolean
dynamic_calls (Elf_Data *data)
{
  GElf_Dyn entry;
  for (int i = 0; gelf_getdyn (data, i, &entry) && entry.d_tag != DT_NULL; i++)
    switch (entry.d_tag) {
    case DT_INIT: case DT_FINI: case DT_INIT_ARRAY: case DT_FINI_ARRAY: case DT_PREINIT_ARRAY: case DT_AUDIT: case DT_DEPAUDIT:
      return TRUE;
    }
  return FALSE;
}

static gboolean
symbols_call (Elf_Data *data)
{
  GElf_Sym symbol;
  for (int i = 0; gelf_getsym (data, i, &symbol); i++)
    if (GELF_ST_TYPE (symbol.st_info) == STT_GNU_IFUNC && symbol.st_shndx != SHN_UNDEF)
      return TRUE;
  return FALSE;
}

static gboolean
relocations_call (Elf_Data *data)
{
  GElf_Rela entry;
  for (int i = 0; gelf_getrela (data, i, &entry); i++)
    if (GELF_R_TYPE (entry.r_info) == IRELATIVE)
      return TRUE;
  return FALSE;
}

/* The loader reads the segment, not the section. */
static gboolean
segments_call (Elf *elf)
{
  size_t n = 0;
  GElf_Phdr header;
  gboolean known = elf_getphdrnum (elf, &n) == 0, calls = FALSE;
  for (size_t i = 0; i < n && !calls; i++)
    if (gelf_getphdr (elf, (int) i, &header) && header.p_type == PT_DYNAMIC) {
      Elf_Data *data = elf_getdata_rawchunk (elf, (gint64) header.p_offset, header.p_filesz, ELF_T_DYN);
      calls = !data || dynamic_calls (data);
    }
  return !known || calls;
}

gboolean
ls_code_runs_early (const char *object)
{
  elf_version (EV_CURRENT);
  int fd = open (object, O_RDONLY | O_CLOEXEC);
  Elf *elf = fd >= 0 ? elf_begin (fd, ELF_C_READ, NULL) : NULL;
  gboolean early = !elf || segments_call (elf);
  for (Elf_Scn *section = NULL; elf && !early && (section = elf_nextscn (elf, section));) {
    GElf_Shdr header;
    Elf_Data *data = gelf_getshdr (section, &header) ? elf_getdata (section, NULL) : NULL;
    if (data && (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
      early = symbols_call (data);
    if (data && header.sh_type == SHT_RELA)
      early = relocations_call (data);
  }
  if (elf)
    elf_end (elf);
  if (fd >= 0)
    close (fd);
  return early;
}
