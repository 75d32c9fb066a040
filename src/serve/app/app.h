// All endpoints of `edgetwin serve`: the page, the older GUI's names, and /api. docs/serve.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/http/server.h"
#include "serve/inspect/side_by_side.h"
#include "serve/inspect/store.h"
#include "serve/session/session.h"

namespace edgetwin::serve {

struct AppOptions {
  std::string host = "127.0.0.1";
  int port = 8080;    // 0: a free one
  std::string token;  // of hosts beyond the loopback; empty: random
  PipelineOptions pipeline;
  std::vector<std::string> open;  // files that are opened at once
  HttpLimits limits;
};

class App {
 public:
  // Listens, and the first pictures are on their way. Errors: usage where it cannot listen, those
  // of the pipeline and of opening files.
  static Result<std::unique_ptr<App>> create(const AppOptions& options);
  ~App();

  const std::string& url() const { return url_; }  // with the token, if there is one
  int port() const { return port_; }
  const std::string& token() const { return guard_.token; }
  std::vector<std::string> routes() const { return server_->routes(); }
  Session& session() { return *session_; }
  HttpResponse answer(const HttpRequest& request) const { return server_->answer(request); }

  void serve() { server_->serve(); }  // until stop()
  void stop();

 private:
  App() = default;
  void add_page();
  void add_live();
  void add_mouse();
  void add_api();
  void add_session_api();

  Guard guard_;
  std::string url_;
  int port_ = 0;
  std::unique_ptr<HttpServer> server_;
  std::unique_ptr<Session> session_;
  FileStore files_;
  SideBySide side_by_side_;
  std::vector<std::string> models_;
};

}  // namespace edgetwin::serve
