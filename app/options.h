/* Definitions for options.def: a bit for each command and mode, their names, and the kinds of values. For who includes that table. */
#pragma once
#include "commands.h"

enum {
#define X(id, ...) id = 1 << LS_CLI_##id,
  LS_CLI_COMMAND_TABLE (X)
  LS_CLI_MODE_TABLE (X)
#undef X
};

static const char *const ls_cli_mode_names[LS_CLI_N_MODES] = {
#define X(id, name, ...) name,
  LS_CLI_COMMAND_TABLE (X)
#undef X
#define X(id, of, name) name,
  LS_CLI_MODE_TABLE (X)
#undef X
};

typedef enum { FLAG, NUMBER, TEXT, PATH, TEXTS, PATHS } LsCliKind;
