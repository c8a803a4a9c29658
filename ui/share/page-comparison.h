/* A comparison as a page, and in words that the command line prints, too. */
#pragma once
#include "measure/compare.h"

/* Its page, as described in page.h: a row per variant, the code of each in columns. Free with g_free. */
char *ls_page_comparison  (const LsComparison *comparison);

/* Free with g_free: "12.3 us"; "0.934 [0.920, 0.951]"; "bound, up to 12 ulp, 1e-05"; the hot loop; how noisy the machine was; "clang
 * 14.0.6 -O2 -march=native". */
char *ls_comparison_ratio (const LsMeasured *times);
char *ls_comparison_equal (const LsComparedVariant *variant);
char *ls_comparison_loop  (const LsComparedVariant *variant);
char *ls_comparison_noise (const LsComparison *comparison);
char *ls_comparison_compiler (const LsComparedVariant *variant);
