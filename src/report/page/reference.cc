#include <algorithm>
#include <map>

#include "report/format.h"
#include "report/page/page.h"

namespace edgetwin::report {
namespace {

// "0012_conv1.npy" as "0012_conv1" and "conv1".
std::vector<std::string> keys_of(const TraceTensor& t) {
  std::string stem = t.file.substr(0, t.file.rfind('.'));
  std::vector<std::string> keys = {t.tensor.name, file_safe(t.tensor.name), stem};
  const size_t digits = stem.find_first_not_of("0123456789");
  if (digits != 0 && digits != std::string::npos && stem[digits] == '_') {
    keys.push_back(stem.substr(digits + 1));
  }
  return keys;
}

class Matcher {
 public:
  explicit Matcher(const std::vector<TraceTensor>& reference)
      : reference_(reference), used_(reference.size(), false) {
    for (size_t i = reference.size(); i-- > 0;) {
      for (std::string& key : keys_of(reference[i])) {
        if (key.empty()) continue;
        std::vector<size_t>& list = by_key_[std::move(key)];
        if (list.empty() || list.back() != i) list.push_back(i);
      }
    }
  }

  // The first unused reference of one of these names.
  const TraceTensor* take(const std::vector<std::string>& names) {
    for (const std::string& n : names) {
      const auto found = by_key_.find(n);
      if (found == by_key_.end()) continue;
      std::vector<size_t>& list = found->second;
      while (!list.empty() && used_[list.back()]) list.pop_back();
      if (list.empty()) continue;
      used_[list.back()] = true;
      return &reference_[list.back()];
    }
    return nullptr;
  }

  std::vector<std::string> unused() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < used_.size(); ++i) {
      if (!used_[i]) names.push_back(reference_[i].tensor.name);
    }
    return names;
  }

 private:
  const std::vector<TraceTensor>& reference_;
  std::vector<bool> used_;
  std::map<std::string, std::vector<size_t>> by_key_;
};

std::vector<std::string> names_of(const Graph& graph, ValueId id) {
  const std::string& name = graph.value(id).name;
  std::vector<std::string> names;
  if (!name.empty()) names = {name, file_safe(name)};
  const auto output = std::find(graph.outputs.begin(), graph.outputs.end(), id);
  if (output != graph.outputs.end()) {
    names.push_back("output_" + std::to_string(output - graph.outputs.begin()));
  }
  return names;
}

}  // namespace

verify::SetDiff compare_folders(const std::vector<TraceTensor>& a,
                                const std::vector<TraceTensor>& b, double tolerance) {
  Matcher matcher(b);
  verify::SetDiff diff;
  for (const TraceTensor& t : a) {
    const TraceTensor* partner = matcher.take(keys_of(t));
    if (partner == nullptr) {
      diff.only_in_a.push_back(t.tensor.name);
      continue;
    }
    diff.tensors.push_back(verify::compare(t.tensor, partner->tensor, tolerance));
    if (!diff.first && !diff.tensors.back().equal()) diff.first = diff.tensors.size() - 1;
  }
  diff.only_in_b = matcher.unused();
  return diff;
}

Result<verify::SetDiff> compare_with_reference(const exec::Session& traced,
                                               const std::vector<TraceTensor>& reference,
                                               double tolerance) {
  Matcher matcher(reference);
  verify::SetDiff diff;
  for (const TraceItem& item : trace_items(traced)) {
    const TraceTensor* expected = matcher.take(names_of(traced.graph(), item.value));
    if (expected == nullptr) continue;
    diff.tensors.push_back(verify::compare(expected->tensor, traced.tensor(item.value), tolerance));
    diff.tensors.back().name = traced.graph().value(item.value).name;
    if (!diff.first && !diff.tensors.back().equal()) diff.first = diff.tensors.size() - 1;
  }
  diff.only_in_a = matcher.unused();
  if (diff.tensors.empty()) {
    return Error(ErrorCode::compare_kind, "no tensor of the reference belongs to this model")
        .detail(std::to_string(reference.size()) + " tensors, the first one is '" +
                (reference.empty() ? "" : reference[0].tensor.name) + "'")
        .with_hint("Files are matched by tensor name, or as output_0.npy, output_1.npy, …");
  }
  return diff;
}

}  // namespace edgetwin::report
