// For loops that write nothing that they read.
#pragma once

#if defined(__clang__)
#define EDGETWIN_NO_DEPENDENCE  // clang checks for overlaps at run time
#else
#define EDGETWIN_NO_DEPENDENCE _Pragma("GCC ivdep")
#endif
