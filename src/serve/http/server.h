// A small server of HTTP: handlers by method and path, streams, limits. The library below is seen
// by listener.cc only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "serve/http/guard.h"

namespace edgetwin::serve {

struct HttpRequest {
  std::string method, path;
  std::map<std::string, std::string> query;
  std::string body;
};

// Takes text; false once the client is gone.
using HttpWrite = std::function<bool(std::string_view)>;

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Of a stream: writes the next part and is called again until it gives false; `body` is not
  // looked at. Each client has its own thread, so that it may wait.
  std::function<bool(const HttpWrite&)> next = {};
};

using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

struct HttpLimits {
  size_t body_bytes = size_t{64} << 20;
  int clients = 96;       // at the same time
  int streams = 64;       // of them; 503 beyond
  int stream_wait = 250;  // milliseconds until that refusal
  int read_seconds = 10;  // from the first byte of a request to its last
  int write_seconds = 2;  // a client that is so late with what it is sent is dropped
};

class HttpServer {
 public:
  explicit HttpServer(Guard guard, const HttpLimits& limits = {});
  ~HttpServer();

  // Before bind().
  void on(const std::string& method, const std::string& path, HttpHandler handler);
  // "GET /metrics", in order.
  std::vector<std::string> routes() const;
  // What a client gets who may ask, without a socket: for tests, fuzzers and benchmarks.
  HttpResponse answer(const HttpRequest& request) const;

  // Once. Port 0: a free one. Gives the port. Errors: usage; device without the module of HTTP.
  Result<int> bind(int port);
  // Serves until stop(), which may be called from another thread.
  void serve();
  void stop();
  bool stopping() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A message as the JSON document of an error.
HttpResponse http_error(int status, const std::string& message);
HttpResponse http_error(const Error& error);  // 400, 403 for files, 500 of our own

}  // namespace edgetwin::serve
