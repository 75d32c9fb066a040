#include "targets/edgetpu/inspect/program_diff.h"

#include <algorithm>

#include "base/text.h"
#include "targets/edgetpu/isa/listing.h"

namespace edgetwin::edgetpu {
namespace {

// What must be equal for two instructions to be the same one with other numbers.
uint32_t key(const Instruction& i) {
  uint32_t k = static_cast<uint32_t>(i.opcode());
  if (i.opcode() == Opcode::scalar) {
    k |= static_cast<uint32_t>(i.bits(54, 5)) << 8U | static_cast<uint32_t>(i.bits(32, 4)) << 16U;
  }
  return k;
}

struct Pair {
  ptrdiff_t a, b;  // -1: only in the other
};

// Myers' shortest edit script; nothing where it needs more than kMaxEdits.
constexpr ptrdiff_t kMaxEdits = 2000;

std::vector<Pair> backtrack(const std::vector<std::vector<ptrdiff_t>>& history, ptrdiff_t n,
                            ptrdiff_t m) {
  std::vector<Pair> reversed;
  ptrdiff_t x = n;
  ptrdiff_t y = m;
  for (auto d = static_cast<ptrdiff_t>(history.size()) - 1; d >= 0; --d) {
    const auto& v = history[static_cast<size_t>(d)];
    const auto at = [&](ptrdiff_t k) { return v[static_cast<size_t>(k + d + 1)]; };
    const ptrdiff_t k = x - y;
    const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
    const ptrdiff_t from_k = down ? k + 1 : k - 1;
    const ptrdiff_t from_x = d == 0 ? 0 : at(from_k);
    const ptrdiff_t from_y = d == 0 ? 0 : from_x - from_k;
    while (x > from_x && y > from_y) reversed.push_back({--x, --y});
    if (d == 0) break;
    reversed.push_back(down ? Pair{-1, from_y} : Pair{from_x, -1});
    x = from_x;
    y = from_y;
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

// `history[d]` holds the furthest x of the diagonals -d-1 .. d+1 before step d.
bool align(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b,
           std::vector<Pair>& pairs) {
  const auto n = static_cast<ptrdiff_t>(a.size());
  const auto m = static_cast<ptrdiff_t>(b.size());
  const ptrdiff_t limit = std::min(n + m, kMaxEdits);
  std::vector<ptrdiff_t> v(static_cast<size_t>(2 * limit + 3), 0);
  const auto at = [&](ptrdiff_t k) -> ptrdiff_t& { return v[static_cast<size_t>(k + limit + 1)]; };
  std::vector<std::vector<ptrdiff_t>> history;
  for (ptrdiff_t d = 0; d <= limit; ++d) {
    history.emplace_back(&at(-d - 1), &at(-d - 1) + 2 * d + 3);
    for (ptrdiff_t k = -d; k <= d; k += 2) {
      const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
      ptrdiff_t x = d == 0 ? 0 : (down ? at(k + 1) : at(k - 1) + 1);
      ptrdiff_t y = x - k;
      while (x < n && y < m && a[static_cast<size_t>(x)] == b[static_cast<size_t>(y)]) ++x, ++y;
      at(k) = x;
      if (x >= n && y >= m) {
        pairs = backtrack(history, n, m);
        return true;
      }
    }
  }
  return false;
}

// Which words hold an address field; their immediate does not count.
std::vector<bool> patched_words(const darwinn::Bitstream& b, size_t words) {
  std::vector<bool> patched(words, false);
  for (const darwinn::FieldOffset& f : b.field_offsets) {
    const size_t word = static_cast<size_t>(std::max(f.offset_bit, 0)) / kWordBits;
    if (word < words) patched[word] = true;
  }
  return patched;
}

std::string element_name(const FieldInfo& f, size_t element) {
  std::string text(f.name);
  if (f.elements > 1) text += "[" + std::to_string(element) + "]";
  return text;
}

std::vector<FieldChange> changes_of(const Instruction& a, const Instruction& b, bool patched) {
  std::vector<FieldChange> changes;
  for (const FieldInfo& f : fields_of(a.opcode())) {
    if (patched && f.name == "imm") continue;
    for (size_t e = 0; e < f.elements; ++e) {
      const uint64_t x = a.get(f, e);
      const uint64_t y = b.get(f, e);
      if (x != y) changes.push_back({element_name(f, e), value_text(f, x), value_text(f, y)});
    }
  }
  for (const Gap& g : gaps_of(a.opcode())) {
    const uint64_t x = a.bits(g.bit, g.width);
    const uint64_t y = b.bits(g.bit, g.width);
    if (x == y) continue;
    changes.push_back({"?" + std::to_string(g.bit) + ":" + std::to_string(g.width), hex_number(x),
                       hex_number(y)});
  }
  return changes;
}

InstructionChange only(Change change, const Instruction& i) {
  InstructionChange c;
  c.change = change;
  c.word_a = c.word_b = i.word;
  c.name = i.info->name;
  return c;
}

}  // namespace

ProgramDiff compare(const darwinn::Bitstream& a, const darwinn::Bitstream& b) {
  const Program x = parse(a.data);
  const Program y = parse(b.data);
  ProgramDiff diff;
  diff.instructions_a = x.instructions.size();
  diff.instructions_b = y.instructions.size();
  std::vector<uint32_t> keys_a;
  std::vector<uint32_t> keys_b;
  for (const Instruction& i : x.instructions) keys_a.push_back(key(i));
  for (const Instruction& i : y.instructions) keys_b.push_back(key(i));
  std::vector<Pair> pairs;
  diff.aligned = align(keys_a, keys_b, pairs);
  if (!diff.aligned) {
    const size_t most = std::max(keys_a.size(), keys_b.size());
    for (size_t i = 0; i < most; ++i) {
      const auto index = static_cast<ptrdiff_t>(i);
      const bool same = i < keys_a.size() && i < keys_b.size() && keys_a[i] == keys_b[i];
      if (same) pairs.push_back({index, index});
      if (!same && i < keys_a.size()) pairs.push_back({index, -1});
      if (!same && i < keys_b.size()) pairs.push_back({-1, index});
    }
  }
  const std::vector<bool> patched_a = patched_words(a, x.words);
  const std::vector<bool> patched_b = patched_words(b, y.words);
  for (const Pair& p : pairs) {
    if (p.a < 0) {
      diff.changes.push_back(only(Change::only_b, y.instructions[static_cast<size_t>(p.b)]));
      continue;
    }
    const Instruction& i = x.instructions[static_cast<size_t>(p.a)];
    if (p.b < 0) {
      diff.changes.push_back(only(Change::only_a, i));
      continue;
    }
    const Instruction& j = y.instructions[static_cast<size_t>(p.b)];
    auto fields = changes_of(i, j, patched_a[i.word] && patched_b[j.word]);
    if (fields.empty()) {
      ++diff.equal;
    } else {
      diff.changes.push_back(
          {Change::fields, i.word, j.word, std::string(i.info->name), std::move(fields)});
    }
  }
  return diff;
}

}  // namespace edgetwin::edgetpu
