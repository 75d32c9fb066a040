#include "quantize/espdl/search.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "quantize/espdl/analyse.h"
#include "quantize/espdl/plan/plan.h"

namespace edgetwin::quantize {
namespace {

// An operator, and those after it that have the width of its result.
struct Candidate {
  std::string name;
  std::vector<std::string> operators;
  double noise = 0.0;
  double macs = 0.0;
};

double macs_of(const Graph& g, const Op& op) {
  const OperatorInfo* row = operator_info(op.kind);
  if (row == nullptr || row->role != Role::computing) return 0.0;
  const Shape& out = g.value(op.outputs[0]).shape;
  const Value& w = g.value(op.inputs[1]);
  const bool matrix = op.kind == OpKind::fully_connected || op.kind == OpKind::matmul;
  const double per_output = matrix ? static_cast<double>(g.value(op.inputs[0]).shape.back(0))
                                   : static_cast<double>(w.shape.elements(1, w.shape.rank()));
  return static_cast<double>(out.elements()) * per_output;
}

// Activations of one operand, and what copies integers.
bool follows(const OperatorInfo& row) {
  if (row.role == Role::activation || row.role == Role::passive || row.role == Role::moves) {
    return true;
  }
  return row.role == Role::plain && row.layout == AxisRule::keep;
}

bool can_be_wide(const Op& op, const OperatorInfo* row) {
  return row != nullptr && row->role != Role::real && row->role != Role::resize && !op.name.empty();
}

std::vector<Candidate> candidates_of(const Graph& g) {
  std::vector<Candidate> all;
  std::map<ValueId, size_t> group_of;  // by value
  for (const Op& op : g.ops) {
    const OperatorInfo* row = operator_info(op.kind);
    if (!can_be_wide(op, row)) continue;
    const auto before = group_of.find(op.inputs.empty() ? kAbsent : op.inputs[0]);
    size_t group = all.size();
    if (follows(*row) && before != group_of.end()) {
      group = before->second;
    } else {
      all.push_back({op.name, {}, 0.0, 0.0});
    }
    all[group].operators.push_back(op.name);
    all[group].macs += macs_of(g, op);
    for (const ValueId id : op.outputs) group_of[id] = group;
  }
  return all;
}

// The activations that the runtime computes in float at 16 bits, and can look up.
std::vector<std::string> curves_of(const Graph& g) {
  std::vector<std::string> types;
  for (const Op& op : g.ops) {
    const bool known = std::find(types.begin(), types.end(), op.type) != types.end();
    if (is_curve(op.kind) && !known) types.push_back(op.type);
  }
  return types;
}

int64_t constant_bytes(const Graph& g) {
  int64_t sum = 0;
  for (const Value& v : g.values)
    sum += v.is_constant() ? static_cast<int64_t>(v.constant->size()) : 0;
  return sum;
}

// From none to all in at most `points` steps, the first ones close together.
std::vector<size_t> counts_of(size_t candidates, int points) {
  std::vector<size_t> counts;
  const auto last = static_cast<double>(std::max(1, points - 1));
  for (int i = 0; i < std::max(2, points); ++i) {
    const double share = std::pow(static_cast<double>(i) / last, 1.5);
    const auto n = static_cast<size_t>(std::lround(share * static_cast<double>(candidates)));
    if (counts.empty() || n > counts.back()) counts.push_back(std::min(n, candidates));
  }
  return counts;
}

class Search {
 public:
  Search(const Graph& network, const std::vector<Sample>& samples, const Settings& settings,
         const SearchLimits& limits, const ProgressSink& progress)
      : network_(network),
        samples_(samples),
        settings_(settings),
        limits_(limits),
        progress_(progress) {
    settings_.bits = 8;
    if (settings_.lut.to_lut.empty()) settings_.lut.to_lut = curves_of(network);
  }

  Result<SearchResult> run() {
    EDGETWIN_TRY(rank());
    const std::vector<size_t> counts = counts_of(candidates_.size(), limits_.points);
    if (!limits_.measured.empty() && limits_.measured.size() != counts.size()) {
      return Error(ErrorCode::quant_setting, std::to_string(limits_.measured.size()) +
                                                 " points were measured, the search has " +
                                                 std::to_string(counts.size()));
    }
    for (size_t i = 0; i < counts.size(); ++i) {
      if (limits_.measured.empty()) {
        EDGETWIN_TRY_ASSIGN(SearchPoint point, measure(counts[i]));
        result_.path.push_back(std::move(point));
      } else {
        result_.path.push_back(limits_.measured[i]);
      }
      if (progress_)
        progress_(static_cast<double>(i + 1) / static_cast<double>(counts.size()), "search");
    }
    EDGETWIN_TRY(choose());
    result_.bits_of = bits_with(result_.path[result_.chosen].wide);
    result_.lut = settings_.lut;
    return std::move(result_);
  }

  Result<SearchShare> share(const std::function<bool(size_t)>& mine) {
    EDGETWIN_TRY(rank());
    const std::vector<size_t> counts = counts_of(candidates_.size(), limits_.points);
    SearchShare share;
    share.points = counts.size();
    for (size_t i = 0; i < counts.size(); ++i) {
      if (!mine(i)) continue;
      EDGETWIN_TRY_ASSIGN(SearchPoint point, measure(counts[i]));
      share.mine.emplace_back(i, std::move(point));
    }
    return share;
  }

 private:
  Status rank() {
    EDGETWIN_TRY_ASSIGN(const Quantized q, quantize_espdl(network_, samples_, settings_));
    EDGETWIN_TRY_ASSIGN(const Analysis a, analyse(q, samples_, settings_));
    candidates_ = candidates_of(network_);
    for (Candidate& c : candidates_) {
      for (const LayerNoise& l : a.layers) {
        const auto& ops = c.operators;
        if (std::find(ops.begin(), ops.end(), l.name) == ops.end()) continue;
        c.noise += l.alone.value_or(l.accumulated);
      }
    }
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a_, const Candidate& b_) { return a_.noise > b_.noise; });
    return Ok{};
  }

  std::map<std::string, int> bits_with(size_t wide) const {
    std::map<std::string, int> bits = settings_.bits_of;
    for (size_t i = 0; i < wide; ++i) {
      for (const std::string& name : candidates_[i].operators) bits[name] = 16;
    }
    return bits;
  }

  Result<SearchPoint> measure(size_t wide) {
    Settings s = settings_;
    s.bits_of = bits_with(wide);
    EDGETWIN_TRY_ASSIGN(const Quantized q, quantize_espdl(network_, samples_, s));
    EDGETWIN_TRY_ASSIGN(const Analysis a, compare_outputs(q, samples_, s));
    SearchPoint p;
    p.wide = wide;
    p.last = wide > 0 ? candidates_[wide - 1].name : "";
    p.noise = a.output_noise;
    p.constant_bytes = constant_bytes(q.graph);
    double all = 0.0;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      all += candidates_[i].macs;
      if (i < wide) p.wide_macs += candidates_[i].macs;
    }
    if (all > 0.0) p.wide_macs /= all;
    return p;
  }

  bool fits(const SearchPoint& p) const {
    return !limits_.most_bytes || p.constant_bytes <= *limits_.most_bytes;
  }

  Status choose() {
    const double first = decibels(result_.path.front().noise);
    for (size_t i = 0; i < result_.path.size(); ++i) {
      if (result_.path[i].noise < result_.path[result_.best].noise) result_.best = i;
    }
    const double best = decibels(result_.path[result_.best].noise);
    const double wanted = limits_.wanted_decibels.value_or((first + best) / 2.0);
    std::optional<size_t> chosen;
    for (size_t i = 0; i < result_.path.size(); ++i) {
      const SearchPoint& p = result_.path[i];
      if (!fits(p)) continue;
      const bool better = !chosen || p.noise < result_.path[*chosen].noise;
      if (better) chosen = i;
      if (decibels(p.noise) >= wanted) break;
    }
    if (!chosen) {
      return Error(ErrorCode::quant_setting,
                   "8 bits everywhere take " + std::to_string(result_.path[0].constant_bytes) +
                       " bytes already, " + std::to_string(*limits_.most_bytes) + " are allowed");
    }
    result_.chosen = *chosen;
    result_.wanted = limits_.wanted_decibels;
    result_.reached = !result_.wanted || decibels(result_.path[*chosen].noise) >= *result_.wanted;
    return Ok{};
  }

  const Graph& network_;
  const std::vector<Sample>& samples_;
  Settings settings_;
  const SearchLimits& limits_;
  const ProgressSink& progress_;
  std::vector<Candidate> candidates_;
  SearchResult result_;
};

std::string db_text(double decibels) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f dB", decibels);
  return text;
}

}  // namespace

bool is_curve(OpKind kind) {
  switch (kind) {
    case OpKind::logistic:
    case OpKind::tanh:
    case OpKind::swish:
    case OpKind::hard_swish:
    case OpKind::hard_sigmoid:
    case OpKind::elu:
    case OpKind::exp:
      return true;
    default:
      return false;
  }
}

std::string missing_text(const SearchResult& r, const SearchLimits& limits) {
  if (r.reached || !r.wanted) return "";
  const double got = decibels(r.path[r.chosen].noise);
  const double best = decibels(r.path[r.best].noise);
  const std::string head = "the search reaches " + db_text(got) + " of " + db_text(*r.wanted) +
                           ": " + db_text(*r.wanted - got) + " are missing";
  if (r.best == r.chosen) {
    const SearchPoint& p = r.path[r.chosen];
    const bool all = p.wide == r.path.back().wide;
    return head + (all ? "; every layer that can have 16 bits has them"
                       : "; more layers of 16 bits do not bring more");
  }
  const SearchPoint& p = r.path[r.best];
  return head + "; " + db_text(best) + " take " + std::to_string(p.constant_bytes) + " bytes, " +
         std::to_string(limits.most_bytes.value_or(0)) + " are allowed";
}

Result<SearchShare> search_share(const Graph& network, const std::vector<Sample>& samples,
                                 const Settings& settings,
                                 const std::function<bool(size_t)>& mine) {
  const SearchLimits limits;
  const ProgressSink progress;
  return Search(network, samples, settings, limits, progress).share(mine);
}

Result<SearchResult> search(const Graph& network, const std::vector<Sample>& samples,
                            const Settings& settings, const SearchLimits& limits,
                            const ProgressSink& progress) {
  return Search(network, samples, settings, limits, progress).run();
}

}  // namespace edgetwin::quantize
