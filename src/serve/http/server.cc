#include "serve/http/server.h"

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/json/json.h"
#include "serve/http/connection.h"

namespace edgetwin::serve {
namespace {

constexpr size_t kFraming = size_t{64} << 10;  // bytes, of a body that comes in chunks

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

class ClientStream final : public httplib::Stream {
 public:
  ClientStream(socket_t socket, Connection& connection)
      : socket_(socket), connection_(connection) {}
  bool is_readable() const override { return connection_.readable(); }
  bool is_writable() const override { return connection_.writable(); }
  ssize_t read(char* to, size_t size) override { return connection_.read(to, size); }
  ssize_t write(const char* from, size_t size) override { return connection_.write(from, size); }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  socket_t socket_;
  Connection& connection_;
};

// Of the request that this thread reads.
thread_local Connection* current_connection = nullptr;

// The library limits the time of each byte; this server limits that of a request.
class TimedServer final : public httplib::Server {
 public:
  ConnectionLimits connections;
  std::atomic<bool> stopping = false;

 private:
  bool process_and_close_socket(socket_t socket) override {
    Connection connection(socket, connections);
    ClientStream stream(socket, connection);
    current_connection = &connection;
    bool good = true, closed = false;
    for (size_t left = keep_alive_max_count_;
         good && !closed && left > 0 && connection.begins(stopping); --left) {
      good = process_request(stream, left == 1, closed, nullptr);
    }
    current_connection = nullptr;
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return good;
  }
};

// What of a request the guard does not look at. Compressed bodies may become any size.
Refusal refusal_of_form(const httplib::Request& r) {
  if (r.has_header("Content-Encoding") && r.get_header_value("Content-Encoding") != "identity") {
    return {415, "compressed requests are not taken"};
  }
  if (r.ranges.size() > 1) return {400, "one range of bytes can be asked for, not several"};
  return {};
}

}  // namespace

struct HttpServer::Impl {
  Guard guard;
  HttpLimits limits;
  TimedServer server;
  std::vector<std::string> routes;
  std::map<std::string, HttpHandler> handlers;  // by route
  std::atomic<int> streams = 0;

  // Clients that have just left are given time to be noticed.
  bool take_stream() {
    for (int waited = 0; waited <= limits.stream_wait; waited += 10) {
      if (streams.fetch_add(1) < limits.streams) return true;
      --streams;
      if (server.stopping) return false;
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
          if (server.stopping || !next(write)) return false;
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
  i.server.set_keep_alive_timeout(2);
  i.server.connections.read = std::chrono::seconds(limits.read_seconds);
  i.server.connections.write = std::chrono::seconds(limits.write_seconds);
  i.server.connections.body_bytes = limits.body_bytes + kFraming;
  i.server.new_task_queue = [n = limits.clients] {
    return new httplib::ThreadPool(static_cast<size_t>(n));  // the library deletes it
  };
  i.server.set_default_headers({{"Content-Security-Policy", kPolicy},
                                {"X-Content-Type-Options", "nosniff"},
                                {"Referrer-Policy", "no-referrer"},
                                {"Cross-Origin-Resource-Policy", "same-origin"},
                                {"Cache-Control", "no-store"}});
  i.server.set_pre_routing_handler([&i](const httplib::Request& r, httplib::Response& to) {
    current_connection->head_ends();
    Refusal refusal = i.guard.refusal(caller_of(r));
    if (refusal.status == 0) refusal = refusal_of_form(r);
    if (refusal.status == 0) return httplib::Server::HandlerResponse::Unhandled;
    current_connection->end();
    put(http_error(refusal.status, refusal.message), to);
    return httplib::Server::HandlerResponse::Handled;
  });
  i.server.set_error_handler([](const httplib::Request& r, httplib::Response& to) {
    if (!to.body.empty()) return;
    std::string what = "the request cannot be read";
    if (to.status == 404) what = "there is no " + r.method + " " + r.path;
    if (to.status == 413) what = "the request is too large";
    // The library takes 8 KiB of such a form; curl sends files as one without --header.
    const bool form = r.get_header_value("Content-Type") == "application/x-www-form-urlencoded";
    if (to.status == 413 && form) what += " for a form: send it as application/octet-stream";
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
    if (r.body.size() > i.limits.body_bytes) {  // it came in chunks
      return put(http_error(413, "the request is too large"), to);
    }
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
  impl_->server.stopping = true;
  impl_->server.stop();
}

bool HttpServer::stopping() const { return impl_->server.stopping; }

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
