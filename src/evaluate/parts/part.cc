#include "evaluate/parts/part.h"
#include "evaluate/rules/rules.h"

#include <algorithm>

#include "base/sha256.h"
#include "edgetwin/version.h"

namespace edgetwin::evaluation {
namespace {

constexpr const char* kKind = "part of an evaluation";
constexpr uint64_t kMostSamples = uint64_t{1} << 32;
constexpr size_t kMostModels = 64;

Error bad(const std::string& file, const std::string& what) {
  return broken(Rule::part_form, what).in_file(file);
}

std::string digest_of(const Json& identity, const std::string& lines) {
  const std::string all = identity.text() + lines;
  return sha256_hex(as_byte_span(all));
}

std::optional<uint64_t> whole(const Json& j, std::string_view key) {
  const auto value = j.get_integer(key);
  if (!value || *value < 0) return std::nullopt;
  return static_cast<uint64_t>(*value);
}

// The lines of a part, and what they were hashed to.
Result<std::vector<Record>> read_records(const Json& document, const Part& part,
                                         const std::string& file) {
  const auto lines = document.get("records");
  if (!lines || !lines->is_array()) return bad(file, "'records' is missing");
  std::vector<Record> records;
  std::string all;
  for (size_t i = 0; i < lines->size(); ++i) {
    const auto line = lines->at(i).as_string();
    if (!line) return bad(file, "a record is not a text");
    all += *line + "\n";
    EDGETWIN_TRY_ASSIGN(Record r, record_of(*line, part.identity.form(), file));
    if (!in_shard(r.index, part.shard, part.shards) ||
        (!records.empty() && records.back().index >= r.index)) {
      return bad(file, "sample " + std::to_string(r.index) + " does not belong where it stands");
    }
    records.push_back(std::move(r));
  }
  if (document.get_string("sha256").value_or("") != digest_of(part.identity.json, all)) {
    return bad(file, "the sum of the content is another one: the file was changed or cut");
  }
  return records;
}

}  // namespace

Json identity_json(Task task, uint64_t samples, const Json& models, Json data, Json how,
                   const std::vector<std::string>& classes) {
  Json j = Json::object();
  j.set("program", "edgetwin").set("version", std::string(edgetwin::version()));
  j.set("task", name(task)).set("samples", samples).set("models", models);
  j.set("data", std::move(data)).set("preprocessing", std::move(how));
  return j.set("class_names", Json::list(classes));
}

Result<Identity> identity_of(const Json& json, const std::string& file) {
  Identity id;
  const std::string task = json.get_string("task").value_or("");
  if (std::ranges::count(task_names(), task) == 0) return bad(file, "'task' is missing");
  id.task = task_of(task);
  const auto samples = whole(json, "samples");
  if (!samples || *samples > kMostSamples) return bad(file, "'samples' is missing");
  id.samples = *samples;
  const auto models = json.get("models");
  if (!models || models->size() == 0 || models->size() > kMostModels) {
    return bad(file, "'models' is missing");
  }
  for (size_t i = 0; i < models->size(); ++i) {
    const auto file_name = models->at(i).get_string("file");
    if (!file_name) return bad(file, "a model has no 'file'");
    const std::string numerics = models->at(i).get_string("numerics").value_or("");
    id.models.push_back(*file_name + (numerics.empty() ? "" : " (" + numerics + ")"));
  }
  const auto classes = json.get("class_names");
  for (size_t i = 0; classes && i < classes->size(); ++i) {
    id.classes.push_back(classes->at(i).as_string().value_or(""));
  }
  id.json = json;
  return id;
}

Json part_json(const Part& part) {
  Json j = Json::object();
  j.set("schema", 1).set("kind", kKind);
  j.set("shard", part.shard).set("shards", part.shards);
  Json lines = Json::array();
  std::string all;
  for (const Record& r : part.records) {
    const std::string line = line_of(r);
    all += line + "\n";
    lines.push(line);
  }
  j.set("sha256", digest_of(part.identity.json, all));
  return j.set("evaluation", part.identity.json).set("records", std::move(lines));
}

Result<Part> read_part(std::string_view text, const std::string& file) {
  auto parsed = Json::parse(text, file);
  if (!parsed.ok()) return bad(file, "this is not JSON: " + parsed.error().message);
  if (parsed->get_string("kind").value_or("") != kKind) {
    return bad(file, "'kind' is not '" + std::string(kKind) + "'");
  }
  Part part;
  const auto shard = whole(*parsed, "shard"), shards = whole(*parsed, "shards");
  if (!shard || !shards || *shard < 1 || *shard > *shards || *shards > kMostSamples) {
    return bad(file, "'shard' is not from 1 to 'shards'");
  }
  part.shard = *shard;
  part.shards = *shards;
  const auto evaluation = parsed->get("evaluation");
  if (!evaluation) return bad(file, "'evaluation' is missing");
  EDGETWIN_TRY_ASSIGN(part.identity, identity_of(*evaluation, file));
  EDGETWIN_TRY_ASSIGN(part.records, read_records(*parsed, part, file));
  return part;
}

}  // namespace edgetwin::evaluation
