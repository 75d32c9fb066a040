#include "serve/http/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace edgetwin::serve {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kLook{20};           // how often a waiting thread sees that the server ends
constexpr double kLeastRate = 16 * 1024.0;  // bytes a second

}  // namespace

bool Connection::wait(short events, milliseconds most) const {
  const auto end = Clock::now() + most;
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    pollfd one = {socket_, events, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready > 0) return (one.revents & POLLNVAL) == 0;
    if (ready == 0 || errno != EINTR) return false;
  }
}

bool Connection::is_open() const {
  char byte = 0;
  const ssize_t n = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
}

milliseconds Connection::left_to_read() const {
  return std::max(std::chrono::ceil<milliseconds>(until_ - Clock::now()), milliseconds(0));
}

bool Connection::begins(const std::atomic<bool>& stopping) {
  const auto end = Clock::now() + limits_.idle;
  if (ended_) return false;
  while (begin_ == end_) {
    if (stopping || Clock::now() >= end) return false;
    if (!wait(POLLIN, kLook)) continue;
    if (!is_open()) return false;
    break;
  }
  until_ = Clock::now() + limits_.read;
  allowed_ = limits_.head_bytes;
  late_ = {};
  return true;
}

bool Connection::readable() { return begin_ < end_ || wait(POLLIN, left_to_read()); }

ssize_t Connection::read(char* to, size_t size) {
  if (allowed_ == 0 || Clock::now() > until_) {
    ended_ = true;
    return -1;
  }
  if (begin_ == end_) {
    if (!readable()) {
      ended_ = true;
      return -1;
    }
    const ssize_t n = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (n <= 0) return n;
    begin_ = 0;
    end_ = static_cast<size_t>(n);
  }
  const size_t n = std::min({size, end_ - begin_, allowed_});
  std::memcpy(to, buffer_.data() + begin_, n);
  begin_ += n;
  allowed_ -= n;
  return static_cast<ssize_t>(n);
}

bool Connection::writable() {
  const auto begin = Clock::now();
  const auto left = std::chrono::ceil<milliseconds>(limits_.write - late_);
  const bool ready = left.count() > 0 && wait(POLLOUT, left);
  late_ += Clock::now() - begin;
  return ready && is_open();
}

ssize_t Connection::write(const char* from, size_t size) {
  if (!writable()) return -1;
  const ssize_t n = ::send(socket_, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? 0 : -1;
  late_ -= std::chrono::duration<double>(static_cast<double>(n) / kLeastRate);
  late_ = std::max(late_, std::chrono::duration<double>(0));
  return n;
}

}  // namespace edgetwin::serve
