#include "targets/edgetpu/compile/likeness/likeness.h"

#include <algorithm>
#include <map>

#include "targets/edgetpu/compile/likeness/items.h"
#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr size_t kMostPairs = 64'000'000;  // that the alignment of one opcode may look at

// An instruction by numbers: equal ones have the same.
struct Item {
  Instruction instruction;
  size_t whole = 0, still = 0, shape = 0;  // all but its number; without counters; without places
};
using ByOpcode = std::map<Opcode, std::vector<Item>>;

// `all` keeps what instructions point to.
ByOpcode items_of(const darwinn::File& file, Names& names) {
  ByOpcode items;
  for (const darwinn::BitstreamId& id : all_bitstreams(file)) {
    for (const Instruction& i : parse(find(file, id)->data).instructions) {
      Item item{i};
      const auto named = [&](const auto& drop) {
        return names.of(without(i, [&](const FieldInfo& f) { return drop(f.name); }));
      };
      item.whole = named([](std::string_view f) { return f == "operation"; });
      item.still = named(is_counter);
      item.shape = named([](std::string_view f) { return is_counter(f) || is_place(f); });
      items[i.opcode()].push_back(item);
    }
  }
  return items;
}

constexpr uint32_t kEqual = 4, kPlaced = 3;

uint32_t score_of(const Item& a, const Item& b) {
  if (a.still == b.still) return kEqual;
  return a.shape == b.shape ? kPlaced : 0;
}

std::vector<Pair> pairs_of(const std::vector<Item>& a, const std::vector<Item>& b) {
  return aligned(
      a.size(), b.size(), [&](size_t i, size_t j) { return score_of(a[i], b[j]); }, true);
}

class Comparison {
 public:
  void add(const std::vector<Item>& a, const std::vector<Item>& b, OpcodeLikeness& row) {
    for (const Pair& p : pairs_of(a, b)) {
      const Item &x = a[p.ours], &y = b[p.theirs];
      if (x.still == y.still) {
        ++row.equal;
        row.counters += x.whole == y.whole ? 1 : 0;
      } else {
        ++(x.shape == y.shape ? row.placed : row.other);
      }
      if (!row.order) count(x.instruction, y.instruction, row.opcode);
    }
  }
  void finish(Likeness& result) const {
    result.fields = fields_;
    result.equal_fields = equal_;
    for (const auto& [what, n] : differs_) result.differing.push_back({what.first, what.second, n});
    std::stable_sort(result.differing.begin(), result.differing.end(),
                     [](const auto& x, const auto& y) { return x.differs > y.differs; });
  }

 private:
  void count(const Instruction& a, const Instruction& b, const std::string& opcode) {
    for (const FieldInfo& f : fields_of(a.opcode())) {
      if (is_counter(f.name)) continue;
      bool same = true;
      for (size_t k = 0; k < f.elements; ++k) {
        const bool equal = a.get(f, k) == b.get(f, k);
        ++fields_;
        equal_ += equal ? 1 : 0;
        same = same && equal;
      }
      if (!same) ++differs_[{opcode, std::string(f.name)}];
    }
  }
  size_t fields_ = 0, equal_ = 0;
  std::map<std::pair<std::string, std::string>, size_t> differs_;
};

// What runs at every inference and what loads parameters, of each operator in turn.
Status compare_classes(const darwinn::File& ours, const darwinn::File& theirs, Classes& made) {
  using Programs = std::vector<std::vector<Instruction>>;
  const auto programs = [](const darwinn::File& file, bool loading) {
    Programs all;
    for (const darwinn::BitstreamId& id : all_bitstreams(file)) {
      const bool loads =
          executable_of(file, id)->type == darwinn::ExecutableType::parameter_caching;
      if (loads != loading) continue;
      if (id.chunk == 0) all.emplace_back();
      const auto more = parse(find(file, id)->data).instructions;
      all.back().insert(all.back().end(), more.begin(), more.end());
    }
    return all;
  };
  ClassComparison comparison;
  for (const bool loading : {false, true}) {
    const Programs a = programs(ours, loading), b = programs(theirs, loading);
    for (size_t k = 0; k < std::max(a.size(), b.size()); ++k) {
      const auto at = [&](const Programs& p) {
        return k < p.size() ? p[k] : std::vector<Instruction>();
      };
      if (!comparison.add(at(a), at(b), loading)) {
        return Error(ErrorCode::out_of_memory, "the programs have too many steps to be aligned");
      }
    }
  }
  made = comparison.finish();
  return Ok{};
}

bool same_bitstreams(const darwinn::File& a, const darwinn::File& b) {
  const auto x = all_bitstreams(a), y = all_bitstreams(b);
  if (x.size() != y.size()) return false;
  for (size_t k = 0; k < x.size(); ++k) {
    if (find(a, x[k])->data != find(b, y[k])->data) return false;
  }
  return true;
}

}  // namespace

Result<Likeness> likeness_of(const darwinn::File& ours, const darwinn::File& theirs) {
  Names names;
  ByOpcode a = items_of(ours, names), b = items_of(theirs, names);
  Likeness result;
  Comparison comparison;
  for (const OpcodeInfo& opcode : all_opcodes()) {
    const std::vector<Item>&x = a[opcode.opcode], &y = b[opcode.opcode];
    if (x.empty() && y.empty()) continue;
    OpcodeLikeness row;
    row.opcode = opcode.name;
    row.order = is_order(opcode.opcode);
    row.ours = x.size(), row.theirs = y.size();
    if ((x.size() + 1) * (y.size() + 1) > kMostPairs) {
      return Error(ErrorCode::out_of_memory, std::to_string(x.size()) + " and " +
                                                 std::to_string(y.size()) + " instructions '" +
                                                 row.opcode + "' are too many to be aligned");
    }
    comparison.add(x, y, row);
    result.opcodes.push_back(std::move(row));
  }
  comparison.finish(result);
  EDGETWIN_TRY(compare_classes(ours, theirs, result.classes));
  result.same_bytes = same_bitstreams(ours, theirs);
  return result;
}

}  // namespace edgetwin::edgetpu::compiler
