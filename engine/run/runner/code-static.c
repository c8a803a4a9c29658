/* Variables that code keeps between its calls, by the symbol table of the shared object that clang and gcc make. */
#include "code-static.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

static gboolean
is_writable (Elf *elf, GElf_Section index)
{
  GElf_Shdr header;
  Elf_Scn *section = index < SHN_LORESERVE ? elf_getscn (elf, index) : NULL;
  return section && gelf_getshdr (section, &header) && (header.sh_flags & SHF_ALLOC) && (header.sh_flags & SHF_WRITE) &&
         (header.sh_type == SHT_NOBITS || header.sh_type == SHT_PROGBITS);
}

static gsize
bytes_of (Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
  gsize bytes = 0;
  Elf_Data *data = elf_getdata (section, NULL);
  for (gsize i = 0; data && i < data->d_size / MAX (header->sh_entsize, 1); i++) {
    GElf_Sym symbol;
    if (!gelf_getsym (data, (int) i, &symbol) || (GELF_ST_TYPE (symbol.st_info) != STT_OBJECT &&
                                                  GELF_ST_TYPE (symbol.st_info) != STT_TLS) || !is_writable (elf, symbol.st_shndx))
      continue;
    bytes += symbol.st_size;
  }
  return bytes;
}

gsize
ls_code_static_bytes (const char *object)
{
  gsize bytes = 0;
  elf_version (EV_CURRENT);
  int fd = open (object, O_RDONLY | O_CLOEXEC);
  Elf *elf = fd >= 0 ? elf_begin (fd, ELF_C_READ, NULL) : NULL;
  for (Elf_Scn *section = NULL; elf && (section = elf_nextscn (elf, section));) {
    GElf_Shdr header;
    if (gelf_getshdr (section, &header) && header.sh_type == SHT_SYMTAB)
      bytes += bytes_of (elf, section, &header);
  }
  if (elf)
    elf_end (elf);
  if (fd >= 0)
    close (fd);
  return bytes;
}
