#include "cli/diff/checkpoint.h"

#include <map>

#include "base/sha256.h"
#include "cli/shared/exit_codes.h"
#include "formats/torch/checkpoint.h"
#include "report/format.h"
#include "report/model/diff_report.h"
#include "verify/compare.h"

namespace edgetwin::cli {
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

Result<int> diff_checkpoints(const DiffArguments& a, Bytes left, Bytes right, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Checkpoint x, Checkpoint::read(std::move(left), a.a));
  EDGETWIN_TRY_ASSIGN(const Checkpoint y, Checkpoint::read(std::move(right), a.b));
  Flat one, two;
  EDGETWIN_TRY(flatten(x, x.root(), "", 0, one));
  EDGETWIN_TRY(flatten(y, y.root(), "", 0, two));
  const std::vector<std::string> lines = different_values(one, two);
  for (const std::string& line : lines) console.print("  " + line + "\n");
  const verify::SetDiff tensors = verify::compare_sets(one.tensors, two.tensors, a.tolerance);
  const bool equal = tensors.equal() && lines.empty();
  console.print(report::diff_text(tensors, "tensor"));
  if (tensors.equal() && !equal) {
    console.print("different: " + std::to_string(lines.size()) +
                  (lines.size() == 1 ? " other value\n" : " other values\n"));
  }
  console.json().merge(report::diff_json(tensors)).set("equal", equal);
  console.json().set("verdict", equal ? report::verdict(tensors, "tensor") : "different");
  console.json().set("differences", report::Json::list(lines));
  return equal ? kYes : kNo;
}

}  // namespace edgetwin::cli
