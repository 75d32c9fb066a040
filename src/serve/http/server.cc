#include "serve/http/server.h"

#include <atomic>

#include "base/json/json.h"
#include "base/modules/modules.h"
#include "serve/http/listener.h"

namespace edgetwin::serve {

struct HttpServer::Impl {
  Answers answers;
  std::vector<std::string> routes;
  std::map<std::string, HttpHandler> handlers;  // by route
  std::unique_ptr<Listener> listener;           // once it is bound
};

HttpServer::HttpServer(Guard guard, const HttpLimits& limits) : impl_(std::make_unique<Impl>()) {
  impl_->answers.guard = std::move(guard);
  impl_->answers.limits = limits;
  impl_->answers.error = http_error;
}

HttpServer::~HttpServer() { stop(); }

void HttpServer::on(const std::string& method, const std::string& path, HttpHandler handler) {
  Impl& i = *impl_;
  i.routes.push_back(method + " " + path);
  i.handlers[i.routes.back()] = std::move(handler);
}

std::vector<std::string> HttpServer::routes() const { return impl_->routes; }

HttpResponse HttpServer::answer(const HttpRequest& request) const {
  const auto found = impl_->handlers.find(request.method + " " + request.path);
  if (found != impl_->handlers.end()) return found->second(request);
  return http_error(404, "there is no " + request.method + " " + request.path);
}

Result<int> HttpServer::bind(int port) {
  Impl& i = *impl_;
  EDGETWIN_TRY_ASSIGN(MakeListener* const make,
                      EDGETWIN_MODULE_FUNCTION("http", edgetwin_http_listener));
  i.listener = make(i.answers);
  for (const auto& [route, handler] : i.handlers) {
    const size_t blank = route.find(' ');
    i.listener->on(route.substr(0, blank), route.substr(blank + 1), handler);
  }
  const std::string& host = i.answers.guard.host;
  const int bound = i.listener->bind(host, port);
  if (bound <= 0) {
    return Error(ErrorCode::usage,
                 "the server cannot listen on " + host + " port " + std::to_string(port))
        .with_hint("Give another --port, or --host with an address of this computer.");
  }
  i.answers.guard.port = bound;
  return bound;
}

void HttpServer::serve() {
  if (impl_->listener != nullptr) impl_->listener->serve();
}

void HttpServer::stop() {
  impl_->answers.stopping = true;
  if (impl_->listener != nullptr) impl_->listener->stop();
}

bool HttpServer::stopping() const { return impl_->answers.stopping; }

HttpResponse http_error(int status, const std::string& message) {
  Json j = Json::object();
  j.set("success", false).set("error", message);
  return {status, "application/json", j.text()};
}

HttpResponse http_error(const Error& error) {
  Json j = Json::object();
  j.set("success", false).set("error", error.message).set("id", error.id());
  j.set("details", Json::list(error.details));
  // The remedy of bad_value is one for files; what is wrong with a request is in the message.
  const bool of_request = error.hint.empty() && error.code == ErrorCode::bad_value;
  const std::string remedy(of_request ? "" : info(error.code).remedy);
  j.set("hint", error.hint.empty() ? remedy : error.hint);
  return {error.code == ErrorCode::internal ? 500 : 400, "application/json", j.text()};
}

}  // namespace edgetwin::serve
