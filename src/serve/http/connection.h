// A client's socket whose requests and answers have a time limit as a whole: one who sends or takes
// a byte now and then would keep a thread for days otherwise.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>

namespace edgetwin::serve {

struct ConnectionLimits {
  std::chrono::milliseconds idle{2000};    // until the next request begins
  std::chrono::milliseconds read{10'000};  // from the first byte of a request to its last
  std::chrono::milliseconds write{2000};   // that a client may be late with taking what it gets
  size_t head_bytes = size_t{64} << 10;    // of a request: its line and headers
  size_t body_bytes = size_t{64} << 20;    // of a request as it is sent
};

class Connection {
 public:
  // The socket stays the caller's.
  Connection(int socket, const ConnectionLimits& limits) : socket_(socket), limits_(limits) {}

  // True once a request begins; its time runs from there. False when none does within the time,
  // when the client has closed, or when `stopping`.
  bool begins(const std::atomic<bool>& stopping);

  // The head is read; a body may follow.
  void head_ends() { allowed_ = limits_.body_bytes; }
  // No other request begins: what follows on the socket may be a body that nobody reads.
  void end() { ended_ = true; }

  // A byte is there, or comes within the request's time.
  bool readable();
  // At most `size` bytes; 0: closed, -1: too late, too much, or broken.
  ssize_t read(char* to, size_t size);

  // The client is there and takes bytes within its time.
  bool writable();
  // At most `size` bytes; -1: too late or broken. A client that takes less than 16 KiB a second is
  // late by what it lacks.
  ssize_t write(const char* from, size_t size);

 private:
  using Clock = std::chrono::steady_clock;
  bool wait(short events, std::chrono::milliseconds most) const;
  bool is_open() const;
  std::chrono::milliseconds left_to_read() const;

  int socket_;
  ConnectionLimits limits_;
  Clock::time_point until_;               // of the request that is being read
  std::chrono::duration<double> late_{};  // of the client, with what it was sent
  std::array<char, 4096> buffer_{};
  size_t begin_ = 0, end_ = 0;
  size_t allowed_ = 0;  // bytes of the request that may still be read
  bool ended_ = false;
};

}  // namespace edgetwin::serve
