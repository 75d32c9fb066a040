#include "formats/tflite/signature.h"

#include "tflite_generated.h"

namespace edgetwin::tflite {
namespace {

namespace s = schema;
constexpr uintptr_t kNumberAlignment = 16;  // of the file's start, as read() wants it

bool same(const flatbuffers::Vector<int32_t>& a, const flatbuffers::Vector<int32_t>& b) {
  for (uint32_t d = 0; d < a.size(); ++d) {
    if (a.Get(d) != b.Get(d)) return false;
  }
  return true;
}

void add_open(const s::SubGraph& graph, size_t index, std::vector<OpenShape>& all) {
  if (graph.tensors() == nullptr) return;
  for (uint32_t t = 0; t < graph.tensors()->size(); ++t) {
    const auto* shape = graph.tensors()->Get(t)->shape();
    const auto* signature = graph.tensors()->Get(t)->shape_signature();
    if (shape == nullptr || signature == nullptr || shape->size() != signature->size()) continue;
    if (same(*shape, *signature)) continue;
    OpenShape open{index, static_cast<ValueId>(t), {}};
    for (const int32_t size : *signature) open.signature.push_back(size < 0 ? -1 : size);
    all.push_back(open);
  }
}

}  // namespace

std::vector<OpenShape> open_shapes(ByteSpan data) {
  Bytes copy;
  if (reinterpret_cast<uintptr_t>(data.data()) % kNumberAlignment != 0) {
    copy = to_bytes(data);
    data = copy;
  }
  std::vector<OpenShape> all;
  const auto* graphs = s::GetModel(data.data())->subgraphs();
  for (uint32_t g = 0; graphs != nullptr && g < graphs->size(); ++g) {
    add_open(*graphs->Get(g), g, all);
  }
  return all;
}

}  // namespace edgetwin::tflite
