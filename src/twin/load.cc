#include "twin/load.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/file.h"
#include "base/sha256.h"
#include "formats/espdl/import/import.h"
#include "formats/espdl/read/read.h"
#include "formats/onnx/import/onnx.h"
#include "formats/tflite/tflite.h"
#include "image/image.h"
#include "tensor/npy.h"
#include "twin/espdl_choice.h"

namespace edgetwin::twin {

FileKind sniff(ByteSpan data) {
  if (espdl::looks_like_espdl(data)) return FileKind::espdl;
  if (tflite::looks_like_tflite(data)) return FileKind::tflite;
  if (looks_like_npy(data)) return FileKind::npy;
  if (looks_like_zip(data)) return FileKind::npz;
  if (looks_like_image(data)) return FileKind::image;
  if (onnx::looks_like_onnx(data)) return FileKind::onnx;  // no magic number: last
  return FileKind::unknown;
}

Error unknown_kind(const std::string& file) {
  return Error(ErrorCode::file_kind, "the content of the file is of no known kind")
      .in_file(file)
      .with_hint(
          "Known are .tflite, .espdl and .onnx models, .yaml networks and .pth.tar checkpoints of "
          "the MAX78000, .npy and .npz arrays, and PNG, JPEG and BMP pictures; `run` and `disasm` "
          "take "
          "bare Edge TPU programs.");
}

namespace {

LoadedModel loaded_from(ByteSpan data, const std::string& file, const LoadOptions& options) {
  LoadedModel loaded;
  loaded.file = file;
  loaded.sha256 = options.sha256.empty() ? sha256_hex(data) : options.sha256;
  loaded.bytes = static_cast<int64_t>(data.size());
  return loaded;
}

std::string names_of(const espdl::Container& container) {
  std::string names = "It holds:";
  for (size_t i = 0; i < container.models.size(); ++i) {
    names += (i ? ", " : " ") + std::to_string(i) + " '" + container.models[i].name + "'";
  }
  return names + ".";
}

// The model that --model names, or the only one.
Result<size_t> member_of(const espdl::Container& container, const std::string& file,
                         const std::string& wanted) {
  if (wanted.empty() && container.models.size() == 1) return size_t{0};
  for (size_t i = 0; i < container.models.size(); ++i) {
    if (!wanted.empty() && (container.models[i].name == wanted || std::to_string(i) == wanted)) {
      return size_t{i};
    }
  }
  const std::string what = wanted.empty() ? "the file is a package of " +
                                                std::to_string(container.models.size()) + " models"
                                          : "the file holds no model '" + wanted + "'";
  return Error(ErrorCode::usage, what)
      .in_file(file)
      .with_hint("Choose one with --model. " + names_of(container));
}

Result<LoadedModel> load_onnx_model(ByteSpan data, const std::string& file,
                                    const LoadOptions& options) {
  onnx::ReadOptions how;
  EDGETWIN_TRY(onnx::add_shapes(how, options.shapes));
  how.external = onnx::files_beside(file);
  EDGETWIN_TRY_ASSIGN(Model model, onnx::read(data, file, how));
  LoadedModel loaded = loaded_from(data, file, options);
  loaded.model = std::make_shared<Model>(std::move(model));
  return loaded;
}

// `owner`, if there is one, has `data`, and is emptied.
Result<LoadedModel> load_espdl_model(ByteSpan data, const std::string& file,
                                     const LoadOptions& options, Bytes* owner) {
  EDGETWIN_TRY_ASSIGN(espdl::Container container, load_espdl(data, file, options.key));
  EDGETWIN_TRY_ASSIGN(const size_t index, member_of(container, file, options.member));
  if (!options.key.empty() && !container.models[index].encrypted) {
    return Error(ErrorCode::usage, "--key changes nothing: the model is not encrypted")
        .in_file(file)
        .with_hint("Leave --key out.");
  }
  LoadedModel loaded = loaded_from(data, file, options);
  if (owner != nullptr) *owner = Bytes();
  loaded.espdl = std::make_shared<const espdl::ModelFile>(std::move(container.models[index]));
  const espdl::Document& document = loaded.espdl->document;
  EDGETWIN_TRY_ASSIGN(const ChosenTarget chosen, choose_target(document, file, options));
  loaded.target = std::string(espdl::name(chosen.target));
  loaded.target_why = chosen.why;
  EDGETWIN_TRY_ASSIGN(Model model, espdl::import_document(document, chosen.target, file));
  using Findings = std::vector<Finding>;
  for (const Findings* findings : std::initializer_list<const Findings*>{
           &container.findings, &loaded.espdl->findings, &chosen.findings}) {
    model.findings.insert(model.findings.end(), findings->begin(), findings->end());
  }
  loaded.model = std::make_shared<Model>(std::move(model));
  return loaded;
}

}  // namespace

Result<std::optional<espdl::Key>> optional_key(const std::string& text) {
  std::optional<espdl::Key> key;
  if (!text.empty()) {
    EDGETWIN_TRY_ASSIGN(key, espdl::parse_key(text));
  }
  return key;
}

Result<espdl::Container> load_espdl(ByteSpan data, const std::string& file,
                                    const std::string& key) {
  EDGETWIN_TRY_ASSIGN(const auto parsed, optional_key(key));
  return espdl::read(data, file, parsed);
}

Status refuse_unused_key(const std::vector<espdl::ModelFile>& models, const std::string& key,
                         const std::string& file) {
  if (key.empty() || std::ranges::any_of(models, &espdl::ModelFile::encrypted)) return Ok{};
  return Error(ErrorCode::usage, "--key changes nothing: no model is encrypted")
      .in_file(file)
      .with_hint("Leave --key out.");
}

Result<LoadedModel> load_model(ByteSpan data, const std::string& file, const LoadOptions& options) {
  const FileKind kind = sniff(data);
  if (kind == FileKind::unknown) return unknown_kind(file);
  if (kind == FileKind::espdl) return load_espdl_model(data, file, options, nullptr);
  if (kind == FileKind::onnx) return load_onnx_model(data, file, options);
  if (!options.shapes.empty()) {
    return Error(ErrorCode::usage, "--shape belongs to .onnx files").in_file(file);
  }
  if (kind != FileKind::tflite) {
    return Error(ErrorCode::file_kind,
                 "this is not a model but of kind " + std::string(edgetwin::name(kind)))
        .in_file(file)
        .with_hint("Give a .tflite, .espdl or .onnx file as MODEL.");
  }
  EDGETWIN_TRY_ASSIGN(Model model, tflite::read(data, file));
  LoadedModel loaded = loaded_from(data, file, options);
  loaded.model = std::make_shared<Model>(std::move(model));
  return loaded;
}

Result<LoadedModel> load_model_and_release(Bytes& data, const std::string& file,
                                           const LoadOptions& options) {
  if (sniff(data) != FileKind::espdl) return load_model(data, file, options);
  return load_espdl_model(data, file, options, &data);
}

Result<LoadedModel> load_model(const std::string& file, const LoadOptions& options) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  return load_model(data, file, options);
}

Result<std::vector<Tensor>> load_tensors(FileKind kind, ByteSpan data, const std::string& file) {
  if (kind == FileKind::npz) return read_npz(data, file);
  std::vector<Tensor> tensors;
  if (kind == FileKind::image) {
    EDGETWIN_TRY_ASSIGN(Tensor picture, decode_image(data, file));
    tensors.push_back(std::move(picture));
  } else {
    EDGETWIN_TRY_ASSIGN(Tensor array, read_npy(data, file));
    tensors.push_back(std::move(array));
  }
  return tensors;
}

}  // namespace edgetwin::twin
