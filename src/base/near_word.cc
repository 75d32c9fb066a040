#include "base/near_word.h"

#include <algorithm>

#include "base/text.h"

namespace edgetwin {

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  std::string nearest;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const size_t edits = edit_distance(word, candidate);
    if (edits < least) {
      least = edits;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : ", did you mean '" + nearest + "'?";
}

}  // namespace edgetwin
