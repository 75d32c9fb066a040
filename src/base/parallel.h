// Threads that divide work by index. What is computed never depends on their number: a part is a
// range of independent outputs, and nothing is summed across parts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace edgetwin {

// How many threads this machine runs side by side; at least 1.
int processors();

class ThreadPool {
 public:
  // `threads` >= 1; the caller's own thread is one of them. There are fewer where the system gives
  // no more: size().
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const;

  // Cuts [0, count) into a few contiguous ranges per thread, of at least `grain`, and calls
  // body(begin, end, worker) for each; returns when all are done. Calls with the same worker, 0 <=
  // worker < size(), follow each other. Not reentrant: a body must not call into the same pool.
  void parallel_for(int64_t count, int64_t grain,
                    const std::function<void(int64_t begin, int64_t end, int worker)>& body);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace edgetwin
