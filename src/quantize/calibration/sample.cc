#include "quantize/calibration/sample.h"

#include "quantize/calibration/observer.h"

namespace edgetwin::quantize {
namespace {

Error bad_sample(const Graph& graph, size_t sample, size_t input, const std::string& what) {
  return Error(ErrorCode::quant_calibration,
               "sample " + std::to_string(sample) + " for the input '" +
                   graph.value(graph.inputs[input]).name + "' " + what);
}

Status check_sample(const Graph& graph, const Sample& sample, size_t number) {
  if (sample.size() != graph.inputs.size()) {
    return Error(ErrorCode::quant_calibration, "sample " + std::to_string(number) + " has " +
                                                   std::to_string(sample.size()) +
                                                   " tensors, the network has " +
                                                   std::to_string(graph.inputs.size()) + " inputs");
  }
  for (size_t i = 0; i < sample.size(); ++i) {
    const Value& v = graph.value(graph.inputs[i]);
    if (sample[i].dtype != v.dtype) {
      return bad_sample(graph, number, i,
                        "is " + std::string(name(sample[i].dtype)) + ", " +
                            std::string(name(v.dtype)) + " is expected");
    }
    if (!(sample[i].shape == v.shape)) {
      return bad_sample(graph, number, i,
                        "has the shape " + to_string(sample[i].shape) + ", " + to_string(v.shape) +
                            " is expected");
    }
    if (v.dtype == DType::float32 && !observe(sample[i].as<float>(), false).finite) {
      return Error(ErrorCode::quant_not_finite, "sample " + std::to_string(number) +
                                                    " for the input '" + v.name +
                                                    "' holds NaN or infinity");
    }
  }
  return Ok{};
}

}  // namespace

Status check_samples(const Graph& graph, const std::vector<Sample>& samples,
                     std::vector<Finding>& findings) {
  if (samples.empty()) {
    return Error(ErrorCode::quant_calibration, "there is no sample to calibrate with");
  }
  for (size_t i = 0; i < samples.size(); ++i) EDGETWIN_TRY(check_sample(graph, samples[i], i));
  if (samples.size() == 1) {
    findings.push_back({Severity::warning, "", "",
                        "calibration with one sample only: ranges are those of this sample",
                        "Give some that differ, as many as the network has kinds of input."});
  }
  return Ok{};
}

}  // namespace edgetwin::quantize
