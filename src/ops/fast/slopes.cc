#include "ops/fast/slopes.h"

#include <cstring>
#include <vector>

#include "kernels/elements/power.h"
#include "ops/core/common.h"
#include "ops/fast/wanted_isa.h"

namespace edgetwin::ops {

bool make_fast_slopes(const OpContext& c, const kernels::PowerSlopes& rule, int64_t channels,
                      Prepared& prepared) {
  constexpr int64_t kRun = 512;  // elements worth a call: slopes of several pixels side by side
  const kernels::Isa isa = wanted_isa(c.options());
  const kernels::PowerTable* table = kernels::power_table(isa);
  const Bytes* given = c.constant(1);
  if (table == nullptr || given == nullptr) return false;
  const bool single = c.input_shape(1).elements() == 1;
  const int64_t pixels = c.input_shape(0).elements() / channels;
  const int64_t together = std::min(pixels, (kRun + channels - 1) / channels);
  Bytes slopes;
  for (int64_t i = 0; i < (single ? 1 : together); ++i) {
    slopes.insert(slopes.end(), given->begin(), given->end());
  }
  prepared.path = std::string(kernels::name(isa));
  prepared.run = [kernel = table->slopes, rule, channels, pixels, together, single,
                  slopes = std::move(slopes)](const Args& args) -> Status {
    const int64_t row = channels * rule.element_bytes;
    args.pool.parallel_for(pixels, grain_for(channels / 4), [&](int64_t begin, int64_t end, int) {
      for (int64_t p = begin; p < end; p += together) {
        kernel(rule, {.a = args.inputs[0] + p * row,
                      .b = slopes.data(),
                      .out = args.outputs[0] + p * row,
                      .count = std::min(together, end - p) * channels,
                      .step_a = 1,
                      .step_b = single ? 0 : 1});
      }
    });
    return Ok{};
  };
  return true;
}

}  // namespace edgetwin::ops
