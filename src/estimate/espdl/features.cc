#include "estimate/espdl/features.h"

#include <algorithm>
#include <map>
#include <string>

namespace edgetwin::estimates {
namespace {

constexpr std::string_view kNames[] = {"V", "V16",        "G", "D",   "S_middle", "S_large",
                                       "A", "A_internal", "T", "T16", "Q",        "N"};
constexpr int64_t kLanes8 = 16, kLanes16 = 8;
constexpr int64_t kDataCache = 64 * 1024;     // parameters of one node above it are read again
constexpr int64_t kSecondCache = 200 * 1024;  // of the P4

constexpr std::string_view kFunctions[] = {"Swish", "Sigmoid", "HardSwish", "HardSigmoid", "Gelu"};
constexpr std::string_view kDivisions[] = {"Softmax",           "ReduceMean", "AveragePool",
                                           "GlobalAveragePool", "Div",        "Sqrt"};

template <class List>
bool is_in(const List& list, const std::string& type) {
  return std::ranges::find(list, type) != std::end(list);
}

double steps(int64_t n, int64_t lanes) { return static_cast<double>((n + lanes - 1) / lanes); }

class Extractor {
 public:
  Extractor(const espdl::Document& d, const Variables& v, const ActivationPlan& plan, bool s3)
      : v_(v), plan_(plan), s3_(s3) {
    for (const espdl::TensorData& t : d.initializers) parameters_.emplace(t.name, &t);
  }

  NodeFeatures of(const espdl::Node& node, const NodeUse& use) const {
    NodeFeatures f;
    f[Feature::N] = 1;
    for (const std::string& in : node.inputs) {
      const auto p = parameters_.find(in);
      if (p != parameters_.end()) f.parameter_bytes += static_cast<int64_t>(p->second->data.size());
    }
    add_bytes(use, f);
    if (use.outputs.empty()) return f;
    products(node, use, f);
    functions(node, use, f);
    return f;
  }

 private:
  const Variable& variable(int i) const { return v_.all[static_cast<size_t>(i)]; }

  const espdl::TensorData* weights_of(const espdl::Node& node) const {
    if (node.inputs.size() < 2) return nullptr;
    const auto found = parameters_.find(node.inputs[1]);
    return found == parameters_.end() ? nullptr : found->second;
  }

  void add_bytes(const NodeUse& use, NodeFeatures& f) const {
    const auto add = [&](int i) {
      const bool inside = plan_.variables[static_cast<size_t>(i)].internal;
      f[inside ? Feature::A_internal : Feature::A] += static_cast<double>(variable(i).bytes);
    };
    for (const int in : use.inputs) add(in);
    if (!use.outputs.empty()) add(use.outputs.front());
  }

  // Products for one output, from the weights or the last axis of the first operand.
  static int64_t products_of(const espdl::TensorData* weights, const Variable& in,
                             int64_t channels) {
    if (weights == nullptr) return in.shape.empty() ? 1 : in.shape.back();
    int64_t all = 1;
    for (const int64_t n : weights->dims) all *= n;
    return channels > 0 ? std::max<int64_t>(1, all / channels) : 1;
  }

  void products(const espdl::Node& node, const NodeUse& use, NodeFeatures& f) const {
    const std::string& type = node.op_type;
    const bool conv = type == "Conv";
    if (!conv && type != "Gemm" && type != "MatMul" && type != "ConvTranspose") return;
    if (use.inputs.empty()) return;
    const Variable& out = variable(use.outputs.front());
    const Variable& in = variable(use.inputs.front());
    const int64_t channels = out.shape.empty() ? 1 : out.shape.back();
    const int64_t pixels = channels > 0 ? out.elements / channels : 0;
    const espdl::TensorData* weights = weights_of(node);
    const int64_t each = products_of(weights, in, channels);
    const bool wide = in.element_bytes == 2;
    const int64_t lanes = wide ? kLanes16 : kLanes8;
    f.macs = out.elements * each;
    f.convolution = conv;
    const int64_t group = node.integer("group").value_or(1);
    const double groups = static_cast<double>(pixels) * steps(channels, lanes);
    if (conv && group > 1 && group == channels) {
      f[Feature::D] = groups * static_cast<double>(each) * (wide ? 2.0 : 1.0);
      return;
    }
    f[wide ? Feature::V16 : Feature::V] = groups * static_cast<double>(each);
    if (!wide) f[Feature::G] = groups;
    read_again(pixels, f);
  }

  void read_again(int64_t pixels, NodeFeatures& f) const {
    if (f.parameter_bytes <= kDataCache) return;
    const bool large = s3_ || f.parameter_bytes > kSecondCache;
    f[large ? Feature::S_large : Feature::S_middle] =
        static_cast<double>(pixels) * static_cast<double>(f.parameter_bytes) / 1000.0;
  }

  void functions(const espdl::Node& node, const NodeUse& use, NodeFeatures& f) const {
    const Variable& out = variable(use.outputs.front());
    const bool wide = out.element_bytes == 2;
    const auto elements = static_cast<double>(out.elements);
    const std::string& type = node.op_type;
    if (is_in(kFunctions, type)) f[wide ? Feature::T16 : Feature::T] = elements;
    if (type == "LUT" && wide) f[Feature::T16] = elements;
    const bool divides =
        is_in(kDivisions, type) || (!wide && (type == "Sigmoid" || type == "Gelu"));
    if (!divides) return;
    int64_t bytes = 0;
    for (const int in : use.inputs) bytes += variable(in).bytes;
    f[Feature::Q] = std::max(static_cast<double>(bytes), elements);
  }

  const Variables& v_;
  const ActivationPlan& plan_;
  bool s3_;
  std::map<std::string, const espdl::TensorData*> parameters_;
};

}  // namespace

std::string_view name(Feature feature) { return kNames[static_cast<size_t>(feature)]; }

std::vector<NodeFeatures> features_of(const espdl::Document& document, const Variables& variables,
                                      const ActivationPlan& plan, bool s3) {
  const Extractor extractor(document, variables, plan, s3);
  std::vector<NodeFeatures> all;
  for (size_t i = 0; i < document.nodes.size(); ++i) {
    all.push_back(extractor.of(document.nodes[i], variables.nodes[i]));
  }
  return all;
}

}  // namespace edgetwin::estimates
