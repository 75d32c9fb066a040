#include "formats/tflite/custom_ops.h"

#include "formats/tflite/reader.h"
#include "tflite_generated.h"

namespace edgetwin::tflite {
namespace {

constexpr size_t kScalarAlignment = 8;

struct Finder {
  Source& source;
  const schema::Model& model;
  std::vector<CustomOp> found;

  // The custom code of an operator; null for builtin ones and codes that do not exist.
  const flatbuffers::String* code(const schema::Operator& op) const {
    const auto* codes = model.operator_codes();
    if (codes == nullptr || op.opcode_index() >= codes->size()) return nullptr;
    return codes->Get(op.opcode_index())->custom_code();
  }

  Status add(const schema::Operator& op, int graph, int index) {
    const auto* name = code(op);
    if (name == nullptr || name->size() == 0) return Ok{};
    EDGETWIN_TRY(source.charge(name->size() + sizeof(CustomOp), &op, "OperatorCode.custom_code"));
    EDGETWIN_TRY_ASSIGN(const ByteSpan options,
                        custom_options(source, op, "Operator.custom_options"));
    const auto* at = options.empty() ? reinterpret_cast<const std::byte*>(&op) : options.data();
    const auto offset = static_cast<uint64_t>(at - source.data().data());
    found.push_back({graph, index, name->str(), offset, options.size()});
    return Ok{};
  }

  Status add_all() {
    const auto* graphs = model.subgraphs();
    if (graphs == nullptr) return Ok{};
    for (uint32_t g = 0; g < graphs->size(); ++g) {
      const auto* ops = graphs->Get(g)->operators();
      if (ops == nullptr) continue;
      EDGETWIN_TRY(source.count(ops->size(), &source.ops, kMaxOps, ops, "operators"));
      for (uint32_t i = 0; i < ops->size(); ++i) {
        EDGETWIN_TRY(add(*ops->Get(i), static_cast<int>(g), static_cast<int>(i)));
      }
    }
    return Ok{};
  }
};

}  // namespace

Result<std::vector<CustomOp>> custom_ops(ByteSpan data, const std::string& file) {
  Bytes copy;  // numbers in a FlatBuffer are read where they stand
  if (reinterpret_cast<uintptr_t>(data.data()) % kScalarAlignment != 0) {
    copy = to_bytes(data);
    data = copy;
  }
  flatbuffer::Budget budget(data.size(), kMemoryPerByte);
  std::vector<Finding> findings;
  Source source(data, 0, file, budget, findings);
  EDGETWIN_TRY(check_flatbuffer(source));
  Finder finder{source, *schema::GetModel(data.data()), {}};
  EDGETWIN_TRY(finder.add_all());
  return std::move(finder.found);
}

}  // namespace edgetwin::tflite
