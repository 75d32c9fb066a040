// Results that were recorded on Edge TPU devices, computed again.
#pragma once

#include <string>
#include <vector>

#include "targets/edgetpu/recordings/verify.h"

namespace edgetwin::twin {

struct RecordingsCheck {
  std::string folder;               // holds cases.json
  std::vector<std::string> models;  // folders with models and pictures; FOLDER/../models is added
  std::string numerics;  // "edgetpu…": device results only; another: the others only; empty: all
  int threads = 1;
  bool compiled_first = false;  // open compiled models where both forms are there
};

// Compiled models without their source are decompiled. Errors: silicon_cases, file_*,
// numerics_unknown.
Result<edgetpu::silicon::Report> verify_recordings(const RecordingsCheck& check,
                                                   const ProgressSink& progress);

}  // namespace edgetwin::twin
