#include "ops/fast/byte_pairs.h"

#include "kernels/elements/byte_pairs.h"

namespace edgetwin::ops {
namespace {

// The search takes about as long as these elements with the exact kernel, so that no run is more
// than twice as long for it.
constexpr int64_t kPays = 131072;

}  // namespace

std::shared_ptr<LearnedPairs> LearnedPairs::make(const kernels::PairConstants& constants,
                                                 kernels::PairKernel exact, kernels::Isa isa) {
  const kernels::BytePairKernel kernel = kernels::byte_pair_kernel(isa);
  if (kernel == nullptr || !kernels::has_shorter_way(constants)) return nullptr;
  return std::shared_ptr<LearnedPairs>(new LearnedPairs(constants, exact, kernel));
}

const kernels::BytePairs* LearnedPairs::before(int64_t elements) {
  if (computed_.fetch_add(elements, std::memory_order_relaxed) + elements < kPays) return nullptr;
  std::call_once(once_, [this] {
    if (const auto found = kernels::byte_pairs(constants_, exact_, kernel_)) {
      found_ = *found;
      is_found_.store(true, std::memory_order_release);
    }
  });
  return is_found_.load(std::memory_order_acquire) ? &found_ : nullptr;
}

}  // namespace edgetwin::ops
