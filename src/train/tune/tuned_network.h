// A float network with the exponents of its quantization, as a tape: every operand and every result
// that the chip stores as integers is rounded where the chip rounds it. Parameters are trained in
// binary32 and rounded in each forward pass; their exponents stay. Specification: training, 16.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "quantize/espdl/quantize.h"
#include "train/espdl/adaround.h"
#include "train/tape/tape.h"
#include "train/tune/quantized_steps.h"

namespace edgetwin::train {

// What is rounded in the forward pass.
enum class TunedPhase : uint8_t { floats, quantized };

// A part of a network: operators, each of which reads one activation, that of the one before.
struct Chain {
  std::vector<size_t> ops;
  ValueId input = kAbsent, output = kAbsent;
};

struct TapeForm {
  TunedPhase phase = TunedPhase::quantized;
  const Chain* part = nullptr;  // null: the whole network
  // The weights are not what is trained: each is rounded up or down (train/espdl/adaround.h), and a
  // parameter holds its variables.
  bool rounding = false;
  // Exponents are trained too: of operands that share theirs with nothing outside of the part.
  bool thresholds = false;
};

class TunedNetwork {
 public:
  struct Parameter {
    std::string name;
    ValueId value = kAbsent;  // of planned.graph
    Slot slot = 0;
    std::vector<float> numbers;
    std::optional<AdaRound> rounding;  // numbers are its variables
    // The numbers are logarithms of scales, those of this operand of the plan; `value` is absent.
    quantize::QuantId exponent_of = quantize::kNone;
  };

  // Errors: train_operator for an operator without gradient, train_shape where an item of the
  // network is not one item of a batch; those of lut::build.
  static Result<TunedNetwork> make(const quantize::Planned& planned, const TapeForm& form);

  const StepTape& tape() const { return tape_; }
  const std::vector<Slot>& inputs() const { return inputs_; }
  const std::vector<Slot>& outputs() const { return outputs_; }
  // Of a network that ends in a Softmax what enters it: losses take it themselves.
  Slot logits() const { return logits_; }
  const Shape& logits_shape() const { return logits_shape_; }
  std::vector<Parameter>& parameters() { return parameters_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }
  // The slot of a value of the network after its own rounding.
  Slot slot_of(ValueId id) const { return slots_[static_cast<size_t>(id)]; }
  // After a change of parameters.
  void refresh();
  // Into the network from which the tape was made.
  void store(Graph& graph) const;
  // The exponents that were trained, rounded, for quantize::set_exponents.
  std::map<quantize::QuantId, std::vector<int>> exponents() const;

 private:
  friend class TapeBuilder;
  StepTape tape_;
  std::vector<Slot> inputs_, outputs_, slots_;
  Slot logits_ = 0;
  Shape logits_shape_;
  std::vector<Parameter> parameters_;
};

}  // namespace edgetwin::train
