// The words after `--numerics edgetpu:`.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "numerics/edgetpu_options.h"

namespace edgetwin::ops {

struct EdgetpuOptionRow {
  std::string_view key, value, meaning;
  void (*set)(numerics::EdgetpuOptions& o);
};

std::span<const EdgetpuOptionRow> edgetpu_option_table();

// `given` is the whole name: "edgetpu", or "edgetpu:ties=away,overflow=saturate". Every other name
// has no options. Error: numerics_unknown.
Result<numerics::EdgetpuOptions> edgetpu_options(std::string_view given);

}  // namespace edgetwin::ops
