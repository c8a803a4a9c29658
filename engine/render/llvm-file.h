/* The file that the debug lines of LLVM's texts, which are rows of the procedure, are of. */
#pragma once
#define LS_LLVM_FILE "kernel.ll"
