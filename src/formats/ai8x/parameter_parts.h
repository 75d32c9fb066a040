// What both sources of parameters have in common.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/ai8x/parameters.h"
#include "tensor/tensor.h"

namespace edgetwin::ai8x {

// Findings about parameters: each names the layer and the entry that they come from.
class ParameterFindings {
 public:
  ParameterFindings(const Network& network, std::string file, Report& report)
      : network_(network), file_(std::move(file)), report_(report) {}

  Finding& error(ErrorCode code, std::optional<size_t> layer, std::string entry,
                 std::string message) {
    return put(Severity::error, code, layer, std::move(entry), std::move(message));
  }
  Finding& warning(ErrorCode code, std::optional<size_t> layer, std::string entry,
                   std::string message) {
    return put(Severity::warning, code, layer, std::move(entry), std::move(message));
  }
  void note(ErrorCode code, std::string message) {
    put(Severity::note, code, {}, "", std::move(message));
  }

 private:
  Finding& put(Severity severity, ErrorCode code, std::optional<size_t> layer, std::string entry,
               std::string message);
  const Network& network_;
  std::string file_;
  Report& report_;
};

// The elements as whole numbers, fractions dropped toward zero.
struct Whole {
  std::vector<int32_t> values;
  int64_t low = 0;
  int64_t high = 0;
  bool fractions = false;  // some element was not whole
  bool outside = false;    // some element is not finite or beyond 32 bits
};
Whole to_whole(const Tensor& tensor);

// True if every value fits `quantization` (1, 2, 4, 8 or kBinary); otherwise an error is added.
bool check_bits(const Whole& weights, int quantization, size_t layer, const std::string& entry,
                ParameterFindings& findings);

// Shape, channels and values of a layer's weights. `shape` is the stored order (out, in[, y[, x]]);
// `turn`: a transposed convolution as PyTorch stores it, (in, out, y, x), to be turned by 180
// degrees and transposed. Adds errors for a wrong number of dimensions and another kernel.
bool fill_weights(const Layer& layer, size_t index, const Shape& shape, const Whole& weights,
                  bool turn, LayerParameters& out, ParameterFindings& findings);

// Copies for weight_source, the entries of layers without weights, and the checks on the whole.
void finish_layers(const Network& network, Parameters& parameters, ParameterFindings& findings);

// Warnings where names or shapes speak for another match than the order. match.cc.
void check_order(const Network& network, const Parameters& parameters, ParameterFindings& findings);

bool without_bias(const ParameterOptions& options, size_t layer);

}  // namespace edgetwin::ai8x
