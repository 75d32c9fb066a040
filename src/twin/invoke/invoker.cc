#include "edgetwin/invoker.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "twin/runners.h"

namespace edgetwin {
namespace {

constexpr float kSmallestScale = 1e-9F;

Error unfit(const Port& port, const std::string& why) {
  return Error(ErrorCode::input_shape, "input '" + port.name + "' " + why);
}

template <class T>
void quantize_into(Tensor& tensor, std::span<const float> reals) {
  constexpr auto kLow = static_cast<float>(std::numeric_limits<T>::min());
  constexpr auto kHigh = static_cast<float>(std::numeric_limits<T>::max());
  const float step = std::max(tensor.quant.scale_of(0), kSmallestScale);
  const auto zero = static_cast<float>(tensor.quant.zero_point_of(0));
  const auto to = tensor.as<T>();
  for (size_t i = 0; i < reals.size(); ++i) {
    // The default rounding of the environment, to nearest even.
    to[i] = static_cast<T>(std::clamp(std::nearbyint(reals[i] / step + zero), kLow, kHigh));
  }
}

template <class T>
std::vector<float> dequantized(const Tensor& tensor) {
  std::vector<float> reals;
  const auto zero = static_cast<float>(tensor.quant.zero_point_of(0));
  const float scale = tensor.quant.scale_of(0);
  for (const T q : tensor.as<T>()) reals.push_back((static_cast<float>(q) - zero) * scale);
  return reals;
}

Tensor empty_tensor(const Port& port) {
  return {port.name, port.dtype, port.shape, port.quant, {}};
}

void flip_top_bits(Tensor& tensor) {
  if (tensor.dtype != DType::int8) return;
  for (std::byte& b : tensor.data) b ^= std::byte{0x80};
}

Status check_count(const Runner& runner, size_t given) {
  if (given == runner.inputs().size()) return Ok{};
  return Error(ErrorCode::input_missing, "the network has " +
                                             std::to_string(runner.inputs().size()) +
                                             " inputs, given are " + std::to_string(given));
}

}  // namespace

Result<Tensor> quantize_reals(const Port& port, std::span<const float> reals) {
  if (static_cast<int64_t>(reals.size()) != port.shape.elements())
    return unfit(port, "has " + std::to_string(port.shape.elements()) + " elements, given are " +
                           std::to_string(reals.size()));
  if (port.quant.scale_of(0) < 0.0F) return unfit(port, "has a negative scale");
  const auto bad = std::ranges::find_if(reals, [](float v) { return !std::isfinite(v); });
  if (bad != reals.end() && port.dtype != DType::float32)
    return Error(ErrorCode::op_data, "value " + std::to_string(bad - reals.begin()) +
                                         " of input '" + port.name + "' is not a finite number");
  Tensor t = empty_tensor(port);
  t.data.resize(static_cast<size_t>(storage_bytes(t.dtype, static_cast<int64_t>(reals.size()))));
  switch (t.dtype) {
    case DType::uint8:
      quantize_into<uint8_t>(t, reals);
      return t;
    case DType::int8:
      quantize_into<int8_t>(t, reals);
      return t;
    case DType::int16:
      quantize_into<int16_t>(t, reals);
      return t;
    case DType::float32:
      std::memcpy(t.data.data(), reals.data(), t.data.size());
      return t;
    default:
      return unfit(port, "is " + std::string(name(port.dtype)) + " and takes no real numbers");
  }
}

std::vector<float> dequantize_reals(const Tensor& tensor) {
  switch (tensor.dtype) {
    case DType::uint8:
      return dequantized<uint8_t>(tensor);
    case DType::int8:
      return dequantized<int8_t>(tensor);
    case DType::int16:
      return dequantized<int16_t>(tensor);
    case DType::int32:
      return dequantized<int32_t>(tensor);
    case DType::float32: {
      const auto reals = tensor.as<float>();
      return {reals.begin(), reals.end()};
    }
    default:
      break;
  }
  std::vector<float> reals;
  for (int64_t i = 0; i < tensor.shape.elements(); ++i)
    reals.push_back(static_cast<float>(element_as_double(tensor.dtype, tensor.data, i)));
  return reals;
}

Invoker::Invoker(std::shared_ptr<Runner> runner) : runner_(std::move(runner)) {}

Result<std::vector<std::vector<float>>> Invoker::invoke(
    std::span<const std::vector<float>> inputs) {
  EDGETWIN_TRY(check_count(*runner_, inputs.size()));
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(Tensor t, quantize_reals(runner_->inputs()[i], inputs[i]));
    tensors.push_back(std::move(t));
  }
  EDGETWIN_TRY_ASSIGN(const Run run, runner_->run(tensors));
  std::vector<std::vector<float>> reals;
  for (const Tensor& t : run.outputs) reals.push_back(dequantize_reals(t));
  return reals;
}

Result<std::vector<float>> Invoker::invoke_one(std::span<const float> input) {
  const std::vector<float> one[] = {{input.begin(), input.end()}};
  EDGETWIN_TRY_ASSIGN(std::vector<std::vector<float>> outputs, invoke(one));
  return std::move(outputs.front());
}

Result<std::vector<Bytes>> Invoker::invoke_raw(std::span<const ByteSpan> inputs, ByteForm form) {
  EDGETWIN_TRY(check_count(*runner_, inputs.size()));
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Port& port = runner_->inputs()[i];
    const auto bytes = static_cast<size_t>(storage_bytes(port.dtype, port.shape.elements()));
    if (inputs[i].size() != bytes)
      return unfit(port, "has " + std::to_string(bytes) + " bytes, given are " +
                             std::to_string(inputs[i].size()));
    tensors.push_back(empty_tensor(port));
    tensors.back().data = to_bytes(inputs[i]);
    if (form == ByteForm::chip) flip_top_bits(tensors.back());
  }
  EDGETWIN_TRY_ASSIGN(Run run, runner_->run(tensors));
  std::vector<Bytes> raw;
  for (Tensor& t : run.outputs) {
    if (form == ByteForm::chip) flip_top_bits(t);
    raw.push_back(std::move(t.data));
  }
  return raw;
}

Result<std::vector<Run>> run_batch(Runner& runner, std::span<const std::vector<Tensor>> inputs) {
  if (auto* ported = dynamic_cast<twin::PortedRunner*>(&runner)) return ported->run_batch(inputs);
  std::vector<Run> runs;
  for (const std::vector<Tensor>& one : inputs) {
    EDGETWIN_TRY_ASSIGN(Run run, runner.run(one));
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace edgetwin
