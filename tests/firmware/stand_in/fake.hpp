// What the stand-ins know of each other.
#pragma once
#include <string>
#include <vector>

#include "dl_model_base.hpp"
#include "golden.hpp"
namespace fake {
std::string environment(const char* name);
std::vector<uint8_t> file(const std::string& path);
[[noreturn]] void stop(const std::string& why);
// The cases with this model, and the one whose inputs it ran with last.
const std::vector<size_t>& cases_of(const dl::Model& model);
size_t last_case(const dl::Model& model);
}  // namespace fake
