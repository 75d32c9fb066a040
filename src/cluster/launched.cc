#include <charconv>
#include <cstdlib>
#include <string_view>

#include "cluster/cluster.h"

namespace edgetwin::cluster {

int launched() {
  // Open MPI; MPICH and those that follow it.
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* text = std::getenv(variable);
    if (text == nullptr) continue;
    const std::string_view word = text;
    int size = 0;
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), size);
    if (failed == std::errc() && end == word.data() + word.size() && size > 0) return size;
  }
  return 1;
}

}  // namespace edgetwin::cluster
