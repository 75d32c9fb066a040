#include "twin/compare/journal.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "edgetwin/version.h"
#include "evaluate/parts/journal.h"
#include "evaluate/rules/rules.h"
#include "twin/compare/archive.h"

namespace edgetwin::twin {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHead = "edgetwin comparison ";
constexpr std::string_view kChips = ".chips";

std::string sum_of(std::string_view text) { return sha256_hex(as_byte_span(text)); }

std::string one_line(const Json& json) {
  std::string text = json.text();  // line ends are blanks between values, never inside them
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// One file: its size and the time of its last change.
std::string stamp(const fs::directory_entry& entry) {
  std::error_code failed;
  const auto size = entry.file_size(failed);
  const auto time = entry.last_write_time(failed).time_since_epoch().count();
  return " " + std::to_string(size) + " " + std::to_string(time) + "\n";
}

// A file or a folder, without its path: names, sizes and times. Calibration may be NAME=PATH.
std::string trace_of(std::string path) {
  std::error_code failed;
  const size_t equals = path.find('=');
  if (!fs::exists(path, failed) && equals != std::string::npos) path = path.substr(equals + 1);
  if (!fs::is_directory(path, failed)) {
    return fs::path(path).filename().string() + stamp(fs::directory_entry(path, failed));
  }
  std::vector<std::string> lines;
  for (const auto& e : fs::recursive_directory_iterator(path, failed)) {
    if (!e.is_regular_file(failed)) continue;
    lines.push_back(e.path().lexically_relative(path).string() + stamp(e));
  }
  std::ranges::sort(lines);
  std::string all;
  for (const std::string& line : lines) all += line;
  return all;
}

void add_numbers(const std::vector<float>& numbers, std::string& text) {
  for (const float v : numbers) text += std::to_string(std::bit_cast<uint32_t>(v)) + ",";
  text += "\n";
}

}  // namespace

std::string comparison_identity(ByteSpan network, const CompareChipsOptions& o) {
  std::string text = std::string(version()) + "\n" + sha256_hex(network) + "\n";
  for (const std::string& path : o.quantize.calibrate) text += trace_of(path) + "\n";
  for (const std::string& shape : o.quantize.shapes) text += shape + "\n";
  text += std::to_string(o.quantize.samples) + "\n";
  add_numbers(o.quantize.mean, text);
  add_numbers(o.quantize.std, text);
  if (o.evaluate) {
    text += trace_of(o.evaluate->data) + "\n";
    if (!o.evaluate->labels.empty()) text += trace_of(o.evaluate->labels) + "\n";
    text += o.evaluate->task + " " + std::to_string(o.evaluate->limit) + " " +
            std::to_string(o.evaluate->label_offset) + " " + o.evaluate->resize + "\n";
    add_numbers(o.evaluate->mean, text);
    add_numbers(o.evaluate->std, text);
  }
  return sum_of(text);
}

Result<std::map<std::string, ComparedChip>> read_comparison(std::string_view text,
                                                            const std::string& identity,
                                                            const std::string& file) {
  std::map<std::string, ComparedChip> finished;
  size_t end = text.find('\n');
  if (end == std::string_view::npos) return finished;  // cut before anything was written
  if (text.substr(0, end) != std::string(kHead) + identity) {
    return evaluation::broken(evaluation::Rule::part_other,
                              "this journal belongs to another comparison")
        .in_file(file)
        .with_hint("Finish that one, or remove the file.");
  }
  for (text.remove_prefix(end + 1); (end = text.find('\n')) != std::string_view::npos;
       text.remove_prefix(end + 1)) {
    const std::string_view line = text.substr(0, end);
    const size_t blank = line.find(' ');
    if (blank == std::string_view::npos || line.substr(0, blank) != sum_of(line.substr(blank + 1)))
      continue;
    const auto json = Json::parse(line.substr(blank + 1), file);
    ComparedChip chip;
    if (json.ok() && archive::Reader::take(*json, chip)) finished[chip.target] = std::move(chip);
  }
  return finished;
}

Result<ComparisonJournal> ComparisonJournal::open(const std::string& name,
                                                  const std::string& identity) {
  ComparisonJournal journal;
  if (name.empty()) return journal;
  journal.name_ = name + std::string(kChips);
  std::error_code failed;
  if (fs::exists(journal.name_, failed)) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(journal.name_));
    EDGETWIN_TRY_ASSIGN(journal.finished_, read_comparison(as_text(data), identity, journal.name_));
  }
  journal.text_ = std::string(kHead) + identity + "\n";
  for (const auto& [target, chip] : journal.finished_) EDGETWIN_TRY(journal.add(chip));
  return journal;
}

const ComparedChip* ComparisonJournal::find(const std::string& target) const {
  const auto found = finished_.find(target);
  return found == finished_.end() ? nullptr : &found->second;
}

Status ComparisonJournal::add(const ComparedChip& chip) {
  if (name_.empty()) return Ok{};
  ComparedChip copy = chip;
  const std::string line = one_line(archive::Writer::of(copy));
  const std::lock_guard lock(*mutex_);
  text_ += sum_of(line) + " " + line + "\n";
  return write_file(name_, text_, Overwrite::yes);
}

}  // namespace edgetwin::twin

namespace edgetwin {

Status remove_comparison_journals(const std::string& journal) {
  namespace fs = std::filesystem;
  const fs::path name(journal);
  const fs::path folder = name.has_parent_path() ? name.parent_path() : fs::path(".");
  const std::string begin = name.filename().string() + ".";
  std::error_code failed;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().filename().string().starts_with(begin)) found.push_back(entry.path());
  }
  for (const fs::path& file : found) {
    fs::remove(file, failed);
    if (failed) return Error(ErrorCode::file_write, "it cannot be removed").in_file(file.string());
  }
  return Ok{};
}

}  // namespace edgetwin
