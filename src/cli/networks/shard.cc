#include "cli/networks/shard.h"

#include <charconv>

#include "cluster/cluster.h"

namespace edgetwin::cli {

Result<Shard> shard_of(const std::string& word) {
  Shard s;
  if (word.empty()) return s;
  const char* end = word.data() + word.size();
  const auto first = std::from_chars(word.data(), end, s.number);
  if (first.ec == std::errc() && first.ptr < end && *first.ptr == '/') {
    const auto second = std::from_chars(first.ptr + 1, end, s.of);
    if (second.ec == std::errc() && second.ptr == end && s.number >= 1 && s.number <= s.of) {
      return s;
    }
  }
  return Error(ErrorCode::usage, "'" + word + "' is not K/N with K from 1 to N");
}

Result<SharedWork> SharedWork::begin(const std::string& word) {
  SharedWork work;
  EDGETWIN_TRY_ASSIGN(work.shard_, shard_of(word));
  if (cluster::launched() <= 1) return work;
  if (!word.empty()) {
    return Error(ErrorCode::usage, "--shard and mpirun both share out the work")
        .with_hint("Leave one of them out.");
  }
  EDGETWIN_TRY_ASSIGN(work.cluster_, cluster::join());
  work.shard_ = {static_cast<uint64_t>(work.cluster_->rank()) + 1,
                 static_cast<uint64_t>(work.cluster_->size())};
  return work;
}

Result<evaluation::ListPart> SharedWork::gathered(evaluation::ListPart part) {
  if (cluster_ == nullptr) return part;
  EDGETWIN_TRY_ASSIGN(const std::vector<std::string> texts,
                      cluster_->gather(evaluation::list_json(part).text()));
  if (cluster_->rank() != 0) return part;
  std::vector<std::pair<std::string, evaluation::ListPart>> parts;
  for (const std::string& text : texts) {
    const std::string name = "rank " + std::to_string(parts.size());
    EDGETWIN_TRY_ASSIGN(const Json document, Json::parse(text, name));
    EDGETWIN_TRY_ASSIGN(evaluation::ListPart one, evaluation::read_list_part(document, name));
    parts.emplace_back(name, std::move(one));
  }
  return evaluation::merge_lists(parts);
}

Status write_list(const evaluation::ListPart& part, const Output& output, Console& console) {
  const Json document = evaluation::list_json(part);
  EDGETWIN_TRY(output.write(document.text()));
  console.json().set("part", document);
  return Ok{};
}

}  // namespace edgetwin::cli
