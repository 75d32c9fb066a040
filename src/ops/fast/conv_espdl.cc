#include "ops/fast/conv_espdl.h"

#include <algorithm>
#include <limits>

#include "kernels/i16/conv.h"
#include "ops/fast/kernels8.h"
#include "ops/fast/reach.h"

namespace edgetwin::ops {
namespace {

template <class T>
ShiftLayer<T> layer_of(const OpContext& c, const Window2D& window, bool depthwise) {
  return {window, depthwise, reinterpret_cast<const T*>(c.constant(1)->data()), input_range(c, 0)};
}

std::optional<kernels::Isa> isa_of(const std::string& name) {
  if (name.empty()) return kernels::best_isa();
  const auto isa = kernels::isa_by_name(name);
  return isa && kernels::available(*isa) ? isa : std::nullopt;
}

// Channels whose sums or shifts leave 32 bits.
std::vector<int> beyond_32_bits(const ShiftLayer<int8_t>& layer, const ShiftSums& sums) {
  const auto channels = static_cast<size_t>(layer.window.out_c);
  const size_t taps = layer.taps();
  std::vector<int> found;
  for (size_t o = 0; o < channels; ++o) {
    int64_t bound = std::abs((*sums.exact_bias)[o]);
    for (size_t k = 0; k < taps; ++k) {
      const int64_t weight = layer.weights[layer.depthwise ? k * channels + o : o * taps + k];
      bound += 128 * std::abs(weight);
    }
    const int shift = shift_of(sums, o);
    if (bound > std::numeric_limits<int32_t>::max() || shift < 0 || shift > 31) {
      found.push_back(static_cast<int>(o));
    }
  }
  return found;
}

// A layer in which some channels are all zero.
struct Emptied {
  std::vector<int8_t> weights;
  std::vector<int64_t> bias;
  std::vector<int> shifts;

  Emptied(const ShiftLayer<int8_t>& layer, const ShiftSums& sums, const std::vector<int>& which) {
    const auto channels = static_cast<size_t>(layer.window.out_c);
    const size_t taps = layer.taps();
    weights.assign(layer.weights, layer.weights + channels * taps);
    bias = *sums.exact_bias;
    for (size_t o = 0; o < channels; ++o) shifts.push_back(shift_of(sums, o));
    for (const int channel : which) {
      const auto o = static_cast<size_t>(channel);
      bias[o] = shifts[o] = 0;
      for (size_t k = 0; k < taps; ++k) {
        weights[layer.depthwise ? k * channels + o : o * taps + k] = 0;
      }
    }
  }
};

// Null where a sum could leave its lane, or where no kernel takes the layer.
std::shared_ptr<const kernels::PackedConv16> kernels_for(const ShiftLayer<int16_t>& layer,
                                                         const ShiftSums& sums, kernels::Isa isa) {
  const auto reach = reach_of(layer.weights, layer.channels(), layer.taps(), layer.depthwise,
                              layer.input, *sums.exact_bias);
  for (size_t o = 0; o < reach.size(); ++o) {
    const bool lane = static_cast<int64_t>(o) < sums.lanes;
    const int bits = lane ? sums.lane_bits : (sums.scalar ? 40 : 0);
    const bool wraps = (*sums.lane_bias)[o] != (*sums.exact_bias)[o];
    if (wraps || (bits != 0 && !stays_within(reach[o], bits))) return nullptr;
  }
  kernels::Conv16Spec spec;
  spec.window = layer.window;
  spec.depthwise = layer.depthwise;
  spec.weights = layer.weights;
  spec.bias = sums.exact_bias->data();
  spec.tail = tail_of(sums, -32768, 32767);
  spec.isa = isa;
  return kernels::PackedConv16::make(spec);
}

}  // namespace

bool make_fast_shift8(const OpContext& c, const ShiftSums& given, const Window2D& window,
                      bool depthwise, Prepared& prepared, std::vector<int>& left) {
  const auto isa = isa_of(c.options().isa);
  if (!c.options().fast || c.constant(1) == nullptr || !isa) return false;
  ShiftLayer<int8_t> layer = layer_of<int8_t>(c, window, depthwise);
  ShiftSums sums = given;
  std::optional<Emptied> emptied;
  // Sums of the ESP32-S3's narrow lanes stay far within 32 bits.
  if (sums.lane_bits != 20) left = beyond_32_bits(layer, sums);
  if (4 * left.size() > static_cast<size_t>(window.out_c)) return false;
  if (!left.empty()) {
    emptied.emplace(layer, sums, left);
    layer.weights = emptied->weights.data();
    sums.exact_bias = sums.lane_bias = &emptied->bias;
    sums.shifts = &emptied->shifts;
  }
  const Kernels8 k = kernels_for(layer, sums, *isa, c.options().threads);
  if (!k.any()) return false;
  prepared.scratch_bytes = k.scratch_bytes(c.options().threads);
  prepared.packed = left.empty();
  prepared.path = k.exact == nullptr ? "" : k.exact->path();
  if (k.lanes) prepared.path += (k.exact ? ", " : "") + std::string(k.lanes->path());
  prepared.run = [k, counter = sums.differing](const Args& args) -> Status {
    k.run(args.input<int8_t>(0), args.output<int8_t>(0), args.scratch, args.pool, *counter);
    return Ok{};
  };
  return true;
}

bool run_fast_shift(const ShiftSums& sums, const std::string& isa_name,
                    const MatrixProduct<int8_t>& p, ThreadPool& pool) {
  const auto isa = isa_of(isa_name);
  if (!isa) return false;
  const Window2D window = kernels::fully_connected_window(p.rows, p.depth, p.columns);
  const Kernels8 k = kernels_for({window, false, p.b, {-128, 127}}, sums, *isa, pool.size());
  if (!k.any()) return false;
  Bytes scratch(k.scratch_bytes(pool.size()));
  k.run(p.a, p.out, scratch.data(), pool, *sums.differing);
  return true;
}

bool run_fast_shift(const ShiftSums& sums, const std::string& isa_name,
                    const MatrixProduct<int16_t>& p, ThreadPool& pool) {
  const auto isa = isa_of(isa_name);
  if (!isa) return false;
  const Window2D window = kernels::fully_connected_window(p.rows, p.depth, p.columns);
  const auto packed = kernels_for({window, false, p.b, {-32768, 32767}}, sums, *isa);
  if (packed == nullptr) return false;
  Bytes scratch(packed->scratch_bytes(pool.size()));
  packed->run(p.a, p.out, scratch.data(), pool);
  return true;
}

bool make_fast_shift16(const OpContext& c, const ShiftSums& sums, const Window2D& window,
                       bool depthwise, Prepared& prepared) {
  const auto isa = isa_of(c.options().isa);
  if (!c.options().fast || c.constant(1) == nullptr || !isa) return false;
  const auto packed = kernels_for(layer_of<int16_t>(c, window, depthwise), sums, *isa);
  if (packed == nullptr) return false;
  prepared.scratch_bytes = packed->scratch_bytes(c.options().threads);
  prepared.path = packed->path();
  prepared.packed = true;
  prepared.run = [packed](const Args& args) -> Status {
    packed->run(args.input<int16_t>(0), args.output<int16_t>(0), args.scratch, args.pool);
    return Ok{};
  };
  return true;
}

}  // namespace edgetwin::ops
