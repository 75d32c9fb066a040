#include "serve/inspect/requests.h"

#include <algorithm>
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

Result<OpenedFiles> files_member(const FileStore& files, const Members& m, const std::string& key) {
  OpenedFiles list;
  std::string ids = member_of(m, key);
  while (!ids.empty()) {
    if (list.size() == kMostFiles) {
      return Error(ErrorCode::bad_value,
                   key + " has more than " + std::to_string(kMostFiles) + " files");
    }
    const size_t end = std::min(ids.find(','), ids.size());
    EDGETWIN_TRY_ASSIGN(auto file, files.find(ids.substr(0, end)));
    list.push_back(std::move(file));
    ids.erase(0, end + 1);
  }
  if (list.empty()) {
    return Error(ErrorCode::bad_value, key + " is the id of a file, or several with commas");
  }
  return list;
}

Json explained(const Finding& f) {
  Json j = to_json(f);
  if (const Explanation* e = explain(f.id); e != nullptr) {
    j.set("rule_title", e->title).set("rule_text", e->text).set("rule_evidence", e->evidence);
  }
  return j;
}

Result<BriefFolder> BriefFolder::create() {
  EDGETWIN_TRY_ASSIGN(ScratchFolder folder, ScratchFolder::make());
  return BriefFolder(std::move(folder));
}

Result<std::string> BriefFolder::write_set(const OpenedFiles& all) const {
  std::string last;
  for (size_t i = 0; i < all.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(last, write(std::to_string(i) + "_" + all[i]->name, all[i]->data));
  }
  return all.size() == 1 ? last : path().string();
}

Result<std::string> BriefFolder::write(const std::string& name, ByteSpan data) const {
  const std::filesystem::path file = folder_.path() / safe_name(name);
  EDGETWIN_TRY(write_file(file, data, Overwrite::no));
  return file.string();
}

}  // namespace edgetwin::serve
