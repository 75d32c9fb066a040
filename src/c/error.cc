#include "base/json/json.h"
#include "c/handles.h"

namespace edgetwin::c {

int32_t fail(Error error, edgetwin_error** error_out) noexcept {
  const int32_t code = info(error.code).exit_code == 1 ? 3 : info(error.code).exit_code;
  if (error_out == nullptr) return code;
  try {
    auto handle = std::make_unique<edgetwin_error>();
    handle->id = std::string(error.id());
    handle->text = to_text(error);
    handle->json = to_json(error).text();
    handle->exit_code = code;
    handle->error = std::move(error);
    *error_out = give(std::move(handle));
  } catch (...) {
    *error_out = nullptr;  // no memory for the error itself: its code remains
  }
  return code;
}

}  // namespace edgetwin::c

using edgetwin::c::is_alive;

extern "C" {

EDGETWIN_EXPORT const char* edgetwin_error_id(const edgetwin_error* error) {
  return is_alive(error) ? error->id.c_str() : nullptr;
}
EDGETWIN_EXPORT int32_t edgetwin_error_exit_code(const edgetwin_error* error) {
  return is_alive(error) ? error->exit_code : 0;
}
EDGETWIN_EXPORT const char* edgetwin_error_message(const edgetwin_error* error) {
  return is_alive(error) ? error->error.message.c_str() : nullptr;
}
EDGETWIN_EXPORT const char* edgetwin_error_text(const edgetwin_error* error) {
  return is_alive(error) ? error->text.c_str() : nullptr;
}
EDGETWIN_EXPORT const char* edgetwin_error_json(const edgetwin_error* error) {
  return is_alive(error) ? error->json.c_str() : nullptr;
}
EDGETWIN_EXPORT void edgetwin_error_free(edgetwin_error* error) { edgetwin::c::take_back(error); }

}  // extern "C"
