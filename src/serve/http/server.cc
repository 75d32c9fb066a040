#include "serve/http/server.h"

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/json/json.h"

namespace edgetwin::serve {
namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

Caller caller_of(const httplib::Request& r) {
  return {r.method,
          r.get_header_value("Host"),
          r.get_header_value("Origin"),
          r.get_header_value("Sec-Fetch-Site"),
          r.get_header_value("Authorization"),
          r.get_header_value("Cookie"),
          r.has_param("token") ? r.get_param_value("token") : ""};
}

HttpRequest request_of(const httplib::Request& r) {
  HttpRequest request{r.method, r.path, {}, r.body};
  for (const auto& [name, value] : r.params) request.query.emplace(name, value);
  return request;
}

void put(const HttpResponse& from, httplib::Response& to) {
  to.status = from.status;
  for (const auto& [name, value] : from.headers) to.set_header(name, value);
  to.set_content(from.body, from.type);
}

}  // namespace

struct HttpServer::Impl {
  Guard guard;
  HttpLimits limits;
  httplib::Server server;
  std::vector<std::string> routes;
  std::map<std::string, HttpHandler> handlers;  // by route
  std::atomic<int> streams = 0;
  std::atomic<bool> stopping = false;

  // Clients that have just left are given time to be noticed.
  bool take_stream() {
    for (int waited = 0; waited <= limits.stream_wait; waited += 10) {
      if (streams.fetch_add(1) < limits.streams) return true;
      --streams;
      if (stopping) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  void stream(const HttpResponse& made, httplib::Response& to) {
    if (!take_stream()) {
      put(http_error(503, "too many clients are watching"), to);
      return;
    }
    for (const auto& [name, value] : made.headers) to.set_header(name, value);
    to.set_content_provider(
        made.type,
        [this, next = made.next](size_t, httplib::DataSink& sink) {
          const auto write = [&sink](std::string_view text) {
            return sink.is_writable() && sink.write(text.data(), text.size());
          };
          if (stopping || !next(write)) return false;
          return true;
        },
        [this](bool) { --streams; });
  }
};

HttpServer::HttpServer(Guard guard, const HttpLimits& limits) : impl_(std::make_unique<Impl>()) {
  Impl& i = *impl_;
  i.guard = std::move(guard);
  i.limits = limits;
  i.server.set_payload_max_length(limits.body_bytes);
  i.server.set_read_timeout(limits.read_seconds);
  i.server.set_write_timeout(limits.write_seconds);
  i.server.set_keep_alive_timeout(2);
  i.server.new_task_queue = [n = limits.clients] {
    return new httplib::ThreadPool(static_cast<size_t>(n));  // the library deletes it
  };
  i.server.set_default_headers({{"Content-Security-Policy", kPolicy},
                                {"X-Content-Type-Options", "nosniff"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Cross-Origin-Resource-Policy", "same-origin"},
                                {"Cache-Control", "no-store"}});
  i.server.set_pre_routing_handler([&i](const httplib::Request& r, httplib::Response& to) {
    const Refusal refusal = i.guard.refusal(caller_of(r));
    if (refusal.status == 0) return httplib::Server::HandlerResponse::Unhandled;
    put(http_error(refusal.status, refusal.message), to);
    return httplib::Server::HandlerResponse::Handled;
  });
  i.server.set_error_handler([](const httplib::Request& r, httplib::Response& to) {
    if (!to.body.empty()) return;
    const std::string what = to.status == 404   ? "there is no " + r.method + " " + r.path
                             : to.status == 413 ? "the request is too large"
                                                : "the request cannot be read";
    put(http_error(to.status, what), to);
  });
  i.server.set_exception_handler(
      [](const httplib::Request&, httplib::Response& to, const std::exception_ptr&) {
        put(http_error(500, "there is not enough memory for this request"), to);
      });
}

HttpServer::~HttpServer() { stop(); }

void HttpServer::on(const std::string& method, const std::string& path, HttpHandler handler) {
  Impl& i = *impl_;
  i.routes.push_back(method + " " + path);
  i.handlers[i.routes.back()] = handler;
  const auto handle = [&i, handler = std::move(handler)](const httplib::Request& r,
                                                         httplib::Response& to) {
    const HttpResponse made = handler(request_of(r));
    if (made.next) return i.stream(made, to);
    put(made, to);
  };
  if (method == "GET") i.server.Get(path, handle);
  if (method == "POST") i.server.Post(path, handle);
  if (method == "DELETE") i.server.Delete(path, handle);
}

std::vector<std::string> HttpServer::routes() const { return impl_->routes; }

HttpResponse HttpServer::answer(const HttpRequest& request) const {
  const auto found = impl_->handlers.find(request.method + " " + request.path);
  if (found != impl_->handlers.end()) return found->second(request);
  return http_error(404, "there is no " + request.method + " " + request.path);
}

Result<int> HttpServer::bind(int port) {
  Impl& i = *impl_;
  // Not shared with another process: the port is ours or an error.
  i.server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  const std::string host = i.guard.host;
  const int bound = port == 0                           ? i.server.bind_to_any_port(host)
                    : i.server.bind_to_port(host, port) ? port
                                                        : -1;
  if (bound <= 0) {
    return Error(ErrorCode::usage,
                 "the server cannot listen on " + host + " port " + std::to_string(port))
        .with_hint("Give another --port, or --host with an address of this computer.");
  }
  i.guard.port = bound;
  return bound;
}

void HttpServer::serve() { impl_->server.listen_after_bind(); }

void HttpServer::stop() {
  impl_->stopping = true;
  impl_->server.stop();
}

bool HttpServer::stopping() const { return impl_->stopping; }

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
