// Whether a sanitizer is compiled in: memory and time are not the program's own then.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EDGETWIN_INSTRUMENTED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EDGETWIN_INSTRUMENTED true
#endif
#endif
#ifndef EDGETWIN_INSTRUMENTED
#define EDGETWIN_INSTRUMENTED false
#endif

namespace edgetwin {

inline constexpr bool kInstrumented = EDGETWIN_INSTRUMENTED;

}  // namespace edgetwin

#undef EDGETWIN_INSTRUMENTED
