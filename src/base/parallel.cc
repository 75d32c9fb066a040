#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace edgetwin {
namespace {

// How often a waiting thread looks before it sleeps. Layers of small networks take microseconds,
// and waking a sleeping thread takes as long; spinning for a moment keeps two threads worth having.
constexpr int kSpins = 20000;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

struct ThreadPool::Impl {
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<uint64_t> generation{0};
  std::atomic<int> pending{0};
  std::atomic<bool> stop{false};
  const std::function<void(int64_t, int64_t, int)>* body = nullptr;
  int64_t count = 0;
  int64_t parts = 0;

  void run_part(int64_t part) {
    const int64_t begin = count * part / parts;
    const int64_t end = count * (part + 1) / parts;
    if (begin < end) (*body)(begin, end, static_cast<int>(part));
  }

  uint64_t await_generation(uint64_t seen) {
    for (int i = 0; i < kSpins; ++i) {
      const uint64_t now = generation.load(std::memory_order_acquire);
      if (now != seen || stop.load(std::memory_order_acquire)) return now;
      relax();
    }
    std::unique_lock lock(mutex);
    wake.wait(lock, [&] { return generation.load() != seen || stop.load(); });
    return generation.load();
  }

  void worker(int64_t index) {
    uint64_t seen = 0;
    while (true) {
      seen = await_generation(seen);
      if (stop.load(std::memory_order_acquire)) return;
      if (index < parts) run_part(index);
      pending.fetch_sub(1, std::memory_order_acq_rel);
    }
  }
};

ThreadPool::ThreadPool(int threads) : impl_(std::make_unique<Impl>()) {
  try {
    for (int i = 1; i < threads; ++i) {
      impl_->threads.emplace_back([this, i] { impl_->worker(i); });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: those that are there do the work, with the same result.
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stop.store(true);
  }
  impl_->wake.notify_all();
  for (auto& thread : impl_->threads) thread.join();
}

int ThreadPool::size() const { return static_cast<int>(impl_->threads.size()) + 1; }

void ThreadPool::parallel_for(int64_t count, int64_t grain,
                              const std::function<void(int64_t, int64_t, int)>& body) {
  if (count <= 0) return;
  const int64_t wanted = std::max<int64_t>(1, count / std::max<int64_t>(1, grain));
  const int64_t parts = std::min<int64_t>(size(), wanted);
  if (parts == 1) {
    body(0, count, 0);
    return;
  }
  Impl& p = *impl_;
  p.body = &body;
  p.count = count;
  p.parts = parts;
  p.pending.store(static_cast<int>(p.threads.size()), std::memory_order_relaxed);
  {
    const std::lock_guard lock(p.mutex);
    p.generation.fetch_add(1, std::memory_order_release);
  }
  p.wake.notify_all();
  p.run_part(0);
  for (int i = 0; p.pending.load(std::memory_order_acquire) != 0; ++i) {
    // Where other programs want the processor too, the last part may be waiting for this thread's.
    i < kSpins / 4 ? relax() : std::this_thread::yield();
  }
}

}  // namespace edgetwin
