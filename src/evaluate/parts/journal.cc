#include "evaluate/parts/journal.h"
#include "evaluate/rules/rules.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/file.h"
#include "base/sha256.h"

namespace edgetwin::evaluation {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHead = "edgetwin journal ";
constexpr std::string_view kBlockHead = "block ";

std::string sum_of(std::string_view text) { return sha256_hex(as_byte_span(text)); }

std::string head_of(const JournalPlace& place) {
  return std::string(kHead) + sum_of(place.identity) + "\n";
}

// The text up to the end of the line, and the text after it; false where no line ends.
bool take_line(std::string_view& text, std::string_view& line) {
  const size_t at = text.find('\n');
  if (at == std::string_view::npos) return false;
  line = text.substr(0, at);
  text.remove_prefix(at + 1);
  return true;
}

// "block BYTES SUM", then so many bytes of lines. False where it is cut or damaged.
bool take_block(std::string_view& text, std::string_view& lines) {
  std::string_view line;
  if (!take_line(text, line) || !line.starts_with(kBlockHead)) return false;
  line.remove_prefix(kBlockHead.size());
  size_t bytes = 0;
  const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), bytes);
  if (failed != std::errc() || bytes > text.size()) return false;
  lines = text.substr(0, bytes);
  const std::string_view sum = line.substr(static_cast<size_t>(end - line.data()));
  if (sum != " " + sum_of(lines)) return false;
  text.remove_prefix(bytes);
  return true;
}

}  // namespace

std::vector<fs::path> journals_of(const fs::path& output) {
  const std::string begin = output.filename().string() + ".journal.";
  const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
  std::vector<fs::path> found;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().filename().string().starts_with(begin)) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

Result<std::vector<Record>> read_journal(std::string_view text, const JournalPlace& place,
                                         const std::string& file) {
  std::vector<Record> records;
  std::string_view head;
  if (!take_line(text, head)) return records;  // cut before anything was written
  if (std::string(head) + "\n" != head_of(place)) {
    return broken(Rule::part_other, "this journal belongs to another evaluation")
        .in_file(file)
        .with_hint("Finish that one, or remove the file.");
  }
  std::string_view lines, line;
  while (take_block(text, lines)) {
    while (take_line(lines, line)) {
      EDGETWIN_TRY_ASSIGN(Record r, record_of(line, place.form, file));
      records.push_back(std::move(r));
    }
  }
  return records;
}

Result<std::vector<Record>> read_journals(const JournalPlace& place) {
  std::map<uint64_t, Record> all;
  for (const fs::path& file : journals_of(place.output)) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
    EDGETWIN_TRY_ASSIGN(std::vector<Record> records, read_journal(as_text(data), place, file));
    for (Record& r : records) all.emplace(r.index, std::move(r));
  }
  std::vector<Record> records;
  for (auto& [index, r] : all) records.push_back(std::move(r));
  return records;
}

Status remove_journals(const fs::path& output) {
  for (const fs::path& file : journals_of(output)) {
    std::error_code failed;
    fs::remove(file, failed);
    if (failed) return Error(ErrorCode::file_write, "it cannot be removed").in_file(file.string());
  }
  return Ok{};
}

Result<Journal> Journal::open(const JournalPlace& place, int rank) {
  const std::string name = place.output.string() + ".journal." + std::to_string(rank);
  // What is whole of an earlier run stays; a block that was cut off goes.
  std::string kept = head_of(place);
  std::error_code ignored;
  if (fs::exists(name, ignored)) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(name));
    EDGETWIN_TRY_ASSIGN(const std::vector<Record> old, read_journal(as_text(data), place, name));
    std::string lines;
    for (const Record& r : old) lines += line_of(r) + "\n";
    if (!old.empty()) {
      kept += std::string(kBlockHead) + std::to_string(lines.size()) + " " + sum_of(lines) + "\n" +
              lines;
    }
  }
  EDGETWIN_TRY(write_file(name, kept, Overwrite::yes));
  std::FILE* file = std::fopen(name.c_str(), "ab");
  if (file == nullptr) return Error(ErrorCode::file_write, "it cannot be opened").in_file(name);
  return Journal(file, name);
}

Journal::Journal(Journal&& other) noexcept
    : file_(std::exchange(other.file_, nullptr)), name_(std::move(other.name_)) {}

Journal::~Journal() {
  if (file_ != nullptr) std::fclose(file_);
}

Status Journal::append(const std::vector<Record>& block) {
  std::string lines;
  for (const Record& r : block) lines += line_of(r) + "\n";
  const std::string text =
      std::string(kBlockHead) + std::to_string(lines.size()) + " " + sum_of(lines) + "\n" + lines;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size() || std::fflush(file_) != 0 ||
      ::fdatasync(::fileno(file_)) != 0) {
    return Error(ErrorCode::file_write, "a block cannot be written").in_file(name_);
  }
  return Ok{};
}

}  // namespace edgetwin::evaluation
