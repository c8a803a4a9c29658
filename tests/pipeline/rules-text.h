/* pipeline.c asks the test for the text of rule files. */
#pragma once
const char *more_rules_text (const char *file);
