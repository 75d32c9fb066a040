#include "targets/edgetpu/machine/steps/memory.h"

#include <algorithm>

namespace edgetwin::edgetpu::machine {

size_t Stream::waiting(Reader reader, int64_t place) const {
  const auto found = positions_.find({reader, offset(place)});
  return passes_.size() - (found == positions_.end() ? 0 : found->second);
}

const Bytes& Stream::next(Reader reader, int64_t place) {
  size_t& at = position(reader, place);
  // Whoever asks for more than there is gets the last one again.
  if (at + 1 > passes_.size()) return *passes_.back();
  return *passes_[at++];
}

bool Stream::to_group(Reader reader, int64_t place) {
  size_t& at = position(reader, place);
  const auto next = std::lower_bound(groups_.begin(), groups_.end(), at);
  if (next == groups_.end()) return false;
  at = *next;
  return true;
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
  for (const auto& s : all_) {
    if (s->is(place, distance)) return s.get();
  }
  return nullptr;
}

Stream* Streams::holding(int64_t place, int64_t distance) {
  if (Stream* s = find(place, distance)) return s;
  for (auto i = all_.rbegin(); i != all_.rend(); ++i) {
    if ((*i)->holds(place, distance)) return i->get();
  }
  return nullptr;
}

}  // namespace edgetwin::edgetpu::machine
