// Tensors of a run as a folder of .npy files. docs/formats/trace.md has the form.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "exec/session.h"
#include "report/json.h"
#include "tensor/tensor.h"

namespace edgetwin::report {

inline constexpr const char* kTraceFile = "trace.json";
inline constexpr const char* kOutputsFile = "outputs.json";

struct TraceTensor {
  std::string file;     // name in the folder; empty where NumPy has no such type
  int op_index = -1;    // -1: an input of the graph or a variable
  std::string op_type;  // "input", "variable" or the operator's name in its format
  ValueId value = kAbsent;
  Tensor tensor;
};

// Gathers tensors in order: NNNN_<name>.npy each, and trace.json at the end.
class TraceWriter {
 public:
  explicit TraceWriter(AtomicFolder& folder) : folder_(folder) {}
  Status add(int op_index, const std::string& op_type, ValueId value, const Tensor& tensor);
  Status finish();

 private:
  AtomicFolder& folder_;
  int count_ = 0;
  Json entries_ = Json::array();
};

// What a trace has of a graph, in order: inputs, what each step makes, and variables at the end.
struct TraceItem {
  int op_index = -1;
  std::string op_type;
  ValueId value = kAbsent;
};
std::vector<TraceItem> trace_items(const exec::Session& session);

// After a run of a session with keep_all.
Status write_trace(const exec::Session& session, AtomicFolder& folder);

// {"name", "type", "shape", "scale", "zero_point"} …
Json tensor_json(const Tensor& tensor);

// The tensors of a folder: in the order of trace.json or outputs.json, or all .npy files by name.
// Errors: file_open, compare_kind where there are none, bad_value, out_of_memory, npy_*.
Result<std::vector<TraceTensor>> read_tensor_folder(const std::filesystem::path& folder);

// The arrays of a folder that has outputs.json, as `run -o` writes it, with names and what their
// integers stand for. Errors: file_open, compare_kind, bad_value, out_of_memory, npy_*.
Result<std::vector<Tensor>> read_outputs(const std::filesystem::path& folder);

}  // namespace edgetwin::report
