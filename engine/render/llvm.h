/* The renderer of LLVM's language. */
#pragma once
#include "llvm-file.h"
#include "render.h"

extern const LsRenderer ls_renderer_llvm;

