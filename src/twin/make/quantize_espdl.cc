// Float networks for ESP-DL.
#include <algorithm>

#include "quantize/espdl/dequantize.h"
#include "targets/espdl/export/export.h"
#include "twin/espdl_choice.h"
#include "twin/make/espdl_wishes.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::twin {
namespace {

struct PassSwitch {
  std::string_view name;
  void (*set)(quantize::Settings&, bool);
  bool (*get)(const quantize::Settings&);
};

constexpr PassSwitch kPasses[] = {
    {"activation-fusion", [](quantize::Settings& s, bool on) { s.passes.fuse_activation = on; },
     [](const quantize::Settings& s) { return s.passes.fuse_activation; }},
    {"passive", [](quantize::Settings& s, bool on) { s.passes.share_passive = on; },
     [](const quantize::Settings& s) { return s.passes.share_passive; }},
    {"equalization", [](quantize::Settings& s, bool on) { s.passes.equalize = on; },
     [](const quantize::Settings& s) { return s.passes.equalize; }},
    {"bias-correction", [](quantize::Settings& s, bool on) { s.passes.correct_bias = on; },
     [](const quantize::Settings& s) { return s.passes.correct_bias; }},
    {"alignment",
     [](quantize::Settings& s, bool on) {
       const auto how = on ? quantize::Alignment::to_output : quantize::Alignment::none;
       s.passes.elementwise = s.passes.concat = s.passes.resize = how;
     },
     [](const quantize::Settings& s) { return s.passes.elementwise != quantize::Alignment::none; }},
    {"prelu-alignment", [](quantize::Settings& s, bool on) { s.passes.align_prelu = on; },
     [](const quantize::Settings& s) { return s.passes.align_prelu; }},
    {"shift-repair", [](quantize::Settings& s, bool on) { s.passes.raise_shifts = on; },
     [](const quantize::Settings& s) { return s.passes.raise_shifts; }},
    {"requantize-inputs", [](quantize::Settings& s, bool on) { s.passes.requantize_inputs = on; },
     [](const quantize::Settings& s) { return s.passes.requantize_inputs; }},
    {"per-channel", [](quantize::Settings& s, bool on) { s.per_channel = on; },
     [](const quantize::Settings& s) { return s.per_channel; }},
};

Status switch_passes(quantize::Settings& s, const std::vector<std::string>& names, bool on) {
  for (const std::string& name : names) {
    for (const PassSwitch& p : kPasses) {
      if (p.name != name) continue;
      if (p.get(s) == on) {
        return Error(ErrorCode::usage, std::string(on ? "--with " : "--without ") + name +
                                           " changes nothing: the pass is " + (on ? "on" : "off"))
            .with_hint("Leave it out; docs/quantize.md says which passes are on.");
      }
      p.set(s, on);
    }
  }
  return Ok{};
}

Status check_passes(const QuantizeOptions& o) {
  if (std::find(o.with.begin(), o.with.end(), "weight-split") == o.with.end()) return Ok{};
  return Error(ErrorCode::usage,
               "weight-split is a pass of ESP-DL's own quantizer whose arithmetic is not described")
      .with_hint("equalization makes the ranges of channels alike; --search widens layers.");
}

// With step 256 a curve loses more by the nearest rule than 16 bits gain; docs/lut.md, chapter 5.
constexpr int kSearchStep = 32;

Result<std::map<std::string, std::string>> formulas_of(const QuantizeOptions& o) {
  std::map<std::string, std::string> formulas;
  for (const std::string& word : o.lut_formulas) {
    const size_t at = word.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == word.size()) {
      return Error(ErrorCode::usage, "--lut-formula takes NAME=FORMULA, not '" + word + "'");
    }
    formulas[word.substr(0, at)] = word.substr(at + 1);
  }
  return formulas;
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
  s.lut.step = o.lut_step.value_or(o.search ? kSearchStep : s.lut.step);
  s.lut.to_lut = o.lut;
  EDGETWIN_TRY_ASSIGN(s.lut.formulas, formulas_of(o));
  EDGETWIN_TRY_ASSIGN(s.runtime, runtime_version(o.runtime));
  if (o.steps > 0) {
    s.steps = o.steps;
  } else if (!o.like_upstream) {
    s.steps = static_cast<int>(samples);
  }
  s.bits_of = o.bits_of;
  EDGETWIN_TRY(switch_passes(s, o.with, true));
  EDGETWIN_TRY(switch_passes(s, o.without, false));
  return s;
}

Status search_widths(const QuantizeRun& run, const EspdlTask& task, EspdlQuantization& q) {
  if (!run.options.search) return Ok{};
  quantize::SearchLimits limits;
  limits.wanted_decibels = run.options.decibels;
  limits.most_bytes = run.options.most_bytes;
  if (!run.options.measured.empty()) {
    EDGETWIN_TRY_ASSIGN(limits.measured, measured_points(run, task));
  }
  EDGETWIN_TRY_ASSIGN(q.search, quantize::search(task.model.main(), task.samples, q.settings,
                                                 limits, run.progress));
  q.missing = quantize::missing_text(*q.search, limits);
  q.settings.bits_of = q.search->bits_of;
  q.settings.lut = q.search->lut;
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
// are checked, read again and executed before, and must give the same.
Status add_files(const quantize::Sample& sample, EspdlQuantization& q) {
  targets::espdl::ExportSettings how;
  how.target = q.settings.target;
  how.threads = q.settings.threads;
  how.allow_undefined = true;  // the check below refuses it, with its rule
  how.runtime = q.settings.runtime;
  how.form.tables = q.quantized.tables;
  EDGETWIN_TRY_ASSIGN(targets::espdl::Exported files,
                      targets::espdl::export_model(
                          q.quantized.graph, inputs_of(q.quantized, sample, q.settings), how));
  EDGETWIN_TRY(require_sound(files.document, q.settings));
  q.document = std::move(files.document);
  q.file = std::move(files.file);
  q.info = std::move(files.info);
  q.config = std::move(files.config);
  return Ok{};
}

}  // namespace

Status add_espdl_files(const QuantizeRun& run, const quantize::Sample& sample,
                       EspdlQuantization& q) {
  EDGETWIN_TRY(check_lookups(run.options, q.quantized, q.settings));
  std::vector<Finding>& findings = q.quantized.report.findings;
  const auto slow = float_activations(q.quantized.graph, q.settings.target);
  findings.insert(findings.end(), slow.begin(), slow.end());
  for (const Finding& f : findings) run.noticed(f);
  return add_files(sample, q);
}

Result<EspdlTask> espdl_task(const QuantizeRun& run, const OtherSamples& others) {
  EspdlTask task;
  EDGETWIN_TRY_ASSIGN(task.model, read_float_network(run));
  const bool named = !run.options.calibrate.empty() || others == nullptr;
  EDGETWIN_TRY_ASSIGN(task.samples,
                      named ? read_samples(run, task.model.main()) : others(task.model.main()));
  EDGETWIN_TRY_ASSIGN(task.settings, espdl_settings(run.options, task.samples.size()));
  EDGETWIN_TRY_ASSIGN(task.settings.bits_of,
                      layers_by_name(task.settings.bits_of, task.model.main()));
  return task;
}

Result<EspdlQuantization> quantize_for_espdl(const QuantizeRun& run) {
  EDGETWIN_TRY_ASSIGN(const EspdlTask task, espdl_task(run));
  const Model& model = task.model;
  const auto& samples = task.samples;
  EspdlQuantization q;
  q.samples = samples.size();
  q.settings = task.settings;
  EDGETWIN_TRY(search_widths(run, task, q));
  EDGETWIN_TRY_ASSIGN(q.quantized,
                      quantize::quantize_espdl(model.main(), samples, q.settings, run.progress));
  EDGETWIN_TRY(check_lookups(run.options, q.quantized, q.settings));
  std::vector<Finding>& findings = q.quantized.report.findings;
  const auto slow = float_activations(q.quantized.graph, q.settings.target);
  findings.insert(findings.end(), slow.begin(), slow.end());
  if (!q.missing.empty()) {
    findings.push_back(
        {Severity::warning, "", "", q.missing,
         "Allow more bytes, look for the layer that --report shows, or wish for less."});
  }
  for (const Finding& f : findings) run.noticed(f);
  if (run.options.analyse || run.options.search) {
    EDGETWIN_TRY_ASSIGN(q.analysis,
                        quantize::analyse(q.quantized, samples, q.settings, run.progress));
  }
  EDGETWIN_TRY(add_files(samples[0], q));
  return q;
}

}  // namespace edgetwin::twin
