// Windows of transforms: the table windows.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edgetwin::signals {

enum class Window : uint8_t {
#define WINDOW(name, a0, a1, a2) name,
#include "signals/spectrum/windows.def"
#undef WINDOW
};
std::string_view name(Window window);
std::optional<Window> window_by_name(std::string_view word);
std::vector<std::string> window_names();

// The periodic form, of N factors.
std::vector<float> window_factors(Window window, size_t size);

}  // namespace edgetwin::signals
