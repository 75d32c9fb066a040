#include "serve/http/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace edgetwin::serve {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A connection and its client.
class ServeConnection : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0); }
  void TearDown() override {
    leave();
    ::close(ends_[0]);
  }
  int server() const { return ends_[0]; }
  void send(const std::string& text) const {
    ASSERT_EQ(::send(ends_[1], text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  void leave() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }
  static std::string read_all(Connection& c) {
    std::string all;
    char part[7];
    for (ssize_t n = 0; (n = c.read(part, sizeof part)) > 0;)
      all.append(part, static_cast<size_t>(n));
    return all;
  }

  int ends_[2] = {-1, -1};
  std::atomic<bool> stopping_ = false;
};

TEST_F(ServeConnection, GivesWhatTheClientSent) {
  Connection c(server(), {});
  send("GET / and more");
  ASSERT_TRUE(c.begins(stopping_));
  leave();
  EXPECT_EQ(read_all(c), "GET / and more");
  EXPECT_FALSE(c.begins(stopping_));
}

TEST_F(ServeConnection, NothingBeginsWhereNothingComes) {
  ConnectionLimits limits;
  limits.idle = milliseconds(60);
  Connection c(server(), limits);
  const auto begin = steady_clock::now();
  EXPECT_FALSE(c.begins(stopping_));
  EXPECT_GE(steady_clock::now() - begin, milliseconds(60));
  send("x");
  stopping_ = true;
  EXPECT_FALSE(c.begins(stopping_));
  stopping_ = false;
  EXPECT_TRUE(c.begins(stopping_));
}

TEST_F(ServeConnection, ARequestHasOneTimeForAllItsBytes) {
  ConnectionLimits limits;
  limits.read = milliseconds(200);
  Connection c(server(), limits);
  send("x");
  ASSERT_TRUE(c.begins(stopping_));
  std::atomic<bool> done = false;
  std::thread client([&] {  // each byte comes long before a time limit of its own would end
    while (!done) {
      ::send(ends_[1], "x", 1, MSG_NOSIGNAL);
      std::this_thread::sleep_for(milliseconds(5));
    }
  });
  char byte = 0;
  const auto begin = steady_clock::now();
  while (c.read(&byte, 1) > 0 && steady_clock::now() - begin < std::chrono::seconds(20)) {
  }
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(c.read(&byte, 1), -1);
  done = true;
  client.join();
}

TEST_F(ServeConnection, HeadAndBodyHaveLimits) {
  ConnectionLimits limits;
  limits.head_bytes = 10;
  limits.body_bytes = 4;
  Connection c(server(), limits);
  send(std::string(30, 'x'));
  ASSERT_TRUE(c.begins(stopping_));
  EXPECT_EQ(read_all(c).size(), 10U);
  char byte = 0;
  EXPECT_EQ(c.read(&byte, 1), -1);
  c.head_ends();
  EXPECT_EQ(read_all(c).size(), 4U);
  EXPECT_FALSE(c.begins(stopping_));  // nobody knows where the next request would begin
}

TEST_F(ServeConnection, WhatHasComeAlreadyIsTheNextRequest) {
  Connection c(server(), {});
  send("one two ");
  char part[4];
  for (const char* word : {"one ", "two "}) {
    ASSERT_TRUE(c.begins(stopping_));
    ASSERT_EQ(c.read(part, 4), 4);
    EXPECT_EQ(std::string(part, 4), word);
  }
  send("three");
  c.end();
  EXPECT_FALSE(c.begins(stopping_));
}

TEST_F(ServeConnection, AClientThatNeverTakesIsLeft) {
  ConnectionLimits limits;
  limits.write = milliseconds(100);
  Connection c(server(), limits);
  const std::string much(1 << 20, 'x');
  const auto begin = steady_clock::now();
  ssize_t n = 0;
  for (int i = 0; i < 1000 && n >= 0; ++i) n = c.write(much.data(), much.size());
  EXPECT_EQ(n, -1);
  EXPECT_GE(steady_clock::now() - begin, milliseconds(100));
  EXPECT_FALSE(c.writable());
}

// 1 KiB each 20 ms: 50 KiB a second are three times what is asked for.
TEST_F(ServeConnection, ASlowClientThatTakesEnoughIsKept) {
  const int small = 4096;
  ::setsockopt(server(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  ConnectionLimits limits;
  limits.write = milliseconds(2000);
  Connection c(server(), limits);
  std::thread client([this] {
    char part[1024];
    while (::recv(ends_[1], part, sizeof part, 0) > 0) {
      std::this_thread::sleep_for(milliseconds(20));
    }
  });
  const std::string much(48 * 1024, 'x');
  size_t sent = 0;
  while (sent < much.size()) {
    const ssize_t n = c.write(much.data() + sent, much.size() - sent);
    ASSERT_GE(n, 0) << sent;
    sent += static_cast<size_t>(n);
  }
  ::shutdown(server(), SHUT_WR);
  client.join();
  leave();
  EXPECT_FALSE(c.writable());  // it has left
}

}  // namespace
}  // namespace edgetwin::serve
