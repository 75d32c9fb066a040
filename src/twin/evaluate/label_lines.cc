#include "twin/evaluate/label_lines.h"

#include <algorithm>
#include <cstdlib>

#include "base/file.h"

namespace edgetwin::twin {

std::vector<int> lines_of_labels(const std::string& file, const Labels& labels) {
  const Result<Bytes> text = file.empty() ? Result<Bytes>(Bytes{}) : read_file(file);
  std::vector<int> lines(labels.size(), 0);
  if (!text.ok()) return lines;
  std::string_view rest = as_text(*text);
  for (int number = 1; !rest.empty(); ++number) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    char* after = nullptr;
    const uint64_t index = std::strtoull(line.c_str(), &after, 10);
    const auto here = static_cast<size_t>(number - 1);
    const bool numbered = after != line.c_str() && index < labels.size() && *after != '\0' &&
                          line.find(labels[index]) != std::string::npos;
    if (here < labels.size() && line.starts_with(labels[here]) && lines[here] == 0) {
      lines[here] = number;
    } else if (numbered) {
      lines[index] = number;
    }
  }
  return lines;
}

}  // namespace edgetwin::twin
