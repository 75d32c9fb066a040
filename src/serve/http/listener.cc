#include "serve/http/listener.h"

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

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
  explicit TimedServer(const std::atomic<bool>& stopping) : stopping_(stopping) {}
  ConnectionLimits connections;

 private:
  bool process_and_close_socket(socket_t socket) override {
    Connection connection(socket, connections);
    ClientStream stream(socket, connection);
    current_connection = &connection;
    bool good = true, closed = false;
    for (size_t left = keep_alive_max_count_;
         good && !closed && left > 0 && connection.begins(stopping_); --left) {
      good = process_request(stream, left == 1, closed, nullptr);
    }
    current_connection = nullptr;
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return good;
  }

  const std::atomic<bool>& stopping_;
};

// What of a request the guard does not look at. Compressed bodies may become any size.
Refusal refusal_of_form(const httplib::Request& r) {
  if (r.has_header("Content-Encoding") && r.get_header_value("Content-Encoding") != "identity") {
    return {415, "compressed requests are not taken"};
  }
  if (r.ranges.size() > 1) return {400, "one range of bytes can be asked for, not several"};
  return {};
}

class Library final : public Listener {
 public:
  explicit Library(const Answers& answers);

  void on(const std::string& method, const std::string& path, HttpHandler handler) override;
  int bind(const std::string& host, int port) override;
  void serve() override { server_.listen_after_bind(); }
  void stop() override { server_.stop(); }

 private:
  void limit();
  void refuse();
  bool take_stream();
  void stream(const HttpResponse& made, httplib::Response& to);

  const Answers& answers_;
  TimedServer server_;
  std::atomic<int> streams_ = 0;
};

// Clients that have just left are given time to be noticed.
bool Library::take_stream() {
  const HttpLimits& limits = answers_.limits;
  for (int waited = 0; waited <= limits.stream_wait; waited += 10) {
    if (streams_.fetch_add(1) < limits.streams) return true;
    --streams_;
    if (answers_.stopping) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

void Library::stream(const HttpResponse& made, httplib::Response& to) {
  if (!take_stream()) return put(answers_.error(503, "too many clients are watching"), to);
  for (const auto& [name, value] : made.headers) to.set_header(name, value);
  to.set_content_provider(
      made.type,
      [this, next = made.next](size_t, httplib::DataSink& sink) {
        const auto write = [&sink](std::string_view text) {
          return sink.is_writable() && sink.write(text.data(), text.size());
        };
        return !answers_.stopping && next(write);
      },
      [this](bool) { --streams_; });
}

Library::Library(const Answers& answers) : answers_(answers), server_(answers.stopping) {
  limit();
  refuse();
  // Not shared with another process: the port is ours or an error.
  server_.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server_.set_default_headers({{"Content-Security-Policy", kPolicy},
                               {"X-Content-Type-Options", "nosniff"},
                               {"Referrer-Policy", "no-referrer"},
                               {"Cross-Origin-Resource-Policy", "same-origin"},
                               {"Cache-Control", "no-store"}});
}

void Library::limit() {
  const HttpLimits& limits = answers_.limits;
  server_.set_payload_max_length(limits.body_bytes);
  server_.set_keep_alive_timeout(2);
  server_.connections.read = std::chrono::seconds(limits.read_seconds);
  server_.connections.write = std::chrono::seconds(limits.write_seconds);
  server_.connections.body_bytes = limits.body_bytes + kFraming;
  server_.new_task_queue = [n = limits.clients] {
    return new httplib::ThreadPool(static_cast<size_t>(n));  // the library deletes it
  };
}

void Library::refuse() {
  server_.set_pre_routing_handler([this](const httplib::Request& r, httplib::Response& to) {
    current_connection->head_ends();
    Refusal refusal = answers_.guard.refusal(caller_of(r));
    if (refusal.status == 0) refusal = refusal_of_form(r);
    if (refusal.status == 0) return httplib::Server::HandlerResponse::Unhandled;
    current_connection->end();
    put(answers_.error(refusal.status, refusal.message), to);
    return httplib::Server::HandlerResponse::Handled;
  });
  server_.set_error_handler([this](const httplib::Request& r, httplib::Response& to) {
    if (!to.body.empty()) return;
    std::string what = "the request cannot be read";
    if (to.status == 404) what = "there is no " + r.method + " " + r.path;
    if (to.status == 413) what = "the request is too large";
    // The library takes 8 KiB of such a form; curl sends files as one without --header.
    const bool form = r.get_header_value("Content-Type") == "application/x-www-form-urlencoded";
    if (to.status == 413 && form) what += " for a form: send it as application/octet-stream";
    put(answers_.error(to.status, what), to);
  });
  server_.set_exception_handler(
      [this](const httplib::Request&, httplib::Response& to, const std::exception_ptr&) {
        put(answers_.error(500, "there is not enough memory for this request"), to);
      });
}

void Library::on(const std::string& method, const std::string& path, HttpHandler handler) {
  const auto handle = [this, handler = std::move(handler)](const httplib::Request& r,
                                                           httplib::Response& to) {
    if (r.body.size() > answers_.limits.body_bytes) {  // it came in chunks
      return put(answers_.error(413, "the request is too large"), to);
    }
    const HttpResponse made = handler(request_of(r));
    if (made.next) return stream(made, to);
    put(made, to);
  };
  if (method == "GET") server_.Get(path, handle);
  if (method == "POST") server_.Post(path, handle);
  if (method == "DELETE") server_.Delete(path, handle);
}

int Library::bind(const std::string& host, int port) {
  if (port == 0) return server_.bind_to_any_port(host);
  return server_.bind_to_port(host, port) ? port : -1;
}

std::unique_ptr<Listener> library(const Answers& answers) {
  return std::make_unique<Library>(answers);
}

}  // namespace
}  // namespace edgetwin::serve

edgetwin::serve::MakeListener* const edgetwin_http_listener = edgetwin::serve::library;
