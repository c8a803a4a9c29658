/* LLVM's language with typed pointers, which version 14 needs. */
#pragma once

/* The same text with a type for each pointer, of a text of render/llvm.c; free with g_free. NULL: it has a pointer of which nothing says
 * the type. (Version 14 reads opaque pointers with an option, and its analysis of loops crashes on them.) */
char *ls_typed_pointers (const char *text);
/* The type behind the pointer argument, as the first access through it has it: "float"; "i8" if there is none. Free with g_free. */
char *ls_pointee        (const char *text, const char *argument);
