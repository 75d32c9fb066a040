#include "targets/edgetpu/compile/layout/repeat_vector.h"

#include <algorithm>

#include "targets/edgetpu/compile/layout/mesh.h"
#include "targets/edgetpu/compile/layout/ways.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kOwnWords = 16;

// The second block from its tile to the first one, to word `to`.
void bring_block(Program& p, const RepeatVectorSpec& s, int64_t to) {
  const int64_t words = s.words - kOwnWords;
  if (words <= 0) return;
  Assembly send(kLeft.opcode), receive(kLeft.opcode);
  put(send, kSideA, {.start = s.vector / 4 + kOwnWords, .dims = {{1, words}}});
  put(send, kSideB, {});
  put(receive, kSideA, {});
  put(receive, kSideB, {.start = to + kOwnWords, .dims = {{1, words}}});
  p.add(send, 2);
  p.add(receive, 1);
}

Map one_position(const RepeatVectorSpec& s) {
  Map m;
  m.channels = 4 * s.words;
  m.base = s.vector;
  return m;
}

MeshSpec copies(const RepeatVectorSpec& s, const Map& from, const Map& to, bool rows, int64_t at) {
  MeshSpec m{&from, &to, rows, at, 0};
  m.passing = s.passing, m.matrix = s.matrix;
  return m;
}

Map places_of(const RepeatVectorSpec& s) {
  Map m = *s.out;
  m.base += s.out_offset;
  return m;
}

}  // namespace

void scale_blocks(Program& p, int64_t words, int64_t from, int64_t to, const Numbers& numbers,
                  int64_t matrix) {
  for (int64_t first = 0; first < words; first += kOwnWords) {
    const int64_t n = std::min(kOwnWords, words - first);
    TensorSpec spec;
    spec.loop = {n};
    spec.in = {.start = from, .dims = {{4, 1}, {4 * kOwnWords, 1}, {4, n}}};
    spec.out = {.start = to + 4 * first, .dims = {{4, 1}, {4 * words, 1}, {4, n}}};
    spec.avdata_level = 2;
    spec.counts_parameters = true;
    spec.weight = {.start = 4 * matrix, .dims = {{0, n}}};
    spec.acc.dims = {{0, n}};
    spec.acc = spec.acc.switched(0, 4);
    spec.waits = {{TileCounter::narrow_to_wide, 1, 0}};
    spec.kind = 0x30;
    spec.role = Role::copy;
    p.add(tensor(spec, numbers), 1U << static_cast<uint32_t>(first / kOwnWords));
  }
}

// Before each copy the block is brought once more, before those of the first tile to each of them,
// too: so the public program has it.
void repeat_rows(Program& p, const RepeatVectorSpec& s) {
  const Map vector = one_position(s);
  if (s.words > kOwnWords) {
    const Walk block{.start = s.vector / 4 + kOwnWords, .dims = {{1, s.words - kOwnWords}}};
    transfers(p, {{1, 1, block, block}}, true);
  }
  p.epoch();
  p.reset_ring();
  p.epoch();
  for (int64_t k = 0; k < s.column->y.size; ++k) {
    bring_block(p, s, s.vector / 4);
    p.settle();
    p.epoch();
  }
  for (int64_t k = 0; k < s.column->y.size; ++k) {
    if (k < s.column->y.own(0)) bring_block(p, s, (s.column->own(0, 0) + k * s.column->row(0)) / 4);
    mesh(p, copies(s, vector, *s.column, true, k));
  }
}

void repeat_columns(Program& p, const RepeatVectorSpec& s) {
  const Map out = places_of(s);
  for (int64_t k = 0; k < out.x.size; ++k) mesh(p, copies(s, *s.column, out, false, k));
}

bool can_repeat_vector(const RepeatVectorSpec& s) {
  if (s.words * 4 > kMostRepeatedBytes) return false;
  const Map vector = one_position(s), out = places_of(s);
  const auto all = [&](const Map& from, const Map& to, bool rows, int64_t size) {
    for (int64_t k = 0; k < size; ++k) {
      if (!can_mesh(copies(s, from, to, rows, k))) return false;
    }
    return true;
  };
  return all(vector, *s.column, true, s.column->y.size) &&
         all(*s.column, out, false, s.out->x.size);
}

}  // namespace edgetwin::edgetpu::compiler
