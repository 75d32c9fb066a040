#include "serve/app/app.h"

#include <chrono>
#include <thread>

#include "base/file.h"
#include "serve/app/answers.h"
#include "serve/page/assets.h"

namespace edgetwin::serve {
namespace {

constexpr int kMetricsPeriod = 500;  // milliseconds, the specification's
// A stream whose client has left must not keep its place for longer: pages that connect again and
// again would use up all places.
constexpr int kPresencePeriod = 25;  // milliseconds

// Sent again and again as multipart/x-mixed-replace.
std::string jpeg_part(const std::string& jpeg) {
  return "--frame\r\nContent-Type: image/jpeg\r\nContent-Length: " + std::to_string(jpeg.size()) +
         "\r\n\r\n" + jpeg + "\r\n";
}

HttpResponse video_feed(Session& session) {
  HttpResponse r;
  r.type = "multipart/x-mixed-replace; boundary=frame";
  r.next = [&session, number = std::make_shared<int64_t>(0)](const HttpWrite& write) {
    const auto shown = session.wait_for(*number, kPresencePeriod);
    if (shown == nullptr) return write("");  // sees whether the client is still there
    *number = shown->number;
    return write(jpeg_part(shown->jpeg));
  };
  return r;
}

HttpResponse metrics_stream(Session& session, const HttpServer& server) {
  HttpResponse r;
  r.type = "text/event-stream";
  r.next = [&session, &server, first = std::make_shared<bool>(true)](const HttpWrite& write) {
    for (int i = 0; i < kMetricsPeriod / kPresencePeriod && !*first && !server.stopping(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kPresencePeriod));
      if (!write("")) return false;
    }
    *first = false;
    return write("data: " + one_line(session.metrics().text()) + "\n\n");
  };
  return r;
}

}  // namespace

Result<std::unique_ptr<App>> App::create(const AppOptions& options) {
  std::unique_ptr<App> app(new App);
  app->guard_.host = options.host;
  if (!is_loopback(options.host)) {
    app->guard_.token = options.token.empty() ? random_token() : options.token;
    if (app->guard_.token.size() < 8) {
      return Error(ErrorCode::usage, "a token has 8 characters at least");
    }
  }
  app->models_ = options.pipeline.models;
  app->server_ = std::make_unique<HttpServer>(app->guard_, options.limits);
  app->add_page();
  app->add_live();
  app->add_mouse();
  app->add_session_api();
  app->add_api();
  EDGETWIN_TRY_ASSIGN(app->port_, app->server_->bind(options.port));
  for (const std::string& file : options.open) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file, options.limits.body_bytes));
    EDGETWIN_TRY(app->files_.open(file, data, {}));
  }
  EDGETWIN_TRY_ASSIGN(app->session_, Session::start(options.pipeline));
  const std::string shown = options.host == "0.0.0.0" || options.host == "::" ? "localhost"
                            : options.host.find(':') != std::string::npos ? "[" + options.host + "]"
                                                                          : options.host;
  app->url_ = "http://" + shown + ":" + std::to_string(app->port_) + "/" +
              (app->guard_.token.empty() ? "" : "?token=" + app->guard_.token);
  return app;
}

App::~App() { stop(); }

void App::stop() {
  if (server_ != nullptr) server_->stop();
  if (session_ != nullptr) session_->stop();
}

void App::add_page() {
  for (const Asset& asset : assets()) {
    const std::string path = asset.path == "/index.html" ? "/" : std::string(asset.path);
    server_->on("GET", path, [this, asset](const HttpRequest& request) {
      HttpResponse r{200, std::string(asset.type), std::string(asset.text)};
      // The page's own requests have the token as a cookie.
      if (!guard_.token.empty() && request.query.contains("token")) {
        r.headers.emplace_back("Set-Cookie",
                               "edgetwin=" + guard_.token + "; HttpOnly; SameSite=Strict; Path=/");
      }
      return r;
    });
  }
}

void App::add_live() {
  server_->on("GET", "/video_feed", [this](const HttpRequest&) { return video_feed(*session_); });
  server_->on("GET", "/metrics",
              [this](const HttpRequest&) { return metrics_stream(*session_, *server_); });
  server_->on("GET", "/screenshot", [this](const HttpRequest&) {
    const auto shown = session_->wait_for(0, 2000);
    if (shown == nullptr) return http_error(503, "there is no picture yet");
    HttpResponse r{200, "image/jpeg", shown->jpeg};
    r.headers.emplace_back("Content-Disposition",
                           "attachment; filename=\"edgetwin_" + file_time() + ".jpg\"");
    return r;
  });
  server_->on("GET", "/param_schema", [this](const HttpRequest& request) {
    const auto found = request.query.find("algorithm");
    const ModeInfo* info = found == request.query.end() ? nullptr : find_mode(found->second);
    if (info == nullptr) return http_error(400, "there is no such algorithm");
    return answer_of(schema_of(info->parameters(models_)));
  });
  server_->on("POST", "/switch_algorithm", [this](const HttpRequest& request) {
    const Result<Json> wanted = body_of(request);
    if (!wanted.ok()) return http_error(wanted.error());
    const auto name = wanted->get_string("algorithm");
    if (!name || find_mode(*name) == nullptr) return http_error(400, "there is no such algorithm");
    const Status done = session_->switch_mode(mode_event(*wanted));
    if (!done.ok()) {
      HttpResponse r = http_error(done.error());
      if (done.error().code != ErrorCode::bad_value) r.status = 500;
      return r;
    }
    Json j = session_->state();
    return answer_of(j.set("success", true));
  });
  server_->on("POST", "/apply_params", [this](const HttpRequest& request) {
    const Result<Json> wanted = body_of(request);
    if (!wanted.ok()) return http_error(wanted.error());
    const Status done = session_->switch_mode(mode_event(*wanted));
    if (!done.ok()) return http_error(done.error());
    Json j = session_->state();
    return answer_of(j.set("success", true));
  });
}

void App::add_mouse() {
  server_->on("POST", "/pause", [this](const HttpRequest&) {
    Event event = Json::object();
    event.set("event", "pause").set("paused", !session_->paused());
    const Status done = session_->apply(event);
    if (!done.ok()) return http_error(done.error());
    Json j = Json::object();
    return answer_of(j.set("success", true).set("paused", session_->paused()));
  });
  for (const char* kind : {"click", "drag_start", "drag_move", "drag_end"}) {
    server_->on("POST", std::string("/") + kind, [this, kind](const HttpRequest& request) {
      const Result<Json> wanted = body_of(request);
      if (!wanted.ok()) return http_error(wanted.error());
      Event event = Json::object();
      event.set("event", kind);
      for (const char* axis : {"x", "y"}) {
        if (const auto value = wanted->get(axis)) event.set(axis, *value);
      }
      const Status done = session_->apply(event);
      if (!done.ok()) return http_error(done.error());
      Json j = Json::object();
      return answer_of(j.set("success", true));
    });
  }
}

}  // namespace edgetwin::serve
