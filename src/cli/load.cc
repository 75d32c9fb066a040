#include "cli/load.h"

#include "base/file.h"
#include "base/sha256.h"
#include "formats/tflite/tflite.h"
#include "image/image.h"
#include "tensor/npy.h"

namespace edgetwin::cli {

FileKind file_kind(ByteSpan data) {
  if (tflite::looks_like_tflite(data)) return FileKind::tflite;
  if (looks_like_npy(data)) return FileKind::npy;
  if (looks_like_zip(data)) return FileKind::npz;
  if (looks_like_image(data)) return FileKind::image;
  return FileKind::unknown;
}

std::string_view name(FileKind kind) {
  switch (kind) {
    case FileKind::tflite:
      return "tflite";
    case FileKind::npy:
      return "npy";
    case FileKind::npz:
      return "npz";
    case FileKind::image:
      return "image";
    case FileKind::unknown:
      break;
  }
  return "unknown";
}

Error unknown_kind(const std::string& file) {
  return Error(ErrorCode::file_kind, "the content of the file is of no known kind")
      .in_file(file)
      .with_hint("Known are .tflite models, .npy and .npz arrays, and PNG, JPEG and BMP pictures.");
}

Result<LoadedModel> load_model(ByteSpan data, const std::string& file) {
  const FileKind kind = file_kind(data);
  if (kind == FileKind::unknown) return unknown_kind(file);
  if (kind != FileKind::tflite) {
    return Error(ErrorCode::file_kind, "this is not a model but of kind " + std::string(name(kind)))
        .in_file(file)
        .with_hint("Give a .tflite file as MODEL.");
  }
  EDGETWIN_TRY_ASSIGN(Model model, tflite::read(data, file));
  LoadedModel loaded;
  loaded.file = file;
  loaded.sha256 = sha256_hex(data);
  loaded.bytes = static_cast<int64_t>(data.size());
  loaded.model = std::make_shared<const Model>(std::move(model));
  return loaded;
}

Result<LoadedModel> load_model(const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  return load_model(data, file);
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

}  // namespace edgetwin::cli
