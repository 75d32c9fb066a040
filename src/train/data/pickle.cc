#include "train/data/pickle.h"

#include <map>

#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

class Reader {
 public:
  Reader(ByteSpan data, const std::string& file) : text_(as_text(data)), file_(file) {}

  Result<Pickle> run() {
    while (true) {
      EDGETWIN_TRY_ASSIGN(const std::string_view code, take(1));
      if (code[0] == '.') break;
      EDGETWIN_TRY(step(code[0]));
    }
    EDGETWIN_TRY_ASSIGN(out_.root, pop());
    return std::move(out_);
  }

 private:
  Error damaged(const std::string& message) const {
    return broken(Rule::data_file, message).in_file(file_).at_offset(at_).in_field("pickle");
  }

  Result<std::string_view> take(size_t size) {
    if (size > text_.size() - at_) return damaged("the file is too short");
    const std::string_view part = text_.substr(at_, size);
    at_ += size;
    return part;
  }

  // Little-endian.
  Result<uint64_t> number(size_t bytes) {
    EDGETWIN_TRY_ASSIGN(const std::string_view part, take(bytes));
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) {
      value |= uint64_t{static_cast<uint8_t>(part[i])} << (8 * i);
    }
    return value;
  }

  Status line() {
    const size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) return damaged("the name of a class does not end");
    at_ = end + 1;
    return Ok{};
  }

  void push(PickleValue value) {
    stack_.push_back(out_.values.size());
    out_.values.push_back(std::move(value));
  }

  Result<size_t> pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) {
      return damaged("an operation has no operand");
    }
    const size_t value = stack_.back();
    stack_.pop_back();
    return value;
  }

  Result<std::vector<size_t>> pop_mark() {
    if (marks_.empty()) return damaged("an operation has no mark");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<size_t> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return items;
  }

  Result<PickleValue*> top() {
    if (stack_.empty()) return damaged("an operation has no operand");
    return &out_.values[stack_.back()];
  }

  Status push_text(size_t length_bytes) {
    EDGETWIN_TRY_ASSIGN(const uint64_t size, number(length_bytes));
    EDGETWIN_TRY_ASSIGN(const std::string_view text, take(size));
    push({.kind = PickleValue::Kind::text, .text = text, .items = {}});
    return Ok{};
  }

  Status push_integer(size_t bytes) {
    EDGETWIN_TRY_ASSIGN(const uint64_t value, number(bytes));
    const int64_t signed_value =
        bytes == 4 ? static_cast<int32_t>(value) : static_cast<int64_t>(value);
    push({.kind = PickleValue::Kind::integer, .number = signed_value, .text = {}, .items = {}});
    return Ok{};
  }

  Status push_tuple(size_t count) {
    PickleValue tuple{.kind = PickleValue::Kind::list, .text = {}, .items = {}};
    tuple.items.resize(count);
    for (size_t i = count; i-- > 0;) {
      EDGETWIN_TRY_ASSIGN(tuple.items[i], pop());
    }
    push(std::move(tuple));
    return Ok{};
  }

  Status extend() {
    EDGETWIN_TRY_ASSIGN(const std::vector<size_t> items, pop_mark());
    EDGETWIN_TRY_ASSIGN(PickleValue * to, top());
    to->items.insert(to->items.end(), items.begin(), items.end());
    return Ok{};
  }

  Status append(size_t count) {
    std::vector<size_t> items(count);
    for (size_t i = count; i-- > 0;) {
      EDGETWIN_TRY_ASSIGN(items[i], pop());
    }
    EDGETWIN_TRY_ASSIGN(PickleValue * to, top());
    to->items.insert(to->items.end(), items.begin(), items.end());
    return Ok{};
  }

  // The state of an array ends in its bytes.
  Status build() {
    EDGETWIN_TRY_ASSIGN(const size_t state, pop());
    EDGETWIN_TRY_ASSIGN(PickleValue * to, top());
    const std::vector<size_t>& items = out_.values[state].items;
    if (!items.empty()) to->text = out_.values[items.back()].text;
    return Ok{};
  }

  Status memo(size_t bytes, bool put) {
    EDGETWIN_TRY_ASSIGN(const uint64_t key, number(bytes));
    if (put) {
      if (stack_.empty()) return damaged("an operation has no operand");
      memo_[key] = stack_.back();
      return Ok{};
    }
    const auto found = memo_.find(key);
    if (found == memo_.end()) return damaged("a value is used that was not kept");
    stack_.push_back(found->second);
    return Ok{};
  }

  Status step(char code) {
    using Kind = PickleValue::Kind;
    switch (code) {
      case '\x80':  // protocol
        return take(1).ok() ? Status(Ok{}) : damaged("the file is too short");
      case '}':
        push({.kind = Kind::dict, .text = {}, .items = {}});
        return Ok{};
      case ']':
      case ')':
        push({.kind = Kind::list, .text = {}, .items = {}});
        return Ok{};
      case '(':
        marks_.push_back(stack_.size());
        return Ok{};
      case 'N':
      case '\x88':
      case '\x89':
        push({.text = {}, .items = {}});
        return Ok{};
      case 'U':
      case 'C':
      case '\x8C':
        return push_text(1);
      case 'T':
      case 'B':
      case 'X':
        return push_text(4);
      case 'K':
        return push_integer(1);
      case 'M':
        return push_integer(2);
      case 'J':
        return push_integer(4);
      default:
        return structure(code);
    }
  }

  Status structure(char code) {
    switch (code) {
      case 'q':
        return memo(1, true);
      case 'r':
        return memo(4, true);
      case 'h':
        return memo(1, false);
      case 'j':
        return memo(4, false);
      case '\x85':
      case '\x86':
      case '\x87':
        return push_tuple(static_cast<size_t>(static_cast<uint8_t>(code) - 0x84));
      case 't': {
        EDGETWIN_TRY_ASSIGN(std::vector<size_t> items, pop_mark());
        push({.kind = PickleValue::Kind::list, .text = {}, .items = std::move(items)});
        return Ok{};
      }
      case 'e':
      case 'u':
        return extend();
      case 'a':
        return append(1);
      case 's':
        return append(2);
      case 'c':  // a class: two lines
        EDGETWIN_TRY(line());
        EDGETWIN_TRY(line());
        push({.text = {}, .items = {}});
        return Ok{};
      case 'R':  // the class and its arguments become an object
        EDGETWIN_TRY(pop());
        EDGETWIN_TRY(pop());
        push({.text = {}, .items = {}});
        return Ok{};
      case 'b':
        return build();
      default:
        return damaged("the operation " + std::to_string(static_cast<uint8_t>(code)) +
                       " does not occur in files of CIFAR");
    }
  }

  std::string_view text_;
  const std::string& file_;
  size_t at_ = 0;
  Pickle out_;
  std::vector<size_t> stack_, marks_;
  std::map<uint64_t, size_t> memo_;
};

}  // namespace

const PickleValue* Pickle::find(std::string_view key) const {
  const std::vector<size_t>& items = values[root].items;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (values[items[i]].text == key) return &values[items[i + 1]];
  }
  return nullptr;
}

Result<Pickle> parse_pickle(ByteSpan data, const std::string& file) {
  return Reader(data, file).run();
}

}  // namespace edgetwin::train
