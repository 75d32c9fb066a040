// The inside of files as JSON: what the page and other clients ask for. Each function takes the
// members of a request as text. Errors are those of the library; docs/serve.md has the documents.
#pragma once

#include <map>
#include <string>

#include "base/json/json.h"
#include "serve/inspect/store.h"

namespace edgetwin::serve {

using Members = std::map<std::string, std::string>;

// name, target, numerics, member; `data` is the file.
Result<Json> inspect_open(FileStore& files, const Members& m, ByteSpan data);
Result<Json> inspect_files(const FileStore& files);
Result<Json> inspect_close(FileStore& files, const Members& m);
// id: operators, tensors, options, quantization, memory, findings. Of descriptions for the MAX7800x
// also target, weights, bias, sample (ids) and input_shape.
Result<Json> inspect_info(const FileStore& files, const Members& m);
// id, input ("xs32:SEED", or the id of an opened picture or array): computes every layer.
Result<Json> inspect_run(FileStore& files, const Members& m);
// id, value, channel: range, histogram, saturated values, and the channel's grey picture of a
// constant, or of the last run.
Result<Json> inspect_tensor(const FileStore& files, const Members& m);
// id of a compiled Edge TPU model: its programs layer by layer; with program and layer the layer's
// instructions as a listing.
Result<Json> inspect_instructions(const FileStore& files, const Members& m);
// id of an .espdl file, target where it does not say it: its look-up tables with their errors.
Result<Json> inspect_tables(const FileStore& files, const Members& m);
// id, target, table: one of them drawn beside its function (PNG).
Result<Bytes> inspect_table_picture(const FileStore& files, const Members& m);
// a, b: ids.
Result<Json> inspect_diff(const FileStore& files, const Members& m);
// id, target: what stands against it, with the rule of each finding.
Result<Json> inspect_check(const FileStore& files, const Members& m);
// id, target; "svg": places of tensors over time, where known.
Result<Json> inspect_estimate(const FileStore& files, const Members& m);
// id of an .onnx network, calibration: ids of pictures or arrays, comma separated: the same network
// in the integers of each chip, noise of each layer.
Result<Json> inspect_chips(const FileStore& files, const Members& m);
// rule: title, text, remedy and evidence.
Result<Json> inspect_explain(const Members& m);

}  // namespace edgetwin::serve
