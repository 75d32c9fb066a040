// `quantize` of float networks for the MAX78000 and MAX78002.
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "cli/quantize/quantize.h"
#include "cli/quantize/report.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/output_group.h"
#include "report/format.h"
#include "report/page/page_parts.h"

namespace edgetwin::cli {
namespace {

using report::Json;
using report::TextTable;

// What belongs to other targets and is not an option of the library.
Status check_options(const QuantizeNetworkArguments& n) {
  if (n.image.empty() && n.layer_bits.empty()) return Ok{};
  return Error(ErrorCode::usage, "--image and --layer-bits belong to ESP-DL")
      .with_hint("--weight-bits NAME=4 sets the width of one layer's weights.");
}

std::string power(int exponent) { return "2^" + std::to_string(exponent); }

// What 128 stands for, or one step.
std::string range_text(const max78::DraftTensor& t, int less = 0) {
  if (t.stretch == 1.0) return power(t.exponent - less);
  return report::real_text(std::ldexp(t.stretch, t.exponent - less));
}

// Of the table: one form for powers of two and other ranges, four digits.
std::string limit_text(const max78::DraftTensor& t) {
  std::array<char, 32> digits{};
  const auto done = std::to_chars(digits.data(), digits.data() + digits.size(),
                                  std::ldexp(t.stretch, t.exponent), std::chars_format::general, 4);
  return "±" + std::string(digits.data(), done.ptr);
}

std::string size_text(const max78::DraftTensor& t) {
  return std::to_string(t.channels) + "x" + std::to_string(t.h) + "x" + std::to_string(t.w);
}

std::string kind_text(const max78::DraftLayer& l) {
  std::string text;
  if (l.pooling != ai8x::Pooling::none) text += std::string(ai8x::name(l.pooling)) + " pool, ";
  if (l.eltwise != ai8x::Eltwise::none) text += std::string(ai8x::name(l.eltwise)) + ", ";
  if (l.has_weights()) text += std::string(ai8x::name(l.op)) + ", ";
  if (l.activation != ai8x::Activation::none) text += std::string(ai8x::name(l.activation)) + ", ";
  if (text.empty()) text = "copy, ";
  return text.substr(0, text.size() - 2);
}

TextTable layer_table(const max78::Draft& d) {
  constexpr auto kRight = TextTable::Align::right;
  TextTable table({{"layer"},
                   {"computes"},
                   {"output"},
                   {"bits", kRight},
                   {"shift", kRight},
                   {"range"},
                   {"clipped", kRight}});
  for (const max78::DraftLayer& l : d.layers) {
    const max78::DraftTensor& t = d.tensor(l.out);
    table.add({report::shortened(l.name, 40), kind_text(l), size_text(t),
               l.has_weights() ? std::to_string(l.bits) : "-",
               l.has_weights() ? std::to_string(l.shift) : "-", limit_text(t),
               l.has_weights() ? std::to_string(l.clipped) : "-"});
  }
  return table;
}

std::string head_of(const QuantizeArguments& a, const max78::Conversion& c, size_t samples) {
  const max78::Draft& d = c.draft;
  std::string text = "target      " + a.target + ", " + std::to_string(d.layers.size()) +
                     " layers, " + std::to_string(samples) +
                     (samples == 1 ? " sample" : " samples") + "\n";
  text += "input       q = x * " + power(7 - d.tensor(0).exponent) + ", " + size_text(d.tensor(0)) +
          (d.planes ? ", CHW" : ", HWC") + "\n";
  for (const int t : d.outputs) {
    text += "output      " + d.tensor(t).name + ": x = q * " + range_text(d.tensor(t), 7) + ", " +
            size_text(d.tensor(t)) + "\n";
  }
  return text;
}

std::string top_text(const max78::ConversionNoise& n) {
  return "largest     at the same place in " + std::to_string(n.same_top) + " of " +
         std::to_string(n.samples) + (n.samples == 1 ? " sample\n" : " samples\n");
}

void add_json(const max78::Conversion& c, const max78::ConversionNoise& noise, Json& json) {
  Json layers = Json::array();
  for (const max78::DraftLayer& l : c.draft.layers) {
    const max78::DraftTensor& t = c.draft.tensor(l.out);
    Json j = Json::object();
    j.set("layer", l.name).set("node", l.node).set("bits", l.bits).set("output_shift", l.shift);
    j.set("step", t.step()).set("clipped", l.clipped);
    layers.push(std::move(j));
  }
  json.set("device_layers", std::move(layers));
  json.set("input_step", c.draft.tensor(0).step());
  Json outputs = Json::array();
  for (const int t : c.draft.outputs) {
    Json j = Json::object();
    j.set("layer", c.draft.tensor(t).name).set("step", c.draft.tensor(t).step());
    outputs.push(std::move(j));
  }
  json.set("outputs", std::move(outputs));
  json.set("same_top", noise.same_top).set("samples", noise.samples);
  add_analysis(noise.analysis, json);
}

std::string html_of(const QuantizeArguments& a, const max78::Conversion& c,
                    const max78::ConversionNoise& noise, const std::string& command) {
  PageText page;
  page.title = std::filesystem::path(a.checkpoint).filename().string();
  page.verdict = "Placed on " + a.target +
                 " and computed in its integers: " + db(noise.analysis.output_noise) +
                 " dB at the outputs";
  page.head = head_of(a, c, static_cast<size_t>(noise.samples)) + output_text(noise.analysis) +
              top_text(noise);
  page.body = noise_bars(noise.analysis) + "<h2>Layers</h2>\n<pre>" +
              report::html_escaped(layer_table(c.draft).text()) + "</pre>\n";
  page.command = command;
  return page_of(page);
}

Status write_files(const max78::Conversion& c, AtomicFolder& folder) {
  const std::string& name = c.draft.name;
  EDGETWIN_TRY(folder.write(name + ".yaml", std::string_view(c.yaml)));
  EDGETWIN_TRY(folder.write(name + ".pth.tar", c.checkpoint));
  EDGETWIN_TRY(folder.write("sample_" + name + ".npy", c.sample));
  return folder.commit();
}

int refuse(const twin::Max78Quantization& q, Console& console) {
  int exit_code = kNo;
  for (const Error& e : q.misfits) exit_code = console.error(e);
  return exit_code;
}

}  // namespace

Result<int> quantize_for_max78(const QuantizeArguments& a, Console& console) {
  const QuantizeNetworkArguments& n = a.network_options;
  EDGETWIN_TRY(check_options(n));
  EDGETWIN_TRY(n.report.check());
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  EDGETWIN_TRY_ASSIGN(const twin::QuantizeRun run, run_of(a, console));
  EDGETWIN_TRY_ASSIGN(const twin::Max78Quantization q, twin::quantize_for_max78(run));
  if (!q.conversion) return refuse(q, console);
  const max78::Conversion& c = *q.conversion;
  const max78::ConversionNoise& noise = q.noise;
  OutputGroup page;
  if (!n.report.empty()) {
    page.add(n.report, html_of(a, c, noise, console.command_line()));
  }
  EDGETWIN_TRY(page.write());
  Status written = write_files(c, folder);
  if (!written.ok()) {
    page.undo();
    return std::move(written).error();
  }
  const std::string name = c.draft.name;
  summary("wrote " + a.output.path + ": " + name + ".yaml, " + name + ".pth.tar, sample_" + name +
              ".npy\n" + head_of(a, c, q.samples) + output_text(noise.analysis) + top_text(noise) +
              "\n" + layer_table(c.draft).text() + (n.analyse ? layers_text(noise.analysis) : ""),
          console);
  console.json().set("output", a.output.path).set("target", a.target);
  add_json(c, noise, console.json());
  return kYes;
}

}  // namespace edgetwin::cli
