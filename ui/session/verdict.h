/* The verdicts of a comparison in words. */
#pragma once

/* The words for a verdict of run/measure.h by its name, in the locale's language; an unknown name is its own word, and NULL is "?". */
const char *ls_verdict_words (const char *name);
