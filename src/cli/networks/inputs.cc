// The words of --input to tensors.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/sha256.h"
#include "cli/networks/compute.h"
#include "exec/input.h"
#include "ops/flavours.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

constexpr std::string_view kGenerator = "xs32:";

// Random bits as floats would mostly be huge, tiny or no numbers: their integers, in [-1, 1).
void make_small(Tensor& t) {
  for (float& v : t.as<float>()) {
    int32_t bits = 0;
    std::memcpy(&bits, &v, sizeof bits);
    v = std::ldexp(static_cast<float>(bits), -31);
    if (v >= 1.0F) v = 0.0F;
  }
}

// Inputs under way to their places in the graph.
class InputTable {
 public:
  InputTable(const LoadedModel& loaded, const exec::Session& session, exec::PictureScale scale,
             Resize resize)
      : loaded_(loaded),
        session_(session),
        graph_(session.graph()),
        scale_(std::move(scale)),
        resize_(resize),
        slots_(graph_.inputs.size()) {}

  Status add(const std::string& word);
  Result<std::vector<Tensor>> finish();
  std::vector<GivenInput> given;
  std::optional<Tensor> picture;

 private:
  Status add_generated(const std::string& word);
  Status add_file(const std::string& file, std::optional<size_t> slot);
  Status place(const Tensor& given_tensor, FileKind kind, size_t slot, const std::string& file);
  Status place_by_name(const std::vector<Tensor>& arrays, const std::string& file);
  Result<Tensor> picture_of(const Tensor& given_tensor, size_t slot, const Shape& shape,
                            numerics::Rounding rounding) const;
  std::optional<size_t> slot_of(std::string_view name) const;
  Result<size_t> next_free(const std::string& file) const;
  const Value& value(size_t slot) const { return graph_.value(graph_.inputs[slot]); }
  std::string list_of_inputs() const;

  const LoadedModel& loaded_;
  const exec::Session& session_;
  const Graph& graph_;
  exec::PictureScale scale_;
  Resize resize_;
  std::vector<std::optional<Tensor>> slots_;
};

std::string InputTable::list_of_inputs() const {
  std::string text = "The model's inputs are:";
  for (size_t i = 0; i < slots_.size(); ++i) {
    text += (i ? ", '" : " '") + value(i).name + "' " +
            to_string(session_.shape(graph_.inputs[i])) + " " +
            std::string(edgetwin::name(value(i).dtype));
  }
  return slots_.empty() ? "The model has no inputs." : text + ".";
}

std::optional<size_t> InputTable::slot_of(std::string_view name) const {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (value(i).name == name || report::file_safe(value(i).name) == name) return i;
  }
  for (const Signature& s : loaded_.model->signatures) {
    if (s.graph != 0) continue;
    for (const auto& binding : s.inputs) {
      const auto found = std::find(graph_.inputs.begin(), graph_.inputs.end(),
                                   static_cast<ValueId>(binding.value));
      if (binding.name == name && found != graph_.inputs.end()) {
        return static_cast<size_t>(found - graph_.inputs.begin());
      }
    }
  }
  return std::nullopt;
}

Result<size_t> InputTable::next_free(const std::string& file) const {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i]) return i;
  }
  return Error(ErrorCode::input_surplus, "the model has " + std::to_string(slots_.size()) +
                                             (slots_.size() == 1 ? " input" : " inputs") +
                                             ", and one more was given")
      .in_file(file)
      .with_hint(list_of_inputs());
}

Status InputTable::add_generated(const std::string& word) {
  uint32_t seed = 0;
  const char* begin = word.data() + kGenerator.size();
  const char* end = word.data() + word.size();
  const auto parsed = std::from_chars(begin, end, seed);
  if (parsed.ec != std::errc() || parsed.ptr != end || seed == 0) {
    return Error(ErrorCode::usage, "'" + word + "' has no seed from 1 to 4294967295");
  }
  if (std::any_of(slots_.begin(), slots_.end(), [](const auto& s) { return s.has_value(); })) {
    return Error(ErrorCode::usage, "'" + word + "' fills all inputs and cannot join others");
  }
  std::vector<Shape> shapes;
  for (const ValueId id : graph_.inputs) shapes.push_back(session_.shape(id));
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> tensors, exec::generated_inputs(seed, graph_, shapes));
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (loaded_.model->format == "onnx" && tensors[i].dtype == DType::float32) {
      make_small(tensors[i]);
    }
    slots_[i] = std::move(tensors[i]);
  }
  given.push_back({word, ""});
  return Ok{};
}

Result<Tensor> InputTable::picture_of(const Tensor& given_picture, size_t slot, const Shape& shape,
                                      numerics::Rounding rounding) const {
  const bool planar = loaded_.model->format == "onnx";
  exec::PictureSize size;
  if (planar && shape.rank() == 4) {
    size = {shape[2], shape[3], shape[1]};
  } else {
    EDGETWIN_TRY_ASSIGN(size, exec::picture_size(value(slot), shape));
  }
  EDGETWIN_TRY_ASSIGN(const Tensor fitting, resized(given_picture, static_cast<int>(size.height),
                                                    static_cast<int>(size.width), resize_));
  if (planar) return exec::planar_picture_input(fitting, value(slot), shape, scale_);
  return exec::picture_input(fitting, value(slot), shape, scale_, rounding);
}

Status InputTable::place(const Tensor& tensor, FileKind kind, size_t slot,
                         const std::string& file) {
  if (slots_[slot]) {
    return Error(ErrorCode::input_surplus, "input '" + value(slot).name + "' was given twice")
        .in_file(file);
  }
  const Shape& shape = session_.shape(graph_.inputs[slot]);
  const numerics::Rounding rounding = ops::find_flavour(session_.options().numerics)->rounding;
  auto converted = kind == FileKind::image
                       ? picture_of(tensor, slot, shape, rounding)
                       : exec::convert_input(tensor, value(slot), shape, rounding);
  if (!converted.ok()) {
    Error error = std::move(converted).error();
    if (error.place.file.empty()) error.place.file = file;
    return error;
  }
  slots_[slot] = std::move(*converted);
  if (kind == FileKind::image && !picture) picture = tensor;
  return Ok{};
}

Status InputTable::place_by_name(const std::vector<Tensor>& arrays, const std::string& file) {
  const bool named = std::any_of(arrays.begin(), arrays.end(),
                                 [this](const Tensor& t) { return slot_of(t.name).has_value(); });
  for (const Tensor& array : arrays) {
    std::optional<size_t> slot = slot_of(array.name);
    if (named && !slot) {
      return Error(ErrorCode::input_surplus, "the model has no input '" + array.name + "'")
          .in_file(file)
          .with_hint(list_of_inputs());
    }
    if (!slot) {
      EDGETWIN_TRY_ASSIGN(slot, next_free(file));
    }
    EDGETWIN_TRY(place(array, FileKind::npy, *slot, file));
  }
  return Ok{};
}

Status InputTable::add_file(const std::string& file, std::optional<size_t> slot) {
  if (!slot) {
    EDGETWIN_TRY(next_free(file));
  }
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  const FileKind kind = file_kind(data);
  if (kind == FileKind::unknown) return unknown_kind(file);
  if (kind == FileKind::tflite || kind == FileKind::espdl || kind == FileKind::onnx) {
    return Error(ErrorCode::file_kind, "a model cannot be an input").in_file(file);
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> arrays, load_tensors(kind, data, file));
  given.push_back({file, sha256_hex(data)});
  if (kind == FileKind::npz && !slot) return place_by_name(arrays, file);
  if (arrays.size() != 1) {
    return Error(ErrorCode::input_surplus, "the archive holds " + std::to_string(arrays.size()) +
                                               " arrays, where one is wanted")
        .in_file(file);
  }
  if (!slot) {
    EDGETWIN_TRY_ASSIGN(slot, next_free(file));
  }
  return place(arrays[0], kind, *slot, file);
}

Status InputTable::add(const std::string& word) {
  if (word.starts_with(kGenerator)) return add_generated(word);
  std::error_code ignored;
  const size_t equals = word.find('=');
  if (equals == std::string::npos || std::filesystem::exists(word, ignored)) {
    return add_file(word, std::nullopt);
  }
  const std::string wanted = word.substr(0, equals);
  const std::optional<size_t> slot = slot_of(wanted);
  if (!slot) {
    return Error(ErrorCode::input_surplus, "the model has no input '" + wanted + "'")
        .in_file(loaded_.file)
        .with_hint(list_of_inputs());
  }
  const std::string file = word.substr(equals + 1);
  if (file.empty()) return Error(ErrorCode::usage, "'" + word + "' names no file");
  if (file.starts_with(kGenerator)) {
    return Error(ErrorCode::usage, "'" + file + "' fills all inputs and cannot be one of them")
        .with_hint("Give --input " + file + " alone.");
  }
  return add_file(file, slot);
}

Result<std::vector<Tensor>> InputTable::finish() {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i]) {
      return Error(ErrorCode::input_missing,
                   "the model's input '" + value(i).name + "' was not given")
          .in_file(loaded_.file)
          .with_hint(list_of_inputs());
    }
    tensors.push_back(std::move(*slots_[i]));
  }
  return tensors;
}

}  // namespace

Result<LoadedInputs> load_inputs(const std::vector<std::string>& words, const LoadedModel& loaded,
                                 const exec::Session& session, const ComputeArguments& compute,
                                 Resize resize) {
  InputTable table(loaded, session, {compute.mean, compute.std}, resize);
  for (const std::string& word : words) EDGETWIN_TRY(table.add(word));
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> tensors, table.finish());
  return LoadedInputs{std::move(tensors), std::move(table.given), std::move(table.picture)};
}

}  // namespace edgetwin::cli
