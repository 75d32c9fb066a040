// EDGETWIN_API marks what libedgetwin.so exports. Everything else in the library is hidden: it can
// change without notice, and it cannot collide with names of the program that loads it.
#pragma once

#if defined(__GNUC__)
#define EDGETWIN_API __attribute__((visibility("default")))
#else
#define EDGETWIN_API
#endif
