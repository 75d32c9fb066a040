// The tensor instruction: a loop nest that multiplies what it reads from narrow memory with what
// lies in wide memory, and writes bytes.
#include <algorithm>
#include <cstring>

#include "targets/edgetpu/machine/dot.h"
#include "targets/edgetpu/machine/work.h"

namespace edgetwin::edgetpu::machine {
namespace {

std::vector<Output> outputs_of(const Step& s, size_t words) {
  std::vector<Output> all;
  const size_t half = s.wide_result != 0 ? 2 : 1;  // results of 16 bits need twice the words
  const size_t most = std::max<size_t>(1, static_cast<size_t>(s.lanes) / 4 * half);
  std::array<int64_t, kLoopLevels> index{};
  const Generator& g = s.b;
  for (size_t n = 0; n < words;) {
    for (auto left = static_cast<size_t>(g.inner(index)); left != 0;) {
      const size_t count = std::min(left, most);
      all.push_back({n, count});
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

bool order_of(Work& w) {
  const size_t total = w.in.size();
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

struct Numbers {
  const uint32_t* bias = nullptr;
  const uint32_t* scale = nullptr;
};

// Of the output: sets of numbers are spread evenly over the outputs.
const uint32_t* set_for(const ChannelNumbers& n, size_t output, size_t outputs) {
  if (n.count == 0) return nullptr;
  return n.set(output * n.count / outputs);
}

int lanes_of(const Work& w, size_t output) {
  return static_cast<int>(w.outputs[output].count * 4 / w.result_bytes());
}

uint16_t result(const Work& w, const Tile& t, int32_t sum, float m) {
  const bool wide = w.s.wide_result != 0;
  if (w.nest.function) return through_table(*t.function, w.s, sum, m, wide ? 65535 : 255);
  return wide ? w.wide_tail(sum, m) : w.tail(sum, m);
}

void finish(const Work& w, Tile& t, size_t output, const int32_t* sums, int lanes) {
  const Output& o = w.outputs[output];
  const uint32_t* scale = w.nest.has_scales ? set_for(t.scales, output, w.outputs.size()) : nullptr;
  std::array<std::byte, 2 * kMostLanes> bytes{};
  for (int lane = 0; lane < lanes; ++lane) {
    const auto l = static_cast<size_t>(lane);
    float m = w.nest.multiplier;
    if (scale != nullptr && l < t.scales.channels) std::memcpy(&m, scale + l, 4);
    int32_t sum = sums[l];
    add(sum, w.nest.constant);
    const uint16_t value = result(w, t, sum, m);
    // The low byte first, as everywhere.
    std::memcpy(bytes.data() + l * w.result_bytes(), &value, w.result_bytes());
  }
  for (size_t k = 0; k < o.count; ++k) {
    std::memcpy(t.narrow.data() + w.out[o.first + k].at, bytes.data() + k * 4, 4);
  }
}

void start_sums(const Work& w, const Tile& t, size_t output, int lanes, int32_t* sums) {
  std::fill_n(sums, lanes, 0);
  if (!w.nest.has_bias) return;
  const uint32_t* bias = set_for(t.biases, output, w.outputs.size());
  if (bias == nullptr) return;
  for (size_t l = 0; l < std::min<size_t>(static_cast<size_t>(lanes), t.biases.channels); ++l) {
    sums[l] = static_cast<int32_t>(bias[l]);
  }
}

int32_t half(const std::byte* x) {
  return static_cast<int32_t>(x[0]) | static_cast<int32_t>(x[1]) << 8U;
}

// One iteration.
void product(const Work& w, const Tile& t, size_t n, int lanes,
             const std::array<int32_t, kMostLanes>& zero, int32_t* sums) {
  const std::byte* x = t.narrow.data() + w.in[n].at;
  const int64_t at = w.weight[n].at;
  const std::byte* weights = t.wide.data() + at / 4 * kWideLineBytes;
  switch (w.form) {
    case Form::words:
      return dot_lanes(x, weights, w.nest.input_zero_point, zero.data(), lanes, sums);
    case Form::pairs:
      return dot_pairs(x, weights, lanes, sums);
    case Form::bytes:
      return dot_bytes(static_cast<int32_t>(x[0]) - w.nest.input_zero_point, weights + at % 4,
                       w.nest.weight_zero_point, lanes, sums);
    case Form::halves_bytes:
      return dot_bytes(half(x) - w.nest.input_zero_point, weights + at % 4,
                       w.nest.weight_zero_point, lanes, sums);
    case Form::halves:
      return dot_halves(half(x) - w.nest.input_zero_point, weights + at % 4,
                        w.nest.weight_zero_point, lanes, sums);
  }
}

void run_tile(const Work& w, size_t tile, Tile& t) {
  const Order& r = w.order;
  std::vector<int32_t> sums(r.sums * kMostLanes);
  std::array<int32_t, kMostLanes> zero{};
  const size_t group = r.inner * r.sums * r.outer;
  uint32_t in_pass = ~0U;
  uint32_t weight_pass = ~0U;
  size_t header = static_cast<size_t>(-1);
  for (size_t first = 0; first < w.in.size(); first += group) {
    const size_t output = first / group * r.sums;
    const int lanes = lanes_of(w, output);
    // Zero points come with the biases and scales, one set for each of their groups.
    const size_t headers =
        std::max<size_t>({size_t{1}, w.s.zero_sets, w.nest.has_scales ? t.scales.count : 1,
                          w.nest.has_bias ? t.biases.count : 1});
    const size_t now = output * headers / w.outputs.size();
    zero_points(w, t, lanes, now != header, zero);
    header = now;
    for (size_t k = 0; k < r.sums; ++k) {
      start_sums(w, t, output + k, lanes, sums.data() + k * kMostLanes);
    }
    for (size_t n = first; n < first + group; ++n) {
      if (w.streamed_input(tile) && w.in[n].pass != in_pass) {
        commit_input(w, t, w.in[n]);
        in_pass = w.in[n].pass;
      }
      if (w.streamed_weights() && w.weight[n].pass != weight_pass) {
        commit_weights(w, tile, t, w.weight[n]);
        weight_pass = w.weight[n].pass;
      }
      const size_t at = n - first;
      const size_t sum = at / r.inner % r.sums;
      product(w, t, n, lanes, zero, sums.data() + sum * kMostLanes);
    }
    for (size_t k = 0; k < r.sums; ++k) {
      finish(w, t, output + k, sums.data() + k * kMostLanes, lanes);
    }
  }
}

template <class T>
numerics::edgetpu::Tail<T> tail_of(const Nest& n) {
  numerics::edgetpu::Tail<T> tail;
  tail.clamp = {n.lower, n.upper};
  tail.zero = n.output_zero_point;
  return tail;
}

// Bytes of a lane that are multiplied together.
int lane_step(Form form) {
  switch (form) {
    case Form::words:
    case Form::pairs:
      return 4;
    case Form::halves:
      return 2;
    case Form::bytes:
    case Form::halves_bytes:
      return 1;
  }
  return 4;
}

Status check(Core& core, const Work& w) {
  const Step& s = w.s;
  const int64_t read = w.form == Form::words ? 4 : w.form == Form::bytes ? 1 : 2;
  EDGETWIN_TRY(core.check(s.a, read, kNarrowBytes, s));
  EDGETWIN_TRY(core.check(s.b, 1, kNarrowBytes - 3, s));
  EDGETWIN_TRY(core.check(s.weight, 1, kWideLines * 4, s));
  if (s.zero_line + 2 * s.zero_distance > kWideLines) {
    return core.error(ErrorCode::chip_address, "zero points behind the end of wide memory", s);
  }
  return Ok{};
}

}  // namespace

Result<Progress> run_tensor(Core& core, Step& s) {
  if (s.softmax != SoftmaxPart::none) {
    EDGETWIN_TRY_ASSIGN(const bool taken, run_softmax(core, s));
    if (taken) return Progress::done;
  }
  if (s.opcode == Opcode::tensor_resize) return run_resize(core, s);
  if (s.opcode != Opcode::tensor) {
    return core.error(ErrorCode::chip_unknown, "what this instruction does is not known", s);
  }
  const auto form = form_of(s);
  Work w{s,
         *s.nest,
         nullptr,
         form.value_or(Form::words),
         {},
         {},
         {},
         {},
         {},
         tail_of<uint8_t>(*s.nest),
         tail_of<uint16_t>(*s.nest)};
  if (!form) {
    return core
        .error(ErrorCode::chip_unknown, "what this form of the instruction does is not known", s)
        .detail("kind " + std::to_string(w.nest.kind) + ", multiplier " +
                std::to_string(w.nest.multiplier) +
                (w.nest.function ? ", through a function table" : ""));
  }
  const uint64_t most = core.limits.one;
  const uint64_t n = s.a.count(most);
  const uint64_t words = s.b.count(most);
  if (n > most || words > most || s.weight.count(most) > most) {
    return core.error(ErrorCode::chip_limit, "the loop nest is longer than the machine's limit", s)
        .detail("limit " + std::to_string(most) + " places");
  }
  EDGETWIN_TRY(check(core, w));
  const auto disagree = [&](uint64_t outputs) {
    return core.error(ErrorCode::chip_unknown, "the traversals of this instruction do not agree", s)
        .detail(std::to_string(n) + " inputs, " + std::to_string(s.weight.count(most)) +
                " weights, " + std::to_string(outputs) + " outputs");
  };
  if (s.weight.count(most) != n) return disagree(words);
  // Those that wait are unrolled again.
  EDGETWIN_TRY(core.charge_places(n, s));
  w.in = places_of(s.a);
  w.weight = places_of(s.weight);
  w.out = places_of(s.b);
  w.outputs = outputs_of(s, w.out.size());
  if (s.feeder != kNone) w.feeder = &core.steps.list[s.feeder];
  const int whole = lane_step(w.form);
  const bool split = std::any_of(w.weight.begin(), w.weight.end(),
                                 [&](const Place& place) { return place.at % whole != 0; });
  if (split) {
    return core.error(ErrorCode::chip_unknown, "lanes are read from the middle of their bytes on",
                      s);
  }
  if (!order_of(w) || lanes_of(w, 0) > kMostLanes) return disagree(w.outputs.size());
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
    EDGETWIN_TRY(core.charge_places(n + words, s));
    run_tile(w, k, core.tiles[k]);
  }
  return Progress::done;
}

}  // namespace edgetwin::edgetpu::machine
