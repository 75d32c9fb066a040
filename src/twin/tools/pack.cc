#include "edgetwin/pack.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "formats/espdl/write/write.h"
#include "twin/load.h"

namespace edgetwin {
namespace {

namespace fs = std::filesystem;

// The models that the words name: files, and all .espdl files of folders.
Result<std::vector<std::string>> files_of(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : words) {
    std::error_code failed;
    if (!fs::is_directory(word, failed)) {
      files.push_back(word);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(word, failed)) {
      if (entry.path().extension() == ".espdl") inside.push_back(entry.path().string());
    }
    if (failed || inside.empty()) {
      return Error(ErrorCode::file_open, "the folder holds no .espdl files").in_file(word);
    }
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

// What `info` cannot read no chip reads either. Without a key an encrypted model stays closed.
Status check_readable(ByteSpan data, const std::string& file, const espdl::ModelFile& model,
                      const std::string& key) {
  if (model.encrypted && key.empty()) return Ok{};
  twin::LoadOptions options;
  options.any_target = true;
  if (model.encrypted) options.key = key;
  EDGETWIN_TRY(twin::load_model(data, file, options));
  return Ok{};
}

}  // namespace

Result<Package> pack(const std::vector<std::string>& files, const PackOptions& o) {
  EDGETWIN_TRY_ASSIGN(const auto key, twin::optional_key(o.key));
  EDGETWIN_TRY_ASSIGN(const std::vector<std::string> all, files_of(files));
  std::vector<espdl::ModelFile> models;
  for (const std::string& file : all) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
    EDGETWIN_TRY_ASSIGN(espdl::Container one, twin::load_espdl(data, file, o.key));
    if (one.package_version != 0) {
      return Error(ErrorCode::file_kind, "the file is a package already").in_file(file);
    }
    EDGETWIN_TRY(check_readable(data, file, one.models[0], o.key));
    one.models[0].name = fs::path(file).filename().string();
    models.push_back(std::move(one.models[0]));
  }
  EDGETWIN_TRY(twin::refuse_unused_key(models, o.key, files.front()));
  EDGETWIN_TRY_ASSIGN(const espdl::Container made,
                      espdl::pack(std::move(models), o.format, o.text));
  Package package;
  EDGETWIN_TRY_ASSIGN(package.bytes, espdl::write(made, key));
  for (const espdl::ModelFile& m : made.models) package.models.push_back(m.name);
  return package;
}

Result<std::vector<MadeFile>> unpack(const std::string& file, const std::string& key_text) {
  EDGETWIN_TRY_ASSIGN(const auto key, twin::optional_key(key_text));
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  EDGETWIN_TRY_ASSIGN(const espdl::Container package, twin::load_espdl(data, file, key_text));
  if (package.package_version == 0) {
    return Error(ErrorCode::file_kind, "the file is a single model, not a package").in_file(file);
  }
  EDGETWIN_TRY(twin::refuse_unused_key(package.models, key_text, file));
  std::vector<MadeFile> files;
  for (const espdl::ModelFile& m : package.models) {
    EDGETWIN_TRY_ASSIGN(Bytes bytes, espdl::write(espdl::single(m), key));
    files.push_back({m.name, std::move(bytes)});
  }
  return files;
}

}  // namespace edgetwin
