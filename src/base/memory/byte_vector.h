// Bytes that grow, on a cache line's border. std::vector with an allocator of its own constructs,
// copies and destroys byte by byte, and compilers leave these loops as they are below -O2.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <new>
#include <utility>

namespace edgetwin {

// The interface is that of std::vector<std::byte>, as far as it is used.
class ByteVector {
 public:
  using value_type = std::byte;
  using size_type = size_t;
  using difference_type = std::ptrdiff_t;
  using reference = std::byte&;
  using const_reference = const std::byte&;
  using pointer = std::byte*;
  using const_pointer = const std::byte*;
  using iterator = std::byte*;
  using const_iterator = const std::byte*;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  ByteVector() = default;
  explicit ByteVector(size_t size) { resize(size); }
  ByteVector(size_t size, std::byte value) { resize(size, value); }
  template <std::input_iterator It>
  ByteVector(It first, It last) {
    insert(end(), first, last);
  }
  ByteVector(std::initializer_list<std::byte> all) : ByteVector(all.begin(), all.end()) {}
  ByteVector(const ByteVector& other) : ByteVector(other.begin(), other.end()) {}
  ByteVector(ByteVector&& other) noexcept { swap(other); }
  ~ByteVector() { release(data_); }
  ByteVector& operator=(const ByteVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  ByteVector& operator=(ByteVector&& other) noexcept {
    ByteVector taken(std::move(other));
    swap(taken);
    return *this;
  }

  void swap(ByteVector& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  friend void swap(ByteVector& a, ByteVector& b) noexcept { a.swap(b); }

  iterator begin() { return data_; }
  iterator end() { return data_ + size_; }
  const_iterator begin() const { return data_; }
  const_iterator end() const { return data_ + size_; }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reverse_iterator rbegin() { return reverse_iterator(end()); }
  reverse_iterator rend() { return reverse_iterator(begin()); }
  const_reverse_iterator rbegin() const { return const_reverse_iterator(end()); }
  const_reverse_iterator rend() const { return const_reverse_iterator(begin()); }

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  std::byte& operator[](size_t n) { return data_[n]; }
  const std::byte& operator[](size_t n) const { return data_[n]; }
  // Throws std::out_of_range.
  std::byte& at(size_t n) { return data_[checked(n)]; }
  const std::byte& at(size_t n) const { return data_[checked(n)]; }
  std::byte& front() { return data_[0]; }
  const std::byte& front() const { return data_[0]; }
  std::byte& back() { return data_[size_ - 1]; }
  const std::byte& back() const { return data_[size_ - 1]; }

  void reserve(size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  void shrink_to_fit() {
    if (size_ != capacity_) reallocate(size_);
  }
  void clear() { size_ = 0; }
  void resize(size_t size, std::byte value = std::byte{0}) {
    if (size > size_) {
      grow(size);
      std::memset(data_ + size_, static_cast<int>(value), size - size_);
    }
    size_ = size;
  }
  void push_back(std::byte value) {
    grow(size_ + 1);
    data_[size_++] = value;
  }
  std::byte& emplace_back(std::byte value = std::byte{0}) {
    push_back(value);
    return back();
  }
  void pop_back() { --size_; }

  void assign(size_t size, std::byte value) {
    clear();
    resize(size, value);
  }
  template <std::input_iterator It>
  void assign(It first, It last) {
    clear();
    insert(end(), first, last);
  }
  void assign(std::initializer_list<std::byte> all) { assign(all.begin(), all.end()); }

  iterator insert(const_iterator at, std::byte value) {
    iterator to = open(at, 1);
    *to = value;
    return to;
  }
  iterator insert(const_iterator at, size_t count, std::byte value) {
    iterator to = open(at, count);
    std::fill_n(to, count, value);
    return to;
  }
  // Of another object's bytes.
  template <std::input_iterator It>
  iterator insert(const_iterator at, It first, It last) {
    if constexpr (std::forward_iterator<It>) {
      iterator to = open(at, static_cast<size_t>(std::distance(first, last)));
      std::copy(first, last, to);
      return to;
    } else {
      ByteVector read;
      for (; first != last; ++first) read.push_back(*first);
      return insert(at, read.begin(), read.end());
    }
  }
  iterator insert(const_iterator at, std::initializer_list<std::byte> all) {
    return insert(at, all.begin(), all.end());
  }
  iterator erase(const_iterator at) { return erase(at, at + 1); }
  iterator erase(const_iterator first, const_iterator last) {
    iterator to = data_ + (first - data_);
    std::copy(last, cend(), to);
    size_ -= static_cast<size_t>(last - first);
    return to;
  }

  friend bool operator==(const ByteVector& a, const ByteVector& b) {
    return a.size_ == b.size_ && (a.size_ == 0 || std::memcmp(a.data_, b.data_, a.size_) == 0);
  }
  friend std::strong_ordering operator<=>(const ByteVector& a, const ByteVector& b) {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  static void release(std::byte* data) { ::operator delete(data, kAlignment); }

  size_t checked(size_t n) const;
  // Room for `size` bytes, more than now.
  void grow(size_t size) {
    if (size > capacity_) reallocate(std::max(size, 2 * capacity_));
  }
  void reallocate(size_t capacity);
  // Room for `count` bytes before `at`.
  iterator open(const_iterator at, size_t count);

  std::byte* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace edgetwin
