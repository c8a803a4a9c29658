/* The font of code: the first that is installed. In all but the last, which may be any, l, 1 and I differ, and 0 and O. style.css asks
 * for the same. */
#pragma once

#define LS_CODE_FONT "DejaVu Sans Mono,JetBrains Mono,Hack,monospace"
