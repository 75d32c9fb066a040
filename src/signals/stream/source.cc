#include "signals/stream/source.h"

#include <array>
#include <cmath>
#include <numbers>

#include "base/rng.h"

namespace edgetwin::signals {
namespace {

class RecordedSource final : public SampleSource {
 public:
  RecordedSource(recordings::Recording recording, std::string name)
      : recording_(std::move(recording)), name_(std::move(name)) {}
  std::string description() const override { return name_ + ": " + recording_.description(); }
  double sample_rate() const override { return recording_.sample_rate(); }
  double centre() const override { return recording_.centre(); }
  bool is_complex() const override { return recording_.is_complex(); }
  Result<size_t> read(std::span<std::complex<float>> to) override {
    auto count = recording_.read(next_, to);
    if (!count.ok()) return std::move(count.error()).in_file(name_);
    next_ += *count;
    return count;
  }
  uint64_t rest() const override { return recording_.rest(); }

 private:
  recordings::Recording recording_;
  std::string name_;
  uint64_t next_ = 0;
};

class SyntheticSource final : public SampleSource {
 public:
  SyntheticSource(std::string name, double rate, bool tones)
      : name_(std::move(name)), rate_(rate), tones_(tones) {}
  std::string description() const override { return "synthetic:" + name_; }
  double sample_rate() const override { return rate_; }
  Result<size_t> read(std::span<std::complex<float>> to) override {
    for (auto& v : to) v = next();
    return to.size();
  }

 private:
  struct Tone {
    double modulus, turns, wander;  // turns per sample
    double phase = 0.0;             // in turns
  };

  std::complex<float> next() {
    constexpr double kTurn = 2.0 * std::numbers::pi;
    // One after the other: compilers evaluate arguments in different orders.
    const double re = uniform() * kNoise;
    const double im = uniform() * kNoise;
    std::complex<double> sum(re, im);
    if (!tones_) return std::complex<float>(sum * 16.0);
    const double slow = std::sin(kTurn * static_cast<double>(index_++ % kPeriod) / kPeriod);
    for (Tone& tone : tone_) {
      tone.phase += tone.turns + tone.wander * slow;
      tone.phase -= std::floor(tone.phase);
      sum += std::polar(tone.modulus, kTurn * tone.phase);
    }
    return std::complex<float>(sum);
  }
  double uniform() { return std::ldexp(static_cast<double>(random_.next()), -31) - 1.0; }

  static constexpr double kNoise = 1.0 / 64.0;
  static constexpr uint64_t kPeriod = 16384;  // samples of one wandering
  std::string name_;
  double rate_;
  bool tones_;
  uint64_t index_ = 0;
  XorShift32 random_{1};
  std::array<Tone, 3> tone_ = {{{0.5, 0.125, 0.0}, {0.25, -0.3, 0.05}, {0.0625, 0.4, 0.02}}};
};

}  // namespace

std::unique_ptr<SampleSource> recorded_source(recordings::Recording recording, std::string name) {
  return std::make_unique<RecordedSource>(std::move(recording), std::move(name));
}

Result<std::unique_ptr<SampleSource>> synthetic_source(const std::string& name, double rate) {
  if (name != "tones" && name != "noise") {
    return Error(ErrorCode::usage, "there is no synthetic signal '" + name + "'")
        .with_hint("Choose synthetic:tones or synthetic:noise.");
  }
  return std::unique_ptr<SampleSource>(
      std::make_unique<SyntheticSource>(name, rate, name == "tones"));
}

}  // namespace edgetwin::signals
