#include "report/json.h"

namespace edgetwin::report {

Json to_json(const Shape& shape) { return Json::list(shape.dims()); }

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
