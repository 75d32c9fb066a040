#include "twin/compare/accuracy.h"

#include <stdlib.h>  // mkdtemp is POSIX

#include <filesystem>

#include "base/file.h"
#include "base/json/json.h"

namespace edgetwin::twin {

namespace fs = std::filesystem;

Result<MadeFolder> MadeFolder::make(const std::vector<MadeFile>& files) {
  std::error_code failed;
  std::string name = (fs::temp_directory_path(failed) / "edgetwin-XXXXXX").string();
  if (failed || ::mkdtemp(name.data()) == nullptr) {
    return Error(ErrorCode::file_write, "no temporary folder can be made").in_file(name);
  }
  MadeFolder folder(name);
  for (const MadeFile& f : files) {
    EDGETWIN_TRY(write_file(folder.file(f.path), f.bytes, Overwrite::yes));
  }
  return folder;
}

MadeFolder::~MadeFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<ChipAccuracy> accuracy_of(const Candidate& candidate, const EvaluateOptions& options) {
  EDGETWIN_TRY_ASSIGN(const Evaluation evaluation, evaluate({candidate}, options));
  EDGETWIN_TRY_ASSIGN(const Json document, Json::parse(evaluation.json, "evaluation"));
  const std::optional<Json> top1 = document.get("top1");
  const auto number = [&](const char* key) {
    const auto member = top1 ? top1->get(key) : std::nullopt;
    return member ? member->as_number().value_or(0.0) : 0.0;
  };
  ChipAccuracy a;
  if (top1) a.right = top1->get_integer("right").value_or(0);
  if (top1) a.count = top1->get_integer("count").value_or(0);
  a.value = number("value");
  a.low = number("low");
  a.high = number("high");
  return a;
}

}  // namespace edgetwin::twin
