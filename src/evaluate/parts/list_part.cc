#include "evaluate/parts/list_part.h"

#include <algorithm>
#include <map>

#include "base/sha256.h"
#include "edgetwin/version.h"
#include "evaluate/rules/rules.h"

namespace edgetwin::evaluation {
namespace {

constexpr const char* kListKind = "list of edgetwin";
constexpr uint64_t kMostItems = uint64_t{1} << 24;

Error not_a_list(const std::string& file, const std::string& what) {
  return broken(Rule::part_form, what).in_file(file);
}

Json rows_json(const ListPart& part) {
  Json rows = Json::array();
  for (const Json& row : part.rows) rows.push(row);
  return rows;
}

std::string sum_of_list(const ListPart& part) {
  std::string all = part.of + part.identity.text();
  for (const Json& row : part.rows) all += row.text();
  return sha256_hex(as_byte_span(all));
}

std::optional<uint64_t> count_of(const Json& j, std::string_view key, uint64_t most) {
  const auto value = j.get_integer(key);
  if (!value || *value < 0 || static_cast<uint64_t>(*value) > most) return std::nullopt;
  return static_cast<uint64_t>(*value);
}

uint64_t index_of(const Json& row) { return count_of(row, "index", kMostItems).value_or(0); }

Status read_rows(const Json& document, ListPart& part, const std::string& file) {
  const auto rows = document.get("rows");
  if (!rows || !rows->is_array()) return not_a_list(file, "'rows' is missing");
  for (size_t i = 0; i < rows->size(); ++i) {
    Json row = rows->at(i);
    const auto index = row.is_object() ? count_of(row, "index", kMostItems) : std::nullopt;
    if (!index || *index >= part.items || *index % part.shards + 1 != part.shard ||
        (!part.rows.empty() && index_of(part.rows.back()) >= *index)) {
      return not_a_list(file, "row " + std::to_string(i) + " does not belong where it stands");
    }
    part.rows.push_back(std::move(row));
  }
  if (document.get_string("sha256").value_or("") != sum_of_list(part)) {
    return not_a_list(file, "the sum of the content is another one: the file was changed or cut");
  }
  return Ok{};
}

Status same_work(const std::pair<std::string, ListPart>& a,
                 const std::pair<std::string, ListPart>& b) {
  const ListPart& one = a.second;
  const ListPart& two = b.second;
  if (one.of == two.of && one.identity.text() == two.identity.text() && one.items == two.items &&
      one.shards == two.shards) {
    return Ok{};
  }
  return broken(Rule::part_other, "this is part of another work than " + a.first).in_file(b.first);
}

}  // namespace

bool ListPart::yes() const {
  return std::ranges::none_of(rows, [](const Json& row) {
    const auto yes = row.get("yes");
    return yes && yes->as_bool() == false;
  });
}

Json list_json(const ListPart& part) {
  Json j = Json::object();
  j.set("kind", kListKind).set("program", "edgetwin").set("version", std::string(version()));
  j.set("of", part.of).set("work", part.identity).set("items", part.items);
  j.set("shard", part.shard).set("shards", part.shards).set("yes", part.yes());
  return std::move(j.set("rows", rows_json(part)).set("sha256", sum_of_list(part)));
}

std::string list_text(const ListPart& part) {
  std::string text;
  for (const Json& row : part.rows) {
    text += row.get_string("text").value_or("item " + std::to_string(index_of(row))) + "\n";
  }
  const bool whole = part.shards == 1;
  text += whole ? std::to_string(part.items) + " items"
                : "shard " + std::to_string(part.shard) + " of " + std::to_string(part.shards) +
                      ": " + std::to_string(part.rows.size()) + " of " +
                      std::to_string(part.items) + " items";
  return text + "\n";
}

bool is_list_part(const Json& document) {
  return document.is_object() && document.get_string("kind") == kListKind;
}

Result<ListPart> read_list_part(const Json& document, const std::string& file) {
  if (!is_list_part(document)) return not_a_list(file, "the document is no list");
  ListPart part;
  const auto items = count_of(document, "items", kMostItems);
  const auto shards = count_of(document, "shards", kMostItems);
  const auto shard = count_of(document, "shard", kMostItems);
  const auto work = document.get("work");
  const auto of = document.get_string("of");
  if (!items || !shards || !shard || !of || !work || !work->is_object() || *shard < 1 ||
      *shard > *shards) {
    return not_a_list(file, "its head is not complete");
  }
  if (document.get_string("version") != std::string(version())) {
    return broken(Rule::part_other, "it is of another version of edgetwin").in_file(file);
  }
  part.of = *of;
  part.identity = *work;
  part.items = *items;
  part.shard = *shard;
  part.shards = *shards;
  EDGETWIN_TRY(read_rows(document, part, file));
  return part;
}

Result<ListPart> merge_lists(const std::vector<std::pair<std::string, ListPart>>& parts) {
  std::map<uint64_t, std::string> seen;
  ListPart whole = parts.front().second;
  const uint64_t shards = whole.shards;
  whole.rows.clear();
  for (const auto& part : parts) {
    EDGETWIN_TRY(same_work(parts.front(), part));
    const auto [at, added] = seen.emplace(part.second.shard, part.first);
    if (!added) {
      return broken(Rule::part_double,
                    "shard " + std::to_string(part.second.shard) + " is in " + at->second + " too")
          .in_file(part.first);
    }
    whole.rows.insert(whole.rows.end(), part.second.rows.begin(), part.second.rows.end());
  }
  std::ranges::sort(whole.rows, {}, index_of);
  for (uint64_t i = 0; i < whole.items; ++i) {
    if (i < whole.rows.size() && index_of(whole.rows[i]) == i) continue;
    return broken(Rule::part_missing, "item " + std::to_string(i) + ", of shard " +
                                          std::to_string(i % shards + 1) + " of " +
                                          std::to_string(shards) + ", is in none of the parts")
        .in_file(parts.front().first);
  }
  whole.shard = whole.shards = 1;
  return whole;
}

}  // namespace edgetwin::evaluation
