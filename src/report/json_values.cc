#include "report/json.h"

namespace edgetwin::report {

Json to_json(const Shape& shape) { return Json::list(shape.dims()); }

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

void set_quant(Json& object, const Quant& quant) {
  if (!quant.present()) return;
  const bool affine = quant.scheme == Quant::Scheme::affine;
  if (!quant.per_channel()) {
    if (!affine) {
      object.set("exponent", quant.exponent.empty() ? 0 : quant.exponent[0]);
    } else {
      object.set("scale", static_cast<double>(quant.scale_of(0)));
      object.set("zero_point", quant.zero_point_of(0));
    }
    return;
  }
  if (affine) {
    Json scales = Json::array();
    for (const float s : quant.scale) scales.push(static_cast<double>(s));
    object.set("scale", std::move(scales)).set("zero_point", Json::list(quant.zero_point));
  } else {
    object.set("exponent", Json::list(quant.exponent));
  }
  object.set("axis", quant.axis);
}

}  // namespace edgetwin::report
