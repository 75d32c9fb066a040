#include "targets/max78/machine/compare/side_by_side.h"

#include <map>

#include "targets/max78/machine/state/finding_list.h"

namespace edgetwin::max78 {
namespace {

class Watcher {
 public:
  Watcher(Machine& machine, const Plan& plan, const SimulationResult& result)
      : machine_(machine), plan_(plan) {
    for (const LayerResult& r : result.layers) {
      const int number = plan.hw_layer(r.layer);
      by_number_[number] = &r;
      LayerAgreement a;
      a.layer = r.layer;
      a.hw_layer = number;
      agreements_[number] = a;
    }
  }

  void see(const MachineStep& step) {
    const auto found = by_number_.find(step.layer);
    if (found == by_number_.end()) return;
    LayerAgreement& a = agreements_[step.layer];
    if (step.kind == MachineStep::Kind::layer_ends) a.inputs = inputs_text(step.layer);
    if (step.kind == MachineStep::Kind::write) word(step, *found->second, a);
  }

  SideBySide take() {
    SideBySide s;
    for (const int i : plan_.order) {
      const auto found = agreements_.find(plan_.hw_layer(i));
      if (found == agreements_.end()) continue;
      const LayerAgreement& a = found->second;
      if (s.first < 0 && !a.equal()) s.first = a.layer;
      s.layers.push_back(a);
    }
    return s;
  }

 private:
  void word(const MachineStep& step, const LayerResult& r, LayerAgreement& a) {
    const LayerPlan& l = plan_.layer(r.layer);
    WordOrigin o = machine_.origin(step.address);
    if (l.emulated_eltwise && l.passthrough()) {  // the passes are rows of their own
      o.pass = static_cast<int>(o.pixel % l.out_expand);
      o.pixel /= l.out_expand;
    }
    const int64_t pixels = l.out_dim.h * int64_t{l.out_dim.w};
    // Some layers write pixels in front of their output that nobody reads.
    const int64_t pixel = o.pixel - l.out_ignore / (4 * int64_t{l.out_expand});
    if (pixel < 0 || pixel >= pixels) return;
    for (int b = 0; b < (o.wide ? 1 : 4); ++b) {
      const int c = channel_of(l, step.address, o, b);
      if (c < 0 || o.channels[b] < 0) continue;
      const auto index = static_cast<size_t>(c * pixels + pixel);
      const int64_t want =
          o.wide ? int64_t{r.out.as<int32_t>()[index]} : int64_t{r.out.as<int8_t>()[index]};
      const int64_t have =
          o.wide ? int64_t{static_cast<int32_t>(step.value)}
                 : int64_t{static_cast<int8_t>(static_cast<uint8_t>(step.value >> (8 * b)))};
      ++a.values;
      if (want == have || a.different++ > 0) continue;
      a.channel = c;
      a.row = static_cast<int>(pixel / l.out_dim.w);
      a.column = static_cast<int>(pixel % l.out_dim.w);
      a.machine = have;
      a.graph = want;
      a.address = step.address;
      a.accumulator = machine_.accumulator(step.address, b);
    }
  }

  // By the network's own map of output processors; -1: a byte that is none's.
  int channel_of(const LayerPlan& l, uint32_t address, const WordOrigin& o, int byte) const {
    for (int i = 0; i < kProcessors / kInstanceProcessors; ++i) {
      const uint32_t base = plan_.chip->data_address(i);
      if (address < base || address - base >= plan_.chip->instance_stride) continue;
      if (o.wide) byte = static_cast<int>((address - base - l.out_offset) / 4 % 4);
      const int p = i * kInstanceProcessors + byte;
      if (!in_map(l.out_processors, p)) return -1;
      const uint64_t before = l.out_processors & ((uint64_t{1} << p) - 1);
      const int c = o.pass * l.out_thresh + count_bits(before);
      return c < l.out_channels ? c : -1;
    }
    return -1;
  }

  std::string inputs_text(int layer) const {
    std::string text;
    for (const Machine::InputWords& w : machine_.inputs_of(layer)) {
      text += (text.empty() ? "" : ", ") + actor_name(w.writer) + ": " + std::to_string(w.words) +
              " words";
    }
    return text;
  }

  Machine& machine_;
  const Plan& plan_;
  std::map<int, const LayerResult*> by_number_;
  std::map<int, LayerAgreement> agreements_;
};

}  // namespace

Result<SideBySide> run_side_by_side(const ProgramText& program, Machine& machine, const Plan& plan,
                                    const SimulationResult& result) {
  Watcher watcher(machine, plan, result);
  machine.set_hook([&watcher](const MachineStep& step) { watcher.see(step); });
  const Status played = play(program, machine);
  machine.set_hook({});
  if (!played.ok()) return played.error();
  return watcher.take();
}

}  // namespace edgetwin::max78
