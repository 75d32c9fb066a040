#include "targets/edgetpu/machine/steps/memory.h"

#include <algorithm>

namespace edgetwin::edgetpu::machine {

bool SentBytes::extend(const SentBytes& after) {
  // Two blocks may touch without being one.
  const bool follows = there_ && after.there_ && own_ == after.own_ &&
                       bytes_.data() + bytes_.size() == after.bytes_.data();
  if (follows) bytes_ = ByteSpan(bytes_.data(), bytes_.size() + after.bytes_.size());
  return follows;
}

void JoinedBytes::add(const SentBytes& part) {
  if (part->empty()) return;
  if (!is_copied_ && there_ == nullptr) {
    there_ = part;
    return;
  }
  if (!is_copied_ && there_.extend(part)) return;
  copy();
  copied_.insert(copied_.end(), part->begin(), part->end());
}

void JoinedBytes::resize(size_t size) {
  if (!is_copied_ && there_ != nullptr && there_->size() >= size) {
    there_ = there_.part(0, size);
    return;
  }
  copy();
  copied_.resize(size);
}

SentBytes JoinedBytes::take() {
  if (!is_copied_ && there_ != nullptr) return std::move(there_);
  return std::make_shared<const Bytes>(std::move(copied_));
}

void JoinedBytes::copy() {
  if (!is_copied_) copied_.reserve(expected_);
  if (!is_copied_ && there_ != nullptr) copied_.assign(there_->begin(), there_->end());
  there_ = {};
  is_copied_ = true;
}

size_t Stream::waiting(Reader reader, int64_t place) const {
  const auto found = positions_.find({reader, offset(place)});
  return size_ - (found == positions_.end() ? 0 : found->second);
}

void Stream::push(SharedPasses several) {
  if (several->empty()) return;
  const size_t first = size_;
  size_ += several->size();
  parts_.push_back({first, std::move(several)});
}

const SentBytes& Stream::pass(size_t number) const {
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), number,
                                      [](size_t n, const Part& p) { return n < p.first; });
  const Part& part = *(after - 1);
  return (*part.passes)[number - part.first];
}

const SentBytes& Stream::next(Reader reader, int64_t place) {
  size_t& at = position(reader, place);
  // Whoever asks for more than there is gets the last one again.
  if (at + 1 > size_) return pass(size_ - 1);
  return pass(at++);
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

std::vector<Tile> make_tiles() {
  const auto block = zeroed_bytes(kTiles * static_cast<size_t>(kTileBytes));
  std::vector<Tile> tiles;
  tiles.reserve(kTiles);
  for (size_t k = 0; k < kTiles; ++k)
    tiles.emplace_back(block, static_cast<int64_t>(k) * kTileBytes);
  return tiles;
}

}  // namespace edgetwin::edgetpu::machine
