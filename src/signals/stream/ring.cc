#include "signals/stream/ring.h"

#include <algorithm>

namespace edgetwin::signals {

void SampleRing::push(std::span<const std::complex<float>> samples) {
  {
    const std::lock_guard lock(mutex_);
    const size_t taken = std::min(samples.size(), samples_.size() - count_);
    for (size_t i = 0; i < taken; ++i) {
      samples_[(first_ + count_ + i) % samples_.size()] = samples[i];
    }
    count_ += taken;
    lost_ += samples.size() - taken;
  }
  changed_.notify_one();
}

size_t SampleRing::pop(std::span<std::complex<float>> to) {
  size_t done = 0;
  std::unique_lock lock(mutex_);
  while (done < to.size()) {
    changed_.wait(lock, [this] { return count_ > 0 || closed_; });
    if (count_ == 0) break;
    const size_t taken = std::min(to.size() - done, count_);
    for (size_t i = 0; i < taken; ++i) to[done + i] = samples_[(first_ + i) % samples_.size()];
    first_ = (first_ + taken) % samples_.size();
    count_ -= taken;
    done += taken;
  }
  return done;
}

void SampleRing::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
}

uint64_t SampleRing::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

}  // namespace edgetwin::signals
