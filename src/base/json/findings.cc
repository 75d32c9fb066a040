#include "base/json/json.h"

namespace edgetwin {

Json to_json(const Error& error) {
  const ErrorInfo& row = info(error.code);
  Json j = Json::object();
  j.set("id", error.id()).set("name", row.name).set("message", error.message);
  const Place& p = error.place;
  if (!p.file.empty()) j.set("file", p.file);
  if (p.offset) j.set("offset", *p.offset);
  if (p.line) j.set("line", *p.line);
  if (p.column) j.set("column", *p.column);
  if (!p.layer.empty()) j.set("operator", p.layer);
  if (!p.field.empty()) j.set("field", p.field);
  if (!error.details.empty()) j.set("details", Json::list(error.details));
  j.set("hint", error.hint.empty() ? row.cure : std::string_view(error.hint));
  return j;
}

Json to_json(const Finding& finding) {
  static constexpr const char* kNames[] = {"note", "warning", "error"};
  Json j = Json::object();
  j.set("severity", kNames[static_cast<size_t>(finding.severity)]);
  if (!finding.id.empty()) j.set("id", finding.id);
  if (!finding.place.empty()) j.set("place", finding.place);
  j.set("message", finding.message);
  if (!finding.hint.empty()) j.set("hint", finding.hint);
  return j;
}

}  // namespace edgetwin
