// Parts of evaluations, journals and data sets in one file: any bytes give a result or an error.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "evaluate/data/readers.h"
#include "evaluate/parts/journal.h"

namespace {

using namespace edgetwin;
using namespace edgetwin::evaluation;

void load_all(Result<SampleSet> set) {
  if (!set.ok()) return;
  for (const Sample& s : set->samples) {
    if (s.file.empty() && set->load(s).ok()) continue;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const ByteSpan bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const Task task = static_cast<Task>(data[0] / 8 % task_names().size());
  const std::filesystem::path file = "set";
  switch (data[0] % 8) {
    case 0: {
      const auto part = read_part(as_text(bytes), "part");
      if (part.ok()) {
        const auto whole = merge({{"part", *part}});
        if (whole.ok() && result_text(result_json(*whole)).empty()) std::abort();
      }
      break;
    }
    case 1: {
      const JournalPlace place{file, "fuzz", {task, 1, 1000}};
      const auto records = read_journal(as_text(bytes), place, "journal");
      if (!records.ok()) break;
      for (const Record& r : *records) {
        if (line_of(*record_of(line_of(r), place.form, "again")) != line_of(r)) std::abort();
      }
      break;
    }
    case 2:
      load_all(read_list(bytes, file, task));
      break;
    case 3:
      load_all(read_csv(bytes, file, task, 1 + data[0] / 64));
      break;
    case 4:
      load_all(read_cifar(to_bytes(bytes), "test.bin"));
      break;
    case 5:
      load_all(read_arrays(bytes, file, "", task));
      break;
    case 6: {
      auto set = read_coco(bytes, file, "", task);
      if (set.ok() && !set->samples.empty()) (void)resolve_categories(*set, {}, data[0] > 127);
      break;
    }
    default: {
      const auto record = record_of(as_text(bytes), {task, 2, 100}, "record");
      if (record.ok() && record->broken.empty()) {
        const Rows rows = {&record->rows[0]};
        (void)metrics_json(task, rows, {});
        (void)verdict(task, record->rows[0], {});
      }
      break;
    }
  }
  return 0;
}
