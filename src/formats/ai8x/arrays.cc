// Parameters from rows of .npy arrays (specification max7800x-network, 3.4).
#include <algorithm>
#include <bit>

#include "formats/ai8x/parameter_parts.h"
#include "tensor/npy.h"

namespace edgetwin::ai8x {
namespace {

constexpr size_t kMaxArrays = 1024;
constexpr size_t kMaxElements = size_t{1} << 26;  // of all arrays together; no device holds as many

Result<std::vector<Tensor>> read_row(ByteSpan data, const std::string& file) {
  std::vector<Tensor> out;
  size_t at = 0;
  size_t elements = 0;
  while (at < data.size()) {
    const std::string place = file + " (array " + std::to_string(out.size()) + ")";
    EDGETWIN_TRY_ASSIGN(Tensor tensor, read_npy(data.subspan(at), place));
    ByteReader header(data.subspan(at), file);
    EDGETWIN_TRY(header.skip(6, "magic"));
    EDGETWIN_TRY_ASSIGN(const auto major, header.read<uint8_t>("major version"));
    EDGETWIN_TRY(header.skip(1, "minor version"));
    size_t length = 0;
    if (major == 1) {
      EDGETWIN_TRY_ASSIGN(length, header.read<uint16_t>("header length"));
    } else {
      EDGETWIN_TRY_ASSIGN(length, header.read<uint32_t>("header length"));
    }
    at += header.offset() + length + tensor.data.size();
    elements += static_cast<size_t>(tensor.shape.elements());
    if (elements > kMaxElements || out.size() >= kMaxArrays) {
      return Error(ErrorCode::ai8x_arrays, "the file has more arrays or values than a device holds")
          .in_file(file);
    }
    out.push_back(std::move(tensor));
  }
  return out;
}

// A single array has the layers along its first axis.
std::vector<Tensor> layers_of(std::vector<Tensor> arrays) {
  if (arrays.size() != 1 || arrays[0].shape.rank() < 2) return arrays;
  const Tensor whole = std::move(arrays[0]);
  std::vector<Tensor> out;
  const int64_t layers = std::min<int64_t>(whole.shape[0], kMaxArrays);
  const size_t bytes = layers == 0 ? 0 : whole.data.size() / static_cast<size_t>(whole.shape[0]);
  for (int64_t i = 0; i < layers; ++i) {
    Tensor part;
    part.dtype = whole.dtype;
    part.shape = Shape(whole.shape.dims().subspan(1));
    const auto begin =
        whole.data.begin() + static_cast<std::ptrdiff_t>(static_cast<size_t>(i) * bytes);
    part.data.assign(begin, begin + static_cast<std::ptrdiff_t>(bytes));
    out.push_back(std::move(part));
  }
  return out;
}

// How many bits the array as a whole needs.
int needed_bits(const Whole& weights) {
  const auto magnitude = [](int64_t v) { return static_cast<uint64_t>(v < 0 ? -(v + 1) : v); };
  const uint64_t most = std::max(magnitude(weights.low), magnitude(weights.high));
  return static_cast<int>(std::bit_width(most)) + 1;
}

void reduce(Whole& weights, int quantization, int needed) {
  const int shift = std::max(0, needed - quantization);
  for (int32_t& v : weights.values) {
    v = quantization == kBinary ? (v >= 0 ? 1 : -1) : v >> shift;
  }
  if (quantization != kBinary) {
    weights.low >>= shift;
    weights.high >>= shift;
  }
}

class ArrayReader {
 public:
  ArrayReader(const Network& network, const ParameterOptions& options, ParameterReading& out)
      : network_(network), options_(options), out_(out) {}

  void run(ByteSpan weights, const std::string& weights_file, ByteSpan bias,
           const std::string& bias_file) {
    ParameterFindings findings(network_, weights_file, out_.report);
    ParameterFindings bias_findings(network_, bias_file, out_.report);
    auto arrays = read_row(weights, weights_file);
    auto biases = read_row(bias, bias_file);
    for (const auto* row : {&arrays, &biases}) {
      if (!row->ok()) out_.report.findings.push_back(finding_of(row->error(), Severity::error));
    }
    if (!arrays.ok() || !biases.ok()) return;
    Parameters parameters;
    parameters.layers.resize(network_.layers.size());
    const std::vector<Tensor> layers = layers_of(std::move(*arrays));
    size_t next = 0;
    for (size_t i = 0; i < network_.layers.size(); ++i) {
      if (!network_.layers[i].takes_weights()) continue;
      if (next >= layers.size()) {
        findings.error(ErrorCode::ai8x_count, i, "",
                       "the file has " + std::to_string(layers.size()) +
                           " arrays; there is none for this layer");
        return;
      }
      LayerParameters& layer = parameters.layers[i];
      layer.source = "array " + std::to_string(next);
      if (read_weights(i, layers[next], layer, findings) && next < biases->size() &&
          !without_bias(options_, i)) {
        read_bias(i, next, (*biases)[next], layer, bias_findings);
      }
      ++next;
    }
    if (next < layers.size()) {
      findings.warning(ErrorCode::ai8x_surplus, {}, "",
                       std::to_string(layers.size() - next) + " of " +
                           std::to_string(layers.size()) + " arrays are left over");
    }
    finish_layers(network_, parameters, findings);
    check_order(network_, parameters, findings);
    if (out_.report.ok()) out_.parameters = std::move(parameters);
  }

 private:
  bool read_weights(size_t index, const Tensor& tensor, LayerParameters& out,
                    ParameterFindings& findings) {
    const Layer& layer = network_.layers[index];
    Whole weights = to_whole(tensor);
    if (weights.outside || weights.fractions) {
      findings.error(ErrorCode::ai8x_arrays, index, out.source, "the array is not of integers");
      return false;
    }
    const int needed = needed_bits(weights);
    if (needed > 8) {
      findings.error(ErrorCode::ai8x_bits, index, out.source,
                     "the weights are " + std::to_string(weights.low) + " to " +
                         std::to_string(weights.high) + " and need " + std::to_string(needed) +
                         " bits; 8 is the most");
      return false;
    }
    out.quantization = layer.quantization.value_or(8);
    reduce(weights, out.quantization, needed);
    if (!fill_weights(layer, index, tensor.shape, weights, false, out, findings)) return false;
    out.output_shift = layer.output_shift.value_or(0) + 8 - out.bits();
    return true;
  }

  static void read_bias(size_t index, size_t number, const Tensor& tensor, LayerParameters& out,
                        ParameterFindings& findings) {
    const std::string entry = "array " + std::to_string(number);
    const Whole bias = to_whole(tensor);
    if (bias.outside || bias.fractions || bias.low < -128 || bias.high > 127) {
      findings.error(ErrorCode::ai8x_bias, index, entry,
                     "the biases are " + std::to_string(bias.low) + " to " +
                         std::to_string(bias.high) + "; they are whole numbers from -128 to 127");
      return;
    }
    if (bias.values.size() != static_cast<size_t>(out.out_channels)) {
      findings.error(ErrorCode::ai8x_bias, index, entry,
                     "the bias has " + std::to_string(bias.values.size()) + " values for " +
                         std::to_string(out.out_channels) + " output channels");
      return;
    }
    out.bias_given = true;
    if (bias.low == 0 && bias.high == 0) {
      findings.warning(ErrorCode::ai8x_zero, index, entry,
                       "all biases are zero; the layer has none");
      return;
    }
    out.bias.assign(bias.values.begin(), bias.values.end());
  }

  const Network& network_;
  const ParameterOptions& options_;
  ParameterReading& out_;
};

}  // namespace

ParameterReading read_arrays(const Network& network, ByteSpan weights,
                             const std::string& weights_file, ByteSpan bias,
                             const std::string& bias_file, const ParameterOptions& options) {
  ParameterReading out;
  ArrayReader(network, options, out).run(weights, weights_file, bias, bias_file);
  return out;
}

}  // namespace edgetwin::ai8x
