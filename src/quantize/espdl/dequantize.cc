#include "quantize/espdl/dequantize.h"

#include <cmath>
#include <cstring>

#include "quantize/calibration/exponent.h"
#include "tensor/tensor.h"

namespace edgetwin::quantize {
namespace {

// Calls visit(stored index, index in the float network's order).
template <class Visit>
void walk(const Shape& stored, const std::vector<int>& perm, Visit visit) {
  const auto rank = static_cast<size_t>(stored.rank());
  std::vector<int64_t> strides(rank, 1);  // of the float network's axes
  std::vector<int64_t> sizes(rank, 1);
  for (size_t k = 0; k < rank; ++k)
    sizes[static_cast<size_t>(perm[k])] = stored[static_cast<int>(k)];
  for (size_t k = rank; k-- > 1;) strides[k - 1] = strides[k] * sizes[k];
  std::vector<int64_t> at(rank, 0);
  int64_t there = 0;
  const int64_t count = stored.elements();
  for (int64_t i = 0; i < count; ++i) {
    visit(static_cast<size_t>(i), static_cast<size_t>(there));
    for (size_t k = rank; k-- > 0;) {
      const int64_t stride = strides[static_cast<size_t>(perm[k])];
      there += stride;
      if (++at[k] < stored[static_cast<int>(k)]) break;
      there -= stride * at[k];
      at[k] = 0;
    }
  }
}

}  // namespace

std::vector<float> real_values(const Quantized& quantized, const exec::Session& session,
                               const Graph& graph, ValueId in_session, ValueId id) {
  const Value& v = graph.value(in_session);
  const ByteSpan data = session.bytes(in_session);
  std::vector<float> values(static_cast<size_t>(v.shape.elements()));
  const auto scale = static_cast<double>(v.quant.scale_of(0));
  walk(v.shape, quantized.perms[static_cast<size_t>(id)], [&](size_t from, size_t to) {
    const double q = element_as_double(v.dtype, data, static_cast<int64_t>(from));
    values[to] = static_cast<float>(v.quant.present() ? q * scale : q);
  });
  return values;
}

Bytes integer_values(const Quantized& quantized, std::span<const float> values, ValueId id,
                     espdl::Target target) {
  const Value& v = quantized.graph.value(id);
  std::vector<float> stored(values.size());
  walk(v.shape, quantized.perms[static_cast<size_t>(id)],
       [&](size_t to, size_t from) { stored[to] = values[from]; });
  if (!v.quant.present()) {
    Bytes bytes(stored.size() * sizeof(float));
    std::memcpy(bytes.data(), stored.data(), bytes.size());
    return bytes;
  }
  return to_integers(stored, v.quant.exponent, v.shape.elements(),
                     {bits(v.dtype), rounding_of(target), false});
}

}  // namespace edgetwin::quantize
