// The tensor instruction: a loop nest that multiplies what it reads from narrow memory with what
// lies in wide memory, and writes bytes.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "numerics/flavour/edgetpu_common.h"
#include "targets/edgetpu/machine/core.h"
#include "targets/edgetpu/machine/dot.h"

namespace edgetwin::edgetpu::machine {
namespace {

constexpr uint32_t kKindBytes = 0x1C00;     // single bytes of narrow memory
constexpr uint32_t kKindFromWide = 0x1800;  // bytes of wide memory instead of weights
constexpr int kMostLanes = 64;

// One address of a traversal, and the pass it belongs to.
struct Place {
  int32_t at;
  uint32_t pass;
};

std::vector<Place> places_of(const Generator& g) {
  std::vector<Place> all;
  unroll(g, [&](int64_t at, uint32_t pass) { all.push_back({static_cast<int32_t>(at), pass}); });
  return all;
}

// What is written at once: words [first, first + count) of the output's places.
struct Output {
  size_t first = 0, count = 0;
};

// Up to 64 accumulators leave together as the innermost level; with the weights of single words
// (copies, additions) each word is an output.
std::vector<Output> outputs_of(const Generator& g, size_t words, uint32_t kind) {
  std::vector<Output> all;
  if ((kind & (kKindWeights | kKindFromWide)) == 0 || (kind & kKindBytes) == kKindBytes) {
    for (size_t n = 0; n < words; ++n) all.push_back({n, 1});
    return all;
  }
  std::array<int64_t, kLoopLevels> index{};
  for (size_t n = 0; n < words;) {
    const auto count = static_cast<size_t>(g.inner(index));
    all.push_back({n, count});
    n += count;
    for (size_t k = 1; k < g.path.size; ++k) {
      if (++index[k] < g.path.level[k].count) break;
      index[k] = 0;
    }
  }
  return all;
}

// How the iterations make outputs: `inner` products in a row for one accumulator, `sums`
// accumulators in turn, `outer` rounds of that, then the next `sums` outputs.
struct Order {
  size_t inner = 1, sums = 1, outer = 1;
};

struct Work {
  Step& s;
  const Nest& nest;
  std::vector<Place> in, weight, out;
  std::vector<Output> outputs;
  Order order;
  numerics::edgetpu::Tail<uint8_t> tail;
};

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

// Weight zero points of the lanes of a group.
void zero_points(const Work& w, Tile& t, int lanes, bool next, std::array<int32_t, kMostLanes>& z) {
  if (!w.nest.channel_zero_points) {
    z.fill(w.nest.weight_zero_point);
    return;
  }
  const std::byte* line = t.wide.data() + w.s.zero_line * kWideLineBytes;
  if (w.s.zero_distance != 0 && next) {
    Stream* stream = t.wide_streams.find(w.s.zero_line, w.s.zero_distance, w.s.zero_start);
    if (stream != nullptr && stream->waiting(Reader::zero_points, w.s.zero_line) != 0) {
      const Bytes& pass = stream->next(Reader::zero_points, w.s.zero_line);
      const auto at =
          static_cast<size_t>(stream->offset(w.s.zero_line)) * static_cast<size_t>(kWideLineBytes);
      std::memcpy(t.wide.data() + w.s.zero_line * kWideLineBytes, pass.data() + at,
                  static_cast<size_t>(kWideLineBytes));
    }
  }
  for (int lane = 0; lane < lanes; ++lane) {
    std::memcpy(&z[static_cast<size_t>(lane)], line + static_cast<size_t>(lane) * 4, 4);
  }
}

// Puts the passes that an iteration begins into memory.
void commit_input(const Work& w, Tile& t, const Place& place) {
  Stream* stream = t.narrow_streams.find(w.s.a.path.start / 4, w.s.a.stream_by / 4);
  if (stream == nullptr || stream->waiting(Reader::input, w.s.a.path.start / 4) == 0) return;
  const Bytes& pass = stream->next(Reader::input, w.s.a.path.start / 4);
  // The instruction may begin with another byte of the first word.
  const auto offset = stream->offset(w.s.a.path.start / 4) * 4 + w.s.a.path.start % 4;
  const int64_t base = place.at - offset;
  if (pass.empty() || base < 0 || base + static_cast<int64_t>(pass.size()) > kNarrowBytes) return;
  std::memcpy(t.narrow.data() + base, pass.data(), pass.size());
}

Stream* weights_of(const Step& s, Tile& t) {
  return t.wide_streams.find(s.weight.path.start / 4, s.weight.stream_by / 4,
                             s.weight.stream_start);
}

void commit_weights(const Work& w, Tile& t, const Place& place) {
  Stream* stream = weights_of(w.s, t);
  if (stream == nullptr) return;
  const Bytes& pass = stream->next(Reader::weights, w.s.weight.path.start / 4);
  const int64_t base = place.at * kQuarterBytes;
  if (base + static_cast<int64_t>(pass.size()) > kWideBytes) return;
  std::memcpy(t.wide.data() + base, pass.data(), pass.size());
}

// How many passes the tile must have before the instruction can run to its end.
bool ready(const Work& w, Tile& t) {
  if (w.s.a.streamed()) {
    Stream* stream = t.narrow_streams.find(w.s.a.path.start / 4, w.s.a.stream_by / 4);
    if (stream == nullptr ||
        stream->waiting(Reader::input, w.s.a.path.start / 4) < w.in.back().pass + size_t{1}) {
      return false;
    }
  }
  if (w.s.weight.streamed() && (w.nest.kind & kKindWeights) != 0) {
    Stream* stream = weights_of(w.s, t);
    if (stream == nullptr || stream->waiting(Reader::weights, w.s.weight.path.start / 4) <
                                 w.weight.back().pass + size_t{1}) {
      return false;
    }
  }
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

void finish(const Work& w, Tile& t, size_t output, const int32_t* sums, int lanes) {
  const Output& o = w.outputs[output];
  const uint32_t* scale = w.nest.has_scales ? set_for(t.scales, output, w.outputs.size()) : nullptr;
  std::array<uint8_t, kMostLanes> bytes{};
  for (int lane = 0; lane < lanes; ++lane) {
    const auto l = static_cast<size_t>(lane);
    float m = w.nest.multiplier;
    if (scale != nullptr && l < t.scales.channels) std::memcpy(&m, scale + l, 4);
    bytes[l] = w.tail(int64_t{sums[l]} + w.nest.constant, m);
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

// One iteration: four bytes, or one, or two with weights of 16 bits.
void product(const Work& w, const Tile& t, size_t n, size_t inner, int lanes,
             const std::array<int32_t, kMostLanes>& zero, int32_t* sums) {
  const std::byte* x = t.narrow.data() + w.in[n].at;
  const std::byte* weights = t.wide.data() + int64_t{w.weight[n].at} * kQuarterBytes;
  const uint32_t routing = w.nest.kind & kKindBytes;
  if (routing == kKindBytes) {
    // A byte goes to the channel that its place in the word says.
    add(sums[inner % 4], static_cast<int32_t>(x[0]) - w.nest.input_zero_point);
  } else if ((w.nest.kind & kKindFromWide) == kKindFromWide) {
    const int32_t factor = static_cast<int32_t>(x[0]);
    for (int l = 0; l < lanes; ++l) {
      add(sums[l], factor * (static_cast<int32_t>(weights[l]) - w.nest.weight_zero_point));
    }
  } else if ((w.nest.kind & kKindTwoOperands) != 0) {
    for (int l = 0; l < lanes; ++l) {
      int16_t pair[2];
      std::memcpy(pair, weights + l * 4, 4);
      add(sums[l], static_cast<int32_t>(x[0]) * pair[0] + static_cast<int32_t>(x[1]) * pair[1]);
    }
  } else {
    dot_lanes(x, weights, w.nest.input_zero_point, zero.data(), lanes, sums);
  }
}

void run_tile(const Work& w, Tile& t) {
  const Order& r = w.order;
  std::vector<int32_t> sums(r.sums * kMostLanes);
  std::array<int32_t, kMostLanes> zero{};
  const size_t group = r.inner * r.sums * r.outer;
  uint32_t in_pass = ~0U;
  uint32_t weight_pass = ~0U;
  size_t header = static_cast<size_t>(-1);
  const bool streamed_weights = w.s.weight.streamed() && (w.nest.kind & kKindWeights) != 0;
  for (size_t first = 0; first < w.in.size(); first += group) {
    const size_t output = first / group * r.sums;
    const int lanes = static_cast<int>(w.outputs[output].count) * 4;
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
      if (w.s.a.streamed() && w.in[n].pass != in_pass) {
        commit_input(w, t, w.in[n]);
        in_pass = w.in[n].pass;
      }
      if (streamed_weights && w.weight[n].pass != weight_pass) {
        commit_weights(w, t, w.weight[n]);
        weight_pass = w.weight[n].pass;
      }
      const size_t at = n - first;
      const size_t sum = at / r.inner % r.sums;
      product(w, t, n, at % r.inner, lanes, zero, sums.data() + sum * kMostLanes);
    }
    for (size_t k = 0; k < r.sums; ++k) {
      finish(w, t, output + k, sums.data() + k * kMostLanes, lanes);
    }
  }
}

// The forms whose results were seen to be right. Products of two activations, additions, sums of 16
// bits and other forms would give numbers, too, but nobody knows whether the right ones.
bool known_form(const Nest& n) {
  constexpr uint32_t kWeighted = kKindWeights | 0x10U;
  constexpr uint32_t kVariants = kKindFinished | 0x2000U;  // finished in one go; zero points
  constexpr uint32_t kPlain = 0x30;
  constexpr uint32_t kSingleBytes = 0x1C30;
  constexpr uint32_t kSumOfBytes = 0x1870;
  if (n.function) return false;
  // Zeros and ones that pick channels, for concatenations and splits.
  const bool selects = (n.kind & kKindWeights) != 0 && n.multiplier == 1.0F && !n.has_scales &&
                       !n.channel_zero_points && n.weight_zero_point == 0;
  if (selects) return false;
  if ((n.kind & ~kVariants) == kWeighted || n.kind == kPlain) return true;
  const bool unbounded = std::isinf(n.upper);
  if (n.kind == kSingleBytes) return unbounded && n.multiplier == 1.0F;
  return n.kind == kSumOfBytes && !unbounded;
}

numerics::edgetpu::Tail<uint8_t> tail_of(const Nest& n) {
  numerics::edgetpu::Tail<uint8_t> tail;
  tail.clamp = {n.lower, n.upper};
  tail.zero = n.output_zero_point;
  return tail;
}

Status check(Core& core, const Work& w) {
  const Step& s = w.s;
  EDGETWIN_TRY(core.check(s.a, 1, kNarrowBytes, s));
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
  if (s.opcode != Opcode::tensor) {
    return core.error(ErrorCode::chip_unknown, "what this instruction does is not known", s);
  }
  Work w{s, *s.nest, {}, {}, {}, {}, {}, tail_of(*s.nest)};
  if (!known_form(w.nest)) {
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
  w.in = places_of(s.a);
  w.weight = places_of(s.weight);
  w.out = places_of(s.b);
  w.outputs = outputs_of(s.b, w.out.size(), w.nest.kind);
  if (w.weight.size() != w.in.size() || !order_of(w) || w.outputs.front().count > 16) {
    return core.error(ErrorCode::chip_unknown, "the traversals of this instruction do not agree", s)
        .detail(std::to_string(w.in.size()) + " inputs, " + std::to_string(w.weight.size()) +
                " weights, " + std::to_string(w.outputs.size()) + " outputs");
  }
  for (size_t k = 0; k < kTiles; ++k) {
    if (has_tile(s.tiles, k) && !ready(w, core.tiles[k])) return Progress::waits;
  }
  for (size_t k = 0; k < kTiles; ++k) {
    if (!has_tile(s.tiles, k)) continue;
    EDGETWIN_TRY(core.charge_places(n + words, s));
    run_tile(w, core.tiles[k]);
  }
  return Progress::done;
}

}  // namespace edgetwin::edgetpu::machine
