#include "formats/onnx/write/trained.h"

#include <cstring>
#include <map>
#include <set>

namespace edgetwin::onnx {
namespace {

using Floats = std::vector<float>;

Floats floats_of_constant(const Value& v) {
  Floats numbers(static_cast<size_t>(v.shape.elements()));
  std::memcpy(numbers.data(), v.constant->data(), numbers.size() * sizeof(float));
  return numbers;
}

// The float constants that operators read, by name.
std::map<std::string, const Value*> constants_in(const Graph& graph) {
  std::map<std::string, const Value*> found;
  for (const Op& op : graph.ops) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (!op.has_input(i)) continue;
      const Value& v = graph.value(op.inputs[i]);
      if (v.is_constant() && v.dtype == DType::float32) found[v.name] = &v;
    }
  }
  return found;
}

// Sums that the reader keeps folding into: the constants of the last one.
struct Folded {
  std::string weights, bias;  // bias: empty where there is none yet
};

class ConstantWriter {
 public:
  ConstantWriter(Document document, const Graph& before, const Graph& after)
      : d_(std::move(document)), before_(constants_in(before)), after_(constants_in(after)) {}

  Result<Document> run() && {
    name_constants();
    for (Node& n : d_.nodes) {
      for (const std::string& input : n.inputs) ++readers_[input];
    }
    for (const ValueInfo& v : d_.outputs) ++readers_[v.name];
    for (Node& n : d_.nodes) fold(n);
    for (Node& n : d_.nodes) turn(n);
    for (const std::string& name : forced_) {
      if (!done_.contains(name)) take(name, name);
    }
    for (const auto& [name, value] : before_) {
      if (done_.contains(name) || !changed(name)) continue;
      TensorData* to = initializer(name);
      if (to == nullptr) return no_place(name);
      put(*to, floats_of_constant(*after_.at(name)));
    }
    return std::move(d_);
  }

 private:
  // Nodes `Constant` become initializers.
  void name_constants() {
    for (const Node& n : d_.nodes) {
      const Attribute* a = n.find("value", Attribute::Kind::tensor);
      if (n.op_type != "Constant" || a == nullptr) continue;
      d_.initializers.push_back(a->tensor);
      d_.initializers.back().name = n.outputs.at(0);
    }
    std::erase_if(d_.nodes, [](const Node& n) {
      return n.op_type == "Constant" && n.find("value", Attribute::Kind::tensor) != nullptr;
    });
    for (size_t i = 0; i < d_.initializers.size(); ++i) places_[d_.initializers[i].name] = i;
  }

  TensorData* initializer(const std::string& name) {
    const auto found = places_.find(name);
    if (found == places_.end()) return nullptr;
    TensorData& t = d_.initializers[found->second];
    return t.dtype == DType::float32 ? &t : nullptr;
  }

  static Error no_place(const std::string& name) {
    return Error(ErrorCode::onnx_reference,
                 "the trained constant '" + name + "' is computed from others in the ONNX file")
        .with_hint("Simplify the network before training, so that its weights are constants.");
  }

  bool changed(const std::string& name) const {
    const auto before = before_.find(name), after = after_.find(name);
    return before != before_.end() && after != after_.end() &&
           *before->second->constant != *after->second->constant;
  }

  // A constant of another size gets its shape.
  void put(TensorData& to, const Floats& numbers) {
    if (to.shape.elements() != static_cast<int64_t>(numbers.size())) {
      to.shape = {static_cast<int64_t>(numbers.size())};
    }
    to.data = std::make_shared<const Bytes>(to_bytes(std::as_bytes(std::span(numbers))));
  }
  void fill(const std::string& name, float value) {
    TensorData* to = initializer(name);
    if (to == nullptr) return;
    put(*to, Floats(static_cast<size_t>(to->shape.elements()), value));
    done_.insert(name);
  }
  // The numbers of `after`, changed or not.
  void take(const std::string& name, const std::string& from) {
    TensorData* to = initializer(name);
    const auto after = after_.find(from);
    if (to == nullptr || after == after_.end()) return;
    put(*to, floats_of_constant(*after->second));
    done_.insert(name);
  }

  static void set_real(Node& n, const char* name, float value) {
    std::erase_if(n.attributes, [&](const Attribute& a) { return a.name == name; });
    Attribute a;
    a.name = name;
    a.kind = Attribute::Kind::real;
    a.real = value;
    n.attributes.push_back(std::move(a));
  }

  static bool has_sum(const Node& n) {
    return n.op_type == "Conv" || n.op_type == "ConvTranspose" || n.op_type == "Gemm";
  }

  void fold(Node& n) {
    if (has_sum(n) && n.has_input(1) && initializer(n.inputs[1]) != nullptr) {
      sums_[n.outputs.at(0)] = {n.inputs[1], n.has_input(2) ? n.inputs[2] : ""};
      return;
    }
    if (n.op_type == "BatchNormalization" && n.inputs.size() >= 5) fold_norm(n);
    if (n.op_type == "Add" && n.inputs.size() == 2) fold_addend(n);
  }

  const Folded* sum_before(const std::string& input) const {
    const auto found = sums_.find(input);
    const auto readers = readers_.find(input);
    return found == sums_.end() || readers == readers_.end() || readers->second != 1
               ? nullptr
               : &found->second;
  }

  void neutral(Node& n) {
    fill(n.inputs[1], 1);
    fill(n.inputs[3], 0);
    fill(n.inputs[4], 1);
    set_real(n, "epsilon", 0);
  }

  void fold_norm(Node& n) {
    const std::string& out = n.outputs.at(0);
    const Folded* sum = sum_before(n.inputs[0]);
    if (sum == nullptr) return norm_alone(n);
    Folded whole = *sum;
    neutral(n);
    forced_.insert(whole.weights);
    if (whole.bias.empty()) {
      whole.bias = n.inputs[2];
    } else {
      fill(n.inputs[2], 0);
    }
    forced_.insert(whole.bias);
    sums_[out] = whole;
  }

  // What the reader makes of a batch norm that follows no sum.
  void norm_alone(Node& n) {
    const std::string& out = n.outputs.at(0);
    for (const auto& [scale, shift] : {std::pair{"/weight", "/bias"}, {"/scale", "/shift"}}) {
      if (!changed(out + scale) && !changed(out + shift)) continue;
      neutral(n);
      take(n.inputs[1], out + scale);
      take(n.inputs[2], out + shift);
      done_.insert(out + scale);
      done_.insert(out + shift);
    }
  }

  void fold_addend(const Node& n) {
    for (size_t side = 0; side < 2; ++side) {
      const Folded* sum = sum_before(n.inputs[side]);
      const std::string& addend = n.inputs[1 - side];
      // Of a folded addend the name stays only where the sum had no bias.
      const bool folded = sum != nullptr && before_.contains(addend) == sum->bias.empty();
      if (!folded || initializer(addend) == nullptr) continue;
      Folded whole = *sum;
      if (whole.bias.empty()) {
        whole.bias = addend;
      } else {
        fill(addend, 0);
        forced_.insert(whole.bias);
      }
      sums_[n.outputs.at(0)] = whole;
      return;
    }
  }

  // Weights in the order that the node has them.
  void turn(Node& n) {
    if (!has_sum(n) || !n.has_input(1)) return;
    for (size_t i = 1; i < n.inputs.size() && i < 3; ++i) {
      const std::string& name = n.inputs[i];
      TensorData* to = initializer(name);
      const auto after = after_.find(name);
      const bool wanted = changed(name) || forced_.contains(name);
      if (to == nullptr || after == after_.end() || !wanted || done_.contains(name)) continue;
      Floats numbers = floats_of_constant(*after->second);
      if (n.op_type == "Gemm") {
        set_real(n, i == 1 ? "alpha" : "beta", 1);
        if (i == 1 && n.integer("transB").value_or(0) == 0) numbers = turned_gemm(numbers, *to);
      } else if (n.op_type == "ConvTranspose" && i == 1) {
        numbers = turned_filter(numbers, *to, n.integer("group").value_or(1));
      }
      put(*to, numbers);
      done_.insert(name);
    }
  }

  // N x K to K x N.
  static Floats turned_gemm(const Floats& from, const TensorData& like) {
    const auto rows = static_cast<size_t>(like.shape[0]);
    const auto columns = static_cast<size_t>(like.shape[1]);
    Floats to(from.size());
    for (size_t r = 0; r < rows; ++r) {
      for (size_t c = 0; c < columns; ++c) to[r * columns + c] = from[c * rows + r];
    }
    return to;
  }

  // O x C/group x K, each plane turned around, to C x O/group x K.
  static Floats turned_filter(const Floats& from, const TensorData& like, int64_t group) {
    const auto channels = static_cast<size_t>(like.shape[0]);
    const auto each = static_cast<size_t>(like.shape[1]);
    const size_t taps = from.size() / (channels * each);
    const size_t depth = channels / static_cast<size_t>(group);
    Floats to(from.size());
    for (size_t c = 0; c < channels; ++c) {
      for (size_t o = 0; o < each; ++o) {
        const size_t row = (c / depth * each + o) * depth + c % depth;
        for (size_t k = 0; k < taps; ++k) {
          to[(c * each + o) * taps + k] = from[row * taps + taps - 1 - k];
        }
      }
    }
    return to;
  }

  Document d_;
  std::map<std::string, const Value*> before_, after_;
  std::map<std::string, size_t> places_;  // of initializers
  std::map<std::string, int> readers_;    // of values
  std::map<std::string, Folded> sums_;    // by the value that they make
  std::set<std::string> done_, forced_;   // initializers
};

}  // namespace

Result<Document> with_constants(Document document, const Graph& before, const Graph& after) {
  return ConstantWriter(std::move(document), before, after).run();
}

}  // namespace edgetwin::onnx
