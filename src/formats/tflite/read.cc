#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>

#include "base/file.h"
#include "formats/flatbuffer/fields.h"
#include "formats/tflite/reader.h"
#include "formats/tflite/tflite.h"
#include "tflite_generated.h"

namespace edgetwin::tflite {
namespace {

constexpr size_t kIdentifierOffset = 4;
constexpr std::string_view kIdentifier = "TFL3";
constexpr uint32_t kVersion = 3;

Result<std::vector<ValueId>> read_graph_ends(Source& source,
                                             const flatbuffers::Vector<int32_t>* ids,
                                             size_t tensors, const std::string& field) {
  std::vector<ValueId> result;
  if (ids == nullptr) return result;
  EDGETWIN_TRY(source.charge(uint64_t{ids->size()} * sizeof(ValueId), ids, field));
  for (const int32_t id : *ids) {
    if (id < 0 || static_cast<size_t>(id) >= tensors) {
      return source.error(ErrorCode::tflite_reference,
                          "tensor " + std::to_string(id) + " of " + std::to_string(tensors), ids,
                          field);
    }
    result.push_back(id);
  }
  return result;
}

// A constant without elements has no bytes, and so looks like a tensor that somebody computes. If
// it is used and nobody does compute it, then it is a constant.
void find_empty_constants(Graph& graph) {
  std::set<ValueId> made(graph.inputs.begin(), graph.inputs.end());
  for (const Op& op : graph.ops) made.insert(op.outputs.begin(), op.outputs.end());
  static const auto empty = std::make_shared<const Bytes>();
  for (const Op& op : graph.ops) {
    for (const ValueId id : op.inputs) {
      if (id == kAbsent || made.count(id) != 0) continue;
      Value& v = graph.value(id);
      const bool no_elements = v.has_shape && v.shape.elements() == 0 && bits(v.dtype) != 0;
      if (no_elements && !v.is_constant() && !v.is_variable) v.constant = empty;
    }
  }
}

// verify_graph() knows the graph but not the file.
Status verify_read(const Source& source, const Graph& graph, const void* table) {
  Status status = verify_graph(graph);
  if (status.ok()) return status;
  Error& e = status.error();
  Error placed = source.error(e.code, std::move(e.message), table, std::move(e.place.field));
  placed.place.layer = std::move(e.place.layer);
  placed.details = std::move(e.details);
  if (placed.place.field.empty() && placed.place.layer.empty()) placed.place.field = "SubGraph";
  return placed;
}

struct Parts {
  Source& source;
  std::vector<Buffer> buffers;
  std::vector<OpCode> codes;
  Model& model;
};

Result<Graph> read_graph(Parts& parts, const schema::SubGraph& table) {
  Source& source = parts.source;
  Graph graph;
  EDGETWIN_TRY_ASSIGN(graph.name, flatbuffer::read_text(source, table.name(), "SubGraph.name"));
  if (const auto* tensors = table.tensors()) {
    EDGETWIN_TRY(source.count(tensors->size(), &source.tensors, kMaxTensors, tensors, "tensors"));
    for (uint32_t i = 0; i < tensors->size(); ++i) {
      EDGETWIN_TRY_ASSIGN(Value value, read_tensor(source, parts.buffers, *tensors->Get(i), i));
      graph.values.push_back(std::move(value));
    }
  }
  const size_t size = graph.values.size();
  EDGETWIN_TRY_ASSIGN(graph.inputs,
                      read_graph_ends(source, table.inputs(), size, "SubGraph.inputs"));
  EDGETWIN_TRY_ASSIGN(graph.outputs,
                      read_graph_ends(source, table.outputs(), size, "SubGraph.outputs"));
  if (const auto* ops = table.operators()) {
    EDGETWIN_TRY(source.count(ops->size(), &source.ops, kMaxOps, ops, "operators"));
    for (uint32_t i = 0; i < ops->size(); ++i) {
      EDGETWIN_TRY_ASSIGN(Op op, read_op(source, parts.codes, *ops->Get(i), i, size));
      graph.ops.push_back(std::move(op));
    }
  }
  find_empty_constants(graph);
  EDGETWIN_TRY(verify_read(source, graph, &table));
  return graph;
}

Status read_graphs(Parts& parts, const schema::Model& table) {
  const auto* graphs = table.subgraphs();
  if (graphs == nullptr || graphs->size() == 0) {
    return parts.source.error(ErrorCode::tflite_reference, "the model has no subgraph", &table,
                              "Model.subgraphs");
  }
  size_t total = 0;
  EDGETWIN_TRY(parts.source.count(graphs->size(), &total, kMaxGraphs, graphs, "subgraphs"));
  for (const auto* graph : *graphs) {
    EDGETWIN_TRY_ASSIGN(Graph read, read_graph(parts, *graph));
    parts.model.graphs.push_back(std::move(read));
  }
  return Ok{};
}

Status read_metadata(Parts& parts, const schema::Model& table) {
  const auto* rows = table.metadata();
  if (rows == nullptr) return Ok{};
  Source& source = parts.source;
  size_t total = 0;
  EDGETWIN_TRY(source.count(rows->size(), &total, kMaxMetadata, rows, "metadata"));
  for (const auto* row : *rows) {
    NamedBytes entry;
    EDGETWIN_TRY_ASSIGN(entry.name, flatbuffer::read_text(source, row->name(), "Metadata.name"));
    if (row->buffer() >= parts.buffers.size()) {
      return source.error(
          ErrorCode::tflite_reference,
          "buffer " + std::to_string(row->buffer()) + " of " + std::to_string(parts.buffers.size()),
          row, "Metadata.buffer");
    }
    const ByteSpan bytes = parts.buffers[row->buffer()].bytes;
    EDGETWIN_TRY(source.charge(bytes.size(), row, "Metadata.buffer"));
    entry.data = to_bytes(bytes);
    parts.model.metadata.push_back(std::move(entry));
  }
  return Ok{};
}

Result<std::vector<Signature::Binding>> read_bindings(
    Source& source, const flatbuffers::Vector<flatbuffers::Offset<schema::TensorMap>>* rows,
    size_t tensors) {
  std::vector<Signature::Binding> result;
  if (rows == nullptr) return result;
  EDGETWIN_TRY(source.charge(uint64_t{rows->size()} * sizeof(Signature::Binding), rows,
                             "SignatureDef.inputs"));
  for (const auto* row : *rows) {
    if (row->tensor_index() >= tensors) {
      return source.error(
          ErrorCode::tflite_reference,
          "tensor " + std::to_string(row->tensor_index()) + " of " + std::to_string(tensors), row,
          "TensorMap.tensor_index");
    }
    EDGETWIN_TRY_ASSIGN(std::string name,
                        flatbuffer::read_text(source, row->name(), "TensorMap.name"));
    result.push_back({std::move(name), row->tensor_index()});
  }
  return result;
}

Status read_signatures(Parts& parts, const schema::Model& table) {
  const auto* rows = table.signature_defs();
  if (rows == nullptr) return Ok{};
  Source& source = parts.source;
  size_t total = 0;
  EDGETWIN_TRY(source.count(rows->size(), &total, kMaxSignatures, rows, "signatures"));
  for (const auto* row : *rows) {
    const uint32_t graph = row->subgraph_index();
    if (graph >= parts.model.graphs.size()) {
      return source.error(
          ErrorCode::tflite_reference,
          "subgraph " + std::to_string(graph) + " of " + std::to_string(parts.model.graphs.size()),
          row, "SignatureDef.subgraph_index");
    }
    const size_t tensors = parts.model.graphs[graph].values.size();
    Signature signature;
    signature.graph = graph;
    EDGETWIN_TRY_ASSIGN(signature.key,
                        flatbuffer::read_text(source, row->key(), "SignatureDef.key"));
    EDGETWIN_TRY_ASSIGN(signature.inputs, read_bindings(source, row->inputs(), tensors));
    EDGETWIN_TRY_ASSIGN(signature.outputs, read_bindings(source, row->outputs(), tensors));
    parts.model.signatures.push_back(std::move(signature));
  }
  return Ok{};
}

Result<Model> read_aligned(ByteSpan data, const std::string& file) {
  Model model;
  flatbuffer::Budget budget(data.size(), kMemoryPerByte);
  Source source(data, 0, file, budget, model.findings);
  EDGETWIN_TRY(check_flatbuffer(source));
  const schema::Model& table = *schema::GetModel(data.data());
  if (table.version() != kVersion) {
    return source.error(ErrorCode::tflite_version,
                        "schema version " + std::to_string(table.version()) + ", not 3", &table,
                        "Model.version");
  }
  Parts parts{source, {}, {}, model};
  parts.model.format = "tflite";
  EDGETWIN_TRY_ASSIGN(parts.model.description,
                      flatbuffer::read_text(source, table.description(), "Model.description"));
  EDGETWIN_TRY_ASSIGN(parts.buffers, read_buffers(source, table));
  EDGETWIN_TRY_ASSIGN(parts.codes, read_op_codes(source, table));
  EDGETWIN_TRY(read_graphs(parts, table));
  EDGETWIN_TRY(read_metadata(parts, table));
  EDGETWIN_TRY(read_signatures(parts, table));
  return model;
}

}  // namespace

Status check_flatbuffer(const Source& source) {
  const ByteSpan data = source.data();
  if (data.size() < kIdentifierOffset + kIdentifier.size()) {
    return source
        .error(ErrorCode::truncated, std::to_string(data.size()) + " bytes are no model", nullptr,
               "identifier")
        .at_offset(0);
  }
  if (!looks_like_tflite(data)) {
    return source.error(ErrorCode::tflite_flatbuffer, "the identifier is not TFL3",
                        data.data() + kIdentifierOffset, "identifier");
  }
  if (data.size() >= kMaxFileBytes - 1) {
    return source.error(ErrorCode::file_too_large,
                        std::to_string(data.size()) + " bytes, a FlatBuffer has less than 2 GiB",
                        data.data(), "file");
  }
  if (flatbuffer::is_whole<flatbuffers::Verifier, schema::Model>(data, schema::ModelIdentifier(),
                                                                 {kMaxDepth, kMaxTables})) {
    return Ok{};
  }
  return source.error(ErrorCode::tflite_flatbuffer,
                      "an offset or a length in the tables points outside of the " +
                          std::to_string(data.size()) + " bytes of the file",
                      data.data(), "Model");
}

bool looks_like_tflite(ByteSpan data) {
  return data.size() >= kIdentifierOffset + kIdentifier.size() &&
         as_text(data.subspan(kIdentifierOffset, kIdentifier.size())) == kIdentifier;
}

Result<Model> read(ByteSpan data, const std::string& file) {
  // Numbers in a FlatBuffer are aligned relative to its start, and are read where they stand.
  if (reinterpret_cast<uintptr_t>(data.data()) % flatbuffer::kAlignment == 0) {
    return read_aligned(data, file);
  }
  const Bytes copy = to_bytes(data);
  return read_aligned(copy, file);
}

}  // namespace edgetwin::tflite
