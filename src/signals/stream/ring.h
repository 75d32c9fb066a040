// A ring between a producer that cannot wait and a consumer: bounded; what finds no room is
// counted.
#pragma once

#include <complex>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace edgetwin::signals {

// One producer thread, one consumer thread.
class SampleRing {
 public:
  explicit SampleRing(size_t capacity) : samples_(capacity) {}

  // Never waits: samples without room are dropped, the newest first, and counted.
  void push(std::span<const std::complex<float>> samples);
  // Waits until there are as many as `to` takes, or the producer has ended. Gives their number.
  size_t pop(std::span<std::complex<float>> to);
  // Of the producer: there will be no more.
  void close();

  uint64_t lost() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::complex<float>> samples_;
  size_t first_ = 0, count_ = 0;
  uint64_t lost_ = 0;
  bool closed_ = false;
};

}  // namespace edgetwin::signals
