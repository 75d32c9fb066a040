#include "cli/networks/max78.h"
#include "cli/info/describe.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/torch/checkpoint.h"
#include "report/format.h"
#include "targets/max78/analysis/memory_map.h"
#include "targets/max78/analysis/statistics.h"
#include "targets/max78/machine/player/dump.h"
#include "targets/max78/network/resolve.h"
#include "targets/max78/page/texts.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Status describe_checkpoint(ByteSpan data, const std::string& file, Console& console, Json& json) {
  EDGETWIN_TRY_ASSIGN(const torch::Checkpoint checkpoint,
                      torch::Checkpoint::read(to_bytes(data), file));
  EDGETWIN_TRY_ASSIGN(const auto entries, checkpoint.state_dict());
  console.print(file + ": PyTorch checkpoint, " +
                (checkpoint.layout() == torch::Layout::zip ? "zip layout, " : "older layout, ") +
                std::to_string(entries.size()) + " tensors\n");
  if (const auto arch = checkpoint.text(checkpoint.root(), "arch")) {
    console.print("arch        " + std::string(*arch) + "\n");
    json.set("arch", *arch);
  }
  Json list = Json::array();
  for (const auto& entry : entries) {
    const std::string shape = to_string(checkpoint.shape(entry.tensor));
    const std::string type(name(checkpoint.dtype(entry.tensor)));
    console.print("  " + entry.name + "  " + shape + " " + type + "\n");
    Json j = Json::object();
    j.set("name", entry.name).set("shape", report::to_json(checkpoint.shape(entry.tensor)));
    list.push(std::move(j.set("type", type)));
  }
  json.set("kind", "checkpoint").set("tensors", std::move(list));
  return Ok{};
}

std::string hex_text(uint64_t value, int digits) {
  std::string text;
  for (int i = digits - 1; i >= 0; --i) text += "0123456789abcdef"[(value >> (4 * i)) & 15U];
  return text;
}

// Which parameters go to which layer, and where they lie as far as target and input are known.
Status describe_match(const ai8x::Network& network, const std::string& file, const InfoArguments& a,
                      Console& console, Json& json) {
  Max78Arguments m = a.max78;
  m.network = file;
  EDGETWIN_TRY_ASSIGN(const auto parameters, match_max78(m, network, console));
  if (!parameters)
    return Error(ErrorCode::ai8x_count, "the parameters are not those of the network")
        .in_file(m.checkpoint.empty() ? m.weights : m.checkpoint);
  console.print(ai8x::match_text(network, *parameters));
  Json list = Json::array();
  for (const ai8x::LayerParameters& l : parameters->layers) {
    Json j = Json::object();
    j.set("source", l.source).set("in", l.in_channels).set("out", l.out_channels);
    j.set("bits", l.bits()).set("shift", l.output_shift ? Json(*l.output_shift) : Json());
    list.push(std::move(j.set("bias", !l.bias.empty())));
  }
  json.set("match", std::move(list));
  const bool sized = !m.sample.empty() || !m.shape.empty() ||
                     max78::stated_shape(network, *parameters, 0).has_value();
  if (a.target.empty() || !sized) return Ok{};
  m.target = a.target;
  EDGETWIN_TRY_ASSIGN(const Max78Outcome outcome,
                      load_max78(m, max78::SampleNeed::size_only, console));
  if (outcome.job == nullptr || outcome.job->planning.hardware == nullptr) return Ok{};
  console.print(max78::memory_map(outcome.job->planning));
  if (outcome.ok) console.print(max78::statistics_text(outcome.job->plan()));
  json.set("memory", max78::memory_json(outcome.job->planning));
  return Ok{};
}

// Sizes, memory and cost of an architecture without parameters, as far as its input is known.
Status describe_sizes(const ai8x::Network& network, const std::string& file, const InfoArguments& a,
                      Console& console, Json& json) {
  Max78Arguments m = a.max78;
  m.network = file;
  m.target = a.target;
  const bool sized = !m.sample.empty() || !m.shape.empty() ||
                     (!network.layers.empty() && network.layers.front().in_dim);
  if (!sized) {
    console.print("sizes       not known: add --input-shape CxHxW, or in_dim to the first layer\n");
    return Ok{};
  }
  EDGETWIN_TRY_ASSIGN(const Max78Outcome outcome,
                      load_max78(m, max78::SampleNeed::size_only, console, true));
  if (outcome.job == nullptr || outcome.job->planning.hardware == nullptr) return Ok{};
  const max78::Planning& planning = outcome.job->planning;
  console.print(max78::sizes_text(planning) + max78::memory_map(planning));
  json.set("memory", max78::memory_json(planning));
  if (outcome.ok) {
    console.print(max78::statistics_text(outcome.job->plan()));
    json.set("statistics", max78::statistics_json(outcome.job->plan()));
  }
  show_stand_in(outcome, console);
  return Ok{};
}

// Layer by layer as the description has it.
std::string layers_text(const ai8x::Network& network) {
  report::TextTable table({{"layer", report::TextTable::Align::right},
                           {"name"},
                           {"operator"},
                           {"processors"},
                           {"out_offset"}});
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const ai8x::Layer& l = network.layers[i];
    std::string op(ai8x::name(l.op));
    if (l.op != ai8x::Operator::none) {
      op += " " + std::to_string(l.kernel.h) + "x" + std::to_string(l.kernel.w);
    }
    if (l.eltwise != ai8x::Eltwise::none) op = std::string(ai8x::name(l.eltwise)) + ", " + op;
    if (l.pooling != ai8x::Pooling::none) {
      op = std::string(ai8x::name(l.pooling)) + " pool " + std::to_string(l.pool.h) + "x" +
           std::to_string(l.pool.w) + ", " + op;
    }
    table.add({std::to_string(i), l.name, op, hex_text(l.processors, 16),
               hex_text(static_cast<uint64_t>(l.out_offset), 5)});
  }
  return table.text();
}

Status describe_network(ByteSpan data, const std::string& file, const InfoArguments& a,
                        Console& console, Json& json) {
  // The larger chip takes everything that the smaller one does.
  ai8x::Device device = ai8x::Device::max78002;
  if (!a.target.empty()) {
    EDGETWIN_TRY_ASSIGN(const Target* chip, targets::require_target(a.target, {Family::max78}));
    device = *max78::device_by_name(chip->name);
  }
  EDGETWIN_TRY_ASSIGN(ai8x::Network network, ai8x::read_network(as_text(data), file, device));
  console.print(file + ": network description for MAX78000 and MAX78002, " +
                std::to_string(network.layers.size()) + " layers\n");
  json.set("kind", "ai8x").set("layers", network.layers.size()).set("arch", network.arch);
  if (a.max78.checkpoint.empty() && a.max78.weights.empty()) {
    if (a.target.empty() && (!a.max78.sample.empty() || !a.max78.shape.empty())) {
      return Error(ErrorCode::usage,
                   "--sample and --input-shape change nothing here: without a "
                   "chip the layers are listed, not their sizes")
          .in_file(file)
          .with_hint("Add --target with one of: " + targets::target_names({Family::max78}) + ".");
    }
    console.print(layers_text(network));
    return a.target.empty() ? Status(Ok{}) : describe_sizes(network, file, a, console, json);
  }
  return describe_match(network, file, a, console, json);
}

Json register_json(const max78::RegisterValue& r) {
  Json fields = Json::object();
  for (const max78::FieldValue& f : r.fields) fields.set(std::string(f.name), f.value);
  Json groups = Json::array();
  for (int g = 0; g < max78::kGroups; ++g) {
    if (((r.groups >> g) & 1U) != 0) groups.push(Json(g));
  }
  Json j = Json::object();
  if (r.layer >= 0) j.set("layer", r.layer);
  j.set("register", r.name).set("groups", std::move(groups)).set("value", r.value);
  return std::move(j.set("fields", std::move(fields)));
}

// Registers by name, with their fields, layer by layer.
Status describe_register_program(ByteSpan data, const std::string& file, Console& console,
                                 Json& json) {
  EDGETWIN_TRY_ASSIGN(const max78::ProgramText program, max78::read_program(as_text(data), file));
  const max78::ProgramSummary summary = max78::summarize(program);
  console.print(file + ": register program of a " + std::string(max78::name(summary.device)) +
                ", layers " + std::to_string(summary.first_layer) + " to " +
                std::to_string(summary.last_layer) + "\n" + max78::to_text(summary));
  Json parts = Json::array(), registers = Json::array();
  for (const max78::PartSummary& p : summary.parts) {
    Json j = Json::object();
    parts.push(std::move(j.set("name", p.name).set("accesses", p.accesses).set("words", p.words)));
  }
  for (const max78::RegisterValue& r : summary.registers) registers.push(register_json(r));
  json.set("kind", "max78_program").set("device", max78::name(summary.device));
  json.set("first_layer", summary.first_layer).set("last_layer", summary.last_layer);
  json.set("kernel_columns", summary.kernel_columns).set("bias_bytes", summary.bias_bytes);
  json.set("data_words", summary.data_words).set("fifo_words", summary.fifo_words);
  json.set("functions", std::move(parts)).set("registers", std::move(registers));
  return Ok{};
}

}  // namespace

bool is_max78_file(ByteSpan data) {
  return torch::looks_like_checkpoint(data) || ai8x::looks_like_network(as_text(data)) ||
         max78::looks_like_program(as_text(data));
}

Status describe_max78(ByteSpan data, const std::string& file, const InfoArguments& a,
                      Console& console, Json& json) {
  if (torch::looks_like_checkpoint(data)) return describe_checkpoint(data, file, console, json);
  if (max78::looks_like_program(as_text(data)))
    return describe_register_program(data, file, console, json);
  return describe_network(data, file, a, console, json);
}

}  // namespace edgetwin::cli
