#include "edgetwin/estimate.h"
#include "base/file.h"
#include "base/json/json.h"
#include "cli/estimate/arguments.h"
#include "cli/networks/max78.h"
#include "cli/shared/exit_codes.h"
#include "estimate/output.h"

namespace edgetwin::cli {
namespace {

EstimateOptions options_of(const EstimateArguments& a) {
  EstimateOptions o;
  o.open.target = a.target;
  o.open.key = a.key;
  o.open.member = a.member;
  o.open.checkpoint = a.max78.checkpoint;
  o.open.weights = a.max78.weights;
  o.open.bias = a.max78.bias;
  o.open.sample = a.max78.sample;
  o.open.input_shape = a.max78.shape;
  o.open.options = a.max78.options;
  o.open.network = a.max78.network;
  o.board = a.board;
  o.clock_mhz = a.clock;
  o.runtime = a.runtime;
  o.host = a.host;
  o.cores = a.cores;
  o.input = a.input;
  o.core = a.core;
  o.model_in = a.model_in;
  if (a.no_param_copy) o.param_copy = false;
  o.internal = a.internal;
  o.reserve = a.reserve;
  return o;
}

Status write_image(const EstimateArguments& a, const Estimate& e) {
  if (a.image.empty()) return Ok{};
  const std::string picture = estimate_picture(e);
  if (picture.empty()) {
    return Error(ErrorCode::usage, "--image has nothing to show: no tensor has its place")
        .with_hint("Places are known of MAX networks and .espdl files.");
  }
  return a.image.write(picture);
}

}  // namespace

Result<int> execute(const EstimateArguments& a, Console& console) {
  EDGETWIN_TRY(a.image.check());
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.model));
  const bool program = file_kind(data) == FileKind::max78_program;
  if (!program) {
    EDGETWIN_TRY_ASSIGN(const bool max78, is_max78_network(data, a.max78, "estimate"));
    (void)max78;
  }
  EDGETWIN_TRY_ASSIGN(const Estimate e, estimate(ByteSpan(data), a.model, options_of(a)));
  console.print(estimate_text(e, a.layers));
  EDGETWIN_TRY(write_image(a, e));
  console.json().set("model", a.model).merge(estimates::to_json(e));
  return e.fits() ? kYes : kNo;
}

}  // namespace edgetwin::cli
