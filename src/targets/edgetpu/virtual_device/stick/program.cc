#include "targets/edgetpu/virtual_device/stick/program.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

// What remembered programs may take before all are forgotten.
constexpr size_t kMaxBytes = size_t{64} << 20U;

}  // namespace

struct ProgramRunner::Node {
  explicit Node(ScalarCore c) : core(std::move(c)) {}
  Bytes chunk;
  ScalarCore core;  // after the chunk
  Ran ran;
  std::vector<std::unique_ptr<Node>> next;
};

ProgramRunner::ProgramRunner(ScalarLimits limits) : limits_(limits) { begin(); }
ProgramRunner::~ProgramRunner() = default;

void ProgramRunner::begin() {
  if (root_ == nullptr || bytes_ > kMaxBytes) {
    root_ = std::make_unique<Node>(ScalarCore(limits_));
    bytes_ = 0;
  }
  at_ = root_.get();
}

Result<ProgramRunner::Ran> ProgramRunner::run(ByteSpan chunk) {
  for (const auto& n : at_->next) {
    if (n->chunk.size() != chunk.size() ||
        std::memcmp(n->chunk.data(), chunk.data(), chunk.size()) != 0) {
      continue;
    }
    at_ = n.get();
    return at_->ran;
  }
  if (bytes_ > 4 * kMaxBytes) {
    return Error(ErrorCode::edgetpu_endless, "a program of too many chunks");
  }
  ScalarCore core = at_->core;
  const size_t before = core.descriptors().size();
  EDGETWIN_TRY(core.run(chunk));
  auto node = std::make_unique<Node>(std::move(core));
  node->chunk = to_bytes(chunk);
  node->ran.program = next_++;
  const auto& all = node->core.descriptors();
  node->ran.asked.assign(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
  bytes_ += chunk.size() + sizeof(ScalarCore) + ScalarCore::kMemoryWords * 4 +
            all.size() * 2 * sizeof(Descriptor);
  at_->next.push_back(std::move(node));
  at_ = at_->next.back().get();
  return at_->ran;
}

}  // namespace edgetwin::edgetpu
