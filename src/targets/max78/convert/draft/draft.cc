#include "targets/max78/convert/draft/draft.h"

#include <algorithm>
#include <cctype>

namespace edgetwin::max78 {

int Draft::readers(int tensor) const {
  int64_t n = 0;
  for (const DraftLayer& l : layers) n += std::count(l.sources.begin(), l.sources.end(), tensor);
  return static_cast<int>(n);
}

int Draft::channels_of(const std::vector<int>& sources) const {
  int sum = 0;
  for (const int s : sources) sum += tensor(s).channels;
  return sum;
}

Error& Draft::misfit(const std::string& node, std::string message) {
  misfits.push_back(Error(ErrorCode::ai8x_network, std::move(message)).in_layer(node));
  return misfits.back();
}

void Draft::note(Severity severity, const std::string& node, std::string message,
                 std::string hint) {
  Finding f;
  f.severity = severity;
  f.id = std::string(info(ErrorCode::ai8x_quantize_note).id);
  f.place = node;
  f.message = std::move(message);
  f.hint = std::move(hint);
  findings.push_back(std::move(f));
}

std::string Draft::unique_name(const std::string& wanted) const {
  std::string base;
  for (const char c : wanted) {
    const auto u = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(u) != 0 && u < 128;
    if (plain) {
      base += static_cast<char>(std::tolower(u));
    } else if (!base.empty() && base.back() != '_') {
      base += '_';
    }
  }
  while (!base.empty() && base.back() == '_') base.pop_back();
  if (base.empty() || std::isdigit(static_cast<unsigned char>(base[0])) != 0) base = "l" + base;
  if (base == "stop" || base == "input") base += "_layer";
  const auto taken = [this](const std::string& n) {
    return std::any_of(layers.begin(), layers.end(), [&](const auto& l) { return l.name == n; });
  };
  std::string free = base;
  for (int i = 2; taken(free); ++i) free = base + "_" + std::to_string(i);
  return free;
}

int Draft::add_result(const DraftLayer& layer, const DraftTensor& like) {
  DraftTensor t = like;
  t.name = layer.name;
  t.output = false;
  t.gap = t.slot = 0;
  tensors.push_back(std::move(t));
  return static_cast<int>(tensors.size()) - 1;
}

std::vector<float> as_folded(const DraftTensor& t, std::vector<float> values) {
  if (t.last) {
    std::vector<float> planes(values.size());
    const auto channels = static_cast<size_t>(t.channels), pixels = values.size() / channels;
    for (size_t i = 0; i < planes.size(); ++i) {
      planes[i] = values[i % pixels * channels + i / pixels];
    }
    return planes;
  }
  if (t.fold == 1) return values;
  const int s = t.fold, channels = t.channels / (s * s), width = t.w * s;
  std::vector<float> folded(values.size());
  size_t to = 0;
  for (int k = 0; k < s * s; ++k) {
    for (int c = 0; c < channels; ++c) {
      for (int y = 0; y < t.h; ++y) {
        for (int x = 0; x < t.w; ++x, ++to) {
          const int row = c * t.h * s + y * s + k / s;
          folded[to] = values[static_cast<size_t>(row * width + x * s + k % s)];
        }
      }
    }
  }
  return folded;
}

DraftLayer identity_layer(const Draft& draft, const std::vector<int>& sources,
                          const std::string& name, const std::string& node) {
  DraftLayer l;
  l.name = draft.unique_name(name);
  l.node = node;
  const DraftTensor& first = draft.tensor(sources[0]);
  // A picture of one column is computed in one dimension.
  l.op = first.w == 1 && first.h > 1 ? ai8x::Operator::conv1d : ai8x::Operator::conv2d;
  l.sources = sources;
  l.in_dim = {first.h, first.w};
  l.identity = true;
  const auto n = static_cast<size_t>(draft.channels_of(sources));
  l.weights.assign(n * n, 0.0F);
  for (size_t i = 0; i < n; ++i) l.weights[i * n + i] = 1.0F;
  return l;
}

}  // namespace edgetwin::max78
