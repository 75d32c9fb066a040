#include "edgetwin/explain.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "rules/registry.h"

namespace edgetwin {
namespace {

std::vector<Explanation> every_row() {
  std::vector<Explanation> all;
  for (const rules::NamedTable& table : rules::all_tables()) {
    for (const RuleInfo& r : table.rows) {
      all.push_back({r.id, r.name, r.severity, r.exit_code, r.title, r.text, r.remedy,
                     edgetwin::name(r.evidence), table.about, table.page});
    }
  }
  return all;
}

std::string capitals(std::string_view id) {
  std::string text(id);
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

}  // namespace

std::span<const Explanation> all_explanations() {
  static const std::vector<Explanation> all = every_row();
  return all;
}

const Explanation* explain(std::string_view id) {
  const std::string wanted = capitals(id);
  for (const Explanation& e : all_explanations()) {
    if (e.id == wanted) return &e;
  }
  return nullptr;
}

std::vector<std::string_view> near_ids(std::string_view id, size_t count) {
  const std::string wanted = capitals(id);
  std::vector<std::pair<size_t, std::string_view>> ranked;
  for (const Explanation& e : all_explanations())
    ranked.emplace_back(edit_distance(wanted, e.id), e.id);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> ids;
  for (size_t i = 0; i < std::min(count, ranked.size()); ++i) ids.push_back(ranked[i].second);
  return ids;
}

}  // namespace edgetwin
