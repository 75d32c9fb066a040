#include "targets/edgetpu/program/generator.h"

#include <algorithm>

namespace edgetwin::edgetpu {

namespace {

GeneratorInfo make_info(GeneratorKind kind, std::string_view name, Opcode opcode,
                        std::string_view side, const GeneratorFields& f, std::string_view meaning) {
  const auto of = [&](FieldName n) { return find_field(opcode, n); };
  return {kind,
          name,
          opcode,
          side,
          meaning,
          of(f.start),
          of(f.step),
          of(f.count),
          of(f.levels),
          of(f.switch_level),
          of(f.switch_by),
          of(f.shorter),
          of(f.short_level),
          of(f.short_by)};
}

}  // namespace

const std::vector<GeneratorInfo>& all_generators() {
  static const std::vector<GeneratorInfo> all = {
#define GENERATOR(name, opcode, side, meaning) \
  make_info(GeneratorKind::name, #name, Opcode::opcode, side, GeneratorFields(side), meaning),
#include "targets/edgetpu/program/generators.def"
  };
  return all;
}

const GeneratorInfo& info(GeneratorKind kind) {
  return all_generators()[static_cast<size_t>(kind)];
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
  const auto integer = [&](const FieldInfo& field, size_t element) {
    return get_signed(i.bytes, field.bit_of(element), field.width);
  };
  Generator g;
  g.path.start = static_cast<int64_t>(i.get(*f.start));
  g.path.size = f.most_levels();
  for (size_t k = 0; k < g.path.size; ++k) {
    g.path.level[k].step = integer(*f.step, k);
    g.path.level[k].count = static_cast<int64_t>(i.get(*f.count, k)) + 1;
  }
  g.used = static_cast<uint32_t>(i.get(*f.levels));
  g.switch_level = static_cast<size_t>(i.get(*f.switch_level));
  // Unsigned: what would be a distance backwards, which no public program has, is refused as an
  // address outside of the memory.
  g.switch_by = static_cast<int64_t>(i.get(*f.switch_by));
  g.short_level = static_cast<size_t>(i.get(*f.short_level));
  if (g.short_level != 0 && g.short_level < g.path.size) {
    g.short_count = static_cast<int64_t>(i.get(*f.shorter)) + 1;
  }
  if (g.switch_level >= g.path.size) g.switch_by = 0;
  g.stream_by = g.switch_by;
  g.path.make_net();
  return g;
}

}  // namespace edgetwin::edgetpu
