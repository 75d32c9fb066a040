// Pairs of texts to the options of the library.
#pragma once

#include "c/handles.h"
#include "edgetwin/network.h"

namespace edgetwin::c {

// Copies; keys and values must not be NULL. Error: usage.
Result<Options> options_of(const edgetwin_option* options, size_t n);

// How networks are opened. Error: usage for an unknown key or a bad value.
Result<OpenOptions> open_options(const Options& options);

// How they compute; keys of open_options() are left to `open`. Error: usage.
struct RunnerWish {
  TensorsOptions tensors;
  Options open;
};
Result<RunnerWish> runner_wish(const Options& options);

bool is_open_key(const std::string& key);
// A whole number of the range. Error: usage.
Result<int> number_option(const std::string& key, const std::string& value, int low, int high);
Error unknown_key(const std::string& key, const std::string& known);

}  // namespace edgetwin::c
