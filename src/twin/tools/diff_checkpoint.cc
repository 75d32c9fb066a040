#include "twin/tools/diff_checkpoint.h"

#include <map>

#include "base/sha256.h"
#include "formats/torch/checkpoint.h"
#include "report/format.h"
#include "report/model/diff_report.h"

namespace edgetwin::twin {
namespace {

using torch::Checkpoint;
using torch::Node;
using torch::NodeKind;

constexpr int kMaxDepth = 64;

// What a checkpoint says, by place: "state_dict/conv1.weight", "epoch".
struct Flat {
  std::vector<Tensor> tensors;
  std::map<std::string, std::string> values;
  size_t nodes = 0;
  int64_t bytes = 0;
};

std::string text_of(const Node& n) {
  switch (n.kind) {
    case NodeKind::boolean:
      return n.integer != 0 ? "True" : "False";
    case NodeKind::integer:
      return std::to_string(n.integer);
    case NodeKind::real:
      return report::value_text(n.real);
    case NodeKind::text:
    case NodeKind::global:
      return "'" + n.text + "'";
    case NodeKind::bytes:
      return std::to_string(n.text.size()) + " bytes";
    default:
      return "None";
  }
}

Error too_much(const Checkpoint& c, const std::string& place) {
  return Error(ErrorCode::torch_limit, "the values are nested or repeated too often at " + place)
      .in_file(c.file());
}

// Shared parts count each time, so a small file could grow without end.
Status flatten(const Checkpoint& c, torch::NodeId id, const std::string& place, int depth,
               Flat& flat) {
  const Node& n = c.node(id);
  if (depth > kMaxDepth || ++flat.nodes > torch::kMaxNodes) return too_much(c, place);
  const std::string before = place.empty() ? "" : place + "/";
  if (n.kind == NodeKind::tensor) {
    flat.bytes += c.shape(id).elements() * static_cast<int64_t>(byte_size(c.dtype(id)));
    if (flat.bytes > torch::kMaxTensorBytesTogether) return too_much(c, place);
    flat.tensors.push_back(c.tensor(id));
    flat.tensors.back().name = place;
  } else if (n.kind == NodeKind::dict) {
    for (size_t i = 0; i + 1 < n.items.size(); i += 2) {
      const Node& key = c.node(n.items[i]);
      const std::string word = key.kind == NodeKind::text ? key.text : text_of(key);
      EDGETWIN_TRY(flatten(c, n.items[i + 1], before + word, depth + 1, flat));
    }
  } else if (n.kind == NodeKind::list || n.kind == NodeKind::tuple) {
    for (size_t i = 0; i < n.items.size(); ++i) {
      EDGETWIN_TRY(flatten(c, n.items[i], before + std::to_string(i), depth + 1, flat));
    }
  } else {
    std::string value = text_of(n);
    if (n.kind == NodeKind::bytes) value += " " + sha256_hex(as_byte_span(n.text));
    flat.values[place] = value;
  }
  return Ok{};
}

std::vector<std::string> different_values(const Flat& a, const Flat& b) {
  std::vector<std::string> lines;
  for (const auto& [place, value] : a.values) {
    const auto other = b.values.find(place);
    if (other == b.values.end()) {
      lines.push_back(place + ": " + value + ", only in A");
    } else if (other->second != value) {
      lines.push_back(place + ": " + value + " and " + other->second);
    }
  }
  for (const auto& [place, value] : b.values) {
    if (!a.values.contains(place)) lines.push_back(place + ": " + value + ", only in B");
  }
  return lines;
}

}  // namespace

Result<FileDifference> diff_checkpoints(Bytes a, const std::string& a_name, Bytes b,
                                        const std::string& b_name, double tolerance) {
  EDGETWIN_TRY_ASSIGN(const Checkpoint x, Checkpoint::read(std::move(a), a_name));
  EDGETWIN_TRY_ASSIGN(const Checkpoint y, Checkpoint::read(std::move(b), b_name));
  Flat one, two;
  EDGETWIN_TRY(flatten(x, x.root(), "", 0, one));
  EDGETWIN_TRY(flatten(y, y.root(), "", 0, two));
  FileDifference d;
  d.noun = "tensor";
  d.lines = different_values(one, two);
  d.tensors = verify::compare_sets(one.tensors, two.tensors, tolerance);
  d.equal = d.tensors->equal() && d.lines.empty();
  d.verdict = report::verdict(*d.tensors, d.noun);
  if (d.tensors->equal() && !d.equal) {
    d.verdict = "different: " + std::to_string(d.lines.size()) +
                (d.lines.size() == 1 ? " other value" : " other values");
  }
  return d;
}

}  // namespace edgetwin::twin
