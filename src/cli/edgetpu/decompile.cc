#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/edgetpu/arguments.h"
#include "cli/networks/page.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/version.h"
#include "formats/tflite/tflite.h"
#include "report/format.h"
#include "report/page/check_page.h"
#include "targets/edgetpu/decompile/compare/compare.h"
#include "targets/edgetpu/decompile/compare/same_runs.h"
#include "targets/edgetpu/decompile/decompile.h"
#include "twin/load.h"

namespace edgetwin::cli {
namespace {

using edgetpu::DecompiledLayer;
using edgetpu::DecompiledOp;
using report::Json;
using report::TextTable;

std::string size_text(const edgetpu::Extent2D& e) {
  return std::to_string(e.h) + "x" + std::to_string(e.w) + "x" + std::to_string(e.c);
}

std::string producer_text(edgetpu::Producer p) {
  return p < 0 ? "in" + std::to_string(-1 - p) : std::to_string(p);
}

std::string inputs_text(const DecompiledLayer& l) {
  std::string text;
  for (const edgetpu::Operand& o : l.inputs) {
    if (!text.empty()) text += " ";
    for (size_t i = 0; i < o.from.size(); ++i) {
      text += (i == 0 ? "" : "+") + producer_text(o.from[i]);
      if (o.taken.empty()) continue;
      const edgetpu::ChannelRange& r = o.taken[i];
      text += "[" + std::to_string(r.first) + ":" + std::to_string(r.first + r.count) + "]";
    }
  }
  return text;
}

std::string window_text(const DecompiledLayer& l) {
  std::string text = std::to_string(l.kernel_h) + "x" + std::to_string(l.kernel_w);
  if (l.stride_h > 1 || l.stride_w > 1) {
    text += " /" + std::to_string(l.stride_h);
    if (l.stride_w != l.stride_h) text += "x" + std::to_string(l.stride_w);
  }
  if (l.dilation > 1) text += " *" + std::to_string(l.dilation);
  if (l.pad == DecompiledLayer::Pad::valid && (l.kernel_h > 1 || l.kernel_w > 1)) text += " valid";
  if (l.pad == DecompiledLayer::Pad::given) {
    text += " pad " + std::to_string(l.pad_top) + "," + std::to_string(l.pad_bottom);
  }
  return text;
}

std::string parameters_text(const DecompiledLayer& l) {
  if (l.blocks.empty()) return "";
  size_t bytes = 0;
  for (const auto& b : l.blocks) bytes += b.bytes;
  std::string text = std::to_string(l.blocks.front().offset);
  if (!l.blocks.front().cached) return text + " streamed";
  return text + "+" + std::to_string(bytes);
}

// The instructions of a layer as the words that they begin at.
std::string steps_text(const DecompiledOp& op, const DecompiledLayer& l) {
  if (l.steps.empty()) return "";
  const auto& all = op.layers.replay.steps.all;
  std::string text = std::to_string(all[l.steps.front()].word);
  if (l.steps.size() > 1) text += " and " + std::to_string(l.steps.size() - 1) + " more";
  return text;
}

Json layer_json(const DecompiledOp& op, size_t index) {
  const DecompiledLayer& l = op.layers.layers[index];
  Json j = Json::object();
  j.set("layer", index).set("operator", name(l.type)).set("inputs", inputs_text(l));
  j.set("in", size_text(l.in)).set("out", size_text(l.out));
  j.set("kernel_h", l.kernel_h).set("kernel_w", l.kernel_w);
  j.set("stride_h", l.stride_h).set("stride_w", l.stride_w).set("dilation", l.dilation);
  j.set("scale", static_cast<double>(op.scales.layers[index].scale));
  j.set("zero_point", op.scales.layers[index].zero_point);
  j.set("scale_chosen", !op.scales.layers[index].known);
  Json words = Json::array();
  for (const size_t s : l.steps) words.push(Json(op.layers.replay.steps.all[s].word));
  j.set("words", std::move(words));
  if (!l.blocks.empty()) {
    j.set("parameter_offset", l.blocks.front().offset).set("cached", l.blocks.front().cached);
  }
  if (!l.problem.empty()) j.set("problem", l.problem);
  return j;
}

Json print_op(const DecompiledOp& op, Console& console) {
  const auto& layers = op.layers.layers;
  console.print("operator #" + std::to_string(op.op) + ": " + std::to_string(layers.size()) +
                " layers from " + std::to_string(op.layers.replay.steps.nests()) +
                " tensor instructions, " + std::to_string(op.layers.copies.size()) +
                " groups of them only copy\n");
  TextTable table({{"#", TextTable::Align::right},
                   {"operator"},
                   {"reads"},
                   {"window"},
                   {"in", TextTable::Align::right},
                   {"out", TextTable::Align::right},
                   {"parameters", TextTable::Align::right},
                   {"words"}});
  Json list = Json::array();
  for (size_t l = 0; l < layers.size(); ++l) {
    table.add({std::to_string(l), std::string(name(layers[l].type)), inputs_text(layers[l]),
               window_text(layers[l]), size_text(layers[l].in), size_text(layers[l].out),
               parameters_text(layers[l]), steps_text(op, layers[l])});
    list.push(layer_json(op, l));
  }
  console.print(table.text(2));
  size_t chosen = 0;
  for (const auto& s : op.scales.layers) chosen += s.known ? 0U : 1U;
  const size_t inexact = op.scales.inexact.size();
  console.print("recovered " + std::to_string(op.recovered()) + " of " +
                std::to_string(layers.size()) + " layers; the scales of " + std::to_string(chosen) +
                " tensors were chosen, " +
                (inexact == 0 ? "all multipliers and limits are exact"
                              : "multiplier or limits of " + std::to_string(inexact) +
                                    " layers differ in the last bits") +
                "\n");
  Json j = Json::object();
  j.set("operator", op.op).set("recovered", op.recovered()).set("chosen_scales", chosen);
  return j.set("inexact", inexact).set("layers", std::move(list));
}

// "67 584 bytes of parameters from byte 0": the table of the terminal has less room.
std::string parameters_sentence(const DecompiledLayer& l) {
  if (l.blocks.empty()) return "";
  int64_t bytes = 0;
  for (const auto& b : l.blocks) bytes += static_cast<int64_t>(b.bytes);
  return ", " + report::count_text(bytes) + " bytes of parameters from byte " +
         std::to_string(l.blocks.front().offset) +
         (l.blocks.front().cached ? ", kept on the chip" : ", streamed");
}

report::CheckRow row_of(const DecompiledOp& op, size_t index) {
  const DecompiledLayer& l = op.layers.layers[index];
  const std::string steps = steps_text(op, l);
  const std::string detail = window_text(l) + ", " + size_text(l.in) + " to " + size_text(l.out) +
                             ", reads " + inputs_text(l) +
                             (steps.empty() ? "" : ", tensor instruction at word " + steps) +
                             parameters_sentence(l);
  return {l.problem.empty(), l.problem.empty() ? "recovered" : "not recovered",
          "#" + std::to_string(index) + " " + std::string(name(l.type)),
          l.problem.empty() ? detail : l.problem + "; " + detail};
}

// What the comparison with the source came to.
struct Compared {
  bool same = false;
  std::string verdict;
};

// Same: every layer of the source was found with all that it is.
Compared print_comparison(const edgetpu::NetworkComparison& c, Console& console) {
  Json differences = Json::array();
  for (const edgetpu::LayerMatch& m : c.layers) {
    if (m.exact()) continue;
    std::string text;
    for (const std::string& d : m.differences) text += (text.empty() ? "" : "; ") + d;
    if (m.decompiled.empty()) text = "was not found";
    console.print("  " + m.source + ": " + text + "\n");
    Json j = Json::object();
    differences.push(j.set("source", m.source).set("decompiled", m.decompiled).set("why", text));
  }
  for (const std::string& e : c.extra) console.print("  " + e + ": not in the source\n");
  const std::string verdict = std::to_string(c.exact()) + " of " + std::to_string(c.layers.size()) +
                              " layers are exactly the source's";
  console.print("compared " + verdict + "\n");
  Json j = Json::object();
  j.set("layers", c.layers.size()).set("exact", c.exact()).set("extra", c.extra.size());
  console.json().set("comparison", j.set("differences", std::move(differences)));
  return {c.exact() == c.layers.size(), verdict};
}

std::string runs_text(const edgetpu::SameRuns& r) {
  return std::to_string(r.equal) + " of " + std::to_string(r.runs) +
         " runs on pseudo-random inputs give the same";
}

// A network that only moves bytes has no layers to be compared; what it makes of pseudo-random
// inputs says whether it is the same. Error: decompile_source, where it is no such network.
Result<Compared> print_runs(const Graph& decompiled, const Graph& source, Console& console) {
  constexpr uint32_t kRuns = 20;
  const auto runs = edgetpu::same_runs(decompiled, source, kRuns);
  if (!runs.ok() || source.ops.empty()) {
    return Error(ErrorCode::decompile_source, "it has no operators on 8-bit integers");
  }
  const std::string verdict = "the source only moves bytes: " + runs_text(*runs);
  console.print("compared " + verdict + "\n");
  console.json().set("comparison",
                     Json::object().set("runs", runs->runs).set("equal", runs->equal));
  return Compared{runs->equal == kRuns, verdict};
}

// Where all layers are the source's, what the written network makes of some inputs. Errors: those
// of a source that does not run.
Status add_runs(const Graph& decompiled, const Graph& source, Console& console, Compared& all) {
  constexpr uint32_t kRuns = 2;
  EDGETWIN_TRY_ASSIGN(const auto runs, edgetpu::same_runs(decompiled, source, kRuns));
  std::string text = runs_text(runs);
  if (runs.bytes == 0) {
    text += "; the written network does not take these inputs, or has other outputs";
  } else if (runs.equal != runs.runs) {
    text += "; " + std::to_string(runs.different) + " of " + std::to_string(runs.bytes) +
            " bytes are others";
  }
  console.print("computed " + text + "\n");
  console.json().set("runs", Json::object()
                                 .set("runs", runs.runs)
                                 .set("equal", runs.equal)
                                 .set("bytes", runs.bytes)
                                 .set("different", runs.different));
  all.same = all.same && runs.equal == runs.runs;
  all.verdict += "; " + text;
  return Ok{};
}

}  // namespace

Result<int> execute(const DecompileArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY(a.report.check());
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.model));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, a.model));
  if (file.ops.empty() || file.container != darwinn::Container::tflite) {
    return Error(ErrorCode::edgetpu_no_program, "there is no compiled operator in it")
        .in_file(a.model);
  }
  EDGETWIN_TRY_ASSIGN(const Model model, tflite::read(data, a.model));
  auto decompiled = edgetpu::decompile(model, file, {.threads = a.threads.value_or(processors())});
  if (!decompiled.ok()) return std::move(decompiled).error().in_file(a.model);
  Json ops = Json::array();
  report::CheckPage page;
  for (const DecompiledOp& op : decompiled->ops) {
    ops.push(print_op(op, console));
    for (size_t l = 0; l < op.layers.layers.size(); ++l) page.rows.push_back(row_of(op, l));
  }
  for (const Finding& f : decompiled->findings) console.finding(f);
  bool yes = decompiled->complete() && decompiled->findings.empty();
  const bool recovered = yes;
  Compared compared;
  if (!a.source.empty()) {
    EDGETWIN_TRY_ASSIGN(const twin::LoadedModel source, twin::load_model(a.source));
    const auto c = edgetpu::compare_networks(decompiled->compared().main(), *source.graph(),
                                             edgetpu::program_numbers(decompiled->ops));
    if (c.layers.empty()) {
      auto runs = print_runs(decompiled->model.main(), *source.graph(), console);
      if (!runs.ok()) return std::move(runs).error().in_file(a.source);
      compared = std::move(*runs);
    } else {
      compared = print_comparison(c, console);
      if (compared.same && decompiled->complete() && !decompiled->partial) {
        EDGETWIN_TRY(add_runs(decompiled->model.main(), *source.graph(), console, compared));
      }
    }
    yes = compared.same && yes;
  }
  if (!a.output.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes written, tflite::write(decompiled->model));
    EDGETWIN_TRY(a.output.write(written));
    console.print("wrote    " + a.output.path + ", " + std::to_string(written.size()) + " bytes\n");
  }
  if (!a.report.empty()) {
    page.title = std::filesystem::path(a.model).filename().string();
    page.version = std::string(version());
    page.yes = yes;
    page.verdict = recovered ? "every layer was recovered" : "not every layer was recovered";
    if (!compared.verdict.empty()) page.verdict += "; " + compared.verdict;
    page.asked = {{"model", a.model}};
    if (!a.source.empty()) page.asked.emplace_back("source", a.source);
    page.findings = decompiled->findings;
    page.command = console.command_line();
    const std::string html = report::html_page(page);
    EDGETWIN_TRY(a.report.write(std::string_view(html)));
  }
  console.json().set("operators", std::move(ops)).set("complete", yes);
  return yes ? kYes : kNo;
}

}  // namespace edgetwin::cli
