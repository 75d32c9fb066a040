#include "serve/inspect/requests.h"

#include <stdlib.h>

#include <charconv>

#include "base/file.h"
#include "edgetwin/explain.h"

namespace edgetwin::serve {

Result<int64_t> number_member(const Members& m, const std::string& key, int64_t most) {
  const std::string text = member_of(m, key);
  int64_t value = -1;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (text.empty() || parsed.ec != std::errc() || parsed.ptr != end || value < 0 || value > most) {
    return Error(ErrorCode::bad_value, key + " is a whole number from 0 to " +
                                           std::to_string(most) + ", not '" + text.substr(0, 40) +
                                           "'");
  }
  return value;
}

Json explained(const Finding& f) {
  Json j = to_json(f);
  if (const Explanation* e = explain(f.id); e != nullptr) {
    j.set("rule_title", e->title).set("rule_text", e->text).set("rule_evidence", e->evidence);
  }
  return j;
}

Result<BriefFolder> BriefFolder::create() {
  std::error_code failed;
  const std::filesystem::path where = std::filesystem::temp_directory_path(failed);
  std::string name = (where / "edgetwin-serve-XXXXXX").string();
  if (failed || ::mkdtemp(name.data()) == nullptr) {
    return Error(ErrorCode::file_write, "no folder can be made in " + where.string());
  }
  return BriefFolder(name);
}

BriefFolder::~BriefFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Result<std::string> BriefFolder::write(const std::string& name, ByteSpan data) const {
  const std::filesystem::path file = path_ / safe_name(name);
  EDGETWIN_TRY(write_file(file, data, Overwrite::no));
  return file.string();
}

}  // namespace edgetwin::serve
