#include "targets/max78/planner/tensors.h"

#include <algorithm>
#include <numeric>

#include "targets/max78/registers/layer_regs.h"

namespace edgetwin::max78 {
namespace {

int thresh_of(int channels) {
  const int passes = (channels + kProcessors - 1) / kProcessors;
  const int each = (channels + passes - 1) / passes;
  return channels > kProcessors ? std::min((each + 3) & ~3, kProcessors) : each;
}

int passes_of(int channels) { return (channels + kProcessors - 1) / kProcessors; }

class TensorMaker {
 public:
  explicit TensorMaker(const HardwarePlan& plan) : plan_(plan) {
    const size_t n = plan.hardware_layers.size();
    t_.tensors.resize(n + 1);
    t_.sources.resize(n);
    parent_.resize(n + 1);
    std::iota(parent_.begin(), parent_.end(), 0);
    delta_.assign(n + 1, 0);
  }

  TensorTable run() {
    input();
    for (size_t k = 0; k < plan_.order.size(); ++k) add(plan_.order[k], static_cast<int>(k));
    for (size_t k = 0; k < plan_.order.size(); ++k) read(plan_.order[k], static_cast<int>(k));
    streams();
    for (const int i : plan_.order) tie(i);
    groups();
    return std::move(t_);
  }

 private:
  PlanTensor& tensor(int i) { return t_.tensors[static_cast<size_t>(i)]; }
  std::vector<int>& sources(int layer) { return t_.sources[static_cast<size_t>(layer)]; }

  void input() {
    const HardwareLayer& l = plan_.layer(plan_.start);
    PlanTensor& in = tensor(kInputTensor);
    in.used = true;
    in.channels = l.in_channels;
    in.width = thresh_of(in.channels);
    in.planes = l.yaml->big_data;
    const int64_t pixels = int64_t{l.in_dim.h} * l.in_dim.w;
    in.bytes = in.planes ? (pixels + 3) / 4 * 4 : 4 * pixels * passes_of(in.channels) * l.operands;
    in.first = -1;
    in.last = 0;
    if (l.yaml->has(ai8x::Key::processors)) in.fixed_map = l.processors;
    if (l.yaml->in_offset) in.fixed_offset = l.in_offset;
    if (plan_.options.use_fifo() && in.fixed_map == 0) fifo_map(in);
    if (plan_.options.use_fifo()) in.bytes = std::min(in.bytes, rolling(l, in.bytes));
  }

  // Each FIFO feeds the first processors of its group.
  void fifo_map(PlanTensor& in) const {
    for (int c = 0; c < in.width; ++c) {
      const int p = in.planes ? 16 * c : c / 4 * 16 + c % 4;
      if (p < kProcessors) in.fixed_map |= uint64_t{1} << p;
    }
  }

  // A streaming layer reads from a ring where a FIFO feeds the network.
  int64_t rolling(const HardwareLayer& l, int64_t bytes) const {
    if (!l.streaming || !plan_.options.use_fifo()) return bytes;
    const StreamValues v = stream_values(plan_, l);
    return v.rolls && v.rollover > 0 ? 4 * v.rollover + 4 : bytes;
  }

  void add(int i, int at) {
    const HardwareLayer& l = plan_.layer(i);
    PlanTensor& t = tensor(i + 1);
    const auto& y = *l.yaml;
    t.used = true;
    t.channels = l.out_channels;
    t.width = thresh_of(t.channels);
    const int64_t pixels = int64_t{l.out_dim.h} * l.out_dim.w + l.out_pad;
    t.bytes = 4 * pixels * passes_of(t.channels) * (l.output_width / 8);
    t.before = l.out_ignore;
    t.first = at;
    t.last = l.output || i == plan_.last ? static_cast<int>(plan_.order.size()) : at;
    if (y.has(ai8x::Key::write_gap)) t.gap = y.write_gap;
    if (y.output_processors) t.fixed_map = *y.output_processors;
    if (i == plan_.last && plan_.network->output_map) t.fixed_map = *plan_.network->output_map;
    if (y.has(ai8x::Key::out_offset)) t.fixed_offset = y.out_offset;
    buffer_writer(y, t);
  }

  // Layers that shift the rolling buffer or put something at its end write into it.
  void buffer_writer(const ai8x::Layer& y, PlanTensor& t) const {
    if (!plan_.network->data_buffer) return;
    const ai8x::DataBuffer& b = *plan_.network->data_buffer;
    const int64_t word = int64_t{4} * passes_of(b.channels);
    if (y.buffer_shift) t.fixed_offset = b.offset;
    if (y.buffer_insert) t.fixed_offset = b.offset + word * (b.dim.h - *y.buffer_insert);
    if (!y.buffer_shift && !y.buffer_insert) return;
    t.fixed_map = b.processors;
    t.last = static_cast<int>(plan_.order.size());
    t.first = -1;  // what it holds is older than the run
  }

  void read(int i, int at) {
    const HardwareLayer& l = plan_.layer(i);
    const std::vector<int> wanted = l.yaml->in_sequences.value_or(std::vector<int>{});
    std::vector<int>& from = sources(i);
    for (const int s : wanted) {
      if (s != ai8x::kDataBuffer) from.push_back(s == ai8x::kInput ? kInputTensor : s + 1);
    }
    if (wanted.empty()) from.push_back(l.prev < 0 ? kInputTensor : l.prev + 1);
    for (const int s : from) {
      PlanTensor& t = tensor(s);
      t.last = std::max(t.last, at);
      if (s != kInputTensor) t.bytes = std::min(t.bytes, rolling(l, t.bytes));
      if (from.size() == 1 && l.yaml->has(ai8x::Key::processors) && t.fixed_map == 0) {
        t.fixed_map = l.processors;
      }
      const bool plain = from.size() == 1 && t.gap == 0 && l.yaml->in_crop[0] == 0;
      if (plain && l.yaml->has(ai8x::Key::in_offset) && !t.fixed_offset) {
        t.fixed_offset = *l.yaml->in_offset;
      }
    }
  }

  // Streaming layers run side by side, and what they read and write is there as long as one runs.
  void streams() {
    for (size_t k = 0; k < plan_.order.size(); ++k) {
      if (!plan_.layer(plan_.order[k]).streaming) continue;
      size_t end = k;
      while (end + 1 < plan_.order.size() && plan_.layer(plan_.order[end + 1]).streaming) ++end;
      for (size_t n = k; n <= end; ++n) {
        std::vector<int> all = sources(plan_.order[n]);
        all.push_back(plan_.order[n] + 1);
        for (const int s : all) {
          PlanTensor& t = tensor(s);
          t.first = std::min(t.first, static_cast<int>(k));
          t.last = std::max(t.last, static_cast<int>(end));
        }
      }
      k = end;
    }
  }

  int root(int i, int& delta) const {
    delta = 0;
    while (parent_[static_cast<size_t>(i)] != i) {
      delta += delta_[static_cast<size_t>(i)];
      i = parent_[static_cast<size_t>(i)];
    }
    return i;
  }

  // Tensor b begins `distance` processors after tensor a.
  void join(int a, int b, int distance, int layer) {
    int da = 0, db = 0;
    const int ra = root(a, da), rb = root(b, db);
    if (ra != rb) {
      parent_[static_cast<size_t>(rb)] = ra;
      delta_[static_cast<size_t>(rb)] = da + distance - db;
    } else if (db - da != distance) {
      misfit(layer, "its operands would have to lie on two sets of processors at once");
    }
  }

  void misfit(int layer, const std::string& what) {
    t_.misfits.push_back(ai8x::layer_name(*plan_.network, static_cast<size_t>(layer)) + ": " +
                         what);
  }

  void tie(int i) {
    const HardwareLayer& l = plan_.layer(i);
    const std::vector<int>& from = sources(i);
    if (from.size() > 1) operands(i, l, from);
    const bool moves_nothing = l.passthrough() || l.depthwise();
    if (moves_nothing && !from.empty() && tensor(i + 1).fixed_map == 0) {
      join(from.front(), i + 1, 0, i);
    }
  }

  void operands(int i, const HardwareLayer& l, const std::vector<int>& from) {
    int channels = 0;
    for (const int s : from) channels += tensor(s).channels;
    const bool sums = l.operands > 1;
    if (!sums && channels <= kProcessors) {
      int at = 0;
      for (const int s : from) {
        join(from.front(), s, at, i);
        at += tensor(s).width;
      }
      beside(from, i, false);
      return;
    }
    for (const int s : from) join(from.front(), s, 0, i);
    beside(from, i, true);
  }

  // Tensors that begin at one offset, with their words between each other's.
  void beside(const std::vector<int>& from, int layer, bool between) {
    const auto n = static_cast<int>(from.size());
    for (int k = 0; k < n; ++k) {
      PlanTensor& t = tensor(from[static_cast<size_t>(k)]);
      const bool taken = between && t.block >= 0 && (t.slot != k || t.gap != n - 1);
      if (taken || (between && from[static_cast<size_t>(k)] == kInputTensor)) {
        misfit(layer,
               "an operand already lies between the words of others; a passthrough layer "
               "before it makes a copy");
        return;
      }
      if (between) {
        t.gap = n - 1;
        t.slot = k;
      }
      t.block = blocks_;
    }
    ++blocks_;
  }

  void groups() {
    std::vector<int> group_of(t_.tensors.size(), -1);
    for (size_t i = 0; i < t_.tensors.size(); ++i) {
      PlanTensor& t = t_.tensors[i];
      if (!t.used) continue;
      const int r = root(static_cast<int>(i), t.delta);
      int& g = group_of[static_cast<size_t>(r)];
      if (g < 0) {
        g = static_cast<int>(t_.groups.size());
        t_.groups.push_back({t.delta, 0, 4, false, 0});
      }
      t.group = g;
      MapGroup& m = t_.groups[static_cast<size_t>(g)];
      const int width = t.planes ? 4 * t.width - 3 : t.width;
      const int high = std::max(m.low + m.extent, t.delta + width);
      m.low = std::min(m.low, t.delta);
      m.extent = high - m.low;
    }
    for (const PlanTensor& t : t_.tensors) {
      if (!t.used || t.fixed_map == 0) continue;
      MapGroup& m = t_.groups[static_cast<size_t>(t.group)];
      m.fixed = true;
      m.base = lowest_bit(t.fixed_map) - (t.delta - m.low);
    }
    for (const MapGroup& m : t_.groups) {
      if (m.extent <= kProcessors) continue;
      t_.misfits.push_back(std::to_string(m.extent) +
                           " processors would have to hold tensors side by side; there are 64");
    }
  }

  const HardwarePlan& plan_;
  TensorTable t_;
  std::vector<int> parent_, delta_;
  int blocks_ = 0;
};

}  // namespace

TensorTable make_tensors(const HardwarePlan& plan) { return TensorMaker(plan).run(); }

void give_maps(TensorTable& table) {
  for (PlanTensor& t : table.tensors) {
    if (!t.used) continue;
    t.map = t.fixed_map;
    if (t.map != 0) continue;
    const MapGroup& m = table.groups[static_cast<size_t>(t.group)];
    const int first = m.base + t.delta - m.low;
    for (int c = 0; c < t.width; ++c) {
      const int p = t.planes ? first + 4 * c : first + c;
      if (p >= 0 && p < kProcessors) t.map |= uint64_t{1} << p;
    }
  }
}

}  // namespace edgetwin::max78
