#include "train/cases/entry.h"

#include "base/file.h"
#include "train/cases/kinds.h"
#include "train/rules/rules.h"

namespace edgetwin::train {

double CaseEntry::number(std::string_view key, double otherwise) const {
  const auto value = json.get(key);
  return value ? value->as_number().value_or(otherwise) : otherwise;
}

int CaseEntry::integer(std::string_view key, int otherwise) const {
  return static_cast<int>(json.get_integer(key).value_or(otherwise));
}

bool CaseEntry::boolean(std::string_view key, bool otherwise) const {
  const auto value = json.get(key);
  return value ? value->text() == "true\n" : otherwise;
}

std::string CaseEntry::text(std::string_view key, const std::string& otherwise) const {
  return json.get_string(key).value_or(otherwise);
}

bool file_has(const CaseEntry& entry, std::string_view part) {
  return entry.file.find(part) != std::string::npos;
}

Result<std::vector<CaseEntry>> read_index(const std::filesystem::path& index) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(index));
  EDGETWIN_TRY_ASSIGN(const Json json, Json::parse(as_text(data), index.string()));
  std::vector<CaseEntry> entries;
  for (const char* list : {"modules", "other", "espdl", "network"}) {
    const Json rows = json.get(list).value_or(Json::array());
    for (size_t i = 0; i < rows.size(); ++i) {
      CaseEntry entry{.list = list, .file = {}, .id = {}, .json = rows.at(i)};
      entry.file = entry.text("file", "");
      entry.id = entry.text("id", entry.file);
      const std::filesystem::path path(entry.file);
      bool leaves = path.is_absolute();
      for (const auto& part : path) leaves = leaves || part == "..";
      if (entry.file.empty() || leaves) {
        return Error(ErrorCode::bad_value, "an entry has no file below the index")
            .in_file(index.string())
            .in_field(std::string(list) + " " + std::to_string(i));
      }
      entries.push_back(std::move(entry));
    }
  }
  if (entries.empty()) {
    return Error(ErrorCode::bad_value, "the file is not an index of cases").in_file(index.string());
  }
  return entries;
}

Result<CaseResults> compute_case(const CaseEntry& entry, const CaseArrays& arrays,
                                 const std::filesystem::path& folder, ThreadPool& pool) {
  if (entry.list == "modules") return compute_module(entry, arrays, pool);
  if (entry.list == "espdl") return compute_espdl(entry, arrays);
  if (entry.list == "network") return compute_network(entry, arrays, folder, pool);
  if (file_has(entry, "quantile")) return compute_quantile(arrays);
  if (file_has(entry, "preprocess")) return compute_preprocess(entry, arrays);
  if (file_has(entry, "bnfold")) return compute_fold(entry, arrays);
  if (file_has(entry, "loss/")) return compute_loss(entry, arrays);
  if (file_has(entry, "trace/")) return compute_trace(entry, arrays, folder, pool);
  if (file_has(entry, "qatv2/")) return compute_threshold(entry, arrays, pool);
  if (file_has(entry, "shift")) return compute_shift(arrays);
  return broken(Rule::recorded_case, "no kind of case is known for this entry").in_file(entry.file);
}

}  // namespace edgetwin::train
