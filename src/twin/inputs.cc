// The words of --input to the places of a network's inputs; values.h makes the tensors.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/sha256.h"
#include "exec/input.h"
#include "report/format.h"
#include "twin/compute.h"
#include "twin/values.h"

namespace edgetwin::twin {
namespace {

constexpr std::string_view kGenerator = "xs32:";

Error not_an_input(const char* why, const std::string& file) {
  return Error(ErrorCode::file_kind, why)
      .in_file(file)
      .with_hint("Give a .npy or .npz array, a PNG, JPEG or BMP picture, or xs32:1.");
}

// What a table of inputs knows of them.
struct Places {
  std::span<const Port> ports;
  numerics::Rounding rounding{};  // of real numbers that become inputs
  bool small_floats = false;      // generated floats lie in [-1, 1)
  std::string file;               // of the model, for messages
};

// Inputs under way to their places.
class InputTable {
 public:
  InputTable(Places places, exec::PictureScale scale, Resize resize)
      : places_(std::move(places)),
        scale_(std::move(scale)),
        resize_(resize),
        slots_(places_.ports.size()) {}

  Status add(const std::string& word);
  Result<std::vector<Tensor>> finish();
  std::vector<GivenInput> given;
  std::optional<Tensor> picture;

 private:
  Status add_generated(const std::string& word);
  Status add_file(const std::string& file, std::optional<size_t> slot);
  Status place(const Tensor& given_tensor, FileKind kind, size_t slot, const std::string& file);
  Status place_by_name(const std::vector<Tensor>& arrays, const std::string& file);
  Status check_scale() const;
  std::optional<size_t> slot_of(std::string_view name) const;
  Result<size_t> next_free(const std::string& file) const;
  const Port& port(size_t slot) const { return places_.ports[slot]; }
  std::string list_of_inputs() const;

  Places places_;
  exec::PictureScale scale_;
  Resize resize_;
  std::vector<std::optional<Tensor>> slots_;
  bool scaled_ = false;  // a picture took its scale
};

// Whether the pixels of a picture become real numbers, which have a scale.
bool takes_scale(const Port& p) {
  return p.dtype == DType::float32 || p.quant.scheme == Quant::Scheme::power_of_two;
}

std::string InputTable::list_of_inputs() const {
  std::string text = "The model's inputs are:";
  for (size_t i = 0; i < slots_.size(); ++i) {
    text += (i ? ", '" : " '") + port(i).name + "' " + to_string(port(i).shape) + " " +
            std::string(edgetwin::name(port(i).dtype));
  }
  return slots_.empty() ? "The model has no inputs." : text + ".";
}

std::optional<size_t> InputTable::slot_of(std::string_view name) const {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (port(i).name == name || report::file_safe(port(i).name) == name) return i;
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (std::ranges::find(port(i).aliases, name) != port(i).aliases.end()) return i;
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
    return Error(ErrorCode::usage, "'" + word + "' has no seed from 1 to 4294967295")
        .with_hint("xs32:1 stands for pseudo-random numbers of the seed 1.");
  }
  if (std::any_of(slots_.begin(), slots_.end(), [](const auto& s) { return s.has_value(); })) {
    return Error(ErrorCode::usage, "'" + word + "' fills all inputs and cannot join others");
  }
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> tensors,
                      generated_for(places_.ports, seed, places_.small_floats));
  for (size_t i = 0; i < slots_.size(); ++i) slots_[i] = std::move(tensors[i]);
  given.push_back({word, ""});
  return Ok{};
}

Status InputTable::place(const Tensor& tensor, FileKind kind, size_t slot,
                         const std::string& file) {
  if (slots_[slot]) {
    return Error(ErrorCode::input_surplus, "input '" + port(slot).name + "' was given twice")
        .in_file(file);
  }
  auto converted =
      kind == FileKind::image
          ? picture_for(port(slot), tensor, scale_, resize_, places_.rounding)
          : exec::convert_input(tensor, value_of(port(slot)), port(slot).shape, places_.rounding);
  if (!converted.ok()) {
    Error error = std::move(converted).error();
    if (error.place.file.empty()) error.place.file = file;
    return error;
  }
  slots_[slot] = std::move(*converted);
  if (kind != FileKind::image) return Ok{};
  scaled_ = scaled_ || takes_scale(port(slot));
  if (!picture) picture = tensor;
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
  const FileKind kind = sniff(data);
  if (kind == FileKind::unknown) {
    return not_an_input("the content of the file is of no kind that can be an input", file);
  }
  if (kind == FileKind::tflite || kind == FileKind::espdl || kind == FileKind::onnx) {
    return not_an_input("a model cannot be an input", file);
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
        .in_file(places_.file)
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

// A scale that nothing takes would let its user believe that it did something.
Status InputTable::check_scale() const {
  if (scaled_ || (scale_.mean.empty() && scale_.std.empty())) return Ok{};
  const std::string why = picture ? "the integers of an input are the pixels themselves here"
                                  : "none of the inputs is a picture";
  return Error(ErrorCode::usage, "--mean and --std change nothing: " + why)
      .in_file(places_.file)
      .with_hint("Leave them out, or give an .npy of the scaled numbers as --input.");
}

Result<std::vector<Tensor>> InputTable::finish() {
  EDGETWIN_TRY(check_scale());
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!slots_[i]) {
      return Error(ErrorCode::input_missing,
                   "the model's input '" + port(i).name + "' was not given")
          .in_file(places_.file)
          .with_hint(list_of_inputs());
    }
    tensors.push_back(std::move(*slots_[i]));
  }
  return tensors;
}

Result<Inputs> filled(InputTable table, const std::vector<std::string>& words) {
  for (const std::string& word : words) EDGETWIN_TRY(table.add(word));
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> tensors, table.finish());
  return Inputs{std::move(tensors), std::move(table.given), std::move(table.picture)};
}

}  // namespace

Result<Inputs> inputs_for(std::span<const Port> ports, const std::vector<std::string>& words,
                          const std::string& numerics, const PictureOptions& options,
                          const std::string& place) {
  const Places places{ports, rounding_of(numerics), numerics == "onnx", place};
  const auto resize = static_cast<Resize>(options.resize);
  return filled(InputTable(places, {options.mean, options.std}, resize), words);
}

Result<LoadedInputs> load_inputs(const std::vector<std::string>& words, const LoadedModel& loaded,
                                 const exec::Session& session, const ComputeOptions& compute,
                                 Resize resize) {
  const std::vector<Port> ports = input_ports(*loaded.model, session);
  const Places places{ports, rounding_of(session.options().numerics),
                      loaded.model->main().layout == Layout::nchw, loaded.file};
  return filled(InputTable(places, {compute.mean, compute.std}, resize), words);
}

}  // namespace edgetwin::twin

namespace edgetwin {

Result<Inputs> read_inputs(const std::vector<std::string>& words, const Runner& runner,
                           const PictureOptions& options, const std::string& place) {
  return twin::inputs_for(runner.inputs(), words, runner.numerics(), options, place);
}

}  // namespace edgetwin
