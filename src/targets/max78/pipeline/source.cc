#include "targets/max78/pipeline/source.h"

#include "base/file.h"

namespace edgetwin::max78 {

Source Source::file(std::string path) {
  Source s;
  s.name_ = std::move(path);
  return s;
}

Source Source::bytes(std::string name, Bytes data) {
  Source s;
  s.name_ = std::move(name);
  s.data_ = std::move(data);
  return s;
}

Result<Bytes> Source::read() const {
  if (data_) return *data_;
  return read_file(name_);
}

}  // namespace edgetwin::max78
