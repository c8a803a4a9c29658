/* Files that a compiler may open (Landlock).
 *
 * A text can make its compiler read any file, and not only with #include: ".incbin" of an assembler puts one into the code, and such
 * directives can be written in many ways (macros of the assembler, names of sections), so no scan of the text finds them all. So the
 * compiler itself has no right to them. On a system without Landlock a compiler may read all files.
 */
#include "rights.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READ_FILE  ((guint64) LANDLOCK_ACCESS_FS_READ_FILE)
#define WRITE_FILE ((guint64) LANDLOCK_ACCESS_FS_WRITE_FILE)
#define READ       (READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE)
#define ALL        ((guint64) LANDLOCK_ACCESS_FS_MAKE_SYM * 2 - 1)      /* the calls of Landlock's first version */

/* A path that is not there needs no right. */
static void
allow (int rights, const char *path, guint64 access)
{
  int fd = open (path, O_PATH | O_CLOEXEC);
  struct landlock_path_beneath_attr beneath = { .allowed_access = access, .parent_fd = fd };
  if (fd < 0)
    return;
  syscall (SYS_landlock_add_rule, rights, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
  close (fd);
}

int
ls_rights_files_new (const char *directory, const char *program)
{
  static const struct { const char *path; guint64 access; } system[] = {
    { "/usr", READ }, { "/bin", READ }, { "/lib", READ }, { "/lib32", READ }, { "/lib64", READ }, { "/libx32", READ },
    { "/opt", READ }, { "/nix/store", READ }, { "/gnu/store", READ }, { "/etc/alternatives", READ },
    { "/etc/ld.so.cache", READ_FILE }, { "/proc/cpuinfo", READ_FILE }, { "/dev/null", READ_FILE | WRITE_FILE },
  };
  const struct landlock_ruleset_attr attributes = { .handled_access_fs = ALL };
  int rights = (int) syscall (SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  if (rights < 0)
    return -1;
  for (gsize i = 0; i < G_N_ELEMENTS (system); i++)
    allow (rights, system[i].path, system[i].access);
  g_autofree char *real = realpath (program, NULL), *bin = g_path_get_dirname (real ? real : program);
  g_autofree char *installation = g_path_get_dirname (bin);
  allow (rights, strcmp (installation, "/") == 0 ? bin : installation, READ);      /* PREFIX/bin/clang and PREFIX/lib */
  allow (rights, directory, ALL);
  fcntl (rights, F_SETFD, FD_CLOEXEC);
  return rights;
}

void
ls_rights_files_enter (int rights)
{
  if (rights >= 0 && prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    syscall (SYS_landlock_restrict_self, rights, 0);
}
