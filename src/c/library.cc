#include "base/json/json.h"
#include "c/handles.h"
#include "edgetwin/target.h"
#include "edgetwin/version.h"
#include "kernels/core/isa.h"
#include "ops/registry/numerics.h"

namespace edgetwin::c {
namespace {

std::string build_json() {
  Json j = Json::object();
  j.set("program", "edgetwin").set("version", version()).set("compiler", __VERSION__);
  Json isas = Json::array();
  for (const kernels::Isa isa : kernels::available_isas()) isas.push(name(isa));
  j.set("instruction_sets", std::move(isas)).set("chosen", name(kernels::best_isa()));
  Json numerics = Json::array();
  for (const ops::NumericsInfo& n : ops::all_numerics()) numerics.push(n.name);
  j.set("numerics", std::move(numerics));
  Json targets = Json::array();
  for (const Target& t : all_targets()) targets.push(t.name);
  j.set("targets", std::move(targets));
  Json formats = Json::array();
  for (const FileKind kind : {FileKind::tflite, FileKind::edgetpu, FileKind::espdl, FileKind::onnx,
                              FileKind::max78, FileKind::max78_program}) {
    formats.push(name(kind));
  }
  j.set("formats", std::move(formats));
  j.set("devices", Json::list(std::vector<std::string>{"usb", "virtual"}));
  return j.text();
}

}  // namespace
}  // namespace edgetwin::c

extern "C" {

EDGETWIN_EXPORT const char* edgetwin_version(void) { return edgetwin::version().data(); }

EDGETWIN_EXPORT uint32_t edgetwin_abi_version(void) { return EDGETWIN_ABI_VERSION; }

EDGETWIN_EXPORT const char* edgetwin_build_json(void) {
  try {
    static const std::string text = edgetwin::c::build_json();
    return text.c_str();
  } catch (...) {
    return "{}";
  }
}

}  // extern "C"
