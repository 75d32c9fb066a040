// A part of a tensor instruction by its rows, where the iterations of a part are whole outputs: the
// same accesses to memory, and the sums of rows that take the same lines side by side.
#include <algorithm>

#include "targets/edgetpu/machine/engines/row_products.h"
#include "targets/edgetpu/sync/executor.h"

namespace edgetwin::edgetpu::sync {
namespace {

using machine::TensorIteration;
using machine::Tile;

constexpr size_t kMostSums = 64;

// Bytes [first, end).
struct Range {
  int64_t first = INT64_MAX, end = INT64_MIN;
  void add(int64_t from, int64_t to) {
    first = std::min(first, from);
    end = std::max(end, to);
  }
  bool meets(const Range& other) const { return first < other.end && other.first < end; }
};

// Whether nothing of the rows is read where the outputs [first, end) are written.
bool are_apart(const TensorIteration& it, const std::vector<Address>& in, size_t first,
               size_t end) {
  Range read, written;
  const int64_t size = int64_t{it.form.input} * it.form.products;
  for (const Address& a : in) read.add(a.at + it.rows->lowest, a.at + it.rows->highest + size);
  const size_t from = it.outputs[first].first;
  const size_t to = end == it.outputs.size() ? it.out.size() : it.outputs[end].first;
  for (size_t n = from; n < to; ++n) written.add(it.out[n].at, int64_t{it.out[n].at} + 4);
  return !read.meets(written);
}

}  // namespace

RowWork::RowWork(const TensorIteration& it, Tile& t)
    : products(it, t, std::max(kMostSums, it.order.sums)) {}

// Where the rows of a part begin, with the turns of their buffers.
void Executor::begin_rows(const Work& w, size_t first, size_t count) const {
  const machine::Rows& rows = *w.plan->tensor->rows;
  RowWork& work = *w.rows;
  work.in.clear();
  work.weight.clear();
  const auto turned = [](const Address& a, uint32_t turn, int64_t by) {
    return TensorIteration::moved(a, ((a.pass + turn) & 1U) != 0 ? static_cast<int32_t>(by) : 0);
  };
  for (size_t n = first; n < first + count; ++n) {
    work.in.push_back(turned(rows.in[n], w.turn_a, w.plan->a.by));
    work.weight.push_back(turned(rows.weight[n], w.turn_weight, w.plan->weight.by));
  }
}

void Executor::note_reads(const Work& w, const Access& access) {
  if (!shadow_) return;
  const TensorIteration& it = *w.plan->tensor;
  const machine::Rows& rows = *it.rows;
  const RowWork& work = *w.rows;
  Shadow::Reading narrow(*shadow_, access, Memory::narrow);
  const int64_t size = int64_t{it.form.input} * it.form.products;
  for (const Address& a : work.in) {
    for (const int32_t by : rows.in_by) {
      const int64_t byte = int64_t{a.at} + by;
      for (int64_t word = byte / 4; word <= (byte + size - 1) / 4; ++word) narrow.at(word);
    }
  }
  Shadow::Reading wide(*shadow_, access, Memory::wide);
  for (size_t n = 0; n < work.weight.size();) {
    size_t end = n + 1;
    while (end < work.weight.size() && work.weight[end].at == work.weight[n].at) ++end;
    for (const int32_t by : rows.weight_by) wide.at((work.weight[n].at + by) / 4, end - n);
    n = end;
  }
}

// Sums [0, outputs) become numbers: those of the outputs from `first` on.
void Executor::finish_rows(size_t tile, Work& w, size_t first, size_t outputs,
                           const Access& access) {
  const TensorIteration& it = *w.plan->tensor;
  const machine::AccumulationOrder& r = it.order;
  RowWork& work = *w.rows;
  const size_t begun = work.row;  // rows of the part that are done
  for (size_t n = 0; n < outputs; n += r.sums) {
    for (size_t round = 0; round < r.outer; ++round, work.row += r.sums) {
      if (r.outer * r.sums == 1) continue;
      work.products.multiply(work.in.data() + work.row, work.weight.data() + work.row, r.sums, n);
    }
  }
  if (r.outer * r.sums == 1) {
    work.products.multiply(work.in.data() + begun, work.weight.data() + begun, outputs, 0);
  }
  for (size_t n = 0; n < outputs; ++n) {
    finish_output(access, it, core_.tiles[tile], first + n, work.products.sums(n),
                  work.products.lanes());
  }
}

bool Executor::tensor_rows(size_t tile, Work& w, uint32_t begin, uint32_t end,
                           const Access& access) {
  const TensorIteration& it = *w.plan->tensor;
  if (!it.rows) return false;
  const machine::AccumulationOrder& r = it.order;
  const size_t block = r.inner * r.sums * r.outer;
  if (begin % block != 0 || end % block != 0) return false;
  Tile& memory = core_.tiles[tile];
  if (!w.rows) w.rows = std::make_unique<RowWork>(it, memory);
  RowWork& work = *w.rows;
  begin_rows(w, begin / r.inner, (end - begin) / r.inner);
  const size_t last = end / block * r.sums;
  if (!are_apart(it, work.in, begin / block * r.sums, last)) return false;
  note_reads(w, access);
  work.row = 0;
  size_t first = 0, waiting = 0;  // outputs that have begun
  const auto flush = [&] {
    finish_rows(tile, w, first, waiting, access);
    waiting = 0;
  };
  std::array<size_t, 2> loaded{};
  for (size_t output = begin / block * r.sums; output < last; output += r.sums) {
    const auto lanes = static_cast<int>(it.outputs[output].count) * 4 /
                       static_cast<int>(w.plan->step.result_bytes());
    const std::array<size_t, 2> slots = slots_of(tile, w, output);
    const bool full = waiting + r.sums > std::max(kMostSums, r.sums);
    if (waiting != 0 && (full || slots != loaded || lanes != work.products.lanes())) flush();
    waiting == 0 ? load_numbers(tile, slots, access) : note_numbers(slots, access);
    loaded = slots;
    const std::array<int32_t, machine::kMostLanes> before = w.zero;
    load_zeros(tile, w, output, lanes, access);
    if (waiting != 0 && before != w.zero) flush();
    if (waiting == 0) {
      first = output;
      work.products.begin(w.zero, lanes);
    }
    for (size_t k = 0; k < r.sums; ++k, ++waiting) {
      machine::start_sums(it, memory, output + k, lanes, work.products.sums(waiting));
    }
  }
  if (waiting != 0) flush();
  return true;
}

}  // namespace edgetwin::edgetpu::sync
