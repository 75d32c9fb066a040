// Parts of an evaluation: the records of one shard with what they belong to; and what is made of
// all records. Everything is a function of the identity and the records, so that one machine and
// many give the same bytes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "evaluate/parts/record.h"

namespace edgetwin::evaluation {

// What is evaluated, on what, and how: the same text on every machine.
struct Identity {
  Task task{};
  uint64_t samples = 0;
  std::vector<std::string> models;   // as tables call them
  std::vector<std::string> classes;  // names, by index; may be empty
  Json json;                         // all of this and more; no paths, no times

  RecordForm form() const { return {task, models.size(), samples}; }
};

// {"program", "version", "task", "models", "data", "preprocessing", "classes"}
Json identity_json(Task task, uint64_t samples, const Json& models, Json data, Json how,
                   const std::vector<std::string>& classes);
// Error: part_form.
Result<Identity> identity_of(const Json& json, const std::string& file);

struct Part {
  Identity identity;
  uint64_t shard = 1, shards = 1;  // shard from 1 to shards
  std::vector<Record> records;     // by index
};

// True for sample `index` of shard `shard`.
inline bool in_shard(uint64_t index, uint64_t shard, uint64_t shards) {
  return index % shards + 1 == shard;
}

Json part_json(const Part& part);
// Any text. Error: part_form.
Result<Part> read_part(std::string_view text, const std::string& file);

// All parts of an evaluation as one. Errors: part_other, part_missing, part_double, with the files.
Result<Part> merge(const std::vector<std::pair<std::string, Part>>& parts);

// The document of a whole evaluation. Precondition: part.shards is 1 and no sample is missing.
Json result_json(const Part& part);
// Its figures as a table for people, each line ended.
std::string result_text(const Json& result);

// How many samples the worst list has.
inline constexpr size_t kWorst = 50;

}  // namespace edgetwin::evaluation
