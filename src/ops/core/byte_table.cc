#include "ops/core/byte_table.h"

#include "kernels/i8/lookup.h"

namespace edgetwin::ops {
namespace {

constexpr int64_t kGrain = 65536;

}  // namespace

Kernel byte_table_kernel(const ByteTable& table, int64_t elements, const KernelOptions& options) {
  const auto named =
      options.isa.empty() ? std::optional(kernels::best_isa()) : kernels::isa_by_name(options.isa);
  const bool usable = options.fast && named && kernels::available(*named);
  const kernels::Isa isa = usable ? *named : kernels::Isa::plain;
  return [table, elements, isa](const Args& args) -> Status {
    const auto* x = args.input<uint8_t>(0);
    auto* y = args.output<uint8_t>(0);
    args.pool.parallel_for(elements, kGrain, [&](int64_t begin, int64_t end, int) {
      kernels::lookup8(table.data(), x + begin, y + begin, static_cast<size_t>(end - begin), isa);
    });
    return Ok{};
  };
}

}  // namespace edgetwin::ops
