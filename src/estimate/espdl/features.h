// What of a node decides its time under ESP-DL. Source: specification of estimates 2.1.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "estimate/espdl/planner.h"

namespace edgetwin::estimates {

// V: vector steps of int8 nodes; V16: of int16 nodes; G: groups of results; D: depthwise steps;
// S: kB of parameters read again, by where they come from; A: bytes of activations; A_internal: the
// same in internal RAM; T, T16: elements of functions; Q: elements of divisions; N: nodes.
enum class Feature : uint8_t { V, V16, G, D, S_middle, S_large, A, A_internal, T, T16, Q, N };
inline constexpr size_t kFeatures = 12;
std::string_view name(Feature feature);

struct NodeFeatures {
  std::array<double, kFeatures> value{};
  int64_t macs = 0, parameter_bytes = 0;
  bool convolution = false;  // Conv, which two cores share
  double& operator[](Feature f) { return value[static_cast<size_t>(f)]; }
  double operator[](Feature f) const { return value[static_cast<size_t>(f)]; }
};

// In the order of the nodes. `target`: what the data cache holds.
std::vector<NodeFeatures> features_of(const espdl::Document& document, const Variables& variables,
                                      const ActivationPlan& plan, bool s3);

}  // namespace edgetwin::estimates
