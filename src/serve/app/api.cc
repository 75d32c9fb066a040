// /api of the page: the session, and the inside of files.
#include "serve/app/answers.h"
#include "serve/app/app.h"

namespace edgetwin::serve {

void App::add_session_api() {
  server_->on("GET", "/api/state", [this](const HttpRequest&) {
    Json j = session_->state(), list = Json::array();
    for (const ModeInfo& m : modes()) {
      Json row = Json::object();
      list.push(row.set("name", m.name).set("text", m.text).set("mouse", m.mouse));
    }
    return answer_of(j.set("algorithms", std::move(list)));
  });
  server_->on("POST", "/api/step", [this](const HttpRequest&) {
    Event event = Json::object();
    const Status done = session_->apply(event.set("event", "step"));
    if (!done.ok()) return http_error(done.error());
    Json j = Json::object();
    return answer_of(j.set("success", true));
  });
  server_->on("POST", "/api/camera", [this](const HttpRequest& request) {
    const Result<Json> wanted = body_of(request);
    if (!wanted.ok()) return http_error(wanted.error());
    // From the page only what is made up: folders and devices are named where the server starts.
    const std::string source = wanted->get_string("source").value_or("");
    if (source != "none" && !source.starts_with("synthetic:")) {
      return http_error(400, "source is none or synthetic:PATTERN; --camera names all others");
    }
    Event event = Json::object();
    const Status done = session_->apply(event.set("event", "camera").set("source", source));
    if (!done.ok()) return http_error(done.error());
    Json j = session_->state();
    return answer_of(j.set("success", true));
  });
  server_->on("POST", "/api/record", [this](const HttpRequest& request) {
    const Result<Json> wanted = body_of(request);
    if (!wanted.ok()) return http_error(wanted.error());
    const auto on = wanted->get("on");
    if (!on || !on->as_bool()) return http_error(400, "on is true or false");
    session_->record(*on->as_bool());
    Json j = Json::object();
    return answer_of(j.set("success", true).set("recording", *on->as_bool()));
  });
  server_->on("GET", "/api/recording", [this](const HttpRequest&) {
    const Json recording = session_->recording();
    if (!recording.is_object()) return http_error(400, "nothing was recorded");
    HttpResponse r = answer_of(recording);
    r.headers.emplace_back("Content-Disposition",
                           "attachment; filename=\"edgetwin_" + file_time() + ".json\"");
    return r;
  });
  server_->on("POST", "/api/replay", [this](const HttpRequest& request) {
    const Result<Json> recording = body_of(request);
    if (!recording.ok()) return http_error(recording.error());
    // Of one request: a minute of pictures of the usual size.
    ReplayOptions options;
    options.models = models_;
    options.most = 1800;
    options.most_pixels = options.most * 640 * 480;
    const Result<Replay> done = replay(*recording, options);
    if (!done.ok()) return http_error(done.error());
    Json j = Json::object();
    j.set("success", true).set("frames", done->frames).set("equal", !done->first_difference);
    return answer_of(
        j.set("first_difference", done->first_difference ? Json(*done->first_difference) : Json()));
  });
}

void App::add_api() {
  server_->on("POST", "/api/open", [this](const HttpRequest& request) {
    return answer_of(inspect_open(files_, request.query, as_byte_span(request.body)));
  });
  const auto reading = [this](const std::string& name,
                              Result<Json> (*inspect)(const FileStore&, const Members&)) {
    server_->on("GET", "/api/" + name, [this, inspect](const HttpRequest& request) {
      return answer_of(inspect(files_, request.query));
    });
  };
  reading("info", inspect_info);
  reading("tensor", inspect_tensor);
  reading("diff", inspect_diff);
  reading("check", inspect_check);
  reading("estimate", inspect_estimate);
  reading("instructions", inspect_instructions);
  reading("tables", inspect_tables);
  server_->on("GET", "/api/table", [this](const HttpRequest& request) {
    const Result<Bytes> picture = inspect_table_picture(files_, request.query);
    if (!picture.ok()) return http_error(picture.error());
    return HttpResponse{200, "image/png", std::string(as_text(*picture))};
  });
  server_->on("GET", "/api/files",
              [this](const HttpRequest&) { return answer_of(inspect_files(files_)); });
  server_->on("GET", "/api/explain",
              [](const HttpRequest& request) { return answer_of(inspect_explain(request.query)); });
  server_->on("POST", "/api/run", [this](const HttpRequest& request) {
    const Result<Members> m = members_of(request);
    return m.ok() ? answer_of(inspect_run(files_, *m)) : http_error(m.error());
  });
  server_->on("POST", "/api/chips", [this](const HttpRequest& request) {
    const Result<Members> m = members_of(request);
    return m.ok() ? answer_of(inspect_chips(files_, *m)) : http_error(m.error());
  });
  server_->on("POST", "/api/answers", [this](const HttpRequest& request) {
    const Result<Members> m = members_of(request);
    if (!m.ok()) return http_error(m.error());
    return answer_of(side_by_side_.answers(files_, *m, session_->picture()));
  });
  server_->on("POST", "/api/close", [this](const HttpRequest& request) {
    const Result<Members> m = members_of(request);
    return m.ok() ? answer_of(inspect_close(files_, *m)) : http_error(m.error());
  });
}

}  // namespace edgetwin::serve
