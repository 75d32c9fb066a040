#include "base/words/near_word.h"

#include <algorithm>

#include "base/text.h"

namespace edgetwin {

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  std::string nearest;
  // Two letters that change places are two edits.
  size_t least = std::max<size_t>(word.size() < 5 ? 1 : 2, word.size() / 3) + 1;
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
