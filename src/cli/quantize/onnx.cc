// `quantize` of float networks for ESP-DL.
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/file.h"
#include "cli/quantize/arguments.h"
#include "cli/quantize/export.h"
#include "cli/quantize/quantize.h"
#include "cli/quantize/report.h"
#include "cli/shared/exit_codes.h"
#include "formats/onnx/import/onnx.h"
#include "formats/torch/checkpoint.h"
#include "quantize/calibration/samples.h"
#include "targets/target.h"
#include "twin/load.h"

namespace edgetwin::cli {

Result<std::pair<std::string, std::string>> named(const std::string& word, const char* option) {
  const size_t at = word.rfind('=');
  if (at != std::string::npos && at > 0 && at + 1 < word.size()) {
    return std::pair(word.substr(0, at), word.substr(at + 1));
  }
  return Error(ErrorCode::usage, std::string(option) + " takes NAME=VALUE, not '" + word + "'");
}

Result<std::vector<int64_t>> numbers(const std::string& text, const char* option) {
  std::vector<int64_t> list;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at <= end) {
    int64_t n = 0;
    const auto [next, error] = std::from_chars(at, end, n);
    if (error != std::errc() || (next != end && *next != ',')) {
      return Error(ErrorCode::usage,
                   std::string(option) + ": '" + text + "' is no list of numbers");
    }
    list.push_back(n);
    at = next + 1;
  }
  return list;
}

namespace {

Result<onnx::ReadOptions> read_options(const QuantizeArguments& a) {
  onnx::ReadOptions options;
  EDGETWIN_TRY(onnx::add_shapes(options, a.network_options.shapes));
  // Upstream knows Swish behind layers and what only moves elements, and no other pattern.
  const bool like = !a.network_options.like.empty();
  onnx::Passes& passes = options.passes;
  passes.swish_of_anything = !like;
  passes.fuse_hard_swish = passes.fuse_gelu = passes.fuse_layer_norm = !like;
  const auto& off = a.network_options.without;
  if (std::find(off.begin(), off.end(), "swish-fusion") != off.end()) passes.fuse_swish = false;
  if (std::find(off.begin(), off.end(), "gelu-fusion") != off.end()) {
    passes.fuse_gelu = false;
    passes.write_out_tanh_gelu = true;
  }
  options.external = onnx::files_beside(a.checkpoint);
  return options;
}

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

Status check_with(const QuantizeNetworkArguments& n) {
  for (const std::string& name : n.with) {
    if (name != "weight-split") continue;
    return Error(
               ErrorCode::usage,
               "weight-split is a pass of ESP-DL's own quantizer whose arithmetic is not described")
        .with_hint("equalization makes the ranges of channels alike; --search widens layers.");
  }
  return Ok{};
}

Result<quantize::Settings> settings_of(const QuantizeArguments& a, size_t samples) {
  const QuantizeNetworkArguments& n = a.network_options;
  const auto target = *espdl::target_by_name(a.target);
  EDGETWIN_TRY(check_with(n));
  const bool like = !n.like.empty();
  quantize::Settings s = like ? quantize::like_upstream(target, n.bits) : quantize::Settings();
  s.target = target;
  if (n.bits != 8 && n.bits != 16) {
    return Error(ErrorCode::usage,
                 "--bits " + std::to_string(n.bits) + ": " + a.target + " computes with 8 or 16");
  }
  s.bits = n.bits;
  if (!n.method.empty()) s.method = *quantize::method_by_name(n.method);
  s.high_precision = n.high_precision;
  s.threads = n.threads;
  s.lut.step = n.step;
  s.lut.to_lut = n.lut;
  if (n.steps > 0) {
    s.steps = n.steps;
  } else if (!like) {
    s.steps = static_cast<int>(samples);
  }
  for (const std::string& word : n.layer_bits) {
    EDGETWIN_TRY_ASSIGN(const auto pair, named(word, "--layer-bits"));
    EDGETWIN_TRY_ASSIGN(const auto list, numbers(pair.second, "--layer-bits"));
    s.bits_of[pair.first] = static_cast<int>(list[0]);
  }
  switch_passes(s, n.with, true);
  switch_passes(s, n.without, false);
  return s;
}

}  // namespace

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : " ") + w;
  return text;
}

Result<Model> read_float_network(const QuantizeArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.checkpoint));
  if (twin::sniff(data) == FileKind::tflite) {
    return Error(ErrorCode::usage, "'" + a.checkpoint + "' is a .tflite file, and " + a.target +
                                       " is quantized from .onnx: its passes want channels before "
                                       "rows and activations as operators of their own")
        .with_hint("--target edgetpu takes a float .tflite. Export the network as ONNX.");
  }
  EDGETWIN_TRY_ASSIGN(const onnx::ReadOptions options, read_options(a));
  EDGETWIN_TRY_ASSIGN(Model model, onnx::read(data, a.checkpoint, options));
  for (const Finding& f : model.findings) console.finding(f);
  return model;
}

Result<std::vector<quantize::Sample>> read_samples(const QuantizeArguments& a, const Graph& graph) {
  const QuantizeNetworkArguments& n = a.network_options;
  if (n.calibrate.empty()) {
    return Error(ErrorCode::usage, "quantize needs data to calibrate with")
        .with_hint("Add --calibrate and a folder of pictures, or an .npy with a sample per row.");
  }
  quantize::PictureOptions pictures;
  pictures.mean = n.mean;
  pictures.std = n.std;
  pictures.resize = n.resize == "nearest" ? Resize::nearest : Resize::half_pixel;
  return quantize::load_samples(n.calibrate, graph, pictures, static_cast<size_t>(n.samples));
}

namespace {

Status search_widths(const QuantizeNetworkArguments& n, const Graph& graph,
                     const std::vector<quantize::Sample>& samples, quantize::Settings& settings,
                     QuantizeOutcome& outcome, Console& console) {
  if (!n.search) return Ok{};
  quantize::SearchLimits limits;
  limits.wanted_decibels = n.decibels;
  limits.most_bytes = n.most_bytes;
  EDGETWIN_TRY_ASSIGN(outcome.search,
                      quantize::search(graph, samples, settings, limits, console.progress_sink()));
  settings.bits_of = outcome.search->bits_of;
  settings.bits = 8;
  return Ok{};
}

// The plot shows the way of --search.
Status check_plot(const QuantizeNetworkArguments& n) {
  if (!n.search) return Error(ErrorCode::usage, "--image is a plot of --search");
  if (std::filesystem::path(n.image.path).extension() != ".png") {
    return Error(ErrorCode::usage, "'" + n.image.path + "': the plot is a .png file");
  }
  return n.image.check();
}

}  // namespace

void summary(const std::string& text, Console& console) {
  if (!console.options().quiet) console.print(text);
}

Result<int> quantize_network(const QuantizeArguments& a, Console& console) {
  const QuantizeNetworkArguments& n = a.network_options;
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY(n.report.check());
  if (!n.image.empty()) EDGETWIN_TRY(check_plot(n));
  EDGETWIN_TRY_ASSIGN(const Model model, read_float_network(a, console));
  EDGETWIN_TRY_ASSIGN(const auto samples, read_samples(a, model.main()));
  EDGETWIN_TRY_ASSIGN(quantize::Settings settings, settings_of(a, samples.size()));
  QuantizeOutcome outcome;
  outcome.model = a.checkpoint;
  outcome.target = std::string(espdl::name(settings.target));
  outcome.command = joined(console.options().words);
  outcome.samples = samples.size();
  EDGETWIN_TRY(search_widths(n, model.main(), samples, settings, outcome, console));
  EDGETWIN_TRY_ASSIGN(
      const quantize::Quantized q,
      quantize::quantize_espdl(model.main(), samples, settings, console.progress_sink()));
  for (const Finding& f : q.report.findings) console.finding(f);
  outcome.settings = &settings;
  outcome.quantized = &q;
  if (n.analyse || n.search || !n.report.empty()) {
    EDGETWIN_TRY_ASSIGN(outcome.analysis,
                        quantize::analyse(q, samples, settings, console.progress_sink()));
  }
  EDGETWIN_TRY(write_espdl(a.output.path, q, samples[0], settings, a.output.overwrite));
  if (!n.report.empty()) {
    EDGETWIN_TRY(n.report.write(std::string_view(html_of(outcome))));
  }
  if (!n.image.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes png, plot_of(outcome));
    EDGETWIN_TRY(n.image.write(png));
  }
  summary("wrote " + a.output.path + "\n" + text_of(outcome), console);
  add_json(outcome, console.json());
  console.json().set("output", a.output.path);
  return kYes;
}

Result<int> execute(const QuantizeArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Target* target, targets::require_target(a.target));
  if (target->family == Family::espdl) return quantize_network(a, console);
  if (target->family != Family::max78) return quantize_for_tflite(a, console);
  const auto data = read_file(a.checkpoint);
  const bool network =
      data.ok() && !torch::looks_like_checkpoint(*data) && onnx::looks_like_onnx(*data);
  return network ? quantize_for_max78(a, console) : quantize_checkpoint(a, console);
}

}  // namespace edgetwin::cli
