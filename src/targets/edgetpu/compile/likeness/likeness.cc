#include "targets/edgetpu/compile/likeness/likeness.h"

#include <algorithm>
#include <functional>
#include <map>

#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr size_t kMostPairs = 64'000'000;  // that the alignment of one opcode may look at

bool is_counter(std::string_view field) {
  return field.starts_with("wait") || field.starts_with("counts") || field == "operation";
}
// Choices that change nothing of what is computed: where a buffer lies, which tile keeps a block.
bool is_place(std::string_view field) {
  return field.ends_with(".start") || field.ends_with(".end") || field == "tiles" ||
         field == "destination";
}
bool is_order(Opcode o) {
  return o == Opcode::tile_sync || o == Opcode::sync || o == Opcode::scalar || o == Opcode::start ||
         o == Opcode::end || o == Opcode::halt || o == Opcode::branch || o == Opcode::loop;
}

// An instruction by numbers: equal ones have the same.
struct Item {
  Instruction instruction;
  size_t whole = 0, still = 0, shape = 0;  // all but its number; without counters; without places
};
using Names = std::map<Bytes, size_t>;

size_t name_of(Names& names, const Instruction& i,
               const std::function<bool(std::string_view)>& drop) {
  Bytes bytes(i.bytes.begin(), i.bytes.end());
  for (const FieldInfo& f : fields_of(i.opcode())) {
    if (!drop(f.name)) continue;
    for (size_t k = 0; k < f.elements; ++k) set_bits(bytes, f.bit_of(k), f.width, 0);
  }
  return names.emplace(std::move(bytes), names.size()).first->second;
}

using ByOpcode = std::map<Opcode, std::vector<Item>>;

// `all` keeps what instructions point to.
ByOpcode items_of(const darwinn::File& file, Names& names) {
  ByOpcode items;
  for (const darwinn::BitstreamId& id : all_bitstreams(file)) {
    for (const Instruction& i : parse(find(file, id)->data).instructions) {
      Item item{i};
      item.whole = name_of(names, i, [](std::string_view f) { return f == "operation"; });
      item.still = name_of(names, i, is_counter);
      item.shape =
          name_of(names, i, [](std::string_view f) { return is_counter(f) || is_place(f); });
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

struct Pair {
  size_t ours, theirs;
};

// The pairs in order with the highest sum of scores; then what stands between two of them, one
// after the other.
std::vector<Pair> pairs_of(const std::vector<Item>& a, const std::vector<Item>& b) {
  const size_t n = a.size(), m = b.size();
  std::vector<uint32_t> best(m + 1, 0), next(m + 1, 0);
  std::vector<uint8_t> step((n + 1) * (m + 1), 0);  // 0 past ours, 1 past theirs, 2 both
  for (size_t i = n; i-- > 0;) {
    std::swap(best, next);
    best[m] = 0;
    for (size_t j = m; j-- > 0;) {
      const uint32_t score = score_of(a[i], b[j]);
      const uint32_t both = score == 0 ? 0 : next[j + 1] + score;
      best[j] = std::max({next[j], best[j + 1], both});
      step[i * (m + 1) + j] = score != 0 && both == best[j] ? 2 : best[j] == next[j] ? 0 : 1;
    }
  }
  std::vector<Pair> pairs;
  size_t i = 0, j = 0, free_i = 0, free_j = 0;
  const auto fill = [&](size_t end_i, size_t end_j) {
    for (; free_i < end_i && free_j < end_j; ++free_i, ++free_j) pairs.push_back({free_i, free_j});
    free_i = end_i, free_j = end_j;
  };
  while (i < n && j < m) {
    const uint8_t s = step[i * (m + 1) + j];
    if (s == 2) {
      fill(i, j);
      pairs.push_back({i, j});
      free_i = i + 1, free_j = j + 1;
    }
    i += s != 1 ? 1 : 0;
    j += s != 0 ? 1 : 0;
  }
  fill(n, m);
  return pairs;
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
  result.same_bytes = same_bitstreams(ours, theirs);
  return result;
}

}  // namespace edgetwin::edgetpu::compiler
