#include "formats/torch/machine.h"

#include <algorithm>
#include <cstring>

namespace edgetwin::torch {
namespace {

constexpr size_t kMaxStack = size_t{1} << 22;
constexpr size_t kMaxMarks = size_t{1} << 16;
constexpr size_t kMaxMemo = size_t{1} << 21;

}  // namespace

Error Machine::error(std::string message) const {
  return Error(ErrorCode::torch_pickle, std::move(message))
      .in_file(out_.file_)
      .at_offset(base_ + at_);
}

Error Machine::limit(std::string message) const {
  return Error(ErrorCode::torch_limit, std::move(message))
      .in_file(out_.file_)
      .at_offset(base_ + at_);
}

// Counts what a value holds before it is kept.
Status Machine::spend(const Node& fresh, size_t items) {
  content_ += fresh.text.size() + items * sizeof(Id);
  if (content_ <= kMaxContentBytes) return Ok{};
  return limit("the texts and containers of the pickle are larger than 256 MiB");
}

// The machine's own memory.
Status Machine::check_growth() const {
  if (stack_.size() <= kMaxStack && marks_.size() <= kMaxMarks && memo_.size() <= kMaxMemo) {
    return Ok{};
  }
  return limit("the pickle needs more memory to be followed than any checkpoint does");
}

Result<ByteSpan> Machine::take(size_t size) {
  if (size > data_.size() - at_) {
    return error("the pickle ends inside a value of " + std::to_string(size) + " bytes");
  }
  const ByteSpan out = data_.subspan(at_, size);
  at_ += size;
  return out;
}

Result<std::string_view> Machine::line() {
  const std::string_view rest = as_text(data_).substr(at_);
  const size_t end = rest.find('\n');
  if (end == std::string_view::npos) return error("the pickle ends inside a line");
  at_ += end + 1;
  return rest.substr(0, end);
}

Status Machine::push_id(Id id) {
  stack_.push_back(id);
  return Ok{};
}

Status Machine::push(Node fresh) {
  if (out_.nodes_.size() >= kMaxNodes) {
    return limit("the pickle makes more than " + std::to_string(kMaxNodes) + " values");
  }
  EDGETWIN_TRY(spend(fresh, fresh.items.size()));
  return push_id(out_.add(std::move(fresh)));
}

Result<Machine::Id> Machine::pop() {
  const size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) return error("an opcode takes a value from an empty stack");
  const Id id = stack_.back();
  stack_.pop_back();
  return id;
}

Result<Machine::Id> Machine::top() const {
  const size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() <= floor) return error("an opcode looks at an empty stack");
  return stack_.back();
}

Result<std::vector<Machine::Id>> Machine::pop_mark() {
  if (marks_.empty()) return error("an opcode needs a mark, and there is none");
  const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<Id> out(begin, stack_.end());
  stack_.erase(begin, stack_.end());
  marks_.pop_back();
  return out;
}

Status Machine::put(uint64_t index) {
  EDGETWIN_TRY_ASSIGN(const Id id, top());
  memo_[index] = id;
  return Ok{};
}

Status Machine::get(uint64_t index) {
  const auto found = memo_.find(index);
  if (found == memo_.end()) {
    return error("value " + std::to_string(index) + " of the memo was never stored");
  }
  return push_id(found->second);
}

Status Machine::collect(NodeKind kind, size_t count) {
  Node out;
  out.kind = kind;
  out.items.resize(count);
  for (size_t i = count; i-- > 0;) {
    EDGETWIN_TRY_ASSIGN(out.items[i], pop());
  }
  return push(std::move(out));
}

Status Machine::collect_mark(NodeKind kind) {
  Node out;
  out.kind = kind;
  EDGETWIN_TRY_ASSIGN(out.items, pop_mark());
  if (kind == NodeKind::dict && out.items.size() % 2 != 0) return error("a key without a value");
  return push(std::move(out));
}

Status Machine::append(const std::vector<Id>& values) {
  EDGETWIN_TRY_ASSIGN(const Id target, top());
  Node& list = node(target);
  if (list.kind == NodeKind::opaque) return Ok{};
  if (list.kind != NodeKind::list) return error("something is appended to what is no list");
  EDGETWIN_TRY(spend({}, values.size()));
  list.items.insert(list.items.end(), values.begin(), values.end());
  return Ok{};
}

Status Machine::set_items(const std::vector<Id>& values) {
  EDGETWIN_TRY_ASSIGN(const Id target, top());
  Node& dict = node(target);
  if (dict.kind == NodeKind::opaque) return Ok{};
  if (dict.kind != NodeKind::dict) return error("an entry is set in what is no dictionary");
  if (values.size() % 2 != 0) return error("a key without a value");
  EDGETWIN_TRY(spend({}, values.size()));
  dict.items.insert(dict.items.end(), values.begin(), values.end());
  return Ok{};
}

Result<NodeId> Machine::run() {
  while (true) {
    EDGETWIN_TRY_ASSIGN(const auto code, number<uint8_t>());
    if (code == '.') return pop();
    EDGETWIN_TRY(step_constant(code));
    EDGETWIN_TRY(check_growth());
  }
}

}  // namespace edgetwin::torch
