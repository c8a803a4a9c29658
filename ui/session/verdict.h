/* The verdicts of a comparison in words. */
#pragma once

/* Of one of run/measure.h by its name, in the locale's language; a name that is none is its own word, and NULL is "?". */
const char *ls_verdict_words (const char *name);
