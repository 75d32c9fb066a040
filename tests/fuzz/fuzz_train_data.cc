// Any bytes as each file of a data set: whole items or an error.
#include <cstdlib>

#include "train/data/data.h"
#include "train/journal/history.h"

namespace {

using namespace edgetwin;

void check(const train::DataSet& set) {
  if (set.bytes.size() != set.items() * set.item_size()) std::abort();
}

void check(const Result<train::Data>& data) {
  if (!data.ok()) return;
  check(data->train);
  check(data->test);
  if (data->train.kind != train::TargetKind::classes) return;
  for (const int64_t label : data->train.labels) {
    if (label < 0 || label >= static_cast<int64_t>(data->classes.size())) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ByteSpan bytes = std::as_bytes(std::span(data, size));
  for (const int dimensions : {1, 3}) {
    const auto array = train::parse_idx(bytes, dimensions, "fuzz");
    if (!array.ok()) continue;
    uint64_t elements = 1;
    for (const uint32_t n : array->sizes) elements *= n;
    if (elements != array->values.size()) std::abort();
  }
  train::DataSet cifar;
  cifar.channels = 3;
  cifar.height = cifar.width = 32;
  if (train::parse_cifar(bytes, 1 + size % 2, "fuzz", cifar).ok()) check(cifar);
  train::DataSet pickled = cifar;
  pickled.bytes.clear();
  pickled.labels.clear();
  if (train::parse_cifar_pickle(bytes, "fuzz", pickled).ok()) check(pickled);
  if (const auto sound = train::parse_sound(bytes, "fuzz"); sound.ok()) {
    if (sound->size() != 16384) std::abort();
  }
  for (const bool values : {false, true}) {
    train::DataOptions options;
    options.values = values;
    options.window = static_cast<int>(size % 3);
    check(train::parse_table(as_text(bytes), "fuzz", options));
    check(train::parse_npz_set(bytes, "fuzz", options));
  }
  std::vector<std::string> classes;
  if (const auto table = train::parse_boxes(as_text(bytes), "fuzz", classes, false); table.ok()) {
    for (const auto& [name, objects] : *table) {
      for (const train::TableObject& o : objects) {
        if (o.label < 0 || o.label >= static_cast<int64_t>(classes.size())) std::abort();
      }
    }
  }
  if (const auto rows = train::parse_history(as_text(bytes), "fuzz"); rows.ok()) {
    if (!train::parse_history(train::history_text(*rows), "fuzz").ok()) std::abort();
  }
  return 0;
}
