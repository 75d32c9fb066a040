// Nodes to a pickle of protocol 2, as torch.save writes it.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "formats/torch/checkpoint.h"

namespace edgetwin::torch {

class PickleWriter {
 public:
  explicit PickleWriter(const Checkpoint& checkpoint) : in_(checkpoint) {}

  // The pickle of the root. Error: torch_write.
  Result<Bytes> run();

  struct Content {
    ByteSpan data;
  };
  // The storages in the order of their keys "0", "1", ...
  std::vector<Content> contents() const;

 private:
  Status value(NodeId id, int depth);
  Status container(NodeId id, int depth);
  Status tensor(const Node& node);
  Status global(const Node& node);
  void integer(int64_t value);
  void text(const std::string& value);
  void dimensions(const Shape& shape);
  void name(std::string_view module, std::string_view symbol);
  void memoize(uint64_t key);
  bool recall(uint64_t key);

  template <class T>
  void raw(T number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  void code(char letter) { out_.push_back(static_cast<std::byte>(letter)); }
  void append(std::string_view letters) {
    const ByteSpan bytes = as_byte_span(letters);
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }

  const Checkpoint& in_;
  Bytes out_;
  std::unordered_map<uint64_t, uint32_t> memo_;
  std::unordered_map<std::string, uint32_t> texts_;
  uint32_t next_memo_ = 0;
  std::unordered_map<uint32_t, uint32_t> key_of_storage_;
  std::vector<uint32_t> used_storages_;
};

}  // namespace edgetwin::torch
