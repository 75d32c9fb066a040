#include "twin/estimate/wishes.h"

#include <string_view>

namespace edgetwin::twin {
namespace {

struct Row {
  std::string_view option;
  Family family;
  bool given;
};

std::string_view text_of(Family family) {
  switch (family) {
    case Family::espdl:
      return "the ESP32-S3 and ESP32-P4";
    case Family::edgetpu:
      return "the Edge TPU";
    default:
      return "the MAX78000 and MAX78002";
  }
}

}  // namespace

Status refuse_others(const EstimateOptions& o, Family family) {
  const Row rows[] = {
      {"--board", Family::espdl, !o.board.empty()},
      {"--runtime", Family::espdl, !o.runtime.empty()},
      {"--cores", Family::espdl, o.cores.has_value()},
      {"--model-in", Family::espdl, !o.model_in.empty()},
      {"--no-param-copy", Family::espdl, o.param_copy.has_value()},
      {"--internal", Family::espdl, o.internal.has_value()},
      {"--reserve", Family::espdl, o.reserve.has_value()},
      {"--key", Family::espdl, !o.open.key.empty()},
      {"--model", Family::espdl, !o.open.member.empty()},
      {"--host", Family::edgetpu, !o.host.empty()},
      {"--input", Family::max78, !o.input.empty()},
      {"--core", Family::max78, !o.core.empty()},
      {"--checkpoint", Family::max78, !o.open.checkpoint.empty()},
      {"--weights", Family::max78, !o.open.weights.empty()},
      {"--bias", Family::max78, !o.open.bias.empty()},
      {"--network", Family::max78, !o.open.network.empty()},
      {"--sample", Family::max78, !o.open.sample.empty()},
      {"--input-shape", Family::max78, !o.open.input_shape.empty()},
  };
  for (const Row& row : rows) {
    if (!row.given || row.family == family) continue;
    return Error(ErrorCode::usage, std::string(row.option) + " changes nothing here: it is for " +
                                       std::string(text_of(row.family)))
        .with_hint("Leave " + std::string(row.option) + " out.");
  }
  return Ok{};
}

}  // namespace edgetwin::twin
