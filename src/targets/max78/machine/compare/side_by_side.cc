#include "targets/max78/machine/compare/side_by_side.h"

#include <map>

#include "targets/max78/machine/compare/layer_words.h"
#include "targets/max78/machine/state/finding_list.h"

namespace edgetwin::max78 {
namespace {

class Watcher {
 public:
  Watcher(Machine& machine, const HardwarePlan& plan, std::span<const LayerResult> layers)
      : machine_(machine), plan_(plan) {
    for (const LayerResult& r : layers) {
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
    const HardwareLayer& l = plan_.layer(r.layer);
    const int64_t pixels = l.out_dim.h * int64_t{l.out_dim.w};
    for (const WrittenElement& e : written_elements(machine_, plan_, l, step)) {
      const auto index = static_cast<size_t>(e.channel * pixels + e.pixel);
      const int64_t want = r.out.dtype == DType::int32 ? int64_t{r.out.as<int32_t>()[index]}
                                                       : int64_t{r.out.as<int8_t>()[index]};
      ++a.values;
      if (want == e.value || a.different++ > 0) continue;
      a.channel = e.channel;
      a.row = static_cast<int>(e.pixel / l.out_dim.w);
      a.column = static_cast<int>(e.pixel % l.out_dim.w);
      a.machine = e.value;
      a.graph = want;
      a.address = step.address;
      a.accumulator = machine_.accumulator(step.address, e.byte);
    }
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
  const HardwarePlan& plan_;
  std::map<int, const LayerResult*> by_number_;
  std::map<int, LayerAgreement> agreements_;
};

}  // namespace

Result<SideBySide> run_side_by_side(const ProgramText& program, Machine& machine,
                                    const HardwarePlan& plan, std::span<const LayerResult> layers) {
  Watcher watcher(machine, plan, layers);
  machine.set_hook([&watcher](const MachineStep& step) { watcher.see(step); });
  const Status played = play(program, machine);
  machine.set_hook({});
  if (!played.ok()) return played.error();
  return watcher.take();
}

}  // namespace edgetwin::max78
