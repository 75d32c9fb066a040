// Inputs and outputs of the network.
#include <algorithm>

#include "formats/onnx/import/importer.h"
#include "tensor/tensor.h"

namespace edgetwin::onnx {
namespace {

std::string shape_option(const ValueInfo& info) {
  std::string text = "--shape " + info.name + "=";
  for (size_t i = 0; i < info.dims.size(); ++i) {
    const ValueInfo::Dim& d = info.dims[i];
    text += (i ? "," : "") +
            (d.size >= 0 ? std::to_string(d.size) : "<" + (d.name.empty() ? "?" : d.name) + ">");
  }
  return text;
}

}  // namespace

// A leading dimension that is open is taken for the number of pictures: one.
Result<Shape> Importer::input_shape(const ValueInfo& info) {
  if (const auto given = options_.shapes.find(info.name); given != options_.shapes.end()) {
    if (given->second.size() > Shape::kMaxRank) {
      return Error(ErrorCode::onnx_shape, "more than 8 dimensions").in_field(info.name);
    }
    const Shape shape{std::span<const int64_t>(given->second)};
    bool fits = !info.has_shape || given->second.size() == info.dims.size();
    for (size_t i = 0; fits && i < info.dims.size(); ++i) {
      fits = info.dims[i].size < 0 || info.dims[i].size == given->second[i];
    }
    if (fits) return shape;
    return Error(ErrorCode::onnx_shape, "the shape " + to_string(shape) + " contradicts the file's")
        .in_field(info.name)
        .in_file(file_)
        .with_hint("The file leaves open what is in angle brackets: " + shape_option(info));
  }
  Shape shape;
  bool open = !info.has_shape || info.dims.size() > Shape::kMaxRank;
  for (size_t i = 0; !open && i < info.dims.size(); ++i) {
    const bool batch = i == 0 && info.dims[i].size < 0 && info.dims.size() > 1;
    shape.push_back(batch ? 1 : info.dims[i].size);
    open = shape[static_cast<int>(i)] < 1;
    if (!batch) continue;
    findings_.push_back({Severity::note, "", info.name,
                         "the number of pictures is open in the file; one is taken", ""});
  }
  if (!open) return shape;
  return Error(ErrorCode::onnx_shape, "the file leaves the shape of this input open")
      .in_field(info.name)
      .in_file(file_)
      .with_hint("Give it: " + shape_option(info));
}

Status Importer::take_inputs() {
  for (const auto& [name, dims] : options_.shapes) {
    const auto known = [&, &wanted = name](const ValueInfo& v) { return v.name == wanted; };
    if (std::any_of(document_.inputs.begin(), document_.inputs.end(), known)) continue;
    return Error(ErrorCode::onnx_shape, "the network has no input '" + name + "'").in_file(file_);
  }
  for (const ValueInfo& info : document_.inputs) {
    if (values_.contains(info.name)) continue;  // an initializer with a default
    if (!info.dtype) {
      return Error(ErrorCode::onnx_tensor, "an input that is no tensor of numbers")
          .in_field(info.name)
          .in_file(file_);
    }
    Value v;
    v.name = info.name;
    v.dtype = *info.dtype;
    EDGETWIN_TRY_ASSIGN(v.shape, input_shape(info));
    if (!within_limits(v.dtype, v.shape)) {
      return Error(ErrorCode::onnx_tensor, "an input of " + to_string(v.shape))
          .in_field(info.name)
          .in_file(file_);
    }
    const ValueId id = add_value(std::move(v));
    values_[info.name] = id;
    graph_.inputs.push_back(id);
  }
  return Ok{};
}

Status Importer::take_outputs() {
  for (const ValueInfo& info : document_.outputs) {
    const auto found = values_.find(info.name);
    if (found == values_.end()) {
      return Error(ErrorCode::onnx_reference,
                   "the output '" + info.name + "' is made by no operator")
          .in_file(file_);
    }
    ValueId id = found->second;
    const bool taken = std::count(graph_.outputs.begin(), graph_.outputs.end(), id) != 0;
    const bool fixed =
        value(id).is_constant() || std::count(graph_.inputs.begin(), graph_.inputs.end(), id) != 0;
    if (taken || fixed) {
      // A constant, an input, or one value under two names.
      Node n;
      n.op_type = "Identity";
      n.name = info.name;
      Op op = make(n, OpKind::identity);
      op.inputs = {id};
      const bool constant = value(id).is_constant();
      if (!constant) {
        EDGETWIN_TRY_ASSIGN(const auto ids, emit(n, std::move(op), {info.name}));
        id = ids[0];
      }
    } else {
      graph_.value(id).name = info.name;
    }
    graph_.outputs.push_back(id);
  }
  return Ok{};
}

}  // namespace edgetwin::onnx
