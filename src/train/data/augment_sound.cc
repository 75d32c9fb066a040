// Changed copies of sounds for training: 16,384 samples as 128 channels of 128.
// Specification: training, 10.3.
#include <algorithm>
#include <cmath>

#include "signals/keywords/waveform.h"
#include "train/data/augment.h"
#include "train/math/functions.h"

namespace edgetwin::train {
namespace {

constexpr double kTurn = 6.28318530717958647692;
constexpr double kTen = 2.302585092994045684;  // ln 10

// Levels in the order of time, and back.
std::vector<double> samples_of(std::span<const uint8_t> bytes) {
  constexpr auto kChannels = static_cast<size_t>(signals::kWaveformChannels);
  std::vector<double> samples(bytes.size());
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] = bytes[i % kChannels * kChannels + i / kChannels] - 128.0;
  }
  return samples;
}

void put_samples(const std::vector<double>& samples, std::span<uint8_t> bytes) {
  constexpr auto kChannels = static_cast<size_t>(signals::kWaveformChannels);
  for (size_t i = 0; i < samples.size(); ++i) {
    const double level = std::clamp(std::floor(samples[i] + 0.5), -128.0, 127.0);
    bytes[i % kChannels * kChannels + i / kChannels] = static_cast<uint8_t>(level + 128);
  }
}

double drawn(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

double power_of(const std::vector<double>& samples) {
  double sum = 0;
  for (const double s : samples) sum += s * s;
  return sum / static_cast<double>(samples.size());
}

void shift_sound(std::vector<double>& samples, double seconds, Random& random) {
  const double places = drawn(random, -seconds, seconds) * signals::kWaveformRate;
  const auto shift = static_cast<int64_t>(std::floor(places + 0.5));
  const std::vector<double> old = samples;
  const auto count = static_cast<int64_t>(old.size());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t from = i - shift;
    samples[static_cast<size_t>(i)] =
        from >= 0 && from < count ? old[static_cast<size_t>(from)] : 0.0;
  }
}

void change_speed(std::vector<double>& samples, double factor) {
  const std::vector<double> old = samples;
  for (size_t i = 0; i < samples.size(); ++i) {
    const double at = static_cast<double>(i) * factor;
    const auto first = static_cast<size_t>(at);
    const double rest = at - static_cast<double>(first);
    const double a = first < old.size() ? old[first] : 0.0;
    const double b = first + 1 < old.size() ? old[first + 1] : 0.0;
    samples[i] = a * (1 - rest) + b * rest;
  }
}

// `noise` so many decibels below the sound.
void add(std::vector<double>& samples, const std::vector<double>& noise, double decibels) {
  const double own = power_of(samples), other = power_of(noise);
  if (own == 0 || other == 0) return;  // a pause stays a pause
  const double factor = std::sqrt(own / other / exponential(decibels / 10 * kTen));
  for (size_t i = 0; i < samples.size(); ++i) samples[i] += factor * noise[i];
}

std::vector<double> white(size_t count, Random& random) {
  std::vector<double> noise(count);
  for (double& n : noise) {
    const double u = 1.0 - random.uniform();  // above 0
    n = std::sqrt(-2 * logarithm(u)) * cosine(kTurn * random.uniform());
  }
  return noise;
}

// A part of one of the recordings, which is repeated where it is shorter than a sound.
std::vector<double> recorded(size_t count, const Recordings& recordings, Random& random) {
  const std::vector<float>& r = recordings[random.below(recordings.size())];
  const uint64_t first = random.below(r.size());
  std::vector<double> noise(count);
  for (size_t i = 0; i < count; ++i) noise[i] = static_cast<double>(r[(first + i) % r.size()]);
  return noise;
}

}  // namespace

void augment_sound(std::span<uint8_t> bytes, const Augmentation& step, Random& random) {
  std::vector<double> samples = samples_of(bytes);
  if (step.kind == AugmentKind::sound_shift) {
    shift_sound(samples, step.shift, random);
  } else if (step.kind == AugmentKind::speed) {
    change_speed(samples, drawn(random, step.low, step.high));
  } else if (step.kind == AugmentKind::white_noise) {
    const double decibels = drawn(random, step.low, step.high);
    add(samples, white(samples.size(), random), decibels);
  } else if (step.recordings && random.uniform() < step.probability) {
    const double decibels = drawn(random, step.low, step.high);
    add(samples, recorded(samples.size(), *step.recordings, random), decibels);
  }
  put_samples(samples, bytes);
}

}  // namespace edgetwin::train
