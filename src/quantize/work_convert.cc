// Conversions where producer and consumer do not agree: QuantizeLinear from float to integers,
// RequantizeLinear between exponents or widths, DequantizeLinear to float.
#include <algorithm>
#include <cmath>

#include "quantize/work.h"

namespace edgetwin::quantize {
namespace {

enum class Conversion : uint8_t { quantize, requantize, dequantize };

class Converter {
 public:
  explicit Converter(Work& work) : work_(work) {}

  void run() {
    for (const Conversion c :
         {Conversion::quantize, Conversion::requantize, Conversion::dequantize}) {
      kind_ = c;
      for (const size_t i : work_.order()) {
        for (size_t k = 0; k < work_.pieces[i].op.inputs.size(); ++k) consider(i, k);
      }
    }
  }

 private:
  const Net& net() const { return work_.net(); }

  // The config that a tensor has where it is made; of an input of the network the first user's.
  ConfigId made(ValueId id) {
    if (const auto p = work_.producer(id)) {
      const auto& outputs = work_.pieces[*p].op.outputs;
      const auto at = std::find(outputs.begin(), outputs.end(), id) - outputs.begin();
      return work_.pieces[*p].outputs[static_cast<size_t>(at)];
    }
    for (const size_t user : work_.consumers(id)) {
      const Piece& p = work_.pieces[user];
      for (size_t k = 0; k < p.inputs.size(); ++k) {
        if (p.op.inputs[k] == id && p.inputs[k] != kNone) return p.inputs[k];
      }
    }
    return kNone;
  }

  bool differ(ConfigId a, ConfigId b) const {
    const Config& x = net().decides(a);
    const Config& y = net().decides(b);
    if (net().config(a).bits != net().config(b).bits) return true;
    if (!work_.settings().passes.exact_requantize) {
      return std::fabs(std::ldexp(1.0, x.exponent[0]) - std::ldexp(1.0, y.exponent[0])) >= 1e-5;
    }
    return x.exponent[0] != y.exponent[0];
  }

  void consider(size_t i, size_t k) {
    const ValueId id = work_.pieces[i].op.inputs[k];
    if (id == kAbsent || work_.graph.value(id).is_constant()) return;
    if (work_.graph.value(id).dtype != DType::float32) return;
    const ConfigId wanted = work_.pieces[i].inputs.empty() ? kNone : work_.pieces[i].inputs[k];
    const ConfigId is = made(id);
    if (work_.is_input(id) && !work_.settings().passes.requantize_inputs) return;
    if (kind_ == Conversion::quantize && is == kNone && wanted != kNone) {
      insert(i, k, OpKind::quantize, "QuantizeLinear", wanted, wanted);
    }
    if (kind_ == Conversion::requantize && is != kNone && wanted != kNone && differ(is, wanted)) {
      insert(i, k, OpKind::quantize, "RequantizeLinear", is, wanted);
    }
    if (kind_ == Conversion::dequantize && is != kNone && wanted == kNone) {
      insert(i, k, OpKind::dequantize, "DequantizeLinear", is, kNone);
    }
  }

  void insert(size_t i, size_t k, OpKind kind, const char* type, ConfigId from, ConfigId to) {
    const ValueId in = work_.pieces[i].op.inputs[k];
    Piece p;
    p.op.kind = kind;
    p.op.type = type;
    p.op.name = work_.next_operator();
    p.bits = net().config(to == kNone ? from : to).bits;
    p.layout = Layout::keep;
    const ValueId out = work_.add_between(in, work_.graph.value(in).shape);
    work_.perms.back() = work_.perm_of(in);
    work_.origin.back() = work_.origin[static_cast<size_t>(in)];
    work_.skip_variables(2);  // a scale and an offset that the runtime does not read
    p.op.inputs = {in};
    p.op.outputs = {out};
    p.inputs = {kind == OpKind::quantize && from == to ? kNone : from};
    p.outputs = {to};
    work_.pieces[i].op.inputs[k] = out;
    work_.pieces.push_back(std::move(p));
  }

  Work& work_;
  Conversion kind_ = Conversion::quantize;
};

}  // namespace

void insert_conversions(Work& work) { Converter(work).run(); }

}  // namespace edgetwin::quantize
