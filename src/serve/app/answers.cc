#include "serve/app/answers.h"

#include <algorithm>
#include <ctime>

namespace edgetwin::serve {

HttpResponse answer_of(const Json& document) { return {200, "application/json", document.text()}; }

HttpResponse answer_of(const Result<Json>& document) {
  return document.ok() ? answer_of(*document) : http_error(document.error());
}

Result<Json> body_of(const HttpRequest& request) {
  EDGETWIN_TRY_ASSIGN(Json body, Json::parse(request.body, "the request"));
  if (!body.is_object()) return Error(ErrorCode::bad_value, "the request is not a JSON object");
  return body;
}

Result<Members> members_of(const HttpRequest& request) {
  EDGETWIN_TRY_ASSIGN(const Json body, body_of(request));
  Members m;
  for (const std::string& key : body.keys()) {
    const Json value = body.get(key).value_or(Json());
    m[key] = value.as_string().value_or(one_line(value.text()));
  }
  return m;
}

Event mode_event(const Json& wanted) {
  Event event = Json::object();
  event.set("event", "mode");
  for (const char* key : {"algorithm", "params", "device", "beside"}) {
    if (const auto value = wanted.get(key)) event.set(key, *value);
  }
  return event;
}

std::string file_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::localtime_r(&now, &parts);
  char text[32];
  const size_t size = std::strftime(text, sizeof text, "%Y%m%d_%H%M%S", &parts);
  return {text, size};
}

std::string one_line(std::string text) {
  std::erase(text, '\n');
  return text;
}

}  // namespace edgetwin::serve
