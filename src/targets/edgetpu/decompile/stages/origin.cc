#include "targets/edgetpu/decompile/stages/origin.h"

#include <algorithm>
#include <bit>
#include <set>

#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kOriginWord = 4;

// Where the input's part for these tiles begins: units of eight bytes, and one.
int64_t first_word_of(const EngineFields& param) {
  return (static_cast<int64_t>(param.lines) - 1) * 2;
}

// Inputs in the order in which the program asks for them.
std::vector<size_t> order_of_inputs(const darwinn::Executable& executable) {
  std::vector<size_t> order;
  if (!executable.dma_hints) return order;
  for (const darwinn::DmaHint& h : executable.dma_hints->hints) {
    if (h.kind != darwinn::HintKind::descriptor || h.meta.base != darwinn::BaseAddress::input) {
      continue;
    }
    for (size_t i = 0; i < executable.inputs.size(); ++i) {
      const bool again = !order.empty() && order.back() == i;
      if (executable.inputs[i].name == h.meta.name && !again) order.push_back(i);
    }
  }
  return order;
}

}  // namespace

ChannelWalk written_channels(const Nest& nest, bool weighted, bool depthwise) {
  ChannelWalk w;
  w.path = nest.out;
  w.period = 0;
  w.words[0] = 1;
  const int64_t burst = nest.out.level[0].count;
  size_t last = 0;
  size_t repeating = 0;
  for (size_t k = 1; k < nest.out.size; ++k) {
    if (nest.out.level[k].count == 1) continue;
    last = k;
    ++repeating;
  }
  const auto is_group = [&](size_t k) { return nest.out.level[k].net == kOriginWord * burst; };
  if (weighted && !depthwise) {
    // Output groups: the input stands still in its outermost level.
    int64_t groups = 1;
    for (const Level& l : nest.in.levels()) {
      if (l.count > 1) groups = l.net == 0 ? l.count : 1;
    }
    for (size_t k = nest.out.size; k-- > 1 && groups > 1;) {
      if (nest.out.level[k].count != groups || !is_group(k)) continue;
      w.words[k] = burst;
      break;
    }
    return w;
  }
  constexpr int64_t kFullBurst = 16;
  const bool spread = burst == 1 && (repeating > 1 || depthwise);
  if (last != 0 && is_group(last) && (spread || (burst == kFullBurst && repeating > 1))) {
    w.words[last] = burst;
  }
  return w;
}

ChannelWalk read_channels(const Nest& nest, int64_t words) {
  ChannelWalk w;
  w.path = nest.in;
  w.period = words;
  int64_t known = 1;
  for (size_t k = 0; k < nest.in.size; ++k) {
    Level& l = w.path.level[k];
    if (l.net == 0 && k != w.path.short_level) l.count = 1;
    if (l.count == 1 || known >= words || l.net != kOriginWord * known) continue;
    w.words[k] = known;
    known *= l.count;
  }
  return w;
}

InputMap::InputMap(const darwinn::Executable& executable, const DecodedProgram& steps)
    : inputs_(executable.inputs.size()) {
  if (inputs_ < 2) return;
  order_ = order_of_inputs(executable);
  std::set<size_t> feeding;
  size_t infeeds = 0;
  for (const ProgramInstruction& s : steps.all) {
    if (s.opcode == Opcode::infeed) ++infeeds;
    if (steps.takes_input(s)) feeding.insert(infeeds);
  }
  // A program that decides transfers by itself takes back its own results after the inputs.
  const bool more = feeding.size() > order_.size() && executable.dma_hints &&
                    !executable.dma_hints->fully_deterministic;
  known_ = !order_.empty() && (more || feeding.size() == order_.size());
  if (known_) add_stores(steps);
}

void InputMap::add_fills(const CopyPattern& store, size_t input) {
  const int64_t apart = store.b_buffers;
  for (uint32_t mask = store.tiles; mask != 0; mask &= mask - 1) {
    auto& fills = fills_[static_cast<size_t>(std::countr_zero(mask)) % 16];
    constexpr size_t kMost = 256;
    if (fills.size() >= kMost) {
      known_ = false;
      return;
    }
    fills.push_back({store.b.lowest(), store.b.highest(), input});
    if (apart != 0) fills.push_back({store.b.lowest() + apart, store.b.highest() + apart, input});
  }
}

// A store takes what the next PARAM for its tiles after it brings.
void InputMap::add_stores(const DecodedProgram& steps) {
  std::set<size_t> before;  // infeeds whose data came
  size_t infeeds = 0;
  bool fetched = false;
  bool sent = false;
  std::vector<size_t> waiting;
  for (size_t i = 0; i < steps.all.size(); ++i) {
    const ProgramInstruction& s = steps.all[i];
    if (s.opcode == Opcode::infeed) ++infeeds;
    // Behind a fetch a store copies inside of a tile, before a send it takes another tile's words.
    if (s.opcode == Opcode::narrow_to_wide) {
      fetched = !sent;  // after a send it feeds that
      sent = false;
    }
    if (s.opcode == Opcode::ring_send) {
      waiting.clear();
      sent = true;
    }
    const bool taken = s.opcode == Opcode::ring_send || s.opcode == Opcode::outfeed;
    if (taken || steps.is_nest(i) || s.opcode == Opcode::param) fetched = false;
    if (s.opcode == Opcode::wide_to_narrow && !steps.copy(i).numbers) {
      if (!fetched) waiting.push_back(i);
      fetched = false;
    }
    if (s.opcode != Opcode::param) continue;
    if (!steps.takes_input(s)) {
      waiting.clear();
      continue;
    }
    before.insert(infeeds);
    const size_t number = before.size() - 1;
    const uint32_t tiles = steps.fields(s).destination;
    std::vector<size_t> still;
    for (const size_t w : waiting) {
      const CopyPattern& c = steps.copy(w);
      if ((c.tiles & tiles) == 0) {
        still.push_back(w);
        continue;
      }
      add_fills(c, number < order_.size() ? order_[number] : inputs_);
      feeds_[w] = {number, first_word_of(steps.fields(s)) + steps.fields(w).skipped, tiles};
    }
    waiting = still;
  }
}

std::optional<InputMap::Feed> InputMap::feed(size_t step) const {
  const auto found = feeds_.find(step);
  return found == feeds_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<size_t> InputMap::input_of(size_t feed_number) const {
  return feed_number < order_.size() ? std::optional(order_[feed_number]) : std::nullopt;
}

std::optional<size_t> InputMap::checked(size_t input) const {
  return input < inputs_ ? std::optional(input) : std::nullopt;
}

std::optional<size_t> InputMap::read(size_t step, size_t tile, int64_t word) {
  if (inputs_ == 1) return 0;
  if (!known_ || tile >= fills_.size()) return std::nullopt;
  std::vector<const Fill*> here;
  for (const Fill& f : fills_[tile]) {
    if (word >= f.low && word <= f.high) here.push_back(&f);
  }
  if (here.empty()) return std::nullopt;
  const bool one = std::all_of(here.begin(), here.end(),
                               [&](const Fill* f) { return f->input == here.front()->input; });
  if (one) return checked(here.front()->input);
  Reads& r = reads_[tile][here.front()->low];
  if (r.count == 0 || r.last_step != step) {
    ++r.count;
    r.last_step = step;
  }
  if (r.count > here.size()) return std::nullopt;
  return checked(here[r.count - 1]->input);
}

bool InputMap::certain() const {
  for (size_t t = 0; t < fills_.size(); ++t) {
    for (const auto& entry : reads_[t]) {
      const int64_t low = entry.first;
      const auto fills = std::count_if(fills_[t].begin(), fills_[t].end(), [low](const Fill& f) {
        return low >= f.low && low <= f.high;
      });
      if (static_cast<size_t>(fills) != entry.second.count) return false;
    }
  }
  return true;
}

}  // namespace edgetwin::edgetpu
