#include "cli/max78.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/torch/checkpoint.h"
#include "report/format.h"

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

}  // namespace

bool is_max78_file(ByteSpan data) {
  return torch::looks_like_checkpoint(data) || ai8x::looks_like_network(as_text(data));
}

Status describe_max78(ByteSpan data, const std::string& file, Console& console, Json& json) {
  if (torch::looks_like_checkpoint(data)) return describe_checkpoint(data, file, console, json);
  return describe_network(data, file, console, json);
}

}  // namespace edgetwin::cli
