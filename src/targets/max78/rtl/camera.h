// A camera that gives the input of a simulated chip: its signals, and the program's side of it.
// Source: specification "rtl" 9.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "targets/max78/rtl/rtl.h"

namespace edgetwin::max78 {

// Errors: max78_option for inputs that a camera cannot give.
Status camera_fits(const Plan& plan);
// "vsync,href,pclk,d" and a line for every change of the signals.
std::string camera_csv(const Plan& plan, const Tensor& sample);
// load_input: rounds of words from the camera.
Function camera_input(const Plan& plan);
std::string camera_input_c(const Plan& plan, const Access& rounds);
// Lines of main() that set the camera up; the macros and blocks of the run file.
std::string camera_setup(const Plan& plan);
std::string camera_paths(const Plan& plan);
std::string camera_signals(const Plan& plan);

// The other direction: the words that `rounds` rounds of `fifos` words take from signals of
// `format` (888, 565, 555). Errors: max78_program_text.
Result<std::vector<uint32_t>> camera_words(const std::string& csv, const std::string& name,
                                           uint32_t rounds, size_t fifos, int format);
bool is_camera_csv(const std::string& text);

}  // namespace edgetwin::max78
