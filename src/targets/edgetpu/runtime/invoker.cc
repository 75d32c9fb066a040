#include "targets/edgetpu/runtime/invoker.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <system_error>
#include <thread>

namespace edgetwin::edgetpu {

namespace {

constexpr float kSmallestScale = 1e-9F;

template <class T>
void quantize_into(Tensor& tensor, std::span<const float> reals, float scale, float zero) {
  constexpr auto kLow = static_cast<float>(std::numeric_limits<T>::min());
  constexpr auto kHigh = static_cast<float>(std::numeric_limits<T>::max());
  const auto to = tensor.as<T>();
  for (size_t i = 0; i < reals.size(); ++i) {
    const float exact = reals[i] / std::max(scale, kSmallestScale) + zero;
    // The default rounding of the environment, to nearest even; no number becomes the lowest.
    to[i] =
        static_cast<T>(std::clamp(std::isnan(exact) ? kLow : std::nearbyint(exact), kLow, kHigh));
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

Tensor empty_tensor(const Value& value) {
  Tensor t;
  t.name = value.name;
  t.dtype = value.dtype;
  t.shape = value.shape;
  t.quant = value.quant;
  return t;
}

size_t bytes_of_value(const Value& value) {
  return static_cast<size_t>(storage_bytes(value.dtype, value.shape.elements()));
}

}  // namespace

Tensor quantize(const Value& value, std::span<const float> reals) {
  Tensor t = empty_tensor(value);
  t.data.resize(static_cast<size_t>(storage_bytes(t.dtype, static_cast<int64_t>(reals.size()))));
  const float scale = t.quant.scale_of(0);
  const auto zero = static_cast<float>(t.quant.zero_point_of(0));
  switch (t.dtype) {
    case DType::uint8:
      quantize_into<uint8_t>(t, reals, scale, zero);
      break;
    case DType::int8:
      quantize_into<int8_t>(t, reals, scale, zero);
      break;
    case DType::int16:
      quantize_into<int16_t>(t, reals, scale, zero);
      break;
    case DType::float32:
      std::memcpy(t.data.data(), reals.data(), t.data.size());
      break;
    default:
      break;
  }
  return t;
}

std::vector<float> dequantize(const Tensor& tensor) {
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

Result<std::vector<Tensor>> Invoker::tensors_of(std::span<const ByteSpan> inputs) const {
  const Graph& graph = network_.graph();
  if (inputs.size() != graph.inputs.size())
    return Error(ErrorCode::input_missing, "the model has " + std::to_string(graph.inputs.size()) +
                                               " inputs, given are " +
                                               std::to_string(inputs.size()));
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = graph.value(graph.inputs[i]);
    if (inputs[i].size() != bytes_of_value(value))
      return Error(ErrorCode::input_shape,
                   "input '" + value.name + "' has " + std::to_string(bytes_of_value(value)) +
                       " bytes, given are " + std::to_string(inputs[i].size()));
    tensors.push_back(empty_tensor(value));
    tensors.back().data = to_bytes(inputs[i]);
  }
  return tensors;
}

Result<std::vector<Bytes>> Invoker::invoke_raw(std::span<const ByteSpan> inputs) {
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> tensors, tensors_of(inputs));
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> outputs, invoke(tensors));
  std::vector<Bytes> raw;
  for (Tensor& t : outputs) raw.push_back(std::move(t.data));
  return raw;
}

Result<std::vector<std::vector<float>>> Invoker::invoke(
    std::span<const std::vector<float>> inputs) {
  const Graph& graph = network_.graph();
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size() && i < graph.inputs.size(); ++i) {
    const Value& value = graph.value(graph.inputs[i]);
    if (static_cast<int64_t>(inputs[i].size()) != value.shape.elements())
      return Error(ErrorCode::input_shape,
                   "input '" + value.name + "' has " + std::to_string(value.shape.elements()) +
                       " elements, given are " + std::to_string(inputs[i].size()));
    if (value.quant.scale_of(0) < 0.0F)
      return Error(ErrorCode::input_shape, "input '" + value.name + "' has a negative scale");
    tensors.push_back(quantize(value, inputs[i]));
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> outputs, invoke(tensors));
  std::vector<std::vector<float>> reals;
  for (const Tensor& t : outputs) reals.push_back(dequantize(t));
  return reals;
}

Result<Pipeline> Pipeline::make(std::vector<std::unique_ptr<Invoker>> segments) {
  Pipeline pipeline;
  if (segments.empty()) return Error(ErrorCode::device_request, "a pipeline without segments");
  pipeline.sources_.resize(segments.size());
  for (size_t s = 1; s < segments.size(); ++s) {
    const Graph& before = segments[s - 1]->network().graph();
    const Graph& graph = segments[s]->network().graph();
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
      const Value& value = graph.value(graph.inputs[i]);
      const auto named = std::ranges::find_if(
          before.outputs, [&](ValueId id) { return before.value(id).name == value.name; });
      const size_t from =
          named != before.outputs.end() ? static_cast<size_t>(named - before.outputs.begin()) : i;
      if (from >= before.outputs.size() ||
          bytes_of_value(before.value(before.outputs[from])) != bytes_of_value(value))
        return Error(ErrorCode::device_request,
                     "segment " + std::to_string(s) + " of the pipeline wants '" + value.name +
                         "' of " + std::to_string(bytes_of_value(value)) +
                         " bytes, which the segment before it does not give");
      pipeline.sources_[s].push_back(from);
    }
  }
  pipeline.segments_ = std::move(segments);
  return pipeline;
}

Result<std::vector<Tensor>> Pipeline::run_segment(size_t segment, const std::vector<Tensor>& from) {
  if (segment == 0) return segments_[0]->invoke(from);
  std::vector<Tensor> inputs;
  for (const size_t source : sources_[segment]) inputs.push_back(from[source]);
  return segments_[segment]->invoke(inputs);
}

Result<std::vector<Tensor>> Pipeline::run(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> now = inputs;
  for (size_t s = 0; s < segments_.size(); ++s) {
    EDGETWIN_TRY_ASSIGN(now, run_segment(s, now));
  }
  return now;
}

Result<std::vector<std::vector<Tensor>>> Pipeline::run_all(
    const std::vector<std::vector<Tensor>>& inputs) {
  std::vector<std::vector<Tensor>> state = inputs;
  std::vector<std::optional<Error>> errors(segments_.size());
  // In round r segment s works on input r - s; a round ends when all its segments have ended.
  for (size_t round = 0; round + 1 < inputs.size() + segments_.size(); ++round) {
    std::vector<std::thread> workers;
    for (size_t s = 0; s < segments_.size(); ++s) {
      if (round < s || round - s >= inputs.size()) continue;
      const auto work = [this, s, &errors, &now = state[round - s]] {
        Result<std::vector<Tensor>> next = run_segment(s, now);
        if (next.ok())
          now = std::move(*next);
        else
          errors[s] = std::move(next.error());
      };
      try {
        workers.emplace_back(work);
      } catch (const std::system_error&) {
        work();  // the system gives no more threads
      }
    }
    for (std::thread& worker : workers) worker.join();
    for (std::optional<Error>& error : errors)
      if (error) return std::move(*error);
  }
  return state;
}

}  // namespace edgetwin::edgetpu
