#include "serve/http/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace edgetwin::serve {
namespace {

// A server with one route, and clients that write what they want.
class ServeHttp : public ::testing::Test {
 protected:
  void SetUp() override {
    HttpLimits limits;
    limits.read_seconds = 1;
    limits.body_bytes = 1000;
    server_ = std::make_unique<HttpServer>(Guard{}, limits);
    server_->on("POST", "/size", [](const HttpRequest& r) {
      return HttpResponse{200, "text/plain", std::to_string(r.body.size())};
    });
    const Result<int> port = server_->bind(0);
    ASSERT_TRUE(port.ok());
    port_ = *port;
    thread_ = std::thread([this] { server_->serve(); });
  }
  void TearDown() override {
    server_->stop();
    thread_.join();
  }
  int connect() const {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(port_));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < 200; ++i) {  // it listens already; accepting may begin a moment later
      if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return fd;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << "no connection";
    return fd;
  }
  std::string head() const {
    return "POST /size HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) + "\r\n";
  }
  // All that the server answers until it closes.
  static std::string rest_of(int fd) {
    std::string all;
    char part[4096];
    for (ssize_t n = 0; (n = ::recv(fd, part, sizeof part, 0)) > 0;)
      all.append(part, static_cast<size_t>(n));
    ::close(fd);
    return all;
  }
  std::string answer_to(const std::string& request) const {
    const int fd = connect();
    ::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    return rest_of(fd);
  }

  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
  int port_ = 0;
};

std::string status_in(const std::string& answer) {
  return answer.size() < 12 ? "none" : answer.substr(9, 3);
}

TEST_F(ServeHttp, AnswersAndKeepsTheConnection) {
  const std::string one = head() + "Content-Length: 3\r\n\r\nabc";
  const std::string two = head() + "Connection: close\r\nContent-Length: 2\r\n\r\nde";
  const std::string answers = answer_to(one + two);
  EXPECT_EQ(status_in(answers), "200");
  EXPECT_TRUE(answers.ends_with("2")) << answers;
  EXPECT_NE(answers.find("\r\n\r\n3HTTP/1.1 200"), std::string::npos) << answers;
}

TEST_F(ServeHttp, LargeRequestsAreRefused) {
  const std::string last = head() + "Connection: close\r\n";
  EXPECT_EQ(status_in(answer_to(last + "Content-Length: 1000\r\n\r\n" + std::string(1000, 'x'))),
            "200");
  EXPECT_EQ(status_in(answer_to(last + "Content-Length: 1001\r\n\r\n" + std::string(1001, 'x'))),
            "413");
}

TEST_F(ServeHttp, FilesAsFormsAreToldWhatToBe) {
  const std::string answer =
      answer_to(head() +
                "Connection: close\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                "Content-Length: 1001\r\n\r\n" +
                std::string(1001, 'x'));
  EXPECT_NE(answer.find("application/octet-stream"), std::string::npos) << answer;
}

// The library has no limit for chunks, none for the number of headers, and inflates what it gets.
TEST_F(ServeHttp, ChunksHeadersAndCompressedBodiesAreLimited) {
  std::string chunks = head() + "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 100; ++i) chunks += "800\r\n" + std::string(0x800, 'x') + "\r\n";
  const std::string refused = answer_to(chunks + "0\r\n\r\n");
  EXPECT_NE(status_in(refused), "200") << refused;
  std::string headers = head();
  for (int i = 0; i < 2000; ++i)
    headers += "X-" + std::to_string(i) + ": " + std::string(50, 'x') + "\r\n";
  EXPECT_NE(status_in(answer_to(headers + "Content-Length: 1\r\n\r\nx")), "200");
  EXPECT_EQ(status_in(answer_to(head() + "Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx")),
            "415");
}

// A byte now and then would keep a thread for ever.
TEST_F(ServeHttp, ASlowRequestEnds) {
  const int fd = connect();
  const std::string text = head() + "X-Slow: " + std::string(4000, 'x');
  const auto begin = std::chrono::steady_clock::now();
  size_t sent = 0;
  while (sent < text.size() && ::send(fd, &text[sent], 1, MSG_NOSIGNAL) == 1) {
    ++sent;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_LT(sent, text.size());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_NE(status_in(rest_of(fd)), "200");
}

}  // namespace
}  // namespace edgetwin::serve
