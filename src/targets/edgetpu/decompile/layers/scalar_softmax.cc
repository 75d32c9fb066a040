#include "targets/edgetpu/decompile/layers/scalar_softmax.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu {
namespace {

constexpr float kLog2E = 1.44269502F;  // its bits in the programs: 0x3fb8aa3b
constexpr float kResultScale = 256.0F;

struct ScalarCode {
  std::vector<size_t> powers;  // steps
  std::set<float> scales;      // what integers become reals by
  std::set<int> zero_points;   // whole numbers that are subtracted: one of them before that
};

// The n-th value becomes float(q - zero) * scale: the zero point is subtracted as an integer, the
// product follows the conversion.
ScalarCode read_code(const DecodedProgram& steps) {
  ScalarCode code;
  code.zero_points.insert(0);  // is not subtracted
  bool converted = false;
  for (size_t i = 0; i < steps.all.size(); ++i) {
    if (steps.all[i].opcode != Opcode::scalar) continue;
    const ScalarWord w = decode_scalar(steps.all[i].bytes);
    if (w.fn == kFnExp2) code.powers.push_back(i);
    const auto op = static_cast<ScalarOp>(w.op);
    constexpr uint32_t kLargestByte = 255;
    if (op == ScalarOp::sub && w.immediate && w.imm <= kLargestByte) {
      code.zero_points.insert(static_cast<int>(w.imm));
    }
    if (op == ScalarOp::i2f) converted = true;
    if (op != ScalarOp::fmul || !w.immediate) continue;
    const auto factor = std::bit_cast<float>(w.imm);
    const bool other =
        factor == kLog2E || factor == kResultScale || !(factor > 0.0F) || !std::isfinite(factor);
    if (other || !converted) continue;
    code.scales.insert(factor);
  }
  return code;
}

// The output that is probabilities, if there is one.
DecompiledOutput* probabilities(Layers& layers, const darwinn::Executable& inference) {
  DecompiledOutput* found = nullptr;
  for (DecompiledOutput& o : layers.outputs) {
    const auto& n = inference.outputs[o.layer_index].numerics;
    const bool fits = !n || (n->zero_point == 0 && n->factor == 1.0F / kResultScale);
    if (!fits || o.from.from.size() != 1) continue;
    if (found != nullptr) return nullptr;
    found = &o;
  }
  return found;
}

// Where no words were seen to leave: the last layer that nobody reads.
void take_last(Layers& layers, const darwinn::Executable& inference) {
  if (!layers.outputs.empty() || inference.outputs.size() != 1) return;
  std::vector<bool> read(layers.layers.size(), false);
  for (const DecompiledLayer& l : layers.layers) {
    for (const Operand& o : l.inputs) {
      for (const Producer p : o.from) {
        if (p >= 0) read[static_cast<size_t>(p)] = true;
      }
    }
  }
  for (size_t l = layers.layers.size(); l-- > 0;) {
    if (read[l]) continue;
    layers.outputs.push_back({0, {{static_cast<Producer>(l)}}});
    return;
  }
}

void say(Layers& layers, size_t step, const std::string& message) {
  const ProgramInstruction& s = layers.replay.steps.all[step];
  Finding f;
  f.severity = Severity::warning;
  f.id = "TPU-DEC-02";
  f.place = "chunk " + std::to_string(s.chunk) + ", word " + std::to_string(s.word);
  f.message = "softmax in the scalar core: " + message;
  layers.findings.push_back(std::move(f));
}

}  // namespace

void add_scalar_softmax(Layers& layers, const darwinn::Executable& inference) {
  const ScalarCode code = read_code(layers.replay.steps);
  if (code.powers.empty()) return;
  if (code.scales.size() != 1) {
    return say(layers, code.powers.front(),
               "its input has " + std::to_string(code.scales.size()) + " scales, not one");
  }
  take_last(layers, inference);
  DecompiledOutput* output = probabilities(layers, inference);
  if (output == nullptr) {
    return say(layers, code.powers.front(), "no single output has the scale of probabilities");
  }
  const Producer from = output->from.from.front();
  if (from < 0) return say(layers, code.powers.front(), "nobody is known who makes its input");
  const DecompiledLayer& before = layers.layers[static_cast<size_t>(from)];
  if (!code.zero_points.contains(before.numbers.output_zero_point)) {
    return say(layers, code.powers.front(),
               "the zero point of layer " + std::to_string(from) + " is " +
                   std::to_string(before.numbers.output_zero_point) + ", it subtracts another");
  }
  DecompiledLayer layer;
  layer.type = LayerType::softmax;
  layer.steps = code.powers;
  layer.inputs = {output->from};
  layer.in = layer.out = before.out;
  layer.numbers.lower = 0.0F;
  layer.numbers.upper = std::numeric_limits<uint8_t>::max();
  layer.softmax_scale = *code.scales.begin();
  output->from.from = {static_cast<Producer>(layers.layers.size())};
  layers.layers.push_back(std::move(layer));
}

}  // namespace edgetwin::edgetpu
