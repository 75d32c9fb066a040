// What the shared library shows. Everything else in it is hidden.
#pragma once

#if defined(_WIN32)
#define EDGETWIN_API
#else
#define EDGETWIN_API __attribute__((visibility("default")))
#endif
