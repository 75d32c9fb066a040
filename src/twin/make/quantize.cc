#include "edgetwin/quantize.h"

#include <filesystem>
#include <utility>

#include "targets/target.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin {
namespace {

void add_noise(const quantize::Analysis& a, bool layers, QuantizedNetwork& q) {
  q.output_noise = a.output_noise;
  if (!layers) return;
  for (const quantize::LayerNoise& l : a.layers) {
    q.layers.push_back({l.layer, l.bits, l.alone, l.accumulated, l.cosine});
  }
}

MadeFile text_file(std::string path, const std::string& text) {
  return {std::move(path), to_bytes(std::as_bytes(std::span(text)))};
}

Status add_espdl(const twin::QuantizeRun& run, const std::string& name, QuantizedNetwork& q) {
  EDGETWIN_TRY_ASSIGN(twin::EspdlQuantization made, twin::quantize_for_espdl(run));
  q.samples = made.samples;
  if (made.analysis) add_noise(*made.analysis, run.options.analyse, q);
  q.files.push_back({name + ".espdl", std::move(made.file)});
  q.files.push_back(text_file(name + ".info", made.info));
  q.files.push_back(text_file(name + ".json", made.config));
  return Ok{};
}

Status add_tflite(const twin::QuantizeRun& run, const std::string& name, QuantizedNetwork& q) {
  EDGETWIN_TRY_ASSIGN(twin::TfliteQuantization made, twin::quantize_for_tflite(run));
  q.samples = made.samples;
  if (made.analysis) add_noise(*made.analysis, run.options.analyse, q);
  q.files.push_back({name + ".tflite", std::move(made.file)});
  return Ok{};
}

Status add_max78(const twin::QuantizeRun& run, QuantizedNetwork& q) {
  EDGETWIN_TRY_ASSIGN(twin::Max78Quantization made, twin::quantize_for_max78(run));
  q.samples = made.samples;
  q.fits = made.conversion.has_value();
  for (const Error& e : made.misfits) {
    q.findings.push_back({Severity::error, std::string(e.id()), e.place.layer, e.message, e.hint});
  }
  if (!q.fits) return Ok{};
  add_noise(made.noise.analysis, run.options.analyse, q);
  q.input_step = std::as_const(made.conversion->draft).tensor(0).step();
  const std::string name = made.conversion->draft.name;
  q.files.push_back(text_file(name + ".yaml", made.conversion->yaml));
  q.files.push_back({name + ".pth.tar", std::move(made.conversion->checkpoint)});
  q.files.push_back({"sample_" + name + ".npy", std::move(made.conversion->sample)});
  return Ok{};
}

}  // namespace

Result<QuantizedNetwork> quantize_network(const std::string& network,
                                          const QuantizeOptions& options,
                                          const ProgressSink& progress) {
  EDGETWIN_TRY_ASSIGN(const Target* target,
                      targets::require_target_for(options.target, "quantize"));
  QuantizedNetwork q;
  q.target = target;
  q.fits = true;
  twin::QuantizeRun run{network, options, progress,
                        [&q](const Finding& f) { q.findings.push_back(f); }};
  run.options.target = target->name;
  const std::string name = std::filesystem::path(network).stem().string();
  switch (target->family) {
    case Family::espdl:
      EDGETWIN_TRY(add_espdl(run, name, q));
      break;
    case Family::max78:
      EDGETWIN_TRY(add_max78(run, q));
      break;
    case Family::edgetpu:
    case Family::tflite:
      EDGETWIN_TRY(add_tflite(run, name, q));
      break;
  }
  return q;
}

}  // namespace edgetwin
