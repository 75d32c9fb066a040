#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace edgetwin {
namespace {

using Clock = std::chrono::steady_clock;

// How often a waiting thread looks before it sleeps. Layers of small networks take microseconds,
// and waking a sleeping thread takes as long; spinning for a moment keeps two threads worth having.
constexpr int kSpins = 20000;

// Long work is cut finer than by threads, so that a thread that is late takes fewer parts.
constexpr int64_t kPartsPerThread = 4;
constexpr int64_t kUnitsPerPart = 8;

// On a busy machine a thread may lose its processor in the middle of a part, and the caller waits
// for it. A wait longer than this and than kWaits times the caller's own work is paid back: the
// caller works alone for kAlone times as long, so that waits never cost more than a kAlone-th of
// the time. A thread that took its part late, and runs, is waited for as long as a part takes,
// which may be all of the caller's own work and some more: caches are its own.
constexpr auto kLongWait = std::chrono::microseconds(100);
constexpr int kWaits = 2;
constexpr auto kMostAlone = std::chrono::milliseconds(100);
constexpr int kAlone = 4;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// A job, how many of its parts are one thread's, and which of them comes next, in one word: a
// thread that takes a part changes the word only while parts are left, and a job with a part taken
// cannot end.
struct Ticket {
  uint64_t bits;

  static Ticket first(uint64_t job, int64_t parts) {
    return {job << 32 | static_cast<uint64_t>(parts) << 16};
  }
  int64_t parts() const { return static_cast<int64_t>(bits >> 16 & 0xFFFF); }
  int64_t part() const { return static_cast<int64_t>(bits & 0xFFFF); }
};

struct alignas(64) Share {
  std::atomic<uint64_t> ticket{0};
};

}  // namespace

int processors() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

struct ThreadPool::Impl {
  explicit Impl(int most) : shares(static_cast<size_t>(std::max(1, most))) {}

  std::vector<std::thread> threads;
  std::vector<Share> shares;  // by thread
  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<uint64_t> jobs{0};
  std::atomic<int64_t> unfinished{0};
  std::atomic<int> sleepers{0};
  std::atomic<bool> stop{false};
  // Of the job; read only by threads that hold one of its parts.
  const std::function<void(int64_t, int64_t, int)>* body = nullptr;
  int64_t count = 0;
  int64_t parts = 0;
  int64_t per_thread = 1;
  // Of the caller.
  Clock::time_point alone_until{};

  int size() const { return static_cast<int>(threads.size()) + 1; }

  void run_part(int64_t part, int worker) const {
    (*body)(count * part / parts, count * (part + 1) / parts, worker);
  }

  void take_share(size_t owner, int worker) {
    std::atomic<uint64_t>& next = shares[owner].ticket;
    Ticket t{next.load(std::memory_order_acquire)};
    while (t.part() < t.parts()) {
      if (!next.compare_exchange_weak(t.bits, t.bits + 1, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
        continue;
      }
      run_part(static_cast<int64_t>(owner) * per_thread + t.part(), worker);
      unfinished.fetch_sub(1, std::memory_order_acq_rel);
      t.bits = next.load(std::memory_order_acquire);
    }
  }

  // First the thread's own share, which lies where its share of the last layer lay; then what
  // others have not begun.
  void work(int worker, int threads_of_job) {
    for (int i = 0; i < threads_of_job; ++i) {
      take_share(static_cast<size_t>((worker + i) % threads_of_job), worker);
    }
  }

  bool news(uint64_t seen) const { return jobs.load() != seen || stop.load(); }

  void await_news(uint64_t seen) {
    for (int i = 0; i < kSpins; ++i) {
      if (news(seen)) return;
      relax();
    }
    std::unique_lock lock(mutex);
    sleepers.fetch_add(1);
    wake.wait(lock, [&] { return news(seen); });
    sleepers.fetch_sub(1);
  }

  void worker(int index) {
    const int all = static_cast<int>(shares.size());
    uint64_t seen = 0;
    while (true) {
      await_news(seen);
      if (stop.load()) return;
      seen = jobs.load();
      work(index, all);
    }
  }

  void publish(int64_t units, int64_t share, int64_t all,
               const std::function<void(int64_t, int64_t, int)>& wanted) {
    body = &wanted;
    count = units;
    parts = all;
    per_thread = share;
    unfinished.store(all, std::memory_order_relaxed);
    const uint64_t job = jobs.load(std::memory_order_relaxed) + 1;
    for (int64_t i = 0; i * share < all; ++i) {
      shares[static_cast<size_t>(i)].ticket.store(
          Ticket::first(job, std::min(share, all - i * share)).bits, std::memory_order_release);
    }
    jobs.store(job);
    if (sleepers.load() == 0) return;
    // A thread on its way to sleep holds the mutex, or has seen the job.
    { const std::lock_guard lock(mutex); }
    wake.notify_all();
  }

  void wait() const {
    for (int i = 0; unfinished.load(std::memory_order_acquire) != 0; ++i) {
      // Where other programs want the processor too, the last part may be waiting for this
      // thread's.
      i < kSpins / 4 ? relax() : std::this_thread::yield();
    }
  }
};

ThreadPool::ThreadPool(int threads) : impl_(std::make_unique<Impl>(threads)) {
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

int ThreadPool::size() const { return impl_->size(); }

void ThreadPool::parallel_for(int64_t count, int64_t grain,
                              const std::function<void(int64_t, int64_t, int)>& body) {
  if (count <= 0) return;
  const int64_t wanted = std::max<int64_t>(1, count / std::max<int64_t>(1, grain));
  const int64_t threads = size();
  const int64_t share = std::clamp<int64_t>(wanted / (threads * kUnitsPerPart), 1, kPartsPerThread);
  const int64_t parts = std::min(wanted, threads * share);
  const auto begin = parts == 1 || threads == 1 ? Clock::time_point{} : Clock::now();
  if (parts == 1 || threads == 1 || begin < impl_->alone_until) {
    body(0, count, 0);
    return;
  }
  impl_->publish(count, share, parts, body);
  impl_->work(0, size());
  const auto worked = Clock::now();
  impl_->wait();
  const auto end = Clock::now();
  const auto waited = end - worked;
  if (waited > kLongWait && waited > kWaits * (worked - begin)) {
    impl_->alone_until = end + std::min<Clock::duration>(kAlone * waited, kMostAlone);
  }
}

}  // namespace edgetwin
