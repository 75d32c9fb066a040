// Float networks for the MAX78000 and MAX78002.
#include <filesystem>

#include "base/rng.h"

#include "targets/max78/chip/limits.h"
#include "targets/max78/convert/join_inputs.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::twin {
namespace {

Result<int> weight_width(int bits) {
  if (bits == 1 || bits == 2 || bits == 4 || bits == 8) return int{bits};
  return Error(ErrorCode::usage,
               "weights of the device have 1, 2, 4 or 8 bits, not " + std::to_string(bits));
}

// What means something for this target.
Status check_options(const QuantizeOptions& o) {
  for (const auto* list : {&o.with, &o.without}) {
    for (const std::string& name : *list) {
      if (name == "bias-correction") continue;
      return Error(ErrorCode::usage, "the pass '" + name + "' is not one for the MAX7800x")
          .with_hint("bias-correction is; the other ones belong to ESP-DL.");
    }
  }
  if (!o.without.empty()) {
    return Error(ErrorCode::usage, "--without bias-correction changes nothing: the pass is off")
        .with_hint("Leave it out; --with switches the pass on.");
  }
  if (!o.search && !o.like_upstream && o.lut.empty() && !o.high_precision) return Ok{};
  return Error(ErrorCode::usage, "--search, --like, --lut and --high-precision belong to ESP-DL")
      .with_hint("--weight-bits NAME=4 sets the width of one layer's weights.");
}

Result<max78::ConvertSettings> max78_settings(const QuantizeRun& run) {
  const QuantizeOptions& o = run.options;
  max78::ConvertSettings s;
  s.device = *max78::device_by_name(o.target);
  max78::Draft names;
  s.name = names.unique_name(std::filesystem::path(run.file).stem().string());
  EDGETWIN_TRY_ASSIGN(s.bits, weight_width(o.bits));
  for (const auto& [layer, bits] : o.bits_of) {
    EDGETWIN_TRY_ASSIGN(s.bits_of[layer], weight_width(bits));
  }
  if (!o.method.empty()) {
    EDGETWIN_TRY_ASSIGN(s.method, method_of(o.method));
  }
  for (const std::string& name : o.with) s.correct_bias |= name == "bias-correction";
  s.threads = o.threads;
  return s;
}

// Inputs from -1 to 1, where nobody says what the network will see.
std::vector<quantize::Sample> stand_in_samples(const Graph& graph) {
  constexpr int kSamples = 4;
  XorShift32 random(1);
  std::vector<quantize::Sample> samples(kSamples);
  for (quantize::Sample& sample : samples) {
    for (const ValueId id : graph.inputs) {
      const Value& v = graph.value(id);
      Tensor t;
      t.dtype = DType::float32;
      t.shape = v.shape;
      t.data.resize(static_cast<size_t>(v.shape.elements()) * sizeof(float));
      for (float& x : t.as<float>()) x = (static_cast<float>(random.byte()) - 127.5F) / 127.5F;
      sample.push_back(std::move(t));
    }
  }
  return samples;
}

Result<std::vector<quantize::Sample>> samples_or_stand_in(const QuantizeRun& run,
                                                          const Graph& graph) {
  if (!run.options.calibrate.empty()) return read_samples(run, graph);
  run.noticed({.severity = Severity::warning,
               .id = "",
               .place = Place(),
               .message = "no calibration data: ranges are those of pseudo-random inputs from -1 "
                          "to 1; the places hold, the integers are for trials",
               .hint = "Add --calibrate with pictures or arrays that the network will see."});
  return stand_in_samples(graph);
}

// Several inputs side by side, with a note of where each of them lies.
Status join(const QuantizeRun& run, Model& model, std::vector<quantize::Sample>& samples) {
  EDGETWIN_TRY_ASSIGN(const max78::JoinedInputs done,
                      max78::join_inputs(model.graphs.front(), samples));
  if (done.text.empty()) return Ok{};
  run.noticed({.severity = Severity::note,
               .id = "",
               .place = Place(),
               .message = "the inputs are loaded as one picture: " + done.text,
               .hint = ""});
  return Ok{};
}

}  // namespace

Result<Max78Quantization> unplaced_for_max78(const QuantizeRun& run, bool fold) {
  EDGETWIN_TRY(check_options(run.options));
  EDGETWIN_TRY_ASSIGN(max78::ConvertSettings settings, max78_settings(run));
  settings.placed = false;
  settings.fold = fold;
  EDGETWIN_TRY_ASSIGN(Model model, read_float_network(run));
  EDGETWIN_TRY_ASSIGN(auto samples, samples_or_stand_in(run, model.main()));
  EDGETWIN_TRY(join(run, model, samples));
  EDGETWIN_TRY_ASSIGN(max78::ConversionResult result,
                      max78::convert(model.main(), samples, settings, run.progress));
  for (const Finding& f : result.findings) run.noticed(f);
  Max78Quantization q;
  q.samples = samples.size();
  q.misfits = std::move(result.misfits);
  q.conversion = std::move(result.conversion);
  return q;
}

Result<Max78Trainable> trainable_for_max78(const QuantizeRun& run, const OtherSamples& others) {
  EDGETWIN_TRY(check_options(run.options));
  EDGETWIN_TRY_ASSIGN(const max78::ConvertSettings settings, max78_settings(run));
  EDGETWIN_TRY_ASSIGN(const Model model, read_float_network(run));
  const Graph& graph = model.main();
  const bool named = !run.options.calibrate.empty();
  EDGETWIN_TRY_ASSIGN(const auto samples, named ? read_samples(run, graph) : others(graph));
  EDGETWIN_TRY_ASSIGN(max78::ConversionResult result,
                      max78::convert(graph, samples, settings, run.progress));
  for (const Finding& f : result.findings) run.noticed(f);
  Max78Trainable made;
  made.misfits = std::move(result.misfits);
  if (!result.conversion) return made;
  max78::ByteScale bytes;
  if (!run.options.mean.empty()) bytes.mean = run.options.mean;
  if (!run.options.std.empty()) bytes.deviation = run.options.std;
  EDGETWIN_TRY_ASSIGN(made.network, max78::trainable(result.conversion->draft, bytes));
  return made;
}

Result<Max78Quantization> quantize_for_max78(const QuantizeRun& run) {
  EDGETWIN_TRY(check_options(run.options));
  EDGETWIN_TRY_ASSIGN(const max78::ConvertSettings settings, max78_settings(run));
  EDGETWIN_TRY_ASSIGN(Model model, read_float_network(run));
  EDGETWIN_TRY_ASSIGN(auto samples, read_samples(run, model.main()));
  EDGETWIN_TRY(join(run, model, samples));
  EDGETWIN_TRY_ASSIGN(max78::ConversionResult result,
                      max78::convert(model.main(), samples, settings, run.progress));
  for (const Finding& f : result.findings) run.noticed(f);
  Max78Quantization q;
  q.samples = samples.size();
  q.misfits = std::move(result.misfits);
  q.conversion = std::move(result.conversion);
  if (!q.conversion) return q;
  EDGETWIN_TRY_ASSIGN(q.noise, max78::measure(*q.conversion, model.main(), samples,
                                              settings.threads, run.progress));
  return q;
}

}  // namespace edgetwin::twin
