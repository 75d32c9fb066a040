#include "targets/max78/planner/planner.h"

#include <algorithm>

#include "targets/max78/analysis/statistics.h"
#include "targets/max78/network/resolve.h"
#include "targets/max78/planner/tensors.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Key;

constexpr uint32_t kSeeds = 12;

class NetworkPlanner {
 public:
  NetworkPlanner(ai8x::Network& network, const ai8x::Parameters& parameters,
                 const SampleShape& sample, const Options& options)
      : network_(network),
        source_(network),
        parameters_(parameters),
        sample_(sample),
        options_(options) {}

  Planned run(Findings& findings, int skip) {
    Planned result;
    result.layers.resize(network_.layers.size());
    Findings found;
    const auto resolved = resolve(source_, parameters_, sample_, options_, found);
    if (!resolved) {
      findings.insert(findings.end(), found.begin(), found.end());
      return result;
    }
    const HardwarePlan plan = plan_hardware(*resolved, found);
    const TensorTable table = make_tensors(plan);
    result.violations = table.misfits;
    if (!table.misfits.empty()) return result;
    for (uint32_t seed = 1; seed <= kSeeds; ++seed) {
      const auto cycles = attempt(plan, table, seed, result);
      if (cycles && skip-- <= 0) keep(*cycles, result);
      // Only the MAX78000 has cycles to compare; three further placements are.
      if (best_ && (*best_cycles_ == 0 || seed >= first_ + 3)) break;
      if (best_ && first_ == 0) first_ = seed;
    }
    if (!best_) return result;
    network_ = std::move(*best_);
    result.layers = std::move(best_layers_);
    result.fits = true;
    result.violations.clear();
    return result;
  }

 private:
  void keep(int64_t cycles, const Planned& result) {
    if (best_cycles_ && *best_cycles_ <= cycles) return;
    best_cycles_ = cycles;
    best_ = network_;
    best_layers_ = result.layers;
  }

  // One placement; its cycles where every rule is kept.
  std::optional<int64_t> attempt(const HardwarePlan& plan, TensorTable table, uint32_t seed,
                                 Planned& result) {
    ++result.attempts;
    choose_maps(plan, table, seed);
    std::string why;
    if (!choose_places(plan, table, seed, why)) {
      note(result, why);
      if (result.attempts == 1) write(plan, table, result);
      return std::nullopt;
    }
    write(plan, table, result);
    const Planning planning = make_plan(network_, parameters_, sample_, options_);
    if (planning.plan() != nullptr) return statistics(*planning.plan()).cycles;
    for (const Finding& f : planning.findings) {
      if (f.severity != Severity::error) continue;
      std::string text = f.message;
      for (const std::string& d : f.details) text += "; " + d;
      note(result, text);
    }
    return std::nullopt;
  }

  static void note(Planned& result, const std::string& why) {
    if (std::ranges::find(result.violations, why) == result.violations.end()) {
      result.violations.push_back(why);
    }
  }

  void write(const HardwarePlan& plan, const TensorTable& t, Planned& result) {
    network_ = source_;
    for (const int i : plan.order) {
      const auto at = static_cast<size_t>(i);
      ai8x::Layer& l = network_.layers[at];
      PlannedLayer& p = result.layers[at] = {};
      const PlanTensor& out = t.tensors[at + 1];
      if (!l.has(Key::processors)) p.processors = l.processors = readers(t, at);
      if (!l.output_processors) p.output_processors = l.output_processors = out.map;
      if (!l.has(Key::out_offset)) p.out_offset = l.out_offset = out.offset;
      if (!l.has(Key::write_gap) && out.gap > 0) p.write_gap = l.write_gap = out.gap;
      if (!l.in_offset) p.in_offset = l.in_offset = reads_at(plan, t, i);
    }
  }

  uint64_t readers(const TensorTable& t, size_t layer) const {
    uint64_t map = 0;
    for (const int s : t.sources[layer]) map |= t.tensors[static_cast<size_t>(s)].map;
    if (map == 0 && network_.data_buffer) map = network_.data_buffer->processors;
    return map;
  }

  int64_t reads_at(const HardwarePlan& plan, const TensorTable& t, int layer) const {
    const auto& from = t.sources[static_cast<size_t>(layer)];
    if (!from.empty()) {
      int64_t least = t.tensors[static_cast<size_t>(from[0])].offset;
      for (const int s : from) least = std::min(least, t.tensors[static_cast<size_t>(s)].offset);
      return least;
    }
    const ai8x::DataBuffer& b = *network_.data_buffer;
    const int64_t word = int64_t{4} * ((b.channels + kProcessors - 1) / kProcessors);
    return b.offset + word * plan.layer(layer).yaml->buffer_shift.value_or(0);
  }

  ai8x::Network& network_;
  const ai8x::Network source_;
  const ai8x::Parameters& parameters_;
  const SampleShape& sample_;
  const Options& options_;
  std::optional<ai8x::Network> best_;
  std::optional<int64_t> best_cycles_;
  std::vector<PlannedLayer> best_layers_;
  uint32_t first_ = 0;
};

std::string hex(uint64_t value, int digits) {
  std::string text = "0x";
  for (int i = digits - 1; i >= 0; --i) text += "0123456789abcdef"[(value >> (4 * i)) & 15U];
  return text;
}

std::string keys_of(const PlannedLayer& p, const std::string& indent) {
  std::string text;
  const auto key = [&](const char* name, const std::string& value) {
    text += std::string(name) + ": " + value + "\n" + indent;
  };
  if (p.processors) key("processors", hex(*p.processors, 16));
  if (p.output_processors) key("output_processors", hex(*p.output_processors, 16));
  if (p.in_offset) key("in_offset", hex(static_cast<uint64_t>(*p.in_offset), 4));
  if (p.out_offset) key("out_offset", hex(static_cast<uint64_t>(*p.out_offset), 4));
  if (p.write_gap) key("write_gap", std::to_string(*p.write_gap));
  return text;
}

}  // namespace

Planned plan_network(ai8x::Network& network, const ai8x::Parameters& parameters,
                     const SampleShape& sample, const Options& options, Findings& findings,
                     int skip) {
  return NetworkPlanner(network, parameters, sample, options).run(findings, skip);
}

// New keys stand before the first one of their layer.
std::string complete_description(std::string_view yaml, const ai8x::Network& network,
                                 const Planned& planned) {
  std::string text;
  int line = 1;
  size_t begin = 0;
  while (begin < yaml.size()) {
    const size_t end = std::min(yaml.find('\n', begin), yaml.size());
    std::string row(yaml.substr(begin, end - begin));
    for (size_t i = 0; i < network.layers.size() && i < planned.layers.size(); ++i) {
      const ai8x::Mark& m = network.layers[i].mark;
      if (m.line != line || m.column < 1) continue;
      const auto at = static_cast<size_t>(m.column - 1);
      if (at <= row.size()) row.insert(at, keys_of(planned.layers[i], std::string(at, ' ')));
    }
    text += row + "\n";
    begin = end + 1;
    ++line;
  }
  return text;
}

}  // namespace edgetwin::max78
