#include <cmath>
#include <map>

#include "formats/espdl/document/target.h"
#include "formats/espdl/text/companions.h"
#include "formats/espdl/text/json_text.h"

namespace edgetwin::espdl {
namespace {

struct Quantized {
  int bits = 0;
  const std::vector<int64_t>* exponents = nullptr;
};

// Bits of the signed types that hold quantized numbers; 0 for others.
int quantized_bits(DataType type) {
  switch (type) {
    case DataType::int8:
      return 8;
    case DataType::int16:
      return 16;
    case DataType::int32:
      return 32;
    case DataType::int64:
      return 64;
    default:
      return 0;
  }
}

// Nothing for tensors that only carry sizes and indices: those are INT64 (seldom INT32) with
// exponent 0 or none.
void add(std::map<std::string, Quantized>& tensors, const std::string& name, DataType type,
         const std::vector<int64_t>& exponents) {
  const int bits = quantized_bits(type);
  const bool plain = bits >= 32 && exponents.size() == 1 && exponents[0] == 0;
  if (bits != 0 && !exponents.empty() && !plain) tensors.emplace(name, Quantized{bits, &exponents});
}

std::map<std::string, Quantized> quantized_tensors(const Document& d) {
  std::map<std::string, Quantized> tensors;
  for (const auto* rows : {&d.values, &d.inputs, &d.outputs}) {
    for (const ValueInfo& v : *rows) add(tensors, v.name, v.type, v.exponents);
  }
  for (const TensorData& t : d.initializers) add(tensors, t.name, t.type, t.exponents);
  return tensors;
}

void write_config(JsonText& json, const Quantized& q) {
  const bool per_channel = q.exponents->size() > 1;
  json.open_object();
  json.key("bit_width");
  json.value(int64_t{q.bits});
  json.key("policy");
  json.open_object();
  const std::map<std::string_view, bool> policy = {
      {"ASYMMETRICAL", false}, {"DYNAMIC", false},           {"FLOATING", false},
      {"LINEAR", true},        {"PER_CHANNEL", per_channel}, {"PER_TENSOR", !per_channel},
      {"POWER_OF_2", true},    {"SYMMETRICAL", true}};
  for (const auto& [name, truth] : policy) {
    json.key(name);
    json.value(truth);
  }
  json.close_object();
  const auto high = static_cast<int64_t>((uint64_t{1} << (q.bits - 1)) - 1);
  json.key("quant_max");
  json.value(high);
  json.key("quant_min");
  json.value(-high - 1);
  json.close_object();
}

// The operators by name; one without a name, or with one that is taken, gets its number after it.
std::map<std::string, const Node*> named_nodes(const Document& d) {
  std::map<std::string, const Node*> nodes;
  for (size_t i = 0; i < d.nodes.size(); ++i) {
    const Node& node = d.nodes[i];
    const bool own = !node.name.empty() && nodes.count(node.name) == 0;
    std::string name = own ? node.name : node.name + "#" + std::to_string(i);
    while (nodes.count(name) != 0) name += "#";
    nodes.emplace(std::move(name), &node);
  }
  return nodes;
}

void write_configs(JsonText& json, const std::map<std::string, const Node*>& nodes,
                   const std::map<std::string, Quantized>& tensors) {
  json.open_object();
  for (const auto& [name, node] : nodes) {
    std::map<std::string, const Quantized*> used;
    for (const auto* names : {&node->inputs, &node->outputs}) {
      for (const std::string& tensor : *names) {
        const auto known = tensors.find(tensor);
        if (known != tensors.end()) used.emplace(tensor, &known->second);
      }
    }
    json.key(name);
    json.open_object();
    for (const auto& [tensor, quantized] : used) {
      json.key(tensor);
      write_config(json, *quantized);
    }
    json.close_object();
  }
  json.close_object();
}

// "" where target and type together name no platform.
std::string platform(Target target, const std::string& quant_type) {
  if (quant_type == "F32") return "FP32";
  const std::string width = quant_type == "S8" ? "INT8" : quant_type == "S16" ? "INT16" : "";
  if (width.empty()) return "";
  if (target == Target::c) return "ESPDL_C_" + width;
  if (target == Target::esp32s3) return "ESPDL_S3_" + width;
  return "ESPDL_" + width;
}

void write_dispatchings(JsonText& json, const std::map<std::string, const Node*>& nodes,
                        std::string_view target) {
  const std::optional<Target> chip = target_by_name(target);
  json.open_object();
  for (const auto& [name, node] : nodes) {
    if (!chip) continue;
    const std::string where = platform(*chip, node->text("quant_type").value_or(""));
    if (where.empty()) continue;
    json.key(name);
    json.value(std::string_view(where));
  }
  json.close_object();
}

double scale(int64_t exponent) {
  if (exponent < -2000 || exponent > 2000) return exponent < 0 ? 0.0 : HUGE_VAL;
  return std::ldexp(1.0, static_cast<int>(exponent));
}

void write_values(JsonText& json, const std::map<std::string, Quantized>& tensors) {
  json.open_object();
  for (const auto& [name, quantized] : tensors) {
    json.key(name);
    json.open_object();
    json.key("scale");
    if (quantized.exponents->size() == 1) {
      json.value(scale(quantized.exponents->front()));
    } else {
      json.open_list();
      for (const int64_t exponent : *quantized.exponents) json.value(scale(exponent));
      json.close_list();
    }
    json.key("zero_point");
    json.value(int64_t{0});
    json.close_object();
  }
  json.close_object();
}

}  // namespace

std::string config_json(const Document& document, std::string_view target) {
  const auto nodes = named_nodes(document);
  const auto tensors = quantized_tensors(document);
  JsonText json;
  json.open_object();
  json.key("configs");
  write_configs(json, nodes, tensors);
  json.key("dispatchings");
  write_dispatchings(json, nodes, target);
  json.key("values");
  write_values(json, tensors);
  json.close_object();
  return json.text() + "\n";
}

}  // namespace edgetwin::espdl
