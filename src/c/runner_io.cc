// Numbers in and out of a runner, and its runs.
#include <cstring>

#include "base/json/json.h"
#include "c/handles.h"
#include "twin/tensors/rules.h"

namespace edgetwin::c {
namespace {

Error other_size(const Tensors& tensors, int32_t tensor, size_t has, size_t given) {
  const auto row = tensors.row(tensor);
  return Error(ErrorCode::input_shape, "tensor '" + (row.ok() ? (*row)->name : "") + "' has " +
                                           std::to_string(has) + " bytes, and " +
                                           std::to_string(given) + " were given");
}

std::unique_ptr<edgetwin_document> statistics(const Tensors& tensors) {
  Json j = Json::object();
  j.set("schema", 1).set("program", "edgetwin").set("command", "statistics");
  j.set("where", tensors.description()).set("seconds", tensors.seconds());
  j.set("numerics", tensors.last_run().numerics);
  Json findings = Json::array();
  std::string text = tensors.description() + "\n";
  for (const Finding& f : tensors.findings()) {
    findings.push(to_json(f));
    text += to_text(f);
  }
  j.set("findings", std::move(findings));
  auto document = std::make_unique<edgetwin_document>();
  document->parts["json"] = j.text();
  document->parts["text"] = std::move(text);
  document->parts["structure"] = tensors.structure_json();
  return document;
}

}  // namespace
}  // namespace edgetwin::c

using namespace edgetwin;     // NOLINT: the entry points of this file
using namespace edgetwin::c;  // NOLINT

extern "C" {

EDGETWIN_EXPORT int32_t edgetwin_runner_set(edgetwin_runner* runner, int32_t tensor,
                                            const void* data, size_t bytes,
                                            edgetwin_error** error) {
  return guard(error, [&]() -> Status {
    EDGETWIN_TRY(require_handle(runner, "the runner is NULL or was freed"));
    EDGETWIN_TRY(require(data != nullptr || bytes == 0, "the data are NULL"));
    EDGETWIN_TRY_ASSIGN(const Tensors::Memory memory, runner->tensors.memory(tensor));
    if (!memory.writable) {
      return twin::error_of(twin::TensorRule::tensor_state,
                            "tensor " + std::to_string(tensor) + " is no input and cannot be set");
    }
    if (memory.bytes.size() != bytes) {
      return other_size(runner->tensors, tensor, memory.bytes.size(), bytes);
    }
    if (bytes != 0) std::memcpy(memory.bytes.data(), data, bytes);
    return Ok{};
  });
}

EDGETWIN_EXPORT int32_t edgetwin_runner_get(const edgetwin_runner* runner, int32_t tensor,
                                            void* data, size_t bytes, edgetwin_error** error) {
  return guard(error, [&]() -> Status {
    EDGETWIN_TRY(require_handle(runner, "the runner is NULL or was freed"));
    EDGETWIN_TRY(require(data != nullptr || bytes == 0, "the data are NULL"));
    // Constants are unpacked when they are first read.
    auto& tensors = const_cast<edgetwin_runner*>(runner)->tensors;
    EDGETWIN_TRY_ASSIGN(const Tensors::Memory memory, tensors.memory(tensor));
    if (memory.bytes.size() != bytes) {
      return other_size(tensors, tensor, memory.bytes.size(), bytes);
    }
    if (bytes != 0) std::memcpy(data, memory.bytes.data(), bytes);
    return Ok{};
  });
}

EDGETWIN_EXPORT int32_t edgetwin_runner_data(edgetwin_runner* runner, int32_t tensor, void** data,
                                             size_t* bytes, int32_t* writable,
                                             edgetwin_error** error) {
  if (data != nullptr) *data = nullptr;
  if (bytes != nullptr) *bytes = 0;
  return guard(error, [&]() -> Status {
    EDGETWIN_TRY(require_handle(runner, "the runner is NULL or was freed"));
    EDGETWIN_TRY(require(data != nullptr && bytes != nullptr, "the place for the result is NULL"));
    EDGETWIN_TRY_ASSIGN(const Tensors::Memory memory, runner->tensors.memory(tensor));
    *data = memory.bytes.data();
    *bytes = memory.bytes.size();
    if (writable != nullptr) *writable = memory.writable ? 1 : 0;
    return Ok{};
  });
}

EDGETWIN_EXPORT int32_t edgetwin_runner_invoke(edgetwin_runner* runner, edgetwin_error** error) {
  return guard(error, [&]() -> Status {
    EDGETWIN_TRY(require_handle(runner, "the runner is NULL or was freed"));
    return runner->tensors.invoke();
  });
}

EDGETWIN_EXPORT void edgetwin_runner_cancel(edgetwin_runner* runner) { cancel_runner(runner); }

EDGETWIN_EXPORT int32_t edgetwin_runner_reset_variables(edgetwin_runner* runner,
                                                        edgetwin_error** error) {
  return guard(error, [&]() -> Status {
    EDGETWIN_TRY(require_handle(runner, "the runner is NULL or was freed"));
    return runner->tensors.reset_variables();
  });
}

EDGETWIN_EXPORT int32_t edgetwin_runner_statistics(const edgetwin_runner* runner,
                                                   edgetwin_document** out,
                                                   edgetwin_error** error) {
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_document>> {
    EDGETWIN_TRY(require_handle(runner, "the runner is NULL or was freed"));
    return statistics(runner->tensors);
  });
}

}  // extern "C"
