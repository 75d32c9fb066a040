#include "estimate/espdl/variables.h"

#include "tensor/dtype.h"

namespace edgetwin::estimates {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 32;

class Collector {
 public:
  explicit Collector(const espdl::Document& d) : d_(d) {
    for (const espdl::TensorData& t : d.initializers) parameters_.emplace(t.name, &t);
    // Inputs and outputs of the network say their sizes themselves.
    for (const auto* list : {&d.values, &d.inputs, &d.outputs}) {
      for (const espdl::ValueInfo& v : *list) infos_.emplace(v.name, &v);
    }
    for (const espdl::ValueInfo& v : d.outputs) outputs_.emplace(v.name, true);
  }

  Result<Variables> run() && {
    for (size_t i = 0; i < d_.nodes.size(); ++i) {
      NodeUse use;
      const espdl::Node& node = d_.nodes[i];
      EDGETWIN_TRY(collect(node.inputs, 0, use.inputs));
      EDGETWIN_TRY(collect(node.outputs, static_cast<int>(i), use.outputs));
      result_.nodes.push_back(std::move(use));
    }
    return std::move(result_);
  }

 private:
  Status collect(const std::vector<std::string>& names, int step, std::vector<int>& into) {
    for (const std::string& name : names) {
      if (name.empty() || parameters_.contains(name)) continue;
      const auto known = numbers_.find(name);
      if (known != numbers_.end()) {
        into.push_back(known->second);
        continue;
      }
      EDGETWIN_TRY_ASSIGN(Variable v, variable(name));
      v.begin = step;
      into.push_back(static_cast<int>(result_.all.size()));
      numbers_.emplace(name, into.back());
      result_.all.push_back(std::move(v));
    }
    return Ok{};
  }

  Result<Variable> variable(const std::string& name) const {
    const auto found = infos_.find(name);
    if (found == infos_.end() || !found->second->has_shape) {
      return Error(ErrorCode::bad_value, "the file does not say the size of tensor '" + name + "'")
          .with_hint("Write the file again with `quantize`, which states every size.");
    }
    Variable v;
    v.name = name;
    v.shape = found->second->shape;
    v.graph_output = outputs_.contains(name);
    v.elements = 1;
    for (const int64_t n : v.shape) {
      if (n < 0 || (n > 0 && v.elements > kMostElements / n)) {
        return Error(ErrorCode::bad_value, "tensor '" + name + "' has no size that can be used");
      }
      v.elements *= n;
    }
    const auto type = espdl::dtype_of_code(found->second->type);
    if (!type) return Error(ErrorCode::bad_value, "tensor '" + name + "' has no type");
    v.element_bytes = static_cast<int>(byte_size(*type));
    v.bytes = v.elements * v.element_bytes;
    return v;
  }

  const espdl::Document& d_;
  std::map<std::string, const espdl::TensorData*> parameters_;
  std::map<std::string, const espdl::ValueInfo*> infos_;
  std::map<std::string, bool> outputs_;
  std::map<std::string, int> numbers_;
  Variables result_;
};

}  // namespace

Result<Variables> variables_of(const espdl::Document& document) {
  return Collector(document).run();
}

}  // namespace edgetwin::estimates
