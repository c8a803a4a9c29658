/* Objects of x86-64.
 *
 * The sections that the program has in memory are laid one after the other into one mapping, and behind them a slot for each symbol:
 * a jump to its address and that address. A call of a function of symbols.c goes through its slot, for it may lie further away than a
 * call reaches. Everything that is read of the object is checked against its size: it may come from a file.
 */
#include "load-object.h"

#include <elf.h>
#include <string.h>
#include <sys/mman.h>

#include "symbols.h"

#define SLOT         16      /* ff 25 00000000: jmp [rip]; the address follows */
#define SLOT_ADDRESS 6
#define MOST_BYTES   ((gsize) 64 << 20)

typedef struct {
  guint8           *image;
  gsize             n;
  const Elf64_Ehdr *head;
  const Elf64_Shdr *sections;
  const Elf64_Sym  *symbols;
  guint             n_symbols;
  const char       *names;
  gsize             n_names;
  gsize            *at;          /* of each section in the mapping; G_MAXSIZE: it is not there */
  guint8           *base;
  gsize             slots, size;
  char            **message;
} Object;

static gboolean
fail (Object *o, const char *why)
{
  if (!*o->message)
    *o->message = g_strdup (why);
  return FALSE;
}

static gboolean
is_inside (const Object *o, guint64 offset, guint64 size)
{
  return offset <= o->n && size <= o->n - offset;
}

static gboolean
read_tables (Object *o)
{
  o->head = (const Elf64_Ehdr *) o->image;
  if (o->n < sizeof *o->head || memcmp (o->head->e_ident, ELFMAG, SELFMAG) != 0 || o->head->e_ident[EI_CLASS] != ELFCLASS64 ||
      o->head->e_machine != EM_X86_64 || o->head->e_type != ET_REL || o->head->e_shentsize != sizeof (Elf64_Shdr) ||
      o->head->e_shoff % 8 || !is_inside (o, o->head->e_shoff, (guint64) o->head->e_shnum * sizeof (Elf64_Shdr)))
    return fail (o, "the object is damaged");
  o->sections = (const Elf64_Shdr *) (o->image + o->head->e_shoff);
  for (guint i = 0; i < o->head->e_shnum; i++) {
    const Elf64_Shdr *s = &o->sections[i];
    if (s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL && (!is_inside (o, s->sh_offset, s->sh_size) || (s->sh_type == SHT_SYMTAB &&
                                                                                                           s->sh_offset % 8)))
      return fail (o, "the object is damaged");
    if (s->sh_type == SHT_INIT_ARRAY || s->sh_type == SHT_FINI_ARRAY || s->sh_type == SHT_PREINIT_ARRAY)
      return fail (o, "it has code that runs when it is loaded, which kernels must not have");
    if (s->sh_type != SHT_SYMTAB || s->sh_link >= o->head->e_shnum)
      continue;
    o->symbols = (const Elf64_Sym *) (o->image + s->sh_offset);
    o->n_symbols = (guint) (s->sh_size / sizeof (Elf64_Sym));
    o->names = (const char *) o->image + o->sections[s->sh_link].sh_offset;
    o->n_names = o->sections[s->sh_link].sh_size;
  }
  return (o->symbols && o->n_names && !o->names[o->n_names - 1]) || fail (o, "the object is damaged");
}

static const char *
symbol_name (const Object *o, const Elf64_Sym *symbol)
{
  return symbol->st_name < o->n_names ? o->names + symbol->st_name : "";
}

static gboolean
is_frame (const Object *o, const Elf64_Shdr *s)
{
  return s->sh_type == SHT_X86_64_UNWIND || (s->sh_flags & SHF_ALLOC && s->sh_type == SHT_PROGBITS && s->sh_name &&
                                            o->head->e_shstrndx < o->head->e_shnum &&
                                            s->sh_name + sizeof ".eh_frame" <= o->sections[o->head->e_shstrndx].sh_size &&
                                            memcmp (o->image + o->sections[o->head->e_shstrndx].sh_offset + s->sh_name, ".eh_frame",
                                                    sizeof ".eh_frame") == 0);
}

/* Places the sections: nothing unwinds kernels, so that tables for that are left out. */
static gboolean
lay_out (Object *o)
{
  gsize end = 0;
  o->at = g_new (gsize, o->head->e_shnum);
  for (guint i = 0; i < o->head->e_shnum; i++) {
    const Elf64_Shdr *s = &o->sections[i];
    o->at[i] = G_MAXSIZE;
    if (!(s->sh_flags & SHF_ALLOC) || !s->sh_size || is_frame (o, s))
      continue;
    if (s->sh_flags & SHF_WRITE || s->sh_type != SHT_PROGBITS)
      return fail (o, "it has variables that last longer than a call, which kernels must not have");
    gsize align = MAX (s->sh_addralign, 1);
    if (align > 4096 || align & (align - 1) || s->sh_size > MOST_BYTES || end > MOST_BYTES)
      return fail (o, "the object is damaged");
    end = (end + align - 1) & ~(align - 1);
    o->at[i] = end;
    end += s->sh_size;
  }
  o->slots = (end + SLOT - 1) & ~(gsize) (SLOT - 1);
  o->size = (o->slots + (gsize) o->n_symbols * SLOT + 4095) & ~(gsize) 4095;
  if (o->size > MOST_BYTES)
    return fail (o, "the object is too large");
  o->base = mmap (NULL, o->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (o->base == MAP_FAILED) {
    o->base = NULL;
    return fail (o, "there is no memory for its code");
  }
  for (guint i = 0; i < o->head->e_shnum; i++)
    if (o->at[i] != G_MAXSIZE)
      memcpy (o->base + o->at[i], o->image + o->sections[i].sh_offset, o->sections[i].sh_size);
  return TRUE;
}

/* The address of a symbol, or NULL. */
static guint8 *
address_of (const Object *o, const Elf64_Sym *symbol)
{
  guint section = symbol->st_shndx;
  if (section == SHN_UNDEF || section >= o->head->e_shnum || o->at[section] == G_MAXSIZE ||
      symbol->st_value > o->sections[section].sh_size || ELF64_ST_TYPE (symbol->st_info) == STT_GNU_IFUNC)
    return NULL;
  return o->base + o->at[section] + symbol->st_value;
}

static gboolean
fill_slots (Object *o)
{
  for (guint i = 1; i < o->n_symbols; i++) {
    const Elf64_Sym *symbol = &o->symbols[i];
    const void *address = address_of (o, symbol);
    if (symbol->st_shndx == SHN_UNDEF)
      address = ls_symbol_find (symbol_name (o, symbol));
    guint8 *slot = o->base + o->slots + (gsize) i * SLOT;
    memcpy (slot, "\xff\x25\0\0\0\0", SLOT_ADDRESS);
    memcpy (slot + SLOT_ADDRESS, &address, sizeof address);
  }
  return TRUE;
}

/* A relocation of memory: s the section that it is in. */
static gboolean
relocate (Object *o, const Elf64_Rela *rela, guint section)
{
  guint index = (guint) ELF64_R_SYM (rela->r_info), type = (guint) ELF64_R_TYPE (rela->r_info);
  gsize width = type == R_X86_64_64 ? 8 : 4;
  if (index >= o->n_symbols || rela->r_offset > o->sections[section].sh_size || o->sections[section].sh_size - rela->r_offset < width)
    return fail (o, "the object is damaged");
  const Elf64_Sym *symbol = &o->symbols[index];
  guint8 *place = o->base + o->at[section] + rela->r_offset, *slot = o->base + o->slots + (gsize) index * SLOT;
  const guint8 *target = address_of (o, symbol);
  if (!target && symbol->st_shndx == SHN_UNDEF && ls_symbol_find (symbol_name (o, symbol)))
    target = slot;
  if (!target) {
    if (!*o->message)
      *o->message = g_strdup_printf ("it calls %s, which kernels may not", symbol_name (o, symbol));
    return FALSE;
  }
  if (type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX)
    target = slot + SLOT_ADDRESS;
  else if (type == R_X86_64_64) {
    guint64 value = (guint64) (gsize) target + (guint64) rela->r_addend;
    memcpy (place, &value, sizeof value);
    return TRUE;
  } else if (type != R_X86_64_PC32 && type != R_X86_64_PLT32)
    return fail (o, "it has a relocation that this program does not know");
  gint64 distance = (gint64) ((guint64) (gsize) target + (guint64) rela->r_addend - (guint64) (gsize) place);
  gint32 value = (gint32) distance;
  if (value != distance)
    return fail (o, "the object is damaged");
  memcpy (place, &value, sizeof value);
  return TRUE;
}

/* A debug section counts from the beginning of the sections that it names. */
static void
relocate_debug (Object *o, const Elf64_Rela *rela, guint section)
{
  guint index = (guint) ELF64_R_SYM (rela->r_info), type = (guint) ELF64_R_TYPE (rela->r_info);
  const Elf64_Shdr *s = &o->sections[section];
  gsize width = type == R_X86_64_64 ? 8 : 4;
  if (index >= o->n_symbols || rela->r_offset > s->sh_size || s->sh_size - rela->r_offset < width ||
      (type != R_X86_64_64 && type != R_X86_64_32))
    return;
  guint64 value = o->symbols[index].st_value + (guint64) rela->r_addend;
  memcpy (o->image + s->sh_offset + rela->r_offset, &value, width);
}

static gboolean
relocate_all (Object *o)
{
  for (guint i = 0; i < o->head->e_shnum; i++) {
    const Elf64_Shdr *s = &o->sections[i];
    if (s->sh_type == SHT_REL)
      return fail (o, "it has a relocation that this program does not know");
    if (s->sh_type != SHT_RELA || s->sh_info >= o->head->e_shnum || o->sections[s->sh_info].sh_type == SHT_NOBITS)
      continue;
    for (guint64 k = 0; k + sizeof (Elf64_Rela) <= s->sh_size; k += sizeof (Elf64_Rela)) {
      Elf64_Rela rela;
      memcpy (&rela, o->image + s->sh_offset + k, sizeof rela);
      if (o->at[s->sh_info] == G_MAXSIZE)
        relocate_debug (o, &rela, s->sh_info);
      else if (!relocate (o, &rela, s->sh_info))
        return FALSE;
    }
  }
  return TRUE;
}

static const Elf64_Sym *
find_symbol (const Object *o, const char *name)
{
  for (guint i = 1; i < o->n_symbols; i++)
    if (strcmp (symbol_name (o, &o->symbols[i]), name) == 0 && address_of (o, &o->symbols[i]))
      return &o->symbols[i];
  return NULL;
}

gboolean
ls_load_object (guint8 *image, gsize n, const char *call, const char *function, LsLoaded *loaded, char **message)
{
  Object o = { .image = image, .n = n, .message = message };
  *message = NULL;
  memset (loaded, 0, sizeof *loaded);
  gboolean ok = read_tables (&o) && lay_out (&o) && fill_slots (&o) && relocate_all (&o);
  const Elf64_Sym *entry = ok ? find_symbol (&o, call) : NULL, *kernel = ok ? find_symbol (&o, function) : NULL;
  ok = ok && ((entry && kernel) || fail (&o, "the object does not have its function"));
  ok = ok && (mprotect (o.base, o.size, PROT_READ | PROT_EXEC) == 0 || fail (&o, "its code may not be executed"));
  if (ok) {
    guint section = kernel->st_shndx;
    *loaded = (LsLoaded) { o.base, o.size, address_of (&o, entry), address_of (&o, kernel), kernel->st_size, kernel->st_value };
    if (kernel->st_size > o.sections[section].sh_size - kernel->st_value)
      loaded->n_function = 0;
  } else if (o.base)
    munmap (o.base, o.size);
  g_free (o.at);
  return ok;
}

void
ls_unload_object (LsLoaded *loaded)
{
  munmap (loaded->base, loaded->size);
}
