#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "cli/pack/arguments.h"
#include "cli/shared/exit_codes.h"
#include "formats/espdl/write/write.h"
#include "twin/load.h"

namespace edgetwin::cli {
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

Result<int> execute(const PackArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const auto key, twin::optional_key(a.key));
  EDGETWIN_TRY_ASSIGN(const std::vector<std::string> files, files_of(a.files));
  std::vector<espdl::ModelFile> models;
  for (const std::string& file : files) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
    EDGETWIN_TRY_ASSIGN(espdl::Container one, twin::load_espdl(data, file, a.key));
    if (one.package_version != 0) {
      return Error(ErrorCode::file_kind, "the file is a package already").in_file(file);
    }
    EDGETWIN_TRY(check_readable(data, file, one.models[0], a.key));
    one.models[0].name = fs::path(file).filename().string();
    models.push_back(std::move(one.models[0]));
  }
  EDGETWIN_TRY_ASSIGN(const espdl::Container package,
                      espdl::pack(std::move(models), a.format, a.text));
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, espdl::write(package, key));
  EDGETWIN_TRY(a.output.write(bytes));
  report::Json names = report::Json::array();
  for (const espdl::ModelFile& m : package.models) {
    console.print("packed  " + m.name + "\n");
    names.push(m.name);
  }
  console.print("wrote   " + a.output.path + ", " + std::to_string(bytes.size()) + " bytes\n");
  console.json()
      .set("output", a.output.path)
      .set("bytes", bytes.size())
      .set("models", std::move(names));
  return kYes;
}

Result<int> execute(const UnpackArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const auto key, twin::optional_key(a.key));
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.file));
  EDGETWIN_TRY_ASSIGN(const espdl::Container package, twin::load_espdl(data, a.file, a.key));
  if (package.package_version == 0) {
    return Error(ErrorCode::file_kind, "the file is a single model, not a package").in_file(a.file);
  }
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  report::Json names = report::Json::array();
  for (const espdl::ModelFile& m : package.models) {
    EDGETWIN_TRY_ASSIGN(const Bytes bytes, espdl::write(espdl::single(m), key));
    EDGETWIN_TRY(folder.write(m.name, bytes));
    console.print("wrote   " + m.name + ", " + std::to_string(bytes.size()) + " bytes\n");
    names.push(m.name);
  }
  EDGETWIN_TRY(folder.commit());
  console.json().set("output", a.output.path).set("models", std::move(names));
  return kYes;
}

}  // namespace edgetwin::cli
