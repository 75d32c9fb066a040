// The tensor instruction: a loop nest that multiplies what it reads from narrow memory with what
// lies in wide memory, and writes bytes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "targets/edgetpu/machine/engines/passes.h"
#include "targets/edgetpu/machine/engines/tensor_iteration.h"
#include "targets/edgetpu/machine/lanes/byte_tail.h"

namespace edgetwin::edgetpu::machine {
namespace {

std::vector<OutputGroup> outputs_of(const Step& s, size_t words) {
  std::vector<OutputGroup> all;
  const size_t lane_bytes = static_cast<size_t>(s.lanes) * static_cast<size_t>(s.result_bytes());
  const size_t most = std::max<size_t>(1, lane_bytes / 4);
  std::array<int64_t, kLoopLevels> index{};
  const Generator& g = s.b;
  const auto row = static_cast<size_t>(g.path.size == 0 ? 1 : g.path.level[0].count);
  all.reserve((words + row - 1) / row * ((row + most - 1) / most));
  for (size_t n = 0; n < words;) {
    for (auto left = static_cast<size_t>(g.inner(index)); left != 0;) {
      const size_t count = std::min(left, most);
      all.push_back({static_cast<uint32_t>(n), static_cast<uint32_t>(count)});
      n += count;
      left -= count;
    }
    for (size_t k = 1; k < g.path.size; ++k) {
      if (++index[k] < g.path.level[k].count) break;
      index[k] = 0;
    }
  }
  return all;
}

bool order_of(TensorIteration& w) {
  const size_t total = w.iterations;
  const size_t reduction = w.outputs.empty() ? 0 : total / w.outputs.size();
  if (reduction == 0 || reduction * w.outputs.size() != total) return false;
  w.order = {reduction, 1, 1};
  if ((w.nest.kind & kKindFinished) != 0) return true;
  const Traversal& acc = w.s.acc.path;
  size_t inner = 1;
  size_t sums = 1;
  size_t k = 0;
  for (; k < acc.size && acc.level[k].net == 0; ++k)
    inner *= static_cast<size_t>(acc.level[k].count);
  for (; k < acc.size && acc.level[k].net != 0; ++k)
    sums *= static_cast<size_t>(acc.level[k].count);
  if (k == acc.size && sums == 1) return true;  // one accumulator
  if (inner == 0 || reduction % inner != 0 || total % (reduction * sums) != 0) return false;
  w.order = {inner, sums, reduction / inner};
  return true;
}

// What takes the place of narrow memory where an instruction only sums.
constexpr std::byte kOnes[] = {std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1}};

// Products [n, end) of one accumulator as far as memory stays as it is; n is the first that is
// left.
int32_t products_of_bytes(const TensorIteration& w, const Tile& t, Passes& passes, size_t& n,
                          size_t end, int lanes, int32_t* sums) {
  std::array<DotPlace, kMostTogether> places;
  size_t count = 0;
  passes.commit(n);
  do {
    places[count++] = {t.narrow.data() + w.in[n].at, line_of(t, w.weight[n].at)};
    ++n;
  } while (n < end && count < kMostTogether && !passes.changes(n));
  return dot_bytes(places.data(), count, w.nest.input_zero_point, lanes, sums);
}

void run_tile(const TensorIteration& w, size_t tile, Tile& t) {
  const AccumulationOrder& r = w.order;
  std::vector<int32_t> sums(r.sums * kMostLanes);
  const auto sums_of = [&sums](size_t k) { return sums.data() + k * kMostLanes; };
  std::array<int32_t, kMostLanes> zero{};
  const size_t group = r.inner * r.sums * r.outer;
  // Zero points of the weights are taken away once for all products of a sum.
  const bool bytes = w.form.words() && w.s.opcode == Opcode::tensor;
  std::vector<int32_t> taken(r.sums);
  Passes passes(w, tile, t, w.in, w.weight);
  size_t header = kNone;
  for (size_t first = 0; first < w.weight.size(); first += group) {
    const size_t output = first / group * r.sums;
    const int lanes =
        static_cast<int>(w.outputs[output].count) * 4 / static_cast<int>(w.s.result_bytes());
    const size_t now = header_of(w, headers_of(w, t), output);
    zero_points(w, t, lanes, now != header, zero);
    header = now;
    for (size_t k = 0; k < r.sums; ++k) start_sums(w, t, output + k, lanes, sums_of(k));
    size_t n = first;
    for (size_t row = 0; row < r.sums * r.outer; ++row) {
      const size_t k = row % r.sums;
      const size_t end = n + r.inner;
      if (bytes) {
        while (n < end) add(taken[k], products_of_bytes(w, t, passes, n, end, lanes, sums_of(k)));
      }
      for (; n < end; ++n) {
        passes.commit(n);
        product(w, t, w.in.empty() ? 0 : w.in[n].at, w.weight[n].at, lanes, zero, sums_of(k));
      }
    }
    for (size_t k = 0; k < r.sums && bytes; ++k) {
      take_zeros(std::exchange(taken[k], 0), zero.data(), lanes, sums_of(k));
    }
    for (size_t k = 0; k < r.sums; ++k) {
      if (!w.left.empty()) leave(w.left[first + k * r.inner], sums_of(k), lanes, t);
      finish(w, t, output + k, sums_of(k), lanes);
    }
  }
}

template <class T>
numerics::edgetpu::Tail<T> tail_of(const Nest& n) {
  numerics::edgetpu::Tail<T> tail;
  // A number of 16 bits ends long before; an integer of 32 bits holds what comes out.
  constexpr float kFarthest = 0x1p30F;
  tail.clamp = {std::max(n.lower, -kFarthest), std::min(n.upper, kFarthest)};
  tail.zero = n.output_zero_point;
  return tail;
}

Status check(Core& core, const TensorIteration& w) {
  const Step& s = w.s;
  EDGETWIN_TRY(core.check(s.a, int64_t{w.form.input} * w.form.products, kNarrowBytes, s));
  EDGETWIN_TRY(core.check(s.b, 1, kNarrowBytes - 3, s));
  EDGETWIN_TRY(core.check(s.weight, 1, kWideLines * 4, s));
  if (s.leaves_sums()) EDGETWIN_TRY(core.check(s.acc, 1, kWideLines * 4, s));
  if (s.zero_line + 2 * s.zero_distance > kWideLines) {
    return core.error(ErrorCode::chip_address, "zero points after the end of wide memory", s);
  }
  return Ok{};
}

Error unknown_form(const Core& core, const Step& s) {
  const Nest& n = *s.nest;
  return core
      .error(ErrorCode::chip_unknown, "what this form of the instruction does is not known", s)
      .detail("kind " + std::to_string(n.kind) + ", multiplier " + std::to_string(n.multiplier) +
              (n.function ? ", through a function table" : "") +
              (s.result_form != 0 ? ", results of 16 bits" : ""));
}

bool has_finite_numbers(const Nest& n) {
  return std::isfinite(n.multiplier) && !std::isnan(n.lower) && !std::isnan(n.upper);
}

// Numbers of one lane must not go on in the next one.
bool within_lanes(const TensorIteration& w) {
  if (w.rows) return within_lanes(w, *w.rows);
  const int size = w.form.weight * w.form.products;
  return std::ranges::all_of(w.weight, [&](const Address& p) { return p.at % 4 + size <= 4; });
}

void unroll_iterations(TensorIteration& w) {
  const Step& s = w.s;
  if (s.opcode == Opcode::tensor) w.in = addresses_of(s.a);
  w.weight = addresses_of(s.weight);
  if (s.leaves_sums()) w.left = addresses_of(s.acc);
}

// The addresses of the instruction, and how its iterations make outputs.
Status unroll_all(Core& core, TensorIteration& w, bool by_rows) {
  Step& s = w.s;
  const uint64_t most = core.limits.one;
  const bool reads = s.opcode == Opcode::tensor;
  const uint64_t n = s.weight.count(most);
  const uint64_t words = s.b.count(most);
  const uint64_t inputs = s.a.count(most);
  if (n > most || words > most || inputs > most) {
    return core.error(ErrorCode::chip_limit, "the loop nest is longer than the machine's limit", s)
        .detail("limit " + std::to_string(most) + " places");
  }
  EDGETWIN_TRY(check(core, w));
  const auto disagree = [&](uint64_t outputs) {
    return core.error(ErrorCode::chip_unknown, "the traversals of this instruction do not agree", s)
        .detail(std::to_string(inputs) + " inputs, " + std::to_string(n) + " weights, " +
                std::to_string(outputs) + " outputs");
  };
  if (reads && inputs != n) return disagree(words);
  if (s.leaves_sums() && s.acc.count(most) != n) return disagree(words);
  // Those that wait are unrolled again.
  EDGETWIN_TRY(core.charge_places(n, s));
  w.iterations = n;
  w.out = addresses_of(s.b);
  w.outputs = outputs_of(s, w.out.size());
  const auto longest = static_cast<size_t>(kMostLanes / 4 * s.result_bytes());
  const bool ordered = order_of(w) && w.outputs.front().count <= longest;
  if (by_rows && ordered) w.rows = rows_of(w);
  if (!w.rows) unroll_iterations(w);
  if (!within_lanes(w)) {
    return core.error(ErrorCode::chip_unknown, "numbers go from one lane to the next", s);
  }
  if (!ordered) return disagree(w.outputs.size());
  return Ok{};
}

}  // namespace

void product(const TensorIteration& w, const Tile& t, int64_t in, int64_t weight, int lanes,
             const std::array<int32_t, kMostLanes>& zero, int32_t* sums) {
  const std::byte* weights = line_of(t, weight);
  const int32_t weight_zero = w.nest.weight_zero_point;
  if (w.s.opcode == Opcode::tensor_max) {
    return max_lanes(weights + weight % 4, weight_zero, lanes, sums);
  }
  if (w.s.opcode == Opcode::tensor_exp) {
    return w.dot(kOnes, weights + weight % 4, 0, weight_zero, lanes, sums);
  }
  const std::byte* x = t.narrow.data() + in;
  const int32_t input_zero = w.nest.input_zero_point;
  if (w.form.words()) return dot_lanes(x, weights, input_zero, zero.data(), lanes, sums);
  w.dot(x, weights + weight % 4, input_zero, weight_zero, lanes, sums);
}

// Sums of an instruction without the bit of the kind that finishes them stay in wide memory, where
// w2n takes those of softmax as biases. The accumulators of layers nobody reads.
void leave(const Address& place, const int32_t* sums, int lanes, Tile& t) {
  std::memcpy(t.wide.data() + place.at / 4 * kWideLineBytes, sums, static_cast<size_t>(lanes) * 4);
}

Result<TensorIteration> iteration_of(Core& core, Step& s, bool by_rows) {
  const auto form = form_of(s);
  if (!form || !has_finite_numbers(*s.nest)) return unknown_form(core, s);
  TensorIteration w{.s = s, .nest = *s.nest, .list = core.steps.list, .form = *form};
  w.dot = dot_of(form->input, form->weight, form->products);
  w.tail = tail_of<uint8_t>(*s.nest);
  w.wide_tail = tail_of<uint16_t>(*s.nest);
  const bool never_longer = !s.nest->has_scales && std::abs(s.nest->multiplier) <= 1.0F;
  if (never_longer) w.tail = with_byte_limits(w.tail);
  w.makes_bytes = s.result_bytes() == 1 && !s.nest->function && has_byte_limits(w.tail);
  EDGETWIN_TRY(unroll_all(core, w, by_rows));
  return w;
}

Result<Progress> run_tensor(Core& core, Step& s) {
  if (s.opcode == Opcode::tensor_resize) return run_resize(core, s);
  EDGETWIN_TRY_ASSIGN(const TensorIteration w, iteration_of(core, s, !core.plain));
  for (size_t k = 0; k < kTiles; ++k) {
    if (has_tile(s.tiles, k) && w.nest.function && core.tiles[k].function == nullptr) {
      return core.error(ErrorCode::chip_unknown, "the table of the function is not known", s);
    }
  }
  for (size_t k = 0; k < kTiles; ++k) {
    if (has_tile(s.tiles, k) && !ready(w, k, core.tiles[k])) return Progress::waits;
  }
  for (size_t k = 0; k < kTiles; ++k) {
    if (!has_tile(s.tiles, k)) continue;
    EDGETWIN_TRY(core.charge_places(w.iterations + w.out.size(), s));
    w.rows ? run_rows(w, k, core.tiles[k]) : run_tile(w, k, core.tiles[k]);
  }
  return Progress::done;
}

}  // namespace edgetwin::edgetpu::machine
