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
// Of applications with a picture: the input of a case, and the expected results of the case that
// ran last, each with or without a fault.
void write_input(size_t index, uint8_t* to);
std::vector<int32_t> integers(const dl::Model& model, const std::string& name);
std::vector<float> reals(const dl::Model& model, const std::string& name);
std::vector<uint8_t> bytes(const dl::Model& model, const std::string& name);
// A picture that was made of the application's own.
void*& sheet();
}  // namespace fake
