// The parts of the reader; each turns one table of the file into its meaning.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/tflite/source.h"
#include "graph/graph.h"

namespace edgetwin::tflite {

namespace schema {
struct Model;
struct Operator;
struct Tensor;
}  // namespace schema

// The content of every buffer, shared by all tensors that name it.
struct Buffer {
  ByteSpan bytes;                         // empty: no data
  std::shared_ptr<const Bytes> constant;  // made at first use
};

// An operator code, resolved once for all operators that use it.
struct OpCode {
  OpKind kind = OpKind::opaque;
  int builtin = 0;
  int version = 1;
  std::string name;
};

// read_tensors.cc
Result<std::vector<Buffer>> read_buffers(Source& source, const schema::Model& model);
Result<Value> read_tensor(Source& source, std::vector<Buffer>& buffers,
                          const schema::Tensor& tensor, size_t index);

// read_ops.cc
Result<std::vector<OpCode>> read_op_codes(Source& source, const schema::Model& model);
Result<Op> read_op(Source& source, const std::vector<OpCode>& codes, const schema::Operator& op,
                   size_t index, size_t tensors);

// read_options.cc: of a kind that op.def has by its builtin name.
Result<Attrs> read_options(Source& source, OpKind kind, const schema::Operator& op,
                           const std::string& label);

// The options of a custom operator as they stand in the file; empty if it has none.
Result<ByteSpan> custom_options(const Source& source, const schema::Operator& op,
                                const std::string& field);

// read.cc: identifier, size, and every offset in the tables.
Status check_flatbuffer(const Source& source);

// read_custom.cc: of detection_postprocess and posenet_decoder; `at` is where the options are.
Result<Attrs> read_custom_options(const Source& source, OpKind kind, ByteSpan options,
                                  const void* at);

}  // namespace edgetwin::tflite
