// Any bytes: a model or an error. A model can be printed, and, if it can be written, it comes back.
#include <cstdlib>

#include "formats/tflite/tflite.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin;
  const auto model = tflite::read(std::as_bytes(std::span(data, size)), "fuzz");
  if (!model.ok()) return to_text(model.error()).empty();
  for (const Graph& graph : model->graphs) print(graph);
  const auto written = tflite::write(*model);
  if (!written.ok()) {
    // All that reading loses are options of operators that are kept without being understood.
    if (written.error().code != ErrorCode::tflite_write) std::abort();
    return 0;
  }
  const auto again = tflite::read(*written, "again");
  if (!again.ok() || again->graphs.size() != model->graphs.size()) std::abort();
  for (size_t i = 0; i < model->graphs.size(); ++i) {
    if (!equal(model->graphs[i], again->graphs[i], nullptr)) std::abort();
  }
  if (again->metadata != model->metadata || again->signatures != model->signatures) std::abort();
  return 0;
}
