/* libLLVM, where it is installed: found by the names of its files and not loaded, for loading it takes a tenth of a second and 60 MB. */
#pragma once
#include <glib.h>

#define LS_LLVM_OLDEST 14
#define LS_LLVM_NEWEST 20

/* The path of one of the versions that this program knows, the ones with the fastest code first: $LAZYSCOPE_LLVM if it
 * is set ("none" or a path that is not there:
 * NULL), else in the system's folders of libraries. NULL: none. It lasts as long as the process. */
const char *ls_llvm_library       (void);
/* The number in the name of that file, 14; 0: none. */
guint       ls_llvm_library_major (const char *path);
