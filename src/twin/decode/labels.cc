#include "edgetwin/decode.h"

#include <algorithm>
#include <charconv>

#include "base/file.h"
#include "decode/classify.h"

namespace edgetwin {
namespace {

constexpr uint64_t kMaxLabelBytes = uint64_t{16} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr size_t kMaxLabels = 1000000;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// "7  bird" as 7 and "bird".
bool split_numbered(const std::string& line, size_t& index, std::string& label) {
  const auto parsed = std::from_chars(line.data(), line.data() + line.size(), index);
  if (parsed.ec != std::errc() || index >= kMaxLabels) return false;
  const auto length = static_cast<size_t>(parsed.ptr - line.data());
  const size_t start = line.find_first_not_of(" \t:", length);
  if (length == line.size() || start == length) return false;
  label = start == std::string::npos ? "" : line.substr(start);
  return true;
}

}  // namespace

Result<Labels> read_labels(const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file, kMaxLabelBytes));
  std::string_view text = as_text(data);
  // An array or a picture would give labels of control characters.
  if (const size_t zero = text.find('\0'); zero != std::string_view::npos) {
    return Error(ErrorCode::bad_value, "the labels contain a zero byte: this is not a text file")
        .in_file(file)
        .at_offset(zero)
        .with_hint("Give a text file with one label in each line.");
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Labels plain = lines_of(text);
  if (plain.size() > kMaxLabels) {
    return Error(ErrorCode::bad_value, "the file has more than a million lines").in_file(file);
  }
  Labels numbered;
  for (const std::string& line : plain) {
    if (line.empty()) continue;
    size_t index = 0;
    std::string label;
    if (!split_numbered(line, index, label)) return plain;
    if (index >= numbered.size()) numbered.resize(index + 1);
    numbered[index] = std::move(label);
  }
  return numbered;
}

bool is_classification(const Tensor& tensor) { return decode::is_classification(tensor); }

std::vector<RankedClass> best_classes(const Tensor& t, const Labels& labels, size_t count) {
  std::vector<RankedClass> ranked;
  for (const decode::RankedClass& c : decode::best_classes(t, count)) {
    const auto at = static_cast<size_t>(c.index);
    ranked.push_back({c.index, c.score, at < labels.size() ? labels[at] : ""});
  }
  return ranked;
}

}  // namespace edgetwin
