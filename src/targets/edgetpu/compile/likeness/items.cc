#include "targets/edgetpu/compile/likeness/items.h"

#include <algorithm>

namespace edgetwin::edgetpu::compiler {

Bytes without(const Instruction& i, const FieldTest& drop) {
  Bytes bytes(i.bytes.begin(), i.bytes.end());
  for (const FieldInfo& f : fields_of(i.opcode())) {
    if (!drop(f)) continue;
    for (size_t k = 0; k < f.elements; ++k) set_bits(bytes, f.bit_of(k), f.width, 0);
  }
  return bytes;
}

bool is_counter(std::string_view field) {
  return field.starts_with("wait") || field.starts_with("counts") || field == "operation";
}

bool is_place(std::string_view field) {
  return field.ends_with(".start") || field.ends_with(".end") || field == "tiles" ||
         field == "destination";
}

bool is_order(Opcode o) {
  return o == Opcode::tile_sync || o == Opcode::sync || o == Opcode::scalar || o == Opcode::start ||
         o == Opcode::end || o == Opcode::halt || o == Opcode::branch || o == Opcode::loop;
}

std::vector<Pair> aligned(size_t n, size_t m, const std::function<uint32_t(size_t, size_t)>& score,
                          bool filled) {
  std::vector<uint32_t> best(m + 1, 0), next(m + 1, 0);
  std::vector<uint8_t> step((n + 1) * (m + 1), 0);  // 0 past ours, 1 past theirs, 2 both
  for (size_t i = n; i-- > 0;) {
    std::swap(best, next);
    best[m] = 0;
    for (size_t j = m; j-- > 0;) {
      const uint32_t s = score(i, j);
      const uint32_t both = s == 0 ? 0 : next[j + 1] + s;
      best[j] = std::max({next[j], best[j + 1], both});
      step[i * (m + 1) + j] = s != 0 && both == best[j] ? 2 : best[j] == next[j] ? 0 : 1;
    }
  }
  std::vector<Pair> pairs;
  size_t i = 0, j = 0, free_i = 0, free_j = 0;
  const auto fill = [&](size_t end_i, size_t end_j) {
    for (; filled && free_i < end_i && free_j < end_j; ++free_i, ++free_j) {
      pairs.push_back({free_i, free_j});
    }
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

}  // namespace edgetwin::edgetpu::compiler
