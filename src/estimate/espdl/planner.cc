#include "estimate/espdl/planner.h"

#include <algorithm>
#include <string_view>

#include "estimate/espdl/pieces.h"

namespace edgetwin::estimates {
namespace {

constexpr int64_t kLeastInternal = 16;

constexpr std::string_view kChanging[] = {
#define CHANGING(type) type,
#include "estimate/espdl/inplace.def"
};
constexpr std::string_view kKeeping[] = {
#define KEEPING(type) type,
#include "estimate/espdl/inplace.def"
};

enum class Kind : uint8_t { none, changing, keeping };

Kind kind_of(const std::string& type) {
  if (std::ranges::find(kChanging, type) != std::end(kChanging)) return Kind::changing;
  if (std::ranges::find(kKeeping, type) != std::end(kKeeping)) return Kind::keeping;
  return Kind::none;
}

// Ends and leaders: rules 0 to 2.
class Lives {
 public:
  Lives(const espdl::Document& d, const Variables& v)
      : d_(d), v_(v), result_(v.all.size()), followers_(v.all.size()) {}

  std::vector<PlacedVariable> run() && {
    for (size_t i = 0; i < v_.nodes.size(); ++i) {
      for (const int in : v_.nodes[i].inputs) {
        cut(in);
        if (!v_.all[at(in)].graph_output) raise(in, static_cast<int>(i) + 1);
      }
      follow(i);
    }
    return std::move(result_);
  }

 private:
  struct Followers {
    int changing = -1, keeping = -1;
  };

  static size_t at(int variable) { return static_cast<size_t>(variable); }

  void cut(int leader) {
    Followers& f = followers_[at(leader)];
    if (f.changing < 0) return;
    result_[at(f.changing)].leader = -1;
    f.changing = -1;
  }

  // Its own end, and that of those whose memory it uses.
  void raise(int variable, int step) {
    for (int v = variable; v >= 0; v = result_[at(v)].leader) {
      result_[at(v)].end = std::max(result_[at(v)].end, step);
    }
  }

  // The input that the output of a node may take the memory of; -1: none.
  int candidate(const NodeUse& use, int64_t bytes) const {
    int chosen = -1;
    for (const int in : use.inputs) {
      const Variable& v = v_.all[at(in)];
      if (v.graph_output) {
        chosen = -1;
      } else if (chosen < 0 && v.bytes >= bytes) {
        chosen = in;
      }
    }
    return chosen;
  }

  void follow(size_t node) {
    const Kind kind = kind_of(d_.nodes[node].op_type);
    const NodeUse& use = v_.nodes[node];
    if (kind == Kind::none || d_.nodes[node].outputs.size() != 1 || use.outputs.size() != 1) return;
    const int output = use.outputs.front();
    const int leader = candidate(use, v_.all[at(output)].bytes);
    if (leader < 0 || leader == output) return;
    Followers& f = followers_[at(leader)];
    if (kind == Kind::changing && f.keeping >= 0) return;
    (kind == Kind::changing ? f.changing : f.keeping) = output;
    result_[at(output)].leader = leader;
    for (int v = leader; v >= 0; v = result_[at(v)].leader) result_[at(v)].end = -1;
  }

  const espdl::Document& d_;
  const Variables& v_;
  std::vector<PlacedVariable> result_;
  std::vector<Followers> followers_;
};

// Rules 3 to 6.
class Placing {
 public:
  Placing(const Variables& v, ActivationPlan& plan, int64_t max_internal) : v_(v), plan_(plan) {
    if (max_internal > kLeastInternal) {
      inside_.emplace(max_internal);
      plan.internal = max_internal;
    }
  }

  void run() {
    for (int step = 0; step < static_cast<int>(v_.nodes.size()); ++step) {
      for (PlacedVariable& p : plan_.variables) {
        if (p.leader < 0 && p.end == step) free(p);
      }
      for (size_t i = 0; i < v_.all.size(); ++i) {
        if (v_.all[i].begin == step && plan_.variables[i].leader < 0) place(i);
      }
    }
    plan_.psram = outside_.end();
  }

 private:
  void free(const PlacedVariable& p) { (p.internal ? *inside_ : outside_).give_back(p.offset); }

  void place(size_t i) {
    PlacedVariable& p = plan_.variables[i];
    const int64_t bytes = v_.all[i].bytes;
    if (inside_) {
      if (const auto offset = inside_->take(bytes)) {
        p.internal = true;
        p.offset = *offset;
        return;
      }
    }
    p.offset = outside_.take(bytes).value_or(0);
  }

  const Variables& v_;
  ActivationPlan& plan_;
  Pieces outside_;
  std::optional<Pieces> inside_;
};

}  // namespace

ActivationPlan plan_activations(const espdl::Document& document, const Variables& variables,
                                int64_t max_internal) {
  ActivationPlan plan;
  plan.variables = Lives(document, variables).run();
  Placing(variables, plan, max_internal).run();
  for (PlacedVariable& p : plan.variables) {
    const PlacedVariable* root = &p;
    while (root->leader >= 0) root = &plan.variables[static_cast<size_t>(root->leader)];
    p.offset = root->offset;
    p.internal = root->internal;
  }
  return plan;
}

}  // namespace edgetwin::estimates
