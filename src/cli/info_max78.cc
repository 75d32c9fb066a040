#include "cli/max78.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/torch/checkpoint.h"
#include "report/format.h"
#include "targets/max78/machine/dump.h"

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

Status describe_network(ByteSpan data, const std::string& file, Console& console, Json& json) {
  // The larger chip takes everything that the smaller one does.
  EDGETWIN_TRY_ASSIGN(const ai8x::Network network,
                      ai8x::read_network(as_text(data), file, ai8x::Device::max78002));
  console.print(file + ": network description for MAX78000 and MAX78002, " +
                std::to_string(network.layers.size()) + " layers\n");
  json.set("kind", "ai8x").set("layers", network.layers.size());
  return Ok{};
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
Status describe_program(ByteSpan data, const std::string& file, Console& console, Json& json) {
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

Status describe_max78(ByteSpan data, const std::string& file, Console& console, Json& json) {
  if (torch::looks_like_checkpoint(data)) return describe_checkpoint(data, file, console, json);
  if (max78::looks_like_program(as_text(data))) return describe_program(data, file, console, json);
  return describe_network(data, file, console, json);
}

}  // namespace edgetwin::cli
