// Items of a data set that cannot be read: all are looked at, up to ten are named.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace edgetwin::train {

class Unreadable {
 public:
  // True where the item was read.
  bool read(const Status& item) {
    if (item.ok()) return true;
    ++count_;
    if (!first_) {
      first_ = item.error();
    } else if (count_ <= kNamed) {
      const std::string& file = item.error().place.file;
      first_->details.push_back("also: " + file + ": " + item.error().message);
    }
    return false;
  }

  // The first one's error, with the others.
  Status status() const {
    if (!first_) return Ok{};
    Error error = *first_;
    if (count_ > kNamed) {
      error.details.push_back("and " + std::to_string(count_ - kNamed) + " more");
    }
    return error;
  }

 private:
  static constexpr int kNamed = 10;
  std::optional<Error> first_;
  int count_ = 0;
};

}  // namespace edgetwin::train
