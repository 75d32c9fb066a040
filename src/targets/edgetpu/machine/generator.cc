#include "targets/edgetpu/machine/generator.h"

#include <algorithm>

namespace edgetwin::edgetpu::machine {

const std::vector<GeneratorInfo>& all_generators() {
  static const std::vector<GeneratorInfo> all = {
#define GENERATOR(name, first, start, step, count, levels, index, meaning) \
  {GeneratorKind::name, #name, first, start, step, count, levels, index, meaning},
#include "targets/edgetpu/machine/generators.def"
  };
  return all;
}

const GeneratorInfo& info(GeneratorKind kind) {
  return all_generators()[static_cast<size_t>(kind)];
}

int64_t Generator::inner(const std::array<int64_t, kLoopLevels>& index) const {
  const bool last = short_count != 0 && index[short_level] + 1 == path.level[short_level].count;
  return last ? short_count : path.level[0].count;
}

uint64_t Generator::count(uint64_t limit) const {
  // Counts are below 2^18, eight of them below 2^144: stop as soon as it is too much.
  uint64_t outer = 1;
  for (size_t k = 1; k < path.size; ++k) {
    outer *= static_cast<uint64_t>(path.level[k].count);
    if (outer > limit) return limit + 1;
  }
  const auto full = static_cast<uint64_t>(path.size == 0 ? 1 : path.level[0].count);
  if (short_count == 0) return std::min(outer * full, limit + 1);
  const uint64_t shorter = outer / static_cast<uint64_t>(path.level[short_level].count);
  const uint64_t all = (outer - shorter) * full + shorter * static_cast<uint64_t>(short_count);
  return std::min(all, limit + 1);
}

uint64_t Generator::pass_places() const {
  uint64_t places = 1;
  for (size_t k = 0; k < std::min(switch_level, path.size); ++k) {
    places *= static_cast<uint64_t>(path.level[k].count);
  }
  return places;
}

Generator decode_generator(const Instruction& i, GeneratorKind kind) {
  const GeneratorInfo& f = info(kind);
  Generator g;
  unsigned at = f.first;
  const auto next = [&](unsigned width) {
    const uint64_t value = i.bits(at, width);
    at += width;
    return value;
  };
  g.path.start = static_cast<int64_t>(next(f.start));
  g.path.size = f.levels;
  for (size_t k = 0; k < f.levels; ++k) {
    g.path.level[k].step = get_signed(i.bytes, at, f.step);
    at += f.step;
    g.path.level[k].count = static_cast<int64_t>(next(f.count)) + 1;
  }
  g.used = static_cast<uint32_t>(next(f.levels));
  g.switch_level = static_cast<size_t>(next(f.index));
  g.switch_by = static_cast<int64_t>(next(f.step));
  const auto short_count = static_cast<int64_t>(next(f.count)) + 1;
  g.short_level = static_cast<size_t>(next(f.index));
  if (g.short_level != 0 && g.short_level < f.levels) g.short_count = short_count;
  if (g.switch_level >= f.levels) g.switch_by = 0;
  g.stream_by = g.switch_by;
  g.path.make_net();
  return g;
}

}  // namespace edgetwin::edgetpu::machine
