/* Translation of the window's texts. */
#pragma once

#include "share/words.h"

/* To be called before anything else, the options included. */
void ls_i18n_init (void);
