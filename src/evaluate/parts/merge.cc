#include <algorithm>
#include <map>

#include "evaluate/parts/part.h"
#include "evaluate/rules/rules.h"

namespace edgetwin::evaluation {
namespace {

// The first member that differs.
std::string difference(const Json& a, const Json& b) {
  for (const std::string& key : a.keys()) {
    const auto other = b.get(key);
    if (!other) return key;
    if (a.get(key)->text() != other->text()) return key;
  }
  return "";
}

Error in_part(Rule code, const std::string& file, std::string what) {
  return broken(code, std::move(what)).in_file(file);
}

}  // namespace

Result<Part> merge(const std::vector<std::pair<std::string, Part>>& parts) {
  const auto& [first_file, first] = parts.front();
  std::map<uint64_t, std::string> seen;
  Part whole;
  whole.identity = first.identity;
  for (const auto& [file, part] : parts) {
    const std::string other = difference(first.identity.json, part.identity.json);
    if (!other.empty()) {
      return in_part(Rule::part_other, file,
                     "'" + other + "' is another one than in " + first_file);
    }
    if (part.shards != first.shards) {
      return in_part(Rule::part_other, file,
                     "this is one of " + std::to_string(part.shards) + " shards, " + first_file +
                         " one of " + std::to_string(first.shards))
          .with_hint("Give the N parts of one N of `--shard K/N`.");
    }
    const auto [at, added] = seen.emplace(part.shard, file);
    if (!added) {
      return in_part(Rule::part_double, file,
                     "shard " + std::to_string(part.shard) + " is in " + at->second + " too");
    }
    whole.records.insert(whole.records.end(), part.records.begin(), part.records.end());
  }
  for (uint64_t k = 1; k <= first.shards && seen.size() < first.shards; ++k) {
    if (seen.contains(k)) continue;
    return in_part(Rule::part_missing, first_file,
                   "shard " + std::to_string(k) + " of " + std::to_string(first.shards) +
                       " is not among the " + std::to_string(parts.size()) + " parts");
  }
  std::ranges::sort(whole.records, {}, &Record::index);
  for (uint64_t i = 0; i < whole.identity.samples; ++i) {
    if (i < whole.records.size() && whole.records[i].index == i) continue;
    return in_part(Rule::part_missing, first_file,
                   "sample " + std::to_string(i) + " is in none of the parts");
  }
  return whole;
}

}  // namespace edgetwin::evaluation
