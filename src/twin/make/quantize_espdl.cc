// Float networks for ESP-DL.
#include <algorithm>

#include "quantize/espdl/dequantize.h"
#include "targets/espdl/export/export.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::twin {
namespace {

struct PassSwitch {
  std::string_view name;
  void (*set)(quantize::Settings&, bool);
};

constexpr PassSwitch kPasses[] = {
    {"activation-fusion", [](quantize::Settings& s, bool on) { s.passes.fuse_activation = on; }},
    {"passive", [](quantize::Settings& s, bool on) { s.passes.share_passive = on; }},
    {"equalization", [](quantize::Settings& s, bool on) { s.passes.equalize = on; }},
    {"bias-correction", [](quantize::Settings& s, bool on) { s.passes.correct_bias = on; }},
    {"alignment",
     [](quantize::Settings& s, bool on) {
       const auto how = on ? quantize::Alignment::to_output : quantize::Alignment::none;
       s.passes.elementwise = s.passes.concat = s.passes.resize = how;
     }},
    {"prelu-alignment", [](quantize::Settings& s, bool on) { s.passes.align_prelu = on; }},
    {"shift-repair", [](quantize::Settings& s, bool on) { s.passes.raise_shifts = on; }},
    {"requantize-inputs", [](quantize::Settings& s, bool on) { s.passes.requantize_inputs = on; }},
    {"per-channel", [](quantize::Settings& s, bool on) { s.per_channel = on; }},
};

void switch_passes(quantize::Settings& s, const std::vector<std::string>& names, bool on) {
  for (const std::string& name : names) {
    for (const PassSwitch& p : kPasses) {
      if (p.name == name) p.set(s, on);
    }
  }
}

Status check_passes(const QuantizeOptions& o) {
  if (std::find(o.with.begin(), o.with.end(), "weight-split") == o.with.end()) return Ok{};
  return Error(ErrorCode::usage,
               "weight-split is a pass of ESP-DL's own quantizer whose arithmetic is not described")
      .with_hint("equalization makes the ranges of channels alike; --search widens layers.");
}

Result<quantize::Settings> espdl_settings(const QuantizeOptions& o, size_t samples) {
  const auto target = *espdl::target_by_name(o.target);
  EDGETWIN_TRY(check_passes(o));
  quantize::Settings s =
      o.like_upstream ? quantize::like_upstream(target, o.bits) : quantize::Settings();
  s.target = target;
  if (o.bits != 8 && o.bits != 16) {
    return Error(ErrorCode::usage,
                 "--bits " + std::to_string(o.bits) + ": " + o.target + " computes with 8 or 16");
  }
  s.bits = o.bits;
  if (!o.method.empty()) {
    EDGETWIN_TRY_ASSIGN(s.method, method_of(o.method));
  }
  s.high_precision = o.high_precision;
  s.threads = o.threads;
  s.lut.step = o.lut_step;
  s.lut.to_lut = o.lut;
  if (o.steps > 0) {
    s.steps = o.steps;
  } else if (!o.like_upstream) {
    s.steps = static_cast<int>(samples);
  }
  s.bits_of = o.bits_of;
  switch_passes(s, o.with, true);
  switch_passes(s, o.without, false);
  return s;
}

Status search_widths(const QuantizeRun& run, const Graph& graph,
                     const std::vector<quantize::Sample>& samples, EspdlQuantization& q) {
  if (!run.options.search) return Ok{};
  quantize::SearchLimits limits;
  limits.wanted_decibels = run.options.decibels;
  limits.most_bytes = run.options.most_bytes;
  EDGETWIN_TRY_ASSIGN(q.search, quantize::search(graph, samples, q.settings, limits, run.progress));
  q.settings.bits_of = q.search->bits_of;
  q.settings.bits = 8;
  return Ok{};
}

// The sample as the network's own integers.
std::vector<Tensor> inputs_of(const quantize::Quantized& q, const quantize::Sample& sample,
                              const quantize::Settings& settings) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < sample.size(); ++i) {
    const ValueId id = q.graph.inputs[i];
    const Value& v = q.graph.value(id);
    Tensor t;
    t.name = v.name;
    t.dtype = v.dtype;
    t.shape = v.shape;
    t.quant = v.quant;
    t.data = sample[i].dtype == DType::float32
                 ? quantize::integer_values(q, sample[i].as<float>(), id, settings.target)
                 : sample[i].data;
    inputs.push_back(std::move(t));
  }
  return inputs;
}

// The files, with the first sample and what the twin computes of it embedded as test values. They
// are read again and executed before, and must give the same.
Status add_files(const quantize::Sample& sample, EspdlQuantization& q) {
  targets::espdl::ExportSettings how;
  how.target = q.settings.target;
  how.threads = q.settings.threads;
  how.allow_undefined = true;
  EDGETWIN_TRY_ASSIGN(targets::espdl::Exported files,
                      targets::espdl::export_model(
                          q.quantized.graph, inputs_of(q.quantized, sample, q.settings), how));
  q.file = std::move(files.file);
  q.info = std::move(files.info);
  q.config = std::move(files.config);
  return Ok{};
}

// --lut that names no activation of 16 bits. What --search makes of 16 bits is not known before.
Status check_tables(const QuantizeRun& run, const Graph& graph) {
  const auto is_table = [&](const Op& op) {
    return op.kind == OpKind::lut && graph.value(op.outputs[0]).dtype == DType::int16;
  };
  if (run.options.lut.empty() || std::ranges::any_of(graph.ops, is_table)) return Ok{};
  std::string types;
  for (const std::string& type : run.options.lut) types += (types.empty() ? "" : ", ") + type;
  const std::string why = "--lut changes nothing: no operator of 16 bits is one of " + types;
  if (run.options.search) {
    run.noticed({Severity::warning, "", run.file, why, "Raise --decibels, or leave --lut out."});
    return Ok{};
  }
  return Error(ErrorCode::usage, why)
      .in_file(run.file)
      .with_hint("Add --bits 16, or --layer-bits NAME=16; `info` lists the types of operators.");
}

}  // namespace

Result<EspdlQuantization> quantize_for_espdl(const QuantizeRun& run) {
  EDGETWIN_TRY_ASSIGN(const Model model, read_float_network(run));
  EDGETWIN_TRY_ASSIGN(const auto samples, read_samples(run, model.main()));
  EspdlQuantization q;
  q.samples = samples.size();
  EDGETWIN_TRY_ASSIGN(q.settings, espdl_settings(run.options, samples.size()));
  EDGETWIN_TRY(search_widths(run, model.main(), samples, q));
  EDGETWIN_TRY_ASSIGN(q.quantized,
                      quantize::quantize_espdl(model.main(), samples, q.settings, run.progress));
  for (const Finding& f : q.quantized.report.findings) run.noticed(f);
  EDGETWIN_TRY(check_tables(run, q.quantized.graph));
  if (run.options.analyse || run.options.search) {
    EDGETWIN_TRY_ASSIGN(q.analysis,
                        quantize::analyse(q.quantized, samples, q.settings, run.progress));
  }
  EDGETWIN_TRY(add_files(samples[0], q));
  return q;
}

}  // namespace edgetwin::twin
