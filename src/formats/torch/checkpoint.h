// PyTorch's checkpoints as plain data: a graph of numbers, texts, containers and tensors. Both of
// PyTorch's layouts are read, the zip archive and the older row of pickles; the zip archive is
// written. Nothing in a file is ever executed. docs/formats/torch.md has the bytes and the limits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::torch {

inline constexpr uint64_t kMaxPickleBytes = uint64_t{64} << 20;
inline constexpr size_t kMaxNodes = size_t{1} << 20;
// Texts and items that values hold, together: a short file must not grow by repeating itself.
inline constexpr size_t kMaxContentBytes = size_t{256} << 20;
// Tensors that repeat elements (strides of 0) may have so many; others are as large as the file.
inline constexpr int64_t kMaxRepeatedElements = int64_t{1} << 20;
inline constexpr int64_t kMaxTensorBytesTogether = int64_t{1} << 30;

enum class Layout : uint8_t { zip, legacy };

// What a global name of globals.def stands for.
enum class Role : uint8_t {
  unknown,
  ordered_dict,
  default_dict,
  tensor,
  parameter,
  size,
  device,
  class_name,
  numpy_scalar,
  numpy_dtype,
  numpy_array,
  encode,
  storage_type,
};

enum class NodeKind : uint8_t {
  none,
  boolean,  // integer: 0 or 1
  integer,
  real,
  text,
  bytes,  // in text
  list,
  tuple,
  dict,     // items: key, value, key, value ...
  tensor,   // index: into the tensors of the checkpoint
  array,    // of NumPy; items: shape (tuple), type (dtype), elements by rows (bytes or text)
  global,   // text: "module name"; role
  storage,  // index: into the storages; only while reading
  opaque,   // what an unknown global would have made; only while reading
};

using NodeId = uint32_t;

struct Node {
  NodeKind kind = NodeKind::none;
  Role role = Role::unknown;
  DType dtype = DType::float32;  // of a storage type, and of NumPy's dtype
  bool ordered = false;          // dict: an OrderedDict
  uint32_t index = 0;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<NodeId> items;
};

// Elements that tensors share.
struct Storage {
  std::string key;
  DType dtype = DType::float32;
  int64_t elements = 0;
  ByteSpan data;  // empty until the file's numbers are found
};

// A view of a storage; offset and strides in elements.
struct TensorView {
  uint32_t storage = 0;
  int64_t offset = 0;
  Shape shape;
  Shape strides;
};

class Checkpoint {
 public:
  // `file` is used in errors only. Errors: torch_container, torch_pickle, torch_global,
  // torch_storage, torch_tensor, torch_limit.
  static Result<Checkpoint> read(Bytes data, const std::string& file);
  // A pickle by itself: plain data without tensors, as data sets for Python are stored. Errors:
  // torch_pickle, torch_global, torch_limit.
  static Result<Checkpoint> read_pickle(ByteSpan data, const std::string& file);
  // An empty dictionary to be filled.
  static Checkpoint make(std::string file);

  Checkpoint(Checkpoint&&) = default;
  Checkpoint& operator=(Checkpoint&&) = default;

  Layout layout() const { return layout_; }
  const std::string& file() const { return file_; }
  NodeId root() const { return root_; }
  const Node& node(NodeId id) const { return nodes_[id]; }

  // The value of a text key, or nothing if `dict` is no dictionary or lacks it.
  std::optional<NodeId> find(NodeId dict, std::string_view key) const;
  std::optional<std::string_view> text(NodeId dict, std::string_view key) const;
  std::optional<int64_t> integer(NodeId dict, std::string_view key) const;

  struct Entry {
    std::string name;
    NodeId tensor;
  };
  // The tensors of the entry `state_dict` in the order of the file. A name that is set twice counts
  // as Python counts it: at its first place, with its last value. Entries that are no tensors are
  // left out. Errors: torch_pickle if there is no such dictionary, torch_limit if the tensors are
  // larger than 1 GiB, each name counted.
  Result<std::vector<Entry>> state_dict() const;

  // Shape and type without the elements. `id` must be a tensor.
  const Shape& shape(NodeId id) const { return view(id).shape; }
  DType dtype(NodeId id) const { return storages_[view(id).storage].dtype; }
  // The elements in C order. `id` must be a tensor.
  Tensor tensor(NodeId id) const;

  // --- Building, for writing.
  NodeId add_none() { return add({}); }
  NodeId add_text(std::string text);
  NodeId add_integer(int64_t value);
  NodeId add_real(double value);
  NodeId add_dict(bool ordered);
  NodeId add_tensor(const Tensor& tensor);
  NodeId add_boolean(bool value);
  NodeId add_list(std::vector<NodeId> items);
  NodeId add_tuple(std::vector<NodeId> items);
  // The name of a class that globals.def has: "torch.optim.sgd SGD". Nothing else is written.
  NodeId add_class(std::string name);
  // Sets or replaces the value of a text key; `dict` must be a dictionary.
  void set(NodeId dict, std::string_view key, NodeId value);
  // Adds an entry without looking for an older one of the same key.
  void append(NodeId dict, std::string_view key, NodeId value);
  // The same with a key that is no text.
  void append(NodeId dict, NodeId key, NodeId value);

 private:
  friend class Machine;
  friend class PickleWriter;
  friend struct Archive;
  friend struct Legacy;
  Checkpoint() = default;
  NodeId add(Node node);
  const TensorView& view(NodeId id) const { return tensors_[nodes_[id].index]; }
  Status check_tensors() const;

  std::string file_;
  Layout layout_ = Layout::zip;
  Bytes data_;
  std::vector<std::unique_ptr<Bytes>> own_;  // elements that are not in the file
  std::vector<Node> nodes_;
  std::vector<Storage> storages_;
  std::vector<TensorView> tensors_;
  NodeId root_ = 0;
};

// True for a zip archive with a data.pkl, and for the magic number of the older layout.
bool looks_like_checkpoint(ByteSpan data);

// The zip layout with protocol 2, as torch.save writes it: members <prefix>/data.pkl,
// <prefix>/data/<n>, <prefix>/version, storages at multiples of 64 bytes, no time stamps.
// Errors: torch_write.
Result<Bytes> write(const Checkpoint& checkpoint, std::string_view prefix = "archive");

}  // namespace edgetwin::torch
