// Work that is a list of independent items (models of a folder, layers, points of a search), shared
// out like samples: item i belongs to shard i mod N + 1. A row is what came of one item. The whole
// is a function of identity and rows, whoever computed them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"

namespace edgetwin::evaluation {

struct ListPart {
  std::string of;  // what is a list: "verify", "analyse", "search"
  Json identity;   // an object: what is done to what, without paths and times
  uint64_t items = 0;
  uint64_t shard = 1, shards = 1;
  // By item, rising: an object with the member "index"; "yes": false makes the whole a no.
  std::vector<Json> rows;

  bool yes() const;
};

// Of one of several shards a part, else the whole.
Json list_json(const ListPart& part);
// The rows as lines for people.
std::string list_text(const ListPart& part);

// Whether the document is one of these; evaluations have others.
bool is_list_part(const Json& document);
// Any document. Error: part_form.
Result<ListPart> read_list_part(const Json& document, const std::string& file);
// Errors: part_other, part_missing, part_double, with the files.
Result<ListPart> merge_lists(const std::vector<std::pair<std::string, ListPart>>& parts);

}  // namespace edgetwin::evaluation
