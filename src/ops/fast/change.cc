#include "ops/fast/change.h"

#include <array>

#include "kernels/elements/affine.h"
#include "kernels/elements/power.h"
#include "kernels/elements/rows.h"
#include "ops/fast/wanted_isa.h"

namespace edgetwin::ops {
namespace {

constexpr int64_t kChangeGrain = 32768;  // below it a second thread costs more than it brings

// Entry i of the table is kSigmoidTable[i] and the way to the next one; the last one saturates.
std::array<uint32_t, 256> sigmoid_steps(uint32_t saturated) {
  std::array<uint32_t, 256> table{};
  for (size_t i = 0; i + 1 < table.size(); ++i) {
    const uint32_t low = numerics::kSigmoidTable[i];
    table[i] = low << 16 | (numerics::kSigmoidTable[i + 1] - low);
  }
  table.back() = saturated << 16;
  return table;
}

}  // namespace

bool make_fast_power_change(const KernelOptions& options, const kernels::PowerChange& change,
                            int64_t elements, Prepared& prepared) {
  const kernels::Isa isa = wanted_isa(options);
  const kernels::PowerTable* table = kernels::power_table(isa);
  if (table == nullptr) return false;
  prepared.path = std::string(kernels::name(isa));
  prepared.run = [kernel = table->change, change, elements](const Args& args) -> Status {
    args.pool.parallel_for(elements, kChangeGrain, [&](int64_t begin, int64_t end, int) {
      kernel(change, args.inputs[0] + begin * change.in_bytes,
             args.outputs[0] + begin * change.out_bytes, end - begin);
    });
    return Ok{};
  };
  return true;
}

bool make_fast_affine_quantize(const KernelOptions& options, const kernels::AffineChange& change,
                               int64_t elements, Prepared& prepared) {
  const kernels::Isa isa = wanted_isa(options);
  const kernels::AffineTable* table = kernels::affine_table(isa);
  if (table == nullptr) return false;
  const int64_t size = change.type == kernels::AffineType::int16 ? 2 : 1;
  prepared.path = std::string(kernels::name(isa));
  prepared.run = [kernel = table->quantize, change, elements, size](const Args& args) -> Status {
    args.pool.parallel_for(elements, kChangeGrain, [&](int64_t begin, int64_t end, int) {
      kernel(change, args.input<float>(0) + begin, args.outputs[0] + begin * size, end - begin);
    });
    return Ok{};
  };
  return true;
}

bool make_fast_sigmoid16(const KernelOptions& options, numerics::UnaryKind kind,
                         numerics::Input16 input, int64_t elements, Prepared& prepared) {
  constexpr int kMostShift = 31;
  const bool tanh = kind == numerics::UnaryKind::tanh;
  const kernels::Isa isa = wanted_isa(options);
  const kernels::RowTable* table = kernels::row_table(isa);
  if (table == nullptr || (!tanh && kind != numerics::UnaryKind::logistic)) return false;
  if (input.multiplier > INT16_MAX || input.left > kMostShift) return false;
  // TANH is LOGISTIC's table from -1 to 1: twice as steep, and with one bit more.
  constexpr int32_t kOne = 1 << 23;
  kernels::Sigmoid16 f{.multiplier = input.multiplier, .shift = input.left};
  f.fraction_bits = tanh ? 8 : 9;
  f.result_bits = tanh ? 8 : 10;
  f.offset = tanh ? (1 << 7) - kOne : 1 << 9;
  prepared.path = std::string(kernels::name(isa));
  prepared.run = [kernel = table->sigmoid16, f, elements,
                  steps = sigmoid_steps(tanh ? 0xFFFF : 0xFFFE)](const Args& args) -> Status {
    kernels::Sigmoid16 own = f;
    own.table = steps.data();
    args.pool.parallel_for(elements, kChangeGrain, [&](int64_t begin, int64_t end, int) {
      kernel(own, args.input<int16_t>(0) + begin, end - begin, args.output<int16_t>(0) + begin);
    });
    return Ok{};
  };
  return true;
}

}  // namespace edgetwin::ops
