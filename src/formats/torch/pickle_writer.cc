#include "formats/torch/pickle_writer.h"

#include <algorithm>
#include <array>
#include <bit>

namespace edgetwin::torch {
namespace {

constexpr int kMaxDepth = 100;
// Keys of the memo beside node numbers: names of modules and classes.
constexpr uint64_t kNameKeys = uint64_t{1} << 40;

struct StorageName {
  DType dtype;
  std::string_view name;
};
constexpr StorageName kStorages[] = {
#define STORAGE(name, dtype) {DType::dtype, #name},
#include "formats/torch/globals.def"
};

Error cannot(const std::string& what) { return Error(ErrorCode::torch_write, what); }

}  // namespace

void PickleWriter::memoize(uint64_t key) {
  memo_[key] = next_memo_;
  if (next_memo_ < 256) {
    code('q');
    raw(static_cast<uint8_t>(next_memo_));
  } else {
    code('r');
    raw(next_memo_);
  }
  ++next_memo_;
}

bool PickleWriter::recall(uint64_t key) {
  const auto found = memo_.find(key);
  if (found == memo_.end()) return false;
  if (found->second < 256) {
    code('h');
    raw(static_cast<uint8_t>(found->second));
  } else {
    code('j');
    raw(found->second);
  }
  return true;
}

void PickleWriter::integer(int64_t value) {
  if (value >= 0 && value < 256) {
    code('K');
    raw(static_cast<uint8_t>(value));
  } else if (value >= 0 && value < 65536) {
    code('M');
    raw(static_cast<uint16_t>(value));
  } else if (value >= INT32_MIN && value <= INT32_MAX) {
    code('J');
    raw(static_cast<int32_t>(value));
  } else {
    append("\x8a\x08");
    raw(value);
  }
}

void PickleWriter::text(const std::string& value) {
  code('X');
  raw(static_cast<uint32_t>(value.size()));
  append(value);
}

void PickleWriter::name(std::string_view module, std::string_view symbol) {
  const std::string line = "c" + std::string(module) + "\n" + std::string(symbol) + "\n";
  const auto [place, fresh] = texts_.try_emplace(line, static_cast<uint32_t>(texts_.size()));
  if (recall(kNameKeys + place->second)) return;
  append(line);
  memoize(kNameKeys + place->second);
}

void PickleWriter::dimensions(const Shape& shape) {
  const int rank = shape.rank();
  if (rank == 0) return code(')');
  if (rank > 3) code('(');
  for (const int64_t dim : shape.dims()) integer(dim);
  constexpr std::array kTuples = {'\x85', '\x86', '\x87'};
  code(rank > 3 ? 't' : kTuples[static_cast<size_t>(rank - 1)]);
}

// _rebuild_tensor_v2(storage, offset, size, stride, False, OrderedDict())
Status PickleWriter::tensor(const Node& node) {
  const TensorView& view = in_.tensors_[node.index];
  const Storage& storage = in_.storages_[view.storage];
  const auto* row = std::find_if(std::begin(kStorages), std::end(kStorages),
                                 [&](const StorageName& r) { return r.dtype == storage.dtype; });
  if (row == std::end(kStorages)) {
    return cannot("a tensor of " + std::string(edgetwin::name(storage.dtype)) +
                  " has no storage in PyTorch's files");
  }
  const auto [key, fresh] =
      key_of_storage_.try_emplace(view.storage, static_cast<uint32_t>(used_storages_.size()));
  if (fresh) used_storages_.push_back(view.storage);
  name("torch._utils", "_rebuild_tensor_v2");
  append("((");
  text("storage");
  name("torch", row->name);
  text(std::to_string(key->second));
  text("cpu");
  integer(storage.elements);
  append("tQ");
  integer(view.offset);
  dimensions(view.shape);
  dimensions(view.strides);
  append("\x89");
  name("collections", "OrderedDict");
  append(")RtR");
  return Ok{};
}

Status PickleWriter::global(const Node& node) {
  const size_t space = node.text.find(' ');
  if (node.role != Role::class_name || space == std::string::npos) {
    return cannot("the name '" + node.text + "' cannot stand alone in a checkpoint");
  }
  name(node.text.substr(0, space), node.text.substr(space + 1));
  return Ok{};
}

// Lists and dictionaries enter the memo before they are filled: they may contain themselves.
Status PickleWriter::container(NodeId id, int depth) {
  const Node& node = in_.nodes_[id];
  if (node.kind == NodeKind::tuple) {
    code('(');
    for (const NodeId item : node.items) EDGETWIN_TRY(value(item, depth + 1));
    code('t');
    memoize(id);
    return Ok{};
  }
  const bool dict = node.kind == NodeKind::dict;
  if (node.ordered) {
    name("collections", "OrderedDict");
    append(")R");
  } else {
    code(dict ? '}' : ']');
  }
  memoize(id);
  if (node.items.empty()) return Ok{};
  code('(');
  for (const NodeId item : node.items) EDGETWIN_TRY(value(item, depth + 1));
  code(dict ? 'u' : 'e');
  return Ok{};
}

Status PickleWriter::value(NodeId id, int depth) {
  if (depth > kMaxDepth) return cannot("the checkpoint is nested more than 100 deep");
  if (recall(id)) return Ok{};
  const Node& node = in_.nodes_[id];
  switch (node.kind) {
    case NodeKind::none:
      code('N');
      return Ok{};
    case NodeKind::boolean:
      append(node.integer != 0 ? "\x88" : "\x89");
      return Ok{};
    case NodeKind::integer:
      integer(node.integer);
      return Ok{};
    case NodeKind::real: {
      code('G');
      auto bytes = std::bit_cast<std::array<std::byte, 8>>(node.real);
      std::reverse(bytes.begin(), bytes.end());
      out_.insert(out_.end(), bytes.begin(), bytes.end());
      return Ok{};
    }
    case NodeKind::text:
      if (node.text.size() > UINT32_MAX) return cannot("a text is longer than 4 GiB");
      text(node.text);
      memoize(id);
      return Ok{};
    case NodeKind::list:
    case NodeKind::tuple:
    case NodeKind::dict:
      return container(id, depth);
    case NodeKind::tensor:
      EDGETWIN_TRY(tensor(node));
      memoize(id);
      return Ok{};
    case NodeKind::global:
      return global(node);
    case NodeKind::bytes:
    case NodeKind::array:
    case NodeKind::storage:
    case NodeKind::opaque:
      break;
  }
  return cannot(
      "the checkpoint holds a value that is neither a number, a text, a container nor a "
      "tensor");
}

Result<Bytes> PickleWriter::run() {
  append("\x80\x02");
  EDGETWIN_TRY(value(in_.root_, 0));
  code('.');
  return std::move(out_);
}

std::vector<PickleWriter::Content> PickleWriter::contents() const {
  std::vector<Content> out;
  for (const uint32_t index : used_storages_) {
    const Storage& storage = in_.storages_[index];
    const auto size = static_cast<size_t>(storage.elements) * byte_size(storage.dtype);
    out.push_back({storage.data.first(size)});
  }
  return out;
}

}  // namespace edgetwin::torch
