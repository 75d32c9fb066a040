#include "targets/edgetpu/compile/likeness/uses.h"

#include <algorithm>
#include <limits>

#include "targets/edgetpu/compile/likeness/items.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
namespace {

bool is_tensor(Opcode o) {
  return o == Opcode::tensor || o == Opcode::tensor_max || o == Opcode::tensor_exp ||
         o == Opcode::tensor_resize;
}
bool is_receive(Opcode o) { return o == Opcode::ring_receive || o == Opcode::ring_receive1; }
bool is_move(Opcode o) {
  return o == Opcode::move_up || o == Opcode::move_down || o == Opcode::move_left ||
         o == Opcode::move_right;
}

// The numbers of a network's operator: not how it is split into loops.
bool is_number(const FieldInfo& f) {
  static constexpr std::string_view kNumbers[] = {"channel_zero_points",
                                                  "weight_zero_point",
                                                  "input_zero_point",
                                                  "output_zero_point",
                                                  "multiplier",
                                                  "upper",
                                                  "lower",
                                                  "constant",
                                                  "function",
                                                  "wide_result",
                                                  "has_bias",
                                                  "has_scales"};
  return std::ranges::find(kNumbers, f.name) != std::end(kNumbers);
}

Bytes numbers_of(const Instruction& i) {
  const FieldTest drop = [](const FieldInfo& f) { return !is_number(f); };
  Bytes all;
  for (const FieldInfo& f : fields_of(i.opcode())) {
    if (drop(f)) continue;
    const uint64_t n = i.get(f);
    for (unsigned k = 0; k < 64; k += 8) all.push_back(static_cast<std::byte>(n >> k));
  }
  all.push_back(static_cast<std::byte>(i.opcode()));
  // With weights, or which of the others; partial sums or not is a choice.
  const uint64_t kind = i.get_or_zero("kind");
  const uint64_t known = (kind & kKindWeights) != 0 ? kKindWeights : kind;
  all.push_back(static_cast<std::byte>(known)), all.push_back(static_cast<std::byte>(known >> 8));
  return all;
}

class Reader {
 public:
  Reader(const std::vector<Instruction>& program, bool loading)
      : program_(program), loading_(loading) {}

  Uses read() {
    find_steps();
    for (size_t n = 0; n < program_.size(); ++n) {
      Use use = is_order(program_[n].opcode()) ? Use::order : use_of(n);
      if (use != Use::order && loading_) use = Use::loading;
      uses_.of[n] = {use, step_of(n)};
    }
    return std::move(uses_);
  }

 private:
  Opcode opcode(size_t n) const { return n < program_.size() ? program_[n].opcode() : Opcode::end; }
  // The next or the one before that works in an engine.
  size_t after(size_t n) const {
    do ++n;
    while (n < program_.size() && is_order(opcode(n)));
    return n;
  }
  size_t before(size_t n) const {
    do --n;  // beyond the first: as after the last
    while (n < program_.size() && is_order(opcode(n)));
    return n;
  }
  uint64_t get(size_t n, FieldName field) const {
    return n < program_.size() ? program_[n].get_or_zero(field) : 0;
  }

  // A step ends where weights or numbers for other instructions come.
  void find_steps() {
    uses_.of.resize(program_.size());
    last_.assign(program_.size(), kNoStep);
    bool ended = true;
    for (size_t n = 0; n < program_.size(); ++n) {
      if (is_tensor(opcode(n))) {
        Bytes numbers = numbers_of(program_[n]);
        if (ended || uses_.steps.back().numbers != numbers) {
          uses_.steps.push_back({std::move(numbers), {}});
        }
        uses_.steps.back().tensors.push_back(n);
        ended = false;
      } else if (is_receive(opcode(n)) || get(n, "numbers") != 0) {
        ended = true;
      }
      if (!uses_.steps.empty()) last_[n] = uses_.steps.size() - 1;
    }
  }
  // What brings something to tensor instructions stands before them, the rest after them.
  size_t step_of(size_t n) const {
    const bool first = is_receive(opcode(n)) || opcode(n) == Opcode::wide_to_narrow;
    if (!first) return last_[n];
    const size_t next = last_[n] == kNoStep ? 0 : last_[n] + 1;
    return next < uses_.steps.size() ? next : kNoStep;
  }

  // What brings weights and numbers to steps without weights, as tables of softmax, is no layer's.
  Use use_of(size_t n) const {
    const Use use = use_of_engine(n);
    const bool brings =
        use == Use::receive || use == Use::numbers || use == Use::send || use == Use::returned;
    return brings && !has_weights(step_of(n)) ? Use::head : use;
  }
  Use use_of_engine(size_t n) const {
    const Opcode o = opcode(n);
    if (is_tensor(o)) return use_of_tensor(n);
    if (is_receive(o)) return use_of_receive(n);
    if (is_move(o)) return use_of_move(n);
    switch (o) {
      case Opcode::wide_to_narrow:
        if (get(n, "numbers") != 0) return Use::numbers;
        if (is_receive(opcode(after_all(n, Opcode::wide_to_narrow)))) {
          return use_of_receive(after_all(n, Opcode::wide_to_narrow));
        }
        return Use::moved;
      case Opcode::narrow_to_wide:
        return use_of_store(n);
      case Opcode::ring_send:
        if (get(n, "outfeed") != 0) return get(n, "second") != 0 ? Use::returned : Use::output;
        return get(n, "second") != 0 ? Use::send : Use::transfer;
      case Opcode::outfeed:
        // What comes back is counted for who takes it; what the scalar core keeps goes to the host.
        return get(n, "host") != 0 || get(n, "stream") == 0 ? Use::output : Use::returned;
      case Opcode::param:
        return get(n, "kind") == 1 ? Use::input : get(n, "kind") == 2 ? Use::returned : Use::send;
      case Opcode::infeed:
        return get(n, "input") != 0 ? Use::input : Use::send;
      default:
        return Use::head;
    }
  }
  bool has_weights(size_t step) const {
    return step != kNoStep && (get(uses_.steps[step].tensors[0], "kind") & kKindWeights) != 0;
  }
  size_t after_all(size_t n, Opcode o) const {
    while (opcode(n) == o) n = after(n);
    return n;
  }

  Use use_of_tensor(size_t n) const {
    const uint64_t kind = get(n, "kind");
    if (opcode(n) != Opcode::tensor) return Use::head;
    if (kind == 0xB0 && get(n, "loop") == 1 && program_[n].get("loop", 1) == 1) {
      return Use::addition;
    }
    if ((kind & kKindWeights) == 0) return expands(n) ? Use::input : Use::head;
    const size_t next = after_all(n, Opcode::tensor), first = uses_.steps[last_[n]].tensors[0];
    if (opcode(next) == Opcode::param && get(next, "kind") == 2) return Use::depthwise;
    size_t k = before(first);
    while (k < program_.size() && get(k, "numbers") != 0) k = before(k);
    return is_receive(opcode(k)) ? Use::convolution : Use::dense;
  }
  // Words of a picture from the host: beside what brings it.
  bool expands(size_t n) const {
    const size_t next = after_all(n, Opcode::tensor);
    if (opcode(next) == Opcode::infeed && get(next, "input") != 0) return true;
    size_t k = before(n);
    while (opcode(k) == Opcode::tensor) k = before(k);
    return opcode(k) == Opcode::param && get(k, "kind") == 1;
  }
  Use use_of_receive(size_t n) const {
    if (get(n, "header") != 0 || opcode(n) == Opcode::ring_receive1) return Use::receive;
    const size_t next = after_all(n, Opcode::ring_receive);  // of tiles that receive side by side
    if (opcode(next) == Opcode::param) return get(next, "kind") == 1 ? Use::input : Use::receive;
    return opcode(next) == Opcode::ring_send && get(next, "second") == 0 ? Use::transfer
                                                                         : Use::receive;
  }
  Use use_of_store(size_t n) const {
    if (opcode(before(n)) == Opcode::ring_send) return Use::transfer;
    const size_t next = after_all(n, Opcode::narrow_to_wide);
    if (opcode(next) == Opcode::outfeed && get(next, "host") != 0) return Use::output;
    if (opcode(next) == Opcode::ring_send && get(next, "outfeed") != 0) return Use::output;
    const size_t last = before(n);
    if (is_move(opcode(last)) && use_of_move(last) == Use::constants) return Use::constants;
    return opcode(next) == Opcode::wide_to_narrow ? Use::moved : Use::head;
  }
  // Borders come after a layer or the input, before the next one's weights, in moves one after the
  // other.
  Use use_of_move(size_t n) const {
    constexpr uint64_t kAll = 0xFFFF;
    const bool sends = get(n, "a.levels") != 0 || get(n, "a.start") != 0;
    if (get(n, "fill") != 0 && !sends && get(n, "tiles") == kAll) return Use::constants;
    size_t k = n;
    while (is_move(opcode(k))) k = before(k);
    const Opcode made = opcode(k);
    const bool layer = (made == Opcode::ring_send && get(k, "second") != 0) ||
                       made == Opcode::param || is_tensor(made);
    return layer ? Use::halo : Use::mesh;
  }

  const std::vector<Instruction>& program_;
  bool loading_;
  Uses uses_;
  std::vector<size_t> last_;  // the step of the last tensor instruction up to here
};

}  // namespace

std::string_view text(Use use) {
  static constexpr std::string_view kTexts[] = {
#define USE(name, body, text) text,
#include "targets/edgetpu/compile/likeness/uses.def"
  };
  return kTexts[static_cast<size_t>(use)];
}

bool is_body(Use use) {
  static constexpr bool kBody[] = {
#define USE(name, body, text) body,
#include "targets/edgetpu/compile/likeness/uses.def"
  };
  return kBody[static_cast<size_t>(use)];
}

Uses uses_of(const std::vector<Instruction>& program, bool loading) {
  return Reader(program, loading).read();
}

}  // namespace edgetwin::edgetpu::compiler
