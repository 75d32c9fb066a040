#include "targets/espdl/export/test_values.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "formats/espdl/document/numerics_name.h"

namespace edgetwin::targets::espdl {
namespace {

using edgetwin::espdl::Document;
using edgetwin::espdl::Target;
using edgetwin::espdl::TensorData;

const TensorData* find(const std::vector<TensorData>& list, const std::string& name) {
  const auto at =
      std::find_if(list.begin(), list.end(), [&](const TensorData& t) { return t.name == name; });
  return at == list.end() ? nullptr : &*at;
}

// Scalars are stored with the shape [1].
bool same_shape(const Shape& a, const Shape& b) {
  const bool scalars = a.rank() <= 1 && b.rank() <= 1 && a.elements() == 1 && b.elements() == 1;
  return a == b || scalars;
}

// What differs before any element does; "" if nothing.
std::string difference(const Tensor& file, const Tensor& run) {
  if (file.dtype != run.dtype) {
    return "the file has " + std::string(name(file.dtype)) + ", the model makes " +
           std::string(name(run.dtype));
  }
  if (!same_shape(file.shape, run.shape)) {
    return "the file has the shape " + to_string(file.shape) + ", the model makes " +
           to_string(run.shape);
  }
  const bool counted = file.dtype == DType::int8 || file.dtype == DType::int16;
  if (counted && file.quant.exponent != run.quant.exponent) {
    return "the file has " + to_string(file.quant) + ", the model makes " + to_string(run.quant);
  }
  return {};
}

// By how much the runtime's own test lets elements differ. Specification 6.
double allowed(DType type) {
  if (type == DType::int16) return 1.0;
  return type == DType::float32 || type == DType::float64 ? 2e-5 : 0.0;
}

void compare(const Tensor& file, const Tensor& run, EmbeddedOutput& result) {
  result.problem = difference(file, run);
  if (!result.problem.empty()) return;
  result.elements = file.shape.elements();
  const size_t size = byte_size(file.dtype);
  const double most = allowed(file.dtype);
  for (int64_t i = 0; i < result.elements; ++i) {
    const auto at = static_cast<size_t>(i) * size;
    if (std::memcmp(file.data.data() + at, run.data.data() + at, size) == 0) continue;
    const double a = element_as_double(file.dtype, file.data, i);
    const double b = element_as_double(run.dtype, run.data, i);
    const double apart = std::abs(a - b);
    if (result.different++ == 0) {
      result.first_index = i;
      result.first_position = index_text(file.shape, i);
      result.first_file = a;
      result.first_run = b;
    }
    if (!(apart <= most)) ++result.beyond;  // NaN is beyond
    if (!(apart <= result.largest)) result.largest = apart;
  }
}

Status feed(const Document& document, exec::Session& session) {
  for (size_t i = 0; i < session.graph().inputs.size(); ++i) {
    const ValueId id = session.graph().inputs[i];
    const Value& wanted = session.graph().value(id);
    const TensorData* stored = find(document.test_inputs, wanted.name);
    if (stored == nullptr) {
      return Error(ErrorCode::input_missing,
                   "the file has no test value for the input '" + wanted.name + "'")
          .with_hint("Export the model with its test values.");
    }
    EDGETWIN_TRY_ASSIGN(const Tensor tensor, edgetwin::espdl::to_tensor(*stored));
    Tensor expected;
    expected.dtype = wanted.dtype;
    expected.shape = session.shape(id);
    expected.quant = wanted.quant;
    if (std::string what = difference(tensor, expected); !what.empty()) {
      const bool type = tensor.dtype != wanted.dtype;
      return Error(type ? ErrorCode::input_type : ErrorCode::input_shape,
                   "the test value of the input does not fit it: " + what)
          .in_field(wanted.name);
    }
    EDGETWIN_TRY(session.set_input(i, tensor.data));
  }
  return Ok{};
}

struct Makers {
  std::map<std::string, std::pair<ValueId, size_t>, std::less<>> by_name;

  explicit Makers(const exec::Session& session) {
    const Graph& graph = session.graph();
    for (const ValueId id : graph.inputs) by_name.emplace(graph.value(id).name, std::pair{id, 0});
    for (size_t step = 0; step < session.steps().size(); ++step) {
      for (const ValueId id : graph.ops[session.steps()[step].op_index].outputs) {
        if (id != kAbsent) by_name.emplace(graph.value(id).name, std::pair{id, step});
      }
    }
  }
};

Result<bool> reproduces(const Document& document, Target target) {
  EDGETWIN_TRY_ASSIGN(const Model model, edgetwin::espdl::import_document(document, target, {}));
  exec::Options options;
  options.numerics = edgetwin::espdl::wide_numerics_of(target);
  EDGETWIN_TRY_ASSIGN(const EmbeddedTest test, run_embedded_test(document, model, options));
  return test.exact();
}

}  // namespace

bool EmbeddedTest::passes() const {
  return std::all_of(outputs.begin(), outputs.end(),
                     [](const EmbeddedOutput& o) { return o.passes(); });
}

Result<EmbeddedTest> run_embedded_test(const Document& document, const Model& lowered,
                                       const exec::Options& options) {
  if (document.test_outputs.empty() || lowered.graphs.empty()) {
    return Error(ErrorCode::input_missing, "the file has no test values")
        .with_hint("Export the model with its test values.");
  }
  exec::Options kept = options;
  kept.keep_all = true;
  EDGETWIN_TRY_ASSIGN(
      exec::Session session,
      exec::Session::create(std::make_shared<const Graph>(lowered.graphs[0]), kept));
  EDGETWIN_TRY(feed(document, session));
  session.reset_variables();
  EDGETWIN_TRY(session.run());

  EmbeddedTest test;
  test.findings = session.findings();
  const auto& shown = session.run_findings();
  test.findings.insert(test.findings.end(), shown.begin(), shown.end());
  const Makers makers(session);
  for (const TensorData& stored : document.test_outputs) {
    EmbeddedOutput& output = test.outputs.emplace_back();
    output.name = stored.name;
    const auto maker = makers.by_name.find(stored.name);
    if (maker == makers.by_name.end()) {
      output.problem = "the model makes no tensor of this name";
      output.step = session.steps().size();
    } else {
      const auto [id, step] = maker->second;
      EDGETWIN_TRY_ASSIGN(const Tensor file, edgetwin::espdl::to_tensor(stored));
      output.step = step;
      if (step < session.steps().size()) output.layer = session.steps()[step].label;
      compare(file, session.tensor(id), output);
    }
    const size_t index = test.outputs.size() - 1;
    if (output.exact()) continue;
    if (!test.first || output.step < test.outputs[*test.first].step) test.first = index;
  }
  return test;
}

Result<std::optional<Target>> target_by_test(const Document& document) {
  Result<bool> s3 = reproduces(document, Target::esp32s3);
  Result<bool> p4 = reproduces(document, Target::esp32p4);
  if (!s3.ok() && !p4.ok()) return std::move(s3).error();
  const bool is_s3 = s3.ok() && *s3;
  const bool is_p4 = p4.ok() && *p4;
  if (is_s3 == is_p4) return std::optional<Target>{};
  return std::optional<Target>{is_s3 ? Target::esp32s3 : Target::esp32p4};
}

}  // namespace edgetwin::targets::espdl
