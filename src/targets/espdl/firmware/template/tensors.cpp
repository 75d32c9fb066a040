#include "tensors.hpp"

#include <cstring>

#include "esp_heap_caps.h"

namespace check {
namespace {

std::unique_ptr<dl::TensorBase> tensor_over(const GoldenTensor& golden, const void* data) {
  // `deep` false: the tensor uses these bytes and does not free them.
  return std::make_unique<dl::TensorBase>(golden.shape, data, golden.exponent,
                                          static_cast<dl::dtype_t>(golden.dtype), false);
}

}  // namespace

Buffer::Buffer(size_t bytes) {
  const size_t whole = (bytes + 31) / 16 * 16;
  data_ = heap_caps_aligned_alloc(16, whole, MALLOC_CAP_SPIRAM | MALLOC_CAP_8BIT);
  if (data_ == nullptr) data_ = heap_caps_aligned_alloc(16, whole, MALLOC_CAP_8BIT);
  if (data_ != nullptr) std::memset(data_, 0, whole);
}

Buffer::~Buffer() { heap_caps_free(data_); }

Inputs::Inputs(const std::vector<GoldenTensor>& golden) {
  for (const GoldenTensor& one : golden) {
    tensors_.push_back(tensor_over(one, one.data));
    map_[one.name] = tensors_.back().get();
  }
}

bool Copies::add(const GoldenTensor& golden) {
  std::unique_ptr<Buffer> buffer = std::make_unique<Buffer>(golden.bytes);
  if (buffer->data() == nullptr) return false;
  tensors_.push_back(tensor_over(golden, buffer->data()));
  buffers_.push_back(std::move(buffer));
  map_[golden.name] = tensors_.back().get();
  return true;
}

void run(dl::Model& model, TensorMap& inputs, TensorMap wanted) {
  using namespace dl;  // NOLINT: the modes may be in dl or outside
  model.run(inputs, RUNTIME_MODE_SINGLE_CORE, wanted);
}

}  // namespace check
