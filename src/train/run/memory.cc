#include "train/run/memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

std::string mebibytes(int64_t bytes) {
  char text[48];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

}  // namespace

int64_t bytes_per_item(const Network& network) {
  // A layer holds its output, the copy that its sum reads, the mask of one byte, and its gradient.
  constexpr int64_t kFloat = 4;
  int64_t bytes = kFloat * network.input.elements();
  for (const NetworkLayer& layer : network.layers) {
    const int64_t output = layer.output.elements(), input = layer.input.elements();
    bytes += output * (2 * kFloat + 1) + input * kFloat;
    if (layer.norm != NormKind::none) bytes += output * kFloat;
  }
  return bytes;
}

int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  int64_t available = 0;
  for (std::string name; file >> name;) {
    if (name != "MemAvailable:") continue;
    file >> available;
    available *= 1024;
    break;
  }
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const auto most = static_cast<int64_t>(limit.rlim_cur);
    available = available == 0 ? most : std::min(available, most);
  }
  return available;
}

Status check_batch_memory(const Network& network, size_t batch, int64_t available) {
  const int64_t each = bytes_per_item(network);
  const auto items = static_cast<int64_t>(batch);
  if (available == 0 || each <= available / items) return Ok{};
  Error error = broken(Rule::memory, "a batch of " + std::to_string(items) + " items needs " +
                                         mebibytes(each * items) + ", and " + mebibytes(available) +
                                         " are available");
  error.details.push_back(std::to_string(each) + " bytes an item");
  if (const int64_t fits = available / each; fits > 0) {
    error.details.push_back("a batch of " + std::to_string(fits) + " fits");
    return error;
  }
  error.details.emplace_back("not even one item fits");
  error.hint = "Make the maps of the network smaller, or train it on a computer with more memory.";
  return error;
}

}  // namespace edgetwin::train
