// A checkpoint for the MAX78000 or MAX78002.
#include "formats/torch/checkpoint.h"
#include "base/file.h"
#include "cli/quantize/quantize.h"
#include "cli/shared/exit_codes.h"
#include "formats/ai8x/read_yaml.h"
#include "report/format.h"
#include "targets/max78/chip/limits.h"
#include "targets/max78/quantize/quantize.h"
#include "targets/target.h"

namespace edgetwin::cli {

namespace {

// Numbers of a method that was not chosen.
Status check_method(const QuantizeArguments& a, max78::ClipMethod method) {
  const QuantizeArguments defaults;
  const bool scale = a.scale != defaults.scale && method != max78::ClipMethod::scale;
  const bool deviations = a.stddev != defaults.stddev && method != max78::ClipMethod::stddev;
  if (!scale && !deviations) return Ok{};
  return Error(ErrorCode::usage, std::string(scale ? "--scale" : "--stddev") +
                                     " changes nothing with --clip-method " +
                                     std::string(name(method)))
      .with_hint(std::string("Add --clip-method ") + (scale ? "SCALE." : "STDDEV."));
}

}  // namespace

Result<int> quantize_checkpoint(const QuantizeArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Target* chip, targets::require_target(a.target, {Family::max78}));
  max78::QuantizeOptions options;
  const auto method = max78::clip_method(a.clip_method);
  if (!method) return Error(ErrorCode::usage, "there is no clip method '" + a.clip_method + "'");
  options.method = *method;
  EDGETWIN_TRY(check_method(a, *method));
  options.scale = a.scale;
  options.deviations = a.stddev;
  options.bn_epsilon = a.bn_epsilon;
  options.upstream_bugs = a.upstream_bugs;
  if (a.bits != 0) options.weight_bits = a.bits;
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.checkpoint));
  EDGETWIN_TRY_ASSIGN(torch::Checkpoint checkpoint, torch::Checkpoint::read(data, a.checkpoint));
  std::optional<ai8x::Network> network;
  if (!a.network.empty()) {
    const ai8x::Device device = *max78::device_by_name(chip->name);
    EDGETWIN_TRY_ASSIGN(const Bytes yaml, read_file(a.network));
    EDGETWIN_TRY_ASSIGN(network, ai8x::read_network(as_text(yaml), a.network, device));
    options.network = &*network;
  }
  max78::Quantization q = max78::quantize(std::move(checkpoint), options);
  int exit_code = kYes;
  for (const Finding& f : q.report.errors()) {
    exit_code = console.error(error_of(f, ErrorCode::ai8x_quantize));
  }
  if (!q.checkpoint) return exit_code;
  if (q.folded == 0 && a.bn_epsilon != QuantizeArguments().bn_epsilon) {
    return Error(ErrorCode::usage,
                 "--bn-epsilon changes nothing: the checkpoint has no batch normalization")
        .in_file(a.checkpoint);
  }
  report::TextTable table({{"weights"}, {"bits", report::TextTable::Align::right}, {"shift"}});
  for (const max78::QuantizedLayer& l : q.layers) {
    table.add({l.name, std::to_string(l.bits), l.shift ? std::to_string(*l.shift) : "as stored"});
  }
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, torch::write(*q.checkpoint));
  EDGETWIN_TRY(a.output.write(bytes));
  summary(table.text() + "wrote " + a.output.path + "\n", console);
  console.json().set("output", a.output.path).set("layers", q.layers.size());
  return kYes;
}

}  // namespace edgetwin::cli
