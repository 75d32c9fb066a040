#include "runner.h"

namespace edgetwin::bench {
namespace {

class OurRunner : public Runner {
 public:
  OurRunner(const ConvLayer& layer, const Operands& operands, kernels::Isa isa, ThreadPool& pool)
      : operands_(operands), pool_(pool), out_(layer.out_size()) {
    kernels::Conv8Spec spec = operands.spec(layer);
    spec.isa = isa;
    conv_ = kernels::PackedConv::make(spec);
    if (conv_ != nullptr) scratch_.resize(conv_->scratch_bytes(pool.size()));
  }
  bool valid() const { return conv_ != nullptr; }
  void run() override { conv_->run(operands_.in.data(), out_.data(), scratch_.data(), pool_); }
  const std::vector<uint8_t>& result() const override { return out_; }

 private:
  const Operands& operands_;
  ThreadPool& pool_;
  std::vector<uint8_t> out_;
  std::unique_ptr<kernels::PackedConv> conv_;
  std::vector<std::byte> scratch_;
};

}  // namespace

std::unique_ptr<Runner> our_runner(const ConvLayer& layer, const Operands& operands,
                                   kernels::Isa isa, ThreadPool& pool) {
  auto runner = std::make_unique<OurRunner>(layer, operands, isa, pool);
  if (!runner->valid()) return nullptr;
  return runner;
}

}  // namespace edgetwin::bench
