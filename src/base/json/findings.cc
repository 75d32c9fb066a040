#include "base/json/json.h"

namespace edgetwin {

Json to_json(const Error& error) {
  const RuleInfo& row = info(error.code);
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
  j.set("hint", error.hint.empty() ? row.remedy : std::string_view(error.hint));
  return j;
}

Json to_json(const Finding& f) {
  Json j = Json::object();
  j.set("severity", name(f.severity));
  if (!f.id.empty()) j.set("id", f.id);
  if (const std::string place = to_text(f.place); !place.empty()) j.set("place", place);
  j.set("message", f.message);
  if (!f.details.empty()) j.set("details", Json::list(f.details));
  if (f.count > 1) j.set("count", f.count);
  if (f.place.layer_number) j.set("layer", *f.place.layer_number);
  if (f.place.address) j.set("address", *f.place.address);
  if (f.place.step) j.set("step", *f.place.step);
  if (!f.hint.empty()) j.set("hint", f.hint);
  return j;
}

}  // namespace edgetwin
