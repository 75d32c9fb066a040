// The pickle machine: opcodes to nodes. It has no way to call anything.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/torch/checkpoint.h"

namespace edgetwin::torch {

class Machine {
 public:
  // `offset` is where `pickle` begins in the file, for messages.
  Machine(Checkpoint& checkpoint, ByteSpan pickle, uint64_t offset)
      : out_(checkpoint), data_(pickle), base_(offset) {}

  // Runs to STOP and gives its value.
  Result<NodeId> run();
  // Bytes read by run().
  size_t consumed() const { return at_; }
  // Names that globals.def does not have, each once.
  const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  using Id = NodeId;

  // --- machine_step.cc: opcodes; each hands on what it does not know.
  Status step_constant(uint8_t code);
  Status step_container(uint8_t code);
  Status step_name(uint8_t code);
  Status unknown_opcode(uint8_t code);

  // --- machine.cc: the loop, the stack, the memo.
  Error error(std::string message) const;
  Result<ByteSpan> take(size_t size);
  template <class T>
  Result<T> number();
  Result<std::string_view> line();
  Status push(Node node);
  Status push_id(Id id);
  Status spend(const Node& fresh, size_t items);
  Status check_growth() const;
  Error limit(std::string message) const;
  Result<Id> pop();
  Result<Id> top() const;
  // The values above the last mark, which is removed.
  Result<std::vector<Id>> pop_mark();
  Status put(uint64_t index);
  Status get(uint64_t index);
  Status collect(NodeKind kind, size_t count);
  Status collect_mark(NodeKind kind);
  Status append(const std::vector<Id>& values);
  Status set_items(const std::vector<Id>& values);

  // --- machine_load.cc: values that stand in the pickle.
  Status load_text(uint64_t size, NodeKind kind);
  Status load_long(size_t size);
  Status load_int_line(bool is_long);
  Status load_float_line();
  Status load_string_line();
  Status load_global(const std::string& module, const std::string& name);

  // --- machine_calls.cc: what the allowed names stand for.
  Status persistent_id();
  Status reduce();
  Status new_object();
  Status build();
  Result<Node> call(const Node& function, const std::vector<Id>& arguments);
  Result<Node> make_tensor(const std::vector<Id>& arguments);
  Result<Node> make_dict(const std::vector<Id>& arguments, bool ordered);
  Result<Node> make_scalar(const std::vector<Id>& arguments);
  Result<Node> make_dtype(const std::vector<Id>& arguments);
  Result<Node> make_bytes(const std::vector<Id>& arguments);
  Result<Node> make_array(const std::vector<Id>& arguments);
  Status build_array(Id array, Id state);
  Result<Shape> shape_of(Id id, std::string_view what);

  const Node& node(Id id) const { return out_.nodes_[id]; }
  Node& node(Id id) { return out_.nodes_[id]; }

  Checkpoint& out_;
  ByteSpan data_;
  uint64_t base_;
  size_t at_ = 0;
  size_t content_ = 0;  // bytes of kMaxContentBytes used
  std::vector<Id> stack_;
  std::vector<size_t> marks_;  // heights of the stack
  std::unordered_map<uint64_t, Id> memo_;
  std::unordered_map<std::string, uint32_t> storage_of_key_;
  std::vector<std::string> unknown_;
};

// A number of the pickle, little endian.
template <class T>
Result<T> Machine::number() {
  EDGETWIN_TRY_ASSIGN(const ByteSpan raw, take(sizeof(T)));
  T value;
  std::memcpy(&value, raw.data(), sizeof(T));
  return value;
}

}  // namespace edgetwin::torch
