// Strings and lists of numbers out of verified tables. For the .cc files of the reader only: it
// needs the FlatBuffers library to be included before.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "formats/espdl/read_source.h"

namespace edgetwin::espdl {

// An absent text is empty.
template <class Text>
Result<std::string> read_text(Source& source, const Text* text, std::string_view field) {
  if (text == nullptr) return std::string();
  EDGETWIN_TRY(source.charge(text->size(), text, field));
  return text->str();
}

// Vector<T> of plain numbers. They may stand at any address: a verifier looks at lengths only.
template <class T, class Vector>
Result<std::vector<T>> read_numbers(Source& source, const Vector* vector, std::string_view field) {
  std::vector<T> result;
  if (vector == nullptr || vector->size() == 0) return result;
  static_assert(sizeof(T) == sizeof(typename Vector::value_type));
  EDGETWIN_TRY(source.charge(uint64_t{vector->size()} * sizeof(T), vector, field));
  result.resize(vector->size());
  std::memcpy(result.data(), vector->Data(), result.size() * sizeof(T));
  return result;
}

template <class Vector>
Result<std::vector<std::string>> read_texts(Source& source, const Vector* vector,
                                            std::string_view field) {
  std::vector<std::string> result;
  if (vector == nullptr) return result;
  EDGETWIN_TRY(source.charge(uint64_t{vector->size()} * sizeof(std::string), vector, field));
  for (const auto* text : *vector) {
    EDGETWIN_TRY_ASSIGN(std::string one, read_text(source, text, field));
    result.push_back(std::move(one));
  }
  return result;
}

// Reads each table of a vector with `read(table)`, which gives a Result of T.
template <class T, class Vector, class Read>
Result<std::vector<T>> read_tables(Source& source, const Vector* vector, std::string_view field,
                                   Read read) {
  std::vector<T> result;
  if (vector == nullptr) return result;
  EDGETWIN_TRY(source.charge(uint64_t{vector->size()} * sizeof(T), vector, field));
  for (const auto* table : *vector) {
    EDGETWIN_TRY_ASSIGN(T one, read(*table));
    result.push_back(std::move(one));
  }
  return result;
}

}  // namespace edgetwin::espdl
