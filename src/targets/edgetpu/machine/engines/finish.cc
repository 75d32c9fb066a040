// Sums of a tensor instruction: what they begin with, and how they become numbers.
#include <algorithm>
#include <cstring>

#include "targets/edgetpu/machine/engines/tensor_iteration.h"
#include "targets/edgetpu/machine/lanes/byte_tail.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr int32_t kMostByte = 255;
constexpr int32_t kMostWide = 65535;

// Of the output: sets of numbers are spread evenly over the outputs.
const uint32_t* set_for(const ChannelNumbers& n, size_t output, size_t outputs) {
  if (n.count == 0) return nullptr;
  return n.set(output * n.count / outputs);
}

int32_t number(const TensorIteration& w, const Tile& t, int32_t sum, float m) {
  const bool wide = w.s.result_form != 0;
  if (!w.nest.function) return wide ? int32_t{w.wide_tail(sum, m)} : int32_t{w.tail(sum, m)};
  const int32_t most = wide ? kMostWide : kMostByte;
  if (w.s.opcode == Opcode::tensor_exp)
    return through_root_table(*t.function, w.nest, sum, m, most);
  return through_table(*t.function, w.s, sum, m, most);
}

}  // namespace

void start_sums(const TensorIteration& w, const Tile& t, size_t output, int lanes, int32_t* sums) {
  std::fill_n(sums, lanes, w.nest.constant);
  if (!w.nest.has_bias) return;
  const uint32_t* bias = set_for(t.biases, output, w.outputs.size());
  if (bias == nullptr) return;
  for (size_t l = 0; l < std::min<size_t>(static_cast<size_t>(lanes), t.biases.channels); ++l) {
    add(sums[l], static_cast<int32_t>(bias[l]));
  }
}

void multipliers_of(const TensorIteration& w, const Tile& t, size_t output, int lanes,
                    std::array<float, kMostLanes>& m) {
  const uint32_t* scale = w.nest.has_scales ? set_for(t.scales, output, w.outputs.size()) : nullptr;
  m.fill(w.nest.multiplier);
  if (scale == nullptr) return;
  const size_t scaled = std::min<size_t>(static_cast<size_t>(lanes), t.scales.channels);
  std::memcpy(m.data(), scale, scaled * sizeof(float));
}

void finish(const TensorIteration& w, Tile& t, size_t output, const int32_t* sums, int lanes) {
  const OutputGroup& o = w.outputs[output];
  const auto size = static_cast<size_t>(w.s.result_bytes());
  std::array<float, kMostLanes> m;
  multipliers_of(w, t, output, lanes, m);
  std::array<std::byte, kMostLanes * sizeof(uint16_t)> bytes;  // those of the lanes are set
  if (w.makes_bytes) {
    bytes_of_sums(w.tail, sums, m.data(), lanes, reinterpret_cast<uint8_t*>(bytes.data()));
  } else {
    for (size_t l = 0; l < static_cast<size_t>(lanes); ++l) {
      const auto stored = static_cast<uint16_t>(number(w, t, sums[l], m[l]));
      std::memcpy(bytes.data() + l * size, &stored, size);
    }
  }
  for (size_t k = 0; k < o.count; ++k) {
    std::memcpy(t.narrow.data() + w.out[o.first + k].at, bytes.data() + k * 4, 4);
  }
}

}  // namespace edgetwin::edgetpu::machine
