// Float checkpoints for the MAX78000 and MAX78002.
#include "base/file.h"
#include "edgetwin/quantize.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/torch/checkpoint.h"
#include "targets/max78/chip/limits.h"
#include "targets/max78/quantize/quantize.h"
#include "targets/target.h"

namespace edgetwin {
namespace {

// Numbers of a method that was not chosen.
Status fits_method(const CheckpointOptions& o, max78::ClipMethod method) {
  const CheckpointOptions defaults;
  const bool scale = o.scale != defaults.scale && method != max78::ClipMethod::scale;
  const bool deviations =
      o.deviations != defaults.deviations && method != max78::ClipMethod::stddev;
  if (!scale && !deviations) return Ok{};
  return Error(ErrorCode::usage, std::string(scale ? "--scale" : "--stddev") +
                                     " changes nothing with --clip-method " +
                                     std::string(name(method)))
      .with_hint(std::string("Add --clip-method ") + (scale ? "SCALE." : "STDDEV."));
}

Result<max78::QuantizeOptions> settings_of(const CheckpointOptions& o) {
  max78::QuantizeOptions settings;
  const auto method = max78::clip_method(o.method);
  if (!method) return Error(ErrorCode::usage, "there is no clip method '" + o.method + "'");
  EDGETWIN_TRY(fits_method(o, *method));
  settings.method = *method;
  settings.scale = o.scale;
  settings.deviations = o.deviations;
  settings.weight_bits = o.bits;
  settings.bn_epsilon = o.bn_epsilon;
  settings.upstream_bugs = o.upstream_bugs;
  return settings;
}

}  // namespace

Result<QuantizedCheckpoint> quantize_checkpoint(const std::string& file,
                                                const CheckpointOptions& options) {
  QuantizedCheckpoint made;
  EDGETWIN_TRY_ASSIGN(made.target, targets::require_target(options.target, {Family::max78}));
  EDGETWIN_TRY_ASSIGN(max78::QuantizeOptions settings, settings_of(options));
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  EDGETWIN_TRY_ASSIGN(torch::Checkpoint checkpoint, torch::Checkpoint::read(data, file));
  std::optional<ai8x::Network> network;
  if (!options.description.empty()) {
    const ai8x::Device device = *max78::device_by_name(made.target->name);
    EDGETWIN_TRY_ASSIGN(const Bytes yaml, read_file(options.description));
    EDGETWIN_TRY_ASSIGN(network, ai8x::read_network(as_text(yaml), options.description, device));
    settings.network = &*network;
  }
  max78::Quantization q = max78::quantize(std::move(checkpoint), settings);
  made.findings = q.report.errors();
  if (!q.checkpoint) return made;
  if (q.folded == 0 && options.bn_epsilon != CheckpointOptions().bn_epsilon) {
    return Error(ErrorCode::usage,
                 "--bn-epsilon changes nothing: the checkpoint has no batch normalization")
        .in_file(file);
  }
  for (const max78::QuantizedLayer& l : q.layers) {
    made.layers.push_back({l.name, l.bits, l.shift, l.clipped});
  }
  made.folded = q.folded;
  EDGETWIN_TRY_ASSIGN(made.file, torch::write(*q.checkpoint));
  return made;
}

}  // namespace edgetwin
