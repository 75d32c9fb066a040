#include <cmath>

#include "train/layers/stages.h"

namespace edgetwin::train {
namespace {

using ai8x::Eltwise;
using ai8x::Pooling;

// To the range of 8 bits, where the phase has it.
Mask limit_of_phase(const Phase& phase, Maps& maps, ThreadPool& pool) {
  return phase.unlimited ? Mask() : limit(maps, kLow, kHigh, pool);
}

Maps pooled_source(const LayerSpec& spec, const Maps& source, const Phase& phase, Mask& mask,
                   ThreadPool& pool) {
  if (spec.pooling == Pooling::max) return max_pool(source, spec.pool, pool);
  Maps mean = average_pool(source, spec.pool, pool);
  if (phase.quantization) {
    for_items(pool, mean.n, [&](int first, int last) {
      float* v = mean.values.data();
      for (int64_t i = first * mean.item_size(); i < last * mean.item_size(); ++i) {
        const float units = v[i] * kGrid;
        v[i] = (spec.average_rounding ? std::nearbyint(units)
                                      : std::copysign(floor_of_small(std::abs(units)), units)) /
               kGrid;
      }
    });
  }
  mask = limit_of_phase(phase, mean, pool);
  return mean;
}

Maps pooled_gradient(const LayerSpec& spec, const Maps& source, const Mask& mask, Maps gradient,
                     ThreadPool& pool) {
  if (spec.pooling == Pooling::max) return max_pool_gradient(source, gradient, spec.pool, pool);
  apply(mask, gradient, pool);
  return average_pool_gradient(gradient, spec.pool, {source.h, source.w}, pool);
}

float bitwise(Eltwise eltwise, float a, float b) {
  const auto x = static_cast<int>(a * kGrid);
  const auto y = static_cast<int>(b * kGrid);
  return static_cast<float>(eltwise == Eltwise::bitwise_xor ? x ^ y : x | y) / kGrid;
}

// From left to right, one clamp at the end.
Maps join(Eltwise eltwise, std::span<const Maps* const> operands, Tape& tape, ThreadPool& pool) {
  Maps result = *operands[0];
  float* out = result.values.data();
  for (const Maps* operand : operands.subspan(1)) {
    const float* in = operand->values.data();
    for (size_t i = 0; i < result.values.size(); ++i) {
      if (eltwise == Eltwise::add) {
        out[i] += in[i];
      } else if (eltwise == Eltwise::sub) {
        out[i] -= in[i];
      } else {
        out[i] = bitwise(eltwise, out[i], in[i]);
      }
    }
  }
  tape.join_mask = limit_of_phase(tape.phase, result, pool);
  return result;
}

std::vector<const Maps*> pointers(const std::vector<Maps>& maps) {
  std::vector<const Maps*> result;
  for (const Maps& m : maps) result.push_back(&m);
  return result;
}

}  // namespace

Maps input_stage(const LayerSpec& spec, std::span<const Maps* const> sources, Tape& tape,
                 ThreadPool& pool) {
  const bool joins = spec.eltwise != Eltwise::none;
  const bool pools = spec.pooling != Pooling::none;
  if (!joins && !pools) return *sources[0];
  if (!joins || !spec.pool_first || !pools) {
    Maps joined = joins ? join(spec.eltwise, sources, tape, pool) : Maps();
    if (!pools) return joined;
    tape.joined = std::move(joined);
    return pooled_source(spec, joins ? tape.joined : *sources[0], tape.phase,
                         tape.pool_masks.emplace_back(), pool);
  }
  for (const Maps* source : sources) {
    Mask& mask = tape.pool_masks.emplace_back();
    tape.pooled.push_back(pooled_source(spec, *source, tape.phase, mask, pool));
  }
  return join(spec.eltwise, pointers(tape.pooled), tape, pool);
}

std::vector<Maps> input_stage_gradient(const LayerSpec& spec, std::span<const Maps* const> sources,
                                       const Tape& tape, Maps gradient, ThreadPool& pool) {
  const bool joins = spec.eltwise != Eltwise::none;
  const bool pools = spec.pooling != Pooling::none;
  const bool each = joins && pools && spec.pool_first;
  if (pools && !each) {
    const Maps& source = joins ? tape.joined : *sources[0];
    gradient = pooled_gradient(spec, source, tape.pool_masks[0], std::move(gradient), pool);
  }
  std::vector<Maps> result;
  if (!joins) {
    result.push_back(std::move(gradient));
    return result;
  }
  apply(tape.join_mask, gradient, pool);
  for (size_t i = 0; i < sources.size(); ++i) {
    Maps own = gradient;
    if (i > 0 && spec.eltwise == Eltwise::sub) {
      for (float& v : own.values) v = -v;
    }
    if (each) own = pooled_gradient(spec, *sources[i], tape.pool_masks[i], std::move(own), pool);
    result.push_back(std::move(own));
  }
  return result;
}

}  // namespace edgetwin::train
