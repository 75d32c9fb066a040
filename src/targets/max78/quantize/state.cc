#include "targets/max78/quantize/state.h"

#include <algorithm>

namespace edgetwin::max78 {

Result<State> State::of(const torch::Checkpoint& checkpoint) {
  EDGETWIN_TRY_ASSIGN(const auto entries, checkpoint.state_dict());
  State out;
  for (const auto& entry : entries) {
    out.names_.push_back(entry.name);
    out.tensors_[entry.name] = checkpoint.tensor(entry.tensor);
  }
  return out;
}

Tensor* State::find(const std::string& name) {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : &found->second;
}

Result<std::vector<float>> State::floats(const std::string& name, ErrorCode code) {
  const Tensor* tensor = find(name);
  if (tensor == nullptr) {
    return Error(code, "the checkpoint has no entry '" + name + "'").in_field(name);
  }
  std::vector<float> out(static_cast<size_t>(tensor->shape.elements()));
  if (tensor->dtype == DType::float32) {
    const auto values = tensor->as<float>();
    std::copy(values.begin(), values.end(), out.begin());
    return out;
  }
  if (!integer_range(tensor->dtype) && tensor->dtype != DType::int64 &&
      tensor->dtype != DType::float64 && tensor->dtype != DType::boolean) {
    return Error(code, "'" + name + "' is of " + std::string(edgetwin::name(tensor->dtype)) +
                           ", which is not computed with")
        .in_field(name);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] =
        static_cast<float>(element_as_double(tensor->dtype, tensor->data, static_cast<int64_t>(i)));
  }
  return out;
}

void State::set(const std::string& name, const Shape& shape, const std::vector<float>& values) {
  if (find(name) == nullptr) names_.push_back(name);
  Tensor tensor;
  tensor.dtype = DType::float32;
  tensor.shape = shape;
  tensor.data = to_bytes(std::as_bytes(std::span(values)));
  tensors_[name] = std::move(tensor);
}

void State::remove(const std::string& name) {
  if (tensors_.erase(name) > 0) std::erase(names_, name);
}

void State::store(torch::Checkpoint& checkpoint) const {
  const torch::NodeId dict = checkpoint.add_dict(true);
  for (const std::string& name : names_) {
    checkpoint.append(dict, name, checkpoint.add_tensor(tensors_.at(name)));
  }
  checkpoint.set(checkpoint.root(), "state_dict", dict);
}

}  // namespace edgetwin::max78
