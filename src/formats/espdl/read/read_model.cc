#include <algorithm>

#include "espdl_generated.h"
#include "formats/espdl/read/reader.h"
#include "formats/flatbuffer/fields.h"

namespace edgetwin::espdl {
namespace {

// No writer shares tables, and each takes four bytes and a reference of four: more uses of tables
// than the payload has words would be a trap.
uint32_t table_limit(size_t size) {
  return static_cast<uint32_t>(std::min<size_t>(kMaxTables, size / 4 + 1));
}

Status verify(const Source& source, bool encrypted) {
  const ByteSpan data = source.data();
  if (flatbuffer::is_whole<flatbuffers::Verifier, schema::Model>(
          data, nullptr, {kMaxDepth, table_limit(data.size())})) {
    return Ok{};
  }
  Error e = source.error(ErrorCode::espdl_flatbuffer,
                         "an offset or a length in the tables points outside of the " +
                             std::to_string(data.size()) + " bytes of the model",
                         data.data(), "Model");
  if (encrypted) e.hint = "The model is encrypted: check the key.";
  return e;
}

Result<std::vector<Property>> read_metadata(Source& source, const schema::Model& table) {
  return flatbuffer::read_tables<Property>(
      source, table.metadata_props(), "Model.metadata_props",
      [&](const schema::StringStringEntry& row) -> Result<Property> {
        Property p;
        EDGETWIN_TRY_ASSIGN(p.key,
                            flatbuffer::read_text(source, row.key(), "StringStringEntry.key"));
        EDGETWIN_TRY_ASSIGN(p.value,
                            flatbuffer::read_text(source, row.value(), "StringStringEntry.value"));
        return p;
      });
}

Result<std::vector<OperatorSet>> read_opsets(Source& source, const schema::Model& table) {
  return flatbuffer::read_tables<OperatorSet>(
      source, table.opset_import(), "Model.opset_import",
      [&](const schema::OperatorSetId& row) -> Result<OperatorSet> {
        OperatorSet set;
        EDGETWIN_TRY_ASSIGN(set.domain,
                            flatbuffer::read_text(source, row.domain(), "OperatorSetId.domain"));
        set.version = row.version();
        return set;
      });
}

}  // namespace

Result<Document> read_document(Source& source, bool encrypted) {
  EDGETWIN_TRY(verify(source, encrypted));
  const schema::Model& table = *schema::GetModel(source.data().data());
  if (table.functions() != nullptr && table.functions()->size() != 0) {
    return source.error(ErrorCode::espdl_content, "the model has functions", table.functions(),
                        "Model.functions");
  }
  if (table.graph() == nullptr) {
    return source.error(ErrorCode::espdl_content, "the model has no graph", &table, "Model.graph");
  }
  Document d;
  d.ir_version = table.ir_version();
  d.model_version = table.model_version();
  EDGETWIN_TRY_ASSIGN(d.producer_name,
                      flatbuffer::read_text(source, table.producer_name(), "Model.producer_name"));
  EDGETWIN_TRY_ASSIGN(d.producer_version, flatbuffer::read_text(source, table.producer_version(),
                                                                "Model.producer_version"));
  EDGETWIN_TRY_ASSIGN(d.domain, flatbuffer::read_text(source, table.domain(), "Model.domain"));
  EDGETWIN_TRY_ASSIGN(d.doc_string,
                      flatbuffer::read_text(source, table.doc_string(), "Model.doc_string"));
  EDGETWIN_TRY_ASSIGN(d.opset_import, read_opsets(source, table));
  EDGETWIN_TRY_ASSIGN(d.metadata, read_metadata(source, table));
  EDGETWIN_TRY(read_graph(source, *table.graph(), d));
  return d;
}

}  // namespace edgetwin::espdl
