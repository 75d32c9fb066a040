// Finds fields of a FlatBuffer by their ids and overwrites them, so that tests can damage one thing
// at a time. Only for well-formed bytes: nothing is checked.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "base/bytes.h"

namespace edgetwin::testing {

class FlatEditor {
 public:
  explicit FlatEditor(Bytes bytes) : bytes_(std::move(bytes)) {}

  const Bytes& bytes() const { return bytes_; }

  size_t root() const { return follow(0); }
  // Where the field is; the field must be present.
  size_t field(size_t table, int id) const {
    const size_t vtable = table - static_cast<size_t>(static_cast<int64_t>(get<int32_t>(table)));
    const auto offset = get<uint16_t>(vtable + 4 + 2 * static_cast<size_t>(id));
    EXPECT_NE(offset, 0) << "field " << id << " is absent";
    return table + offset;
  }
  size_t follow(size_t at) const { return at + get<uint32_t>(at); }
  // The table or vector that a field refers to.
  size_t child(size_t table, int id) const { return follow(field(table, id)); }
  // A table in a vector of tables.
  size_t element(size_t vector, size_t index) const { return follow(vector + 4 + 4 * index); }

  template <class T>
  T get(size_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return value;
  }
  template <class T>
  void set(size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  // Adds bytes after the file, at the next multiple of eight; returns where they start.
  size_t append(ByteSpan data) {
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
    bytes_.insert(bytes_.end(), data.begin(), data.end());
    return bytes_.size() - data.size();
  }
  // Makes the entry `index` of a vector of tables refer to another table, further back in the file.
  void redirect(size_t vector, size_t index, size_t table) {
    const size_t at = vector + 4 + 4 * index;
    set<uint32_t>(at, static_cast<uint32_t>(table - at));
  }
  // Makes a field absent, so that it has its default value. Tables may share the list of their
  // fields, so this may reach further than one table.
  void drop(size_t table, int id) {
    const size_t vtable = table - static_cast<size_t>(static_cast<int64_t>(get<int32_t>(table)));
    set<uint16_t>(vtable + 4 + 2 * static_cast<size_t>(id), 0);
  }

 private:
  Bytes bytes_;
};

}  // namespace edgetwin::testing
