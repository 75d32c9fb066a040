#include "ops/fast/change.h"

#include "kernels/elements/affine.h"
#include "kernels/elements/power.h"
#include "ops/fast/wanted_isa.h"

namespace edgetwin::ops {
namespace {

constexpr int64_t kChangeGrain = 32768;  // below it a second thread costs more than it brings

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

}  // namespace edgetwin::ops
