// Which rows of each tensor a strip takes or makes, and how many strips there may be.
#include <algorithm>
#include <numeric>

#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Rows of the input that rows of the result are made of, with those between them.
Span read_by(const StripReading& r, const Span& rows) {
  if (r.times > 1) return {rows.begin / r.times, rows.end / r.times};
  const Window& w = r.windows.y;
  return {w.stride * rows.begin - w.front,
          w.stride * rows.end + std::max<int64_t>(0, w.reach() - w.stride - w.front)};
}

Span rounded_out(const Span& s, int64_t by) {
  const auto down = [by](int64_t n) { return n >= 0 ? n / by * by : -ceil_div(-n, by) * by; };
  return {down(s.begin), -down(-s.end)};
}

}  // namespace

// Bytes that are needed at one time, at least: what is whole, and rows from where they are made to
// where they are read.
int64_t Lowering::strip_bytes(const Banding& b) const {
  const StripRows rows = strip_rows(b, 0);
  std::map<ValueId, std::pair<size_t, size_t>> life;
  int64_t whole = 0;
  for (size_t k = b.first; k <= b.last; ++k) {
    const size_t index = segment_.ops[k];
    const ValueId made = graph().ops[index].outputs[0];
    if (alias_.contains(made)) continue;
    for (const StripReading& r : strip_readings(index)) {
      life.emplace(root(r.from), std::pair{k, k}).first->second.second = k;
    }
    life.emplace(made, std::pair{k, k});
  }
  std::vector<int64_t> bytes(b.last - b.first + 1, 0);
  for (const auto& [id, from_to] : life) {
    const Map& map = stores_.at(id).map;
    const bool kept = std::ranges::find(b.kept, id) != b.kept.end();
    if ((kept || !makes(b, id)) && !b.in_wide.contains(id)) {
      whole += map.bytes();
      continue;
    }
    if (!rows.contains(id)) continue;
    for (size_t k = from_to.first; k <= from_to.second; ++k) {
      bytes[k - b.first] += rows.at(id).size() * map.row(0);
    }
  }
  return whole + std::ranges::max(bytes);
}

// Whether windows reach no further than the rows that a tile has of the strip.
bool Lowering::reaches_neighbours(const Banding& b) const {
  const StripRows rows = strip_rows(b, 0);
  for (size_t k = b.first; k <= b.last; ++k) {
    const size_t index = segment_.ops[k];
    const ValueId made = graph().ops[index].outputs[0];
    if (alias_.contains(made) || !rows.contains(made)) continue;
    for (const StripReading& r : strip_readings(index)) {
      const Window& w = r.windows.y;
      const int64_t own = w.stride * rows.at(made).size();
      if (own < w.front || own < w.reach() - w.stride - w.front) return false;
    }
  }
  return true;
}

// As many strips as divide the rows of all tensors, those that may fit.
void Lowering::find_strip_cuts(Banding& b) const {
  int64_t all = 0;
  b.rows = 1;
  for (const auto& [id, rows] : strip_rows(b, 0)) all = std::gcd(all, height(id));
  for (int64_t n = 1; n <= all; ++n) {
    if (all % n != 0) continue;
    b.rows = n;
    if (strip_bytes(b) <= kNarrowBytes && reaches_neighbours(b)) b.cuts.push_back({n, 1});
  }
}

// Rows of each tensor that strip `n` takes or makes.
Lowering::StripRows Lowering::strip_rows(const Banding& b, int64_t n) const {
  StripRows rows;
  const auto add = [&](ValueId id, const Span& s) {
    const auto [at, fresh] = rows.emplace(id, s);
    if (fresh) return;
    at->second = {std::min(at->second.begin, s.begin), std::max(at->second.end, s.end)};
  };
  for (const ValueId id : b.kept) {
    const int64_t each = height(id) / b.rows;
    add(id, {n * each, (n + 1) * each});
  }
  for (size_t k = b.last + 1; k-- > b.first;) {
    const size_t index = segment_.ops[k];
    const ValueId made = graph().ops[index].outputs[0];
    if (alias_.contains(made) || !rows.contains(made)) continue;
    for (const StripReading& r : strip_readings(index)) {
      Span& to = rows.at(made);
      to = rounded_out(to, r.times);
      add(root(r.from), read_by(r, to));
    }
  }
  return rows;
}

}  // namespace edgetwin::edgetpu::compiler
