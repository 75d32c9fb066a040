#include "c/handles.h"

using edgetwin::c::is_alive;

extern "C" {

EDGETWIN_EXPORT int32_t edgetwin_document_verdict(const edgetwin_document* document) {
  return is_alive(document) ? document->verdict : 2;
}

EDGETWIN_EXPORT const char* edgetwin_document_part(const edgetwin_document* document,
                                                   const char* name) {
  if (!is_alive(document) || name == nullptr) return nullptr;
  const auto part = document->parts.find(std::string_view(name));
  return part == document->parts.end() ? nullptr : part->second.c_str();
}

EDGETWIN_EXPORT size_t edgetwin_document_file_count(const edgetwin_document* document) {
  return is_alive(document) ? document->files.size() : 0;
}

EDGETWIN_EXPORT int32_t edgetwin_document_file(const edgetwin_document* document, size_t i,
                                               const char** name, const void** data, size_t* size) {
  const bool good = is_alive(document) && i < document->files.size();
  if (name != nullptr) *name = good ? document->files[i].first.c_str() : nullptr;
  if (data != nullptr) *data = good ? document->files[i].second.data() : nullptr;
  if (size != nullptr) *size = good ? document->files[i].second.size() : 0;
  return good ? 0 : 2;
}

EDGETWIN_EXPORT void edgetwin_document_free(edgetwin_document* document) {
  edgetwin::c::take_back(document);
}

}  // extern "C"
