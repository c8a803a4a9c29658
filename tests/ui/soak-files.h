/* Files for the soak: sound recordings and programs, and broken ones made from them. */
#pragma once
#include <glib.h>

/* Makes the sound ones in folder with lazyscope-cli; FALSE when it cannot be run. */
gboolean    soak_files_make     (const char *folder);
/* One of them; a path that stays. */
const char *soak_files_sound    (GRand *rand);
const char *soak_files_program  (GRand *rand);
/* A new broken recording: cut, half written, with bytes turned over or with values of its tables replaced. Overwrites the one of 8
 * calls ago. */
const char *soak_files_broken   (GRand *rand);
/* Files that are neither a recording nor a program: nothing, noise, a folder, a missing file. */
const char *soak_files_nonsense (GRand *rand);
