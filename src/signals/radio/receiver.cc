#include "signals/radio/receiver.h"

#include <atomic>
#include <cmath>
#include <thread>
#include <vector>

#include "signals/stream/ring.h"

namespace edgetwin::signals {
namespace {

class ReceiverSource final : public SampleSource {
 public:
  ReceiverSource(std::unique_ptr<ReceiverLibrary> library, const ReceiverOptions& options)
      : library_(std::move(library)),
        options_(options),
        ring_(options.ring_blocks * kReceiverBlock / 2) {}
  ~ReceiverSource() override {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    if (open_) library_->close();
  }

  Status start() {
    EDGETWIN_TRY(choose());
    EDGETWIN_TRY(library_->open(options_.index));
    open_ = true;
    const auto wanted = static_cast<uint32_t>(std::llround(options_.sample_rate));
    EDGETWIN_TRY_ASSIGN(const uint32_t rate, library_->set_sample_rate(wanted));
    // Its clock is divided: the last hertz may differ.
    if (std::fabs(static_cast<double>(rate) - options_.sample_rate) > 1.0) {
      return Error(ErrorCode::usage, "the sample rates differ: " + std::to_string(wanted) +
                                         " is asked for, the receiver has " + std::to_string(rate))
          .with_hint("Ask for the receiver's rate with --rate.");
    }
    EDGETWIN_TRY(library_->set_centre(static_cast<uint32_t>(std::llround(options_.centre))));
    EDGETWIN_TRY(library_->set_gain(options_.gain));
    EDGETWIN_TRY(library_->reset());
    try {
      thread_ = std::thread([this] { receive(); });
    } catch (const std::system_error& e) {
      return Error(ErrorCode::device,
                   std::string("the receiver's thread cannot be created: ") + e.what())
          .with_hint("Raise the limit of threads (ulimit -u) of this user or container.");
    }
    return Ok{};
  }

  std::string description() const override { return "rtl_sdr: " + name_; }
  double sample_rate() const override { return options_.sample_rate; }
  double centre() const override { return options_.centre; }
  Result<size_t> read(std::span<std::complex<float>> to) override {
    const size_t count = ring_.pop(to);
    // What came before the device failed is given out first.
    if (count == 0 && failure_) return *failure_;
    return count;
  }
  uint64_t lost() const override { return ring_.lost(); }

 private:
  Status choose() {
    const uint32_t count = library_->count();
    if (options_.index < count) {
      name_ = library_->device_name(options_.index);
      return Ok{};
    }
    return Error(ErrorCode::device, "there is no receiver " + std::to_string(options_.index) +
                                        "; " + std::to_string(count) + " are attached")
        .with_hint("Attach an RTL2832U receiver, or choose another source.");
  }

  void receive() {
    std::vector<uint8_t> block(kReceiverBlock);
    std::vector<std::complex<float>> samples(kReceiverBlock / 2);
    const auto real = [](uint8_t v) { return (static_cast<float>(v) - 127.5F) / 127.5F; };
    while (!stop_) {
      auto got = library_->read(block);
      if (!got.ok()) {
        failure_ = std::move(got).error();  // seen by the consumer after the ring is closed
        break;
      }
      const size_t count = *got / 2;
      if (count == 0) break;
      for (size_t i = 0; i < count; ++i) samples[i] = {real(block[2 * i]), real(block[2 * i + 1])};
      ring_.push(std::span(samples).first(count));
    }
    ring_.close();
  }

  std::unique_ptr<ReceiverLibrary> library_;
  ReceiverOptions options_;
  SampleRing ring_;
  std::string name_;
  bool open_ = false;
  std::optional<Error> failure_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<SampleSource>> receiver_source(std::unique_ptr<ReceiverLibrary> library,
                                                      const ReceiverOptions& options) {
  auto source = std::make_unique<ReceiverSource>(std::move(library), options);
  EDGETWIN_TRY(source->start());
  return std::unique_ptr<SampleSource>(std::move(source));
}

}  // namespace edgetwin::signals
