// Time and room on the ESP32-S3 and ESP32-P4 under ESP-DL. Source: specification of estimates 2.
#pragma once

#include "edgetwin/estimate.h"
#include "estimate/espdl/boards.h"
#include "estimate/espdl/features.h"

namespace edgetwin::estimates {

struct EspdlWishes {
  std::string board, runtime, model_in;
  std::optional<double> clock_mhz;
  std::optional<int> cores;
  std::optional<bool> param_copy;
  std::optional<int64_t> internal, reserve;
};

// Cycles of each feature on a chip and generation of the runtime.
struct EspdlModel {
  bool s3 = false, tree = false;
  double mhz = 0;                          // that the cycles count at
  std::array<double, kFeatures> cycles{};  // by Feature
  double low = 0, high = 0;                // range, as factors
  EstimateBasis basis;
};
EspdlModel espdl_model(bool s3, bool tree, bool parameters_in_flash);

// Milliseconds at the model's own clock, one core.
double espdl_ms(const EspdlModel& model, const std::vector<NodeFeatures>& nodes);

// `file_bytes`: of the model, as it lies in flash. Errors: usage, bad_value.
Result<Estimate> estimate_espdl(const espdl::ModelFile& model, int64_t file_bytes,
                                espdl::Target target, const EspdlWishes& wishes);

}  // namespace edgetwin::estimates
