#include "targets/edgetpu/compile/emit/walk.h"

namespace edgetwin::edgetpu::compiler {

Dims fused(const Dims& dims) {
  Dims all;
  for (const Dim& d : dims) {
    if (!all.empty() && all.back().stride != 0 &&
        all.back().stride * all.back().count == d.stride) {
      all.back().count *= d.count;
    } else {
      all.push_back(d);
    }
  }
  return all;
}

Dims without_ones(const Dims& dims, size_t keep) {
  Dims all;
  for (size_t k = 0; k < dims.size(); ++k) {
    if (k < keep || dims[k].count != 1) all.push_back(dims[k]);
  }
  return all;
}

int64_t places(const Dims& dims) {
  int64_t n = 1;
  for (const Dim& d : dims) n *= d.count;
  return n;
}

Walk stream_walk(int64_t start, int64_t n, int64_t chunk) {
  if (n == 1) return Walk{.start = start, .dims = {{1, 1}}, .levels = 1}.switched(1, chunk);
  Walk w{.start = start, .dims = {{1, chunk}, {0, ceil_div(n, chunk)}}};
  w = w.switched(1, chunk);
  const int64_t rest = n % chunk;
  return rest == 0 ? w : w.shortened(rest, 1, chunk - rest);
}

void put(Assembly& a, const GeneratorFields& side, const Walk& walk) {
  const OpcodeInfo* opcode = find_opcode(opcode_of(ByteSpan(a.bytes()).first(kWordBytes)));
  const FieldInfo* steps = find_field(opcode->opcode, side.step);
  int64_t end = 0;
  uint64_t levels = 0;
  for (size_t k = 0; k < steps->elements; ++k) {
    const Dim d = k < walk.dims.size() ? walk.dims[k] : Dim{0, 1};
    a.set(side.step, static_cast<uint64_t>(d.stride - end), k);
    a.set(side.count, static_cast<uint64_t>(d.count - 1), k);
    end += d.stride * (d.count - 1);
    if (d.stride != 0) levels |= uint64_t{1} << k;
  }
  a.set(side.start, static_cast<uint64_t>(walk.start));
  a.set(side.levels, walk.levels.value_or(levels));
  a.set(side.switch_level, walk.switch_level);
  a.set(side.switch_by, static_cast<uint64_t>(walk.switch_by));
  if (walk.shorter != 0) {
    a.set(side.shorter, static_cast<uint64_t>(walk.shorter - 1));
    a.set(side.short_level, walk.short_level);
    a.set(side.short_by, static_cast<uint64_t>(walk.short_by));
  }
}

void put_waits(Assembly& a, const std::vector<Wait>& waits, bool sides) {
  for (size_t k = 0; k < waits.size(); ++k) {
    const Wait& w = waits[k];
    a.set("wait.counter", w.counter.index(), k);
    a.set("wait.level", w.level, k);
    a.set("wait.start", static_cast<uint64_t>(w.start), k);
    a.set("wait.step", static_cast<uint64_t>(w.step), k);
    a.set("wait.valid", 1, k);
    if (sides) a.set("wait.side", w.side, k);
  }
}

}  // namespace edgetwin::edgetpu::compiler
