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

RowWork::RowWork(const StepPlan& plan, Tile& t)
    : products(*plan.tensor, t, std::max(kMostSums, plan.tensor->order.sums)) {
  const machine::AccumulationOrder& r = plan.tensor->order;
  const size_t block = r.inner * r.sums * r.outer;
  size_t begin = 0;
  for (const size_t end : plan.side[0].end) {
    const bool whole = begin % block == 0 && end % block == 0;
    const bool one = begin / block == (end - 1) / block;
    spread = spread && end % r.inner == 0 && (whole || one);
    begin = end;
  }
}

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

// Rows [first, first + count) of a part, onto the sums from `sum` on, which take turns.
void Executor::multiply_rows(const Work& w, size_t first, size_t count, size_t sum) const {
  RowWork& work = *w.rows;
  const size_t sums = w.plan->tensor->order.sums;
  for (size_t n = first; n < first + count;) {
    const size_t together = std::min(sums - sum % sums, first + count - n);
    work.products.multiply(work.in.data() + n, work.weight.data() + n, together, sum);
    n += together;
    sum = sum / sums * sums + (sum + together) % sums;
  }
}

// Sums [0, outputs) become numbers: those of the outputs from `first` on.
void Executor::finish_rows(size_t tile, const Work& w, size_t first, size_t outputs,
                           const Access& access) {
  for (size_t n = 0; n < outputs; ++n) {
    finish_output(access, *w.plan->tensor, core_.tiles[tile], first + n, w.rows->products.sums(n),
                  w.rows->products.lanes());
  }
}

void Executor::start_rows(size_t tile, Work& w, size_t output, size_t sum, int lanes) {
  const TensorIteration& it = *w.plan->tensor;
  for (size_t k = 0; k < it.order.sums; ++k) {
    machine::start_sums(it, core_.tiles[tile], output + k, lanes, w.rows->products.sums(sum + k));
  }
}

bool Executor::tensor_rows(size_t tile, Work& w, uint32_t begin, uint32_t end,
                           const Access& access) {
  const TensorIteration& it = *w.plan->tensor;
  if (!it.rows) return false;
  if (!w.rows) w.rows = std::make_unique<RowWork>(*w.plan, core_.tiles[tile]);
  const machine::AccumulationOrder& r = it.order;
  const size_t block = r.inner * r.sums * r.outer;
  const bool whole = begin % block == 0 && end % block == 0;
  if (!whole && !w.rows->spread) return false;
  begin_rows(w, begin / r.inner, (end - begin) / r.inner);
  if (!whole) {
    part_of_block(tile, w, begin, end, access);
    return true;
  }
  const size_t first = begin / block * r.sums, last = end / block * r.sums;
  if (!are_apart(it, w.rows->in, first, last)) return false;
  note_reads(w, access);
  whole_blocks(tile, w, first, last, access);
  return true;
}

// Iterations of outputs whose sums take turns.
void Executor::part_of_block(size_t tile, Work& w, uint32_t begin, uint32_t end,
                             const Access& access) {
  const TensorIteration& it = *w.plan->tensor;
  const machine::AccumulationOrder& r = it.order;
  const size_t block = r.inner * r.sums * r.outer;
  const size_t output = begin / block * r.sums;
  if (begin % block == 0) {
    const int lanes = lanes_of(w, output);
    load_numbers(tile, slots_of(number_sets(tile, w), output, it.outputs.size()), access);
    load_zeros(tile, w, output, lanes, access);
    w.rows->products.begin(w.zero, lanes);
    start_rows(tile, w, output, 0, lanes);
  }
  note_reads(w, access);
  multiply_rows(w, 0, (end - begin) / r.inner, begin % block / r.inner % r.sums);
  if (end % block == 0) finish_rows(tile, w, output, r.sums, access);
}

int Executor::lanes_of(const Work& w, size_t output) const {
  return static_cast<int>(w.plan->tensor->outputs[output].count) * 4 /
         static_cast<int>(w.plan->step.result_bytes());
}

// Outputs [first, last), as many at once as share their numbers.
void Executor::whole_blocks(size_t tile, Work& w, size_t first, size_t last, const Access& access) {
  const TensorIteration& it = *w.plan->tensor;
  const machine::AccumulationOrder& r = it.order;
  machine::RowProducts& products = w.rows->products;
  const NumberSets sets = number_sets(tile, w);
  const size_t most = std::max(kMostSums, r.sums);
  std::array<size_t, 2> loaded{};
  size_t done = first;  // outputs before it are written
  const auto flush = [&](size_t end) {
    if (r.sums * r.outer == 1) {
      products.multiply(w.rows->in.data() + (done - first), w.rows->weight.data() + (done - first),
                        end - done, 0);
    }
    for (size_t n = done; r.sums * r.outer != 1 && n < end; n += r.sums) {
      multiply_rows(w, (n - first) * r.outer, r.sums * r.outer, n - done);
    }
    finish_rows(tile, w, done, end - done, access);
    done = end;
  };
  for (size_t output = first; output < last; output += r.sums) {
    const int lanes = lanes_of(w, output);
    const std::array<size_t, 2> slots = slots_of(sets, output, it.outputs.size());
    const bool full = output - done + r.sums > most;
    if (output != done && (full || slots != loaded || lanes != products.lanes())) flush(output);
    output == done ? load_numbers(tile, slots, access) : note_numbers(slots, access);
    loaded = slots;
    if (output == first || it.nest.channel_zero_points) {
      const std::array<int32_t, machine::kMostLanes> before = w.zero;
      load_zeros(tile, w, output, lanes, access);
      if (output != done && before != w.zero) flush(output);
    }
    if (output == done) products.begin(w.zero, lanes);
    start_rows(tile, w, output, output - done, lanes);
  }
  flush(last);
}

}  // namespace edgetwin::edgetpu::sync
