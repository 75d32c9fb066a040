#include "targets/edgetpu/machine/memory.h"

#include <algorithm>

namespace edgetwin::edgetpu {

size_t Stream::waiting(Reader reader, int64_t place) const {
  const auto found = positions_.find({reader, offset(place)});
  return passes_.size() - (found == positions_.end() ? 0 : found->second);
}

const Bytes& Stream::next(Reader reader, int64_t place) {
  return *passes_[position(reader, place)++];
}

Stream& Streams::at(int64_t start, int64_t distance) {
  for (auto i = all_.rbegin(); i != all_.rend(); ++i) {
    if (!(*i)->is(start, distance)) continue;
    std::rotate(i.base() - 1, i.base(), all_.end());
    return *all_.back();
  }
  all_.push_back(std::make_unique<Stream>(start, distance));
  return *all_.back();
}

Stream* Streams::find(int64_t place, int64_t distance) {
  for (auto i = all_.rbegin(); i != all_.rend(); ++i) {
    if ((*i)->holds(place, distance)) return i->get();
  }
  return nullptr;
}

}  // namespace edgetwin::edgetpu
