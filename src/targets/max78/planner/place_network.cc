// Maps and offsets of a network whose layers have their order and their sources.
#include "targets/max78/planner/planner.h"

#include <algorithm>
#include <array>

#include "targets/max78/analysis/statistics.h"
#include "targets/max78/network/resolve.h"
#include "targets/max78/planner/tensors.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Key;

constexpr size_t kMostStreaming = 8;

int64_t kernel_bytes(const Plan& plan) {
  int64_t columns = 0;
  for (const Plan::KernelMemory& m : plan.kernels) columns += std::ranges::count(m.used, true);
  return columns * kColumnBytes;
}

using Score = std::array<int64_t, 2>;

Score score_of(const PlanCost& c, Objective objective) {
  switch (objective) {
    case Objective::energy:
      return {c.groups * std::max<int64_t>(c.cycles, 1), c.kernel_bytes};
    case Objective::memory:
      return {c.data_bytes + c.kernel_bytes, c.cycles};
    case Objective::latency:
      break;
  }
  return {c.cycles, 0};
}

class NetworkPlanner {
 public:
  NetworkPlanner(ai8x::Network& network, const ai8x::Parameters& parameters,
                 const SampleShape& sample, const Options& options, const PlanSettings& settings)
      : network_(network),
        written_(network),
        parameters_(parameters),
        sample_(sample),
        options_(options),
        settings_(settings),
        skip_(settings.skip) {}

  Planned run(Findings& findings) {
    place(findings);
    return std::move(result_);
  }

 private:
  void place(Findings& findings) {
    result_.layers.resize(network_.layers.size());
    for (const ai8x::DataBuffer& place : buffer_places()) {
      source_ = written_;
      if (written_.data_buffer) source_.data_buffer = place;
      Findings found;
      try_source(found);
      if (best_ || has_errors(found)) {
        findings.insert(findings.end(), found.begin(), found.end());
        break;
      }
    }
    // Pictures that do not fit stream through the first layers, as few of them as it takes.
    const size_t most = may_stream() ? std::min(kMostStreaming, written_.layers.size()) : 0;
    for (size_t n = 1; n <= most && !best_ && !has_errors(findings); ++n) {
      for (size_t i = 0; i < n; ++i) source_.layers[i].streaming = true;
      Findings ignored;
      try_source(ignored);
    }
    if (!best_) return tell_misfits();
    network_ = std::move(*best_);
    result_.layers = std::move(best_layers_);
    if (const auto& b = network_.data_buffer) {
      if (!b->has_processors) result_.buffer_processors = b->processors;
      if (!b->has_offset) result_.buffer_offset = b->offset;
    }
    result_.cost = best_cost_;
    result_.fits = true;
  }

  // Where the data buffer may lie: as it is written, else from the first processor of a group on,
  // at the end of data memory or its beginning. Without a buffer one empty place.
  std::vector<ai8x::DataBuffer> buffer_places() const {
    if (!written_.data_buffer) return {{}};
    const ai8x::DataBuffer& b = *written_.data_buffer;
    const int passes = (b.channels + kProcessors - 1) / kProcessors;
    const int each = (b.channels + passes - 1) / passes;
    const int width = passes > 1 ? std::min((each + 3) & ~3, kProcessors) : each;
    const int64_t limit = chip_limits(written_.device).instance_bytes();
    const int64_t bytes = int64_t{4} * b.dim.h * b.dim.w * passes;
    std::vector<ai8x::DataBuffer> places;
    for (int base = 0; base + width <= kProcessors; base += kGroupProcessors) {
      for (const int64_t offset : {limit - bytes, int64_t{0}}) {
        ai8x::DataBuffer place = b;
        if (!b.has_offset) place.offset = std::max<int64_t>(offset, 0);
        if (!b.has_processors) place.processors = (~uint64_t{0} >> (64 - width)) << base;
        places.push_back(place);
        if (b.has_offset) break;
      }
      if (b.has_processors) break;
    }
    return places;
  }

  // A FIFO feeds layers that stream; what the description or the options say of streaming holds.
  bool may_stream() const {
    const bool said = std::ranges::any_of(
        written_.layers, [](const ai8x::Layer& l) { return l.has(Key::streaming); });
    return options_.use_fifo() && !said && options_.streaming_layers.empty() &&
           !options_.ignore_streaming && options_.start_layer == 0;
  }

  void try_source(Findings& findings) {
    Findings found;
    const auto resolved = resolve(source_, parameters_, sample_, options_, found);
    if (!resolved) {
      findings.insert(findings.end(), found.begin(), found.end());
      return;
    }
    const HardwarePlan plan = plan_hardware(*resolved, found);
    const TensorTable table = make_tensors(plan);
    for (const std::string& m : table.misfits) note({m, 0});
    if (!table.misfits.empty()) return;
    // Groups that stay off cost nothing: as few as possible are tried first.
    const bool few = settings_.objective == Objective::energy;
    for (int limit = few ? kGroupProcessors : kProcessors; limit <= kProcessors;
         limit += kGroupProcessors) {
      try_seeds(plan, table, limit);
    }
  }

  void try_seeds(const HardwarePlan& plan, const TensorTable& table, int limit) {
    uint32_t first = 0;
    for (uint32_t seed = 1; seed <= settings_.seeds; ++seed) {
      SearchSettings s;
      s.seed = seed;
      s.processors = limit;
      s.least_room = settings_.objective == Objective::memory;
      const auto cost = attempt(plan, table, s);
      if (cost && skip_-- <= 0) keep(*cost);
      if (settings_.objective != Objective::latency) continue;
      // Only the MAX78000 has cycles to compare; three further placements are.
      if (best_ && first == 0) first = seed;
      if (best_ && (best_cost_.cycles == 0 || seed >= first + 3)) break;
    }
  }

  void keep(const PlanCost& cost) {
    const Objective o = settings_.objective;
    if (best_ && score_of(best_cost_, o) <= score_of(cost, o)) return;
    best_cost_ = cost;
    best_ = network_;
    best_layers_ = result_.layers;
  }

  // One placement; its cost where every rule is kept.
  std::optional<PlanCost> attempt(const HardwarePlan& plan, TensorTable table,
                                  const SearchSettings& s) {
    if (!choose_maps(plan, table, s)) return std::nullopt;
    ++result_.attempts;
    PlaceMisfit why;
    if (!choose_places(plan, table, s, why)) {
      note(why);
      if (result_.attempts == 1) write(plan, table);
      return std::nullopt;
    }
    write(plan, table);
    Planning planning = make_plan(network_, parameters_, sample_, options_);
    if (planning.plan() == nullptr && place_biases_elsewhere(planning)) {
      planning = make_plan(network_, parameters_, sample_, options_);
    }
    if (planning.plan() != nullptr) return cost_of(*planning.plan(), table);
    for (const Finding& f : planning.findings) {
      if (f.severity != Severity::error) continue;
      std::string text = f.message;
      for (const std::string& d : f.details) text += "; " + d;
      note({text, 0});
    }
    return std::nullopt;
  }

  static PlanCost cost_of(const Plan& plan, const TensorTable& table) {
    PlanCost c;
    c.cycles = statistics(plan).cycles;
    c.groups = static_cast<int>(plan.groups.size());
    c.data_bytes = table.data_bytes;
    c.kernel_bytes = kernel_bytes(plan);
    return c;
  }

  // Where nothing but bias memory binds.
  bool place_biases_elsewhere(const Planning& planning) {
    if (planning.hardware == nullptr) return false;
    for (const Finding& f : planning.findings) {
      if (f.severity == Severity::error && !is(f, Rule::bias_memory)) return false;
    }
    const auto groups = choose_bias_groups(*planning.hardware);
    for (const auto& [layer, group] : groups) {
      const auto at = static_cast<size_t>(layer);
      network_.layers[at].bias_group = {group};
      result_.layers[at].bias_group = group;
    }
    return !groups.empty();
  }

  // Of one layer and kind of memory the least: which of the sixteen memories it is says nothing.
  void note(const PlaceMisfit& why) {
    const auto start = [](const PlaceMisfit& m) {
      return m.missing == 0 ? m.text : m.text.substr(0, m.text.find(" needs "));
    };
    for (PlaceMisfit& m : misfits_) {
      if (start(m) != start(why)) continue;
      if (why.missing < m.missing) m = why;
      return;
    }
    misfits_.push_back(why);
  }

  // The least first.
  void tell_misfits() {
    std::ranges::stable_sort(misfits_, {}, &PlaceMisfit::missing);
    for (const PlaceMisfit& m : misfits_) result_.violations.push_back(m.text);
  }

  void write(const HardwarePlan& plan, const TensorTable& t) {
    network_ = source_;
    for (const int i : plan.order) {
      const auto at = static_cast<size_t>(i);
      ai8x::Layer& l = network_.layers[at];
      PlannedLayer& p = result_.layers[at] = {};
      const PlanTensor& out = t.tensors[at + 1];
      if (!l.has(Key::processors)) p.processors = l.processors = readers(t, at);
      if (!l.output_processors) p.output_processors = l.output_processors = out.map;
      if (!l.has(Key::out_offset)) p.out_offset = l.out_offset = out.offset;
      if (!l.has(Key::write_gap) && out.gap > 0) p.write_gap = l.write_gap = out.gap;
      if (!l.in_offset) p.in_offset = l.in_offset = reads_at(plan, t, i);
      p.streaming = l.streaming && !written_.layers[at].streaming;
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
  const ai8x::Network written_;  // the description
  ai8x::Network source_;         // the same with the layers that stream
  const ai8x::Parameters& parameters_;
  const SampleShape& sample_;
  const Options& options_;
  const PlanSettings settings_;
  int skip_;
  Planned result_;
  std::vector<PlaceMisfit> misfits_;
  std::optional<ai8x::Network> best_;
  PlanCost best_cost_;
  std::vector<PlannedLayer> best_layers_;
};

}  // namespace

Planned place_network(ai8x::Network& network, const ai8x::Parameters& parameters,
                      const SampleShape& sample, const Options& options, Findings& findings,
                      const PlanSettings& settings) {
  return NetworkPlanner(network, parameters, sample, options, settings).run(findings);
}

}  // namespace edgetwin::max78
