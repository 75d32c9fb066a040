#include "formats/flatbuffer/source.h"

#include <utility>

namespace edgetwin::flatbuffer {
namespace {

constexpr size_t kMaxFindings = 1000;

std::string too_much(const Budget& budget) {
  return "the tables of the file take more than " + std::to_string(budget.limit()) +
         " bytes of memory";
}

}  // namespace

Result<Source> Source::aligned(ByteSpan data, uint64_t base, const std::string& file,
                               Budget& budget, std::vector<Finding>& findings,
                               const std::string& what) {
  if (!budget.take(data.size())) {
    return Error(ErrorCode::out_of_memory, too_much(budget))
        .in_file(file)
        .at_offset(base)
        .in_field(what);
  }
  if (reinterpret_cast<uintptr_t>(data.data()) % kAlignment == 0) {
    return Source(data, base, file, budget, findings);
  }
  Source source({}, base, file, budget, findings);
  source.own_ = to_bytes(data);
  source.data_ = source.own_;
  return source;
}

Error Source::error(ErrorCode code, std::string message, const void* at, std::string field) const {
  Error e = Error(code, std::move(message)).in_file(*file_).in_field(std::move(field));
  if (at != nullptr) {
    e.place.offset = place_of(at);
  } else if (data_.empty()) {
    e.place.offset = base_;  // its start, where there is nothing to point to
  }
  return e;
}

Status Source::charge(uint64_t bytes, const void* at, std::string_view field) const {
  if (budget_->take(bytes)) return Ok{};
  return error(ErrorCode::out_of_memory, too_much(*budget_), at, std::string(field));
}

void Source::find(Severity severity, std::string place, std::string message,
                  std::string hint) const {
  if (findings_->size() >= kMaxFindings) return;
  findings_->push_back({severity, "", std::move(place), std::move(message), std::move(hint)});
}

}  // namespace edgetwin::flatbuffer
