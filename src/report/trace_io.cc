#include "report/trace_io.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "report/format.h"
#include "tensor/npy.h"

namespace edgetwin::report {
namespace fs = std::filesystem;
namespace {

constexpr size_t kMaxTraceTensors = 100000;
constexpr uint64_t kMaxTraceBytes = uint64_t{4} << 30;
constexpr uint64_t kMaxIndexBytes = uint64_t{64} << 20;

std::string numbered(int index, const std::string& name) {
  std::array<char, 16> number = {};
  std::snprintf(number.data(), number.size(), "%04d_", index);
  return number.data() + file_safe(name) + ".npy";
}

}  // namespace

Json tensor_json(const Tensor& tensor) {
  Json j = Json::object();
  j.set("name", tensor.name).set("type", name(tensor.dtype)).set("shape", to_json(tensor.shape));
  set_quant(j, tensor.quant);
  return j;
}

Status TraceWriter::add(int op_index, const std::string& op_type, ValueId value,
                        const Tensor& tensor) {
  const bool writable = !npy_descriptor(tensor.dtype).empty();
  const std::string file = numbered(count_, tensor.name);
  if (writable) {
    EDGETWIN_TRY_ASSIGN(const Bytes bytes, write_npy(tensor));
    EDGETWIN_TRY(folder_.write(file, bytes));
  }
  Json entry = Json::object();
  entry.set("index", count_++).set("file", writable ? Json(file) : Json());
  entry.merge(tensor_json(tensor));
  entry.set("tensor", value).set("operator", op_index).set("operator_type", op_type);
  entries_.push(std::move(entry));
  return Ok{};
}

Status TraceWriter::finish() {
  Json document = Json::object();
  document.set("schema", 1).set("tensors", std::move(entries_));
  return folder_.write(kTraceFile, std::string_view(document.text()));
}

std::vector<TraceItem> trace_items(const exec::Session& session) {
  const Graph& graph = session.graph();
  std::vector<TraceItem> items;
  for (const ValueId id : graph.inputs) items.push_back({-1, "input", id});
  for (const exec::Step& step : session.steps()) {
    if (step.folded) continue;
    const Op& op = graph.ops[step.op_index];
    for (const ValueId id : op.outputs) {
      if (id == kAbsent) continue;
      items.push_back({static_cast<int>(step.op_index), op_type_name(op), id});
    }
  }
  for (size_t i = 0; i < graph.values.size(); ++i) {
    if (graph.values[i].is_variable) items.push_back({-1, "variable", static_cast<ValueId>(i)});
  }
  return items;
}

Status write_trace(const exec::Session& session, AtomicFolder& folder) {
  TraceWriter writer(folder);
  for (const TraceItem& item : trace_items(session)) {
    EDGETWIN_TRY(writer.add(item.op_index, item.op_type, item.value, session.tensor(item.value)));
  }
  return writer.finish();
}

namespace {

Error index_error(const fs::path& index, const std::string& what) {
  return Error(ErrorCode::bad_value, what).in_file(index.string());
}

// A file of the folder itself: a name from a file must not lead elsewhere.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name != "." && name != "..";
}

Result<TraceTensor> read_entry(const Json& entry, const fs::path& index) {
  TraceTensor t;
  const auto file = entry.get_string("file");
  if (!file) return index_error(index, "an entry has no file name");
  if (!is_plain_name(*file)) return index_error(index, "'" + *file + "' is not a plain file name");
  t.file = *file;
  t.tensor.name = entry.get_string("name").value_or("");
  t.op_index = static_cast<int>(entry.get_integer("operator").value_or(-1));
  t.op_type = entry.get_string("operator_type").value_or("");
  t.value = static_cast<ValueId>(entry.get_integer("tensor").value_or(kAbsent));
  return t;
}

Result<std::vector<TraceTensor>> read_index(const fs::path& index, const char* list) {
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(index, kMaxIndexBytes));
  EDGETWIN_TRY_ASSIGN(const Json document, Json::parse(as_text(text), index.string()));
  const std::optional<Json> entries = document.get(list);
  if (!entries) return index_error(index, "the document has no list '" + std::string(list) + "'");
  if (document.get_integer("schema") != 1) return index_error(index, "the schema is not 1");
  if (entries->size() > kMaxTraceTensors) return index_error(index, "too many tensors");
  std::vector<TraceTensor> tensors;
  for (size_t i = 0; i < entries->size(); ++i) {
    const Json entry = entries->at(i);
    if (!entry.get_string("file") && entry.get("file")) continue;  // null: a type NumPy has not
    EDGETWIN_TRY_ASSIGN(TraceTensor t, read_entry(entry, index));
    tensors.push_back(std::move(t));
  }
  if (tensors.empty()) {
    return Error(ErrorCode::compare_kind, "the index lists no .npy files").in_file(index.string());
  }
  return tensors;
}

Result<std::vector<TraceTensor>> list_arrays(const fs::path& folder) {
  std::vector<TraceTensor> tensors;
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end; it.increment(ec)) {
    if (it->path().extension() != ".npy") continue;
    TraceTensor t;
    t.file = it->path().filename().string();
    t.tensor.name = it->path().stem().string();
    tensors.push_back(std::move(t));
    if (tensors.size() > kMaxTraceTensors) return index_error(folder, "too many .npy files");
  }
  if (ec) return Error(ErrorCode::file_open, ec.message()).in_file(folder.string());
  if (tensors.empty()) {
    return Error(ErrorCode::compare_kind, "the folder holds no .npy files")
        .in_file(folder.string());
  }
  std::sort(tensors.begin(), tensors.end(),
            [](const TraceTensor& a, const TraceTensor& b) { return a.file < b.file; });
  return tensors;
}

}  // namespace

Result<std::vector<TraceTensor>> read_tensor_folder(const fs::path& folder) {
  std::error_code ec;
  const bool traced = fs::exists(folder / kTraceFile, ec);
  const bool outputs = !traced && fs::exists(folder / kOutputsFile, ec);
  auto listed = traced    ? read_index(folder / kTraceFile, "tensors")
                : outputs ? read_index(folder / kOutputsFile, "outputs")
                          : list_arrays(folder);
  if (!listed.ok()) return listed;
  uint64_t total = 0;
  for (TraceTensor& t : *listed) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(folder / t.file));
    total += data.size();
    if (total > kMaxTraceBytes) {
      return Error(ErrorCode::out_of_memory, "the tensors of the folder exceed 4 GiB")
          .in_file(folder.string());
    }
    EDGETWIN_TRY_ASSIGN(Tensor tensor, read_npy(data, (folder / t.file).string()));
    tensor.name = t.tensor.name;
    t.tensor = std::move(tensor);
  }
  return listed;
}

namespace {

// One exponent, or one scale and zero point; those per channel are not outputs.
Quant read_quant(const Json& entry) {
  if (const auto exponent = entry.get_integer("exponent")) {
    return Quant::power_of_two(static_cast<int>(std::clamp<int64_t>(*exponent, -126, 126)));
  }
  const auto scale = entry.get("scale");
  if (!scale || !scale->as_number()) return {};
  return Quant::affine(static_cast<float>(*scale->as_number()),
                       entry.get_integer("zero_point").value_or(0));
}

}  // namespace

Result<std::vector<Tensor>> read_outputs(const fs::path& folder) {
  const fs::path index = folder / kOutputsFile;
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(index, kMaxIndexBytes));
  EDGETWIN_TRY_ASSIGN(const Json document, Json::parse(as_text(text), index.string()));
  const std::optional<Json> entries = document.get("outputs");
  if (!entries || entries->size() == 0) return index_error(index, "the document lists no outputs");
  if (entries->size() > kMaxTraceTensors) return index_error(index, "too many tensors");
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < entries->size(); ++i) {
    const Json entry = entries->at(i);
    const std::string file =
        entry.get_string("file").value_or("output_" + std::to_string(i) + ".npy");
    if (!is_plain_name(file)) return index_error(index, "'" + file + "' is not a plain file name");
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(folder / file));
    EDGETWIN_TRY_ASSIGN(Tensor tensor, read_npy(data, (folder / file).string()));
    tensor.name = entry.get_string("name").value_or("");
    tensor.quant = read_quant(entry);
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

}  // namespace edgetwin::report
