#include "formats/torch/checkpoint.h"

#include <algorithm>
#include <unordered_map>

#include "formats/torch/layouts.h"
#include "formats/torch/machine.h"

namespace edgetwin::torch {

Error refused_globals(const std::vector<std::string>& names, const std::string& file) {
  constexpr size_t kShown = 8;
  std::string list;
  for (size_t i = 0; i < names.size() && i < kShown; ++i) {
    // Names come from the file: only printable characters are shown.
    std::string shown = names[i];
    for (char& c : shown) {
      if (c < ' ' || c > '~') c = '?';
    }
    list += (i == 0 ? "" : ", ") + shown;
  }
  if (names.size() > kShown) list += " and " + std::to_string(names.size() - kShown) + " more";
  return Error(ErrorCode::torch_global,
               "the file asks for names that are not part of plain data: " + list)
      .in_file(file);
}

NodeId Checkpoint::add(Node node) {
  nodes_.push_back(std::move(node));
  return static_cast<NodeId>(nodes_.size() - 1);
}

bool looks_like_checkpoint(ByteSpan data) {
  if (has_legacy_magic(data)) return true;
  // data.pkl is the first member that torch.save writes.
  return has_zip_signature(data) &&
         as_text(data).substr(0, 512).find("/data.pkl") != std::string_view::npos;
}

// Every tensor lies inside its storage, and all of them together are of a size that can be held.
Status Checkpoint::check_tensors() const {
  int64_t together = 0;
  for (const TensorView& view : tensors_) {
    const Storage& storage = storages_[view.storage];
    const auto fail = [&](ErrorCode code, const std::string& what) {
      return Error(code, what)
          .in_file(file_)
          .in_field("storage '" + storage.key + "'")
          .detail("shape " + to_string(view.shape) + ", strides " + to_string(view.strides) +
                  ", offset " + std::to_string(view.offset) + ", storage of " +
                  std::to_string(storage.elements) + " elements");
    };
    const auto bytes = static_cast<int64_t>(byte_size(storage.dtype));
    const auto elements = checked_elements(view.shape.dims(), kMaxTensorBytesTogether / bytes);
    if (!within_limits(storage.dtype, view.shape) || !elements ||
        (together += *elements * bytes) > kMaxTensorBytesTogether) {
      return fail(ErrorCode::torch_limit, "the tensors are larger than 1 GiB");
    }
    if (*elements > storage.elements && *elements > kMaxRepeatedElements) {
      return fail(ErrorCode::torch_limit, "a tensor repeats few numbers too many times");
    }
    if (storage.elements > static_cast<int64_t>(storage.data.size()) / bytes) {
      return fail(ErrorCode::torch_storage, "a storage has " + std::to_string(storage.data.size()) +
                                                " bytes, too few for " +
                                                std::to_string(storage.elements) + " elements of " +
                                                std::to_string(bytes) + " bytes");
    }
    int64_t last = view.offset;  // of the element farthest away
    bool inside = *elements == 0 || last < storage.elements;
    for (int axis = 0; inside && *elements > 0 && axis < view.shape.rank(); ++axis) {
      const int64_t steps = view.shape[axis] - 1;
      inside = steps == 0 || view.strides[axis] <= (storage.elements - 1 - last) / steps;
      if (inside && steps > 0) last += steps * view.strides[axis];
    }
    if (!inside) return fail(ErrorCode::torch_tensor, "a tensor reaches beyond its storage");
  }
  return Ok{};
}

Result<Checkpoint> Checkpoint::read(Bytes data, const std::string& file) {
  Checkpoint out;
  out.file_ = file;
  out.data_ = std::move(data);
  if (has_legacy_magic(out.data_)) {
    out.layout_ = Layout::legacy;
    EDGETWIN_TRY(Legacy::read(out));
  } else if (has_zip_signature(out.data_)) {
    EDGETWIN_TRY(Archive::read(out));
  } else {
    return Error(ErrorCode::torch_container,
                 "the file begins neither as a zip archive nor as one of PyTorch's older files")
        .in_file(file);
  }
  EDGETWIN_TRY(out.check_tensors());
  return out;
}

Result<Checkpoint> Checkpoint::read_pickle(ByteSpan data, const std::string& file) {
  Checkpoint out;
  out.file_ = file;
  Machine machine(out, data, 0);
  auto root = machine.run();
  if (!machine.unknown().empty()) return refused_globals(machine.unknown(), file);
  if (!root.ok()) return std::move(root).error();
  if (!out.storages_.empty()) {
    return Error(ErrorCode::torch_pickle, "the pickle names tensors, which are not in the file")
        .in_file(file);
  }
  out.root_ = *root;
  return out;
}

Checkpoint Checkpoint::make(std::string file) {
  Checkpoint out;
  out.file_ = std::move(file);
  out.root_ = out.add_dict(false);
  return out;
}

std::optional<NodeId> Checkpoint::find(NodeId dict, std::string_view key) const {
  const Node& entries = nodes_[dict];
  if (entries.kind != NodeKind::dict) return std::nullopt;
  for (size_t i = entries.items.size(); i >= 2; i -= 2) {  // the last one counts
    const Node& name = nodes_[entries.items[i - 2]];
    if (name.kind == NodeKind::text && name.text == key) return entries.items[i - 1];
  }
  return std::nullopt;
}

std::optional<std::string_view> Checkpoint::text(NodeId dict, std::string_view key) const {
  const auto id = find(dict, key);
  if (!id || nodes_[*id].kind != NodeKind::text) return std::nullopt;
  return nodes_[*id].text;
}

std::optional<int64_t> Checkpoint::integer(NodeId dict, std::string_view key) const {
  const auto id = find(dict, key);
  if (!id || nodes_[*id].kind != NodeKind::integer) return std::nullopt;
  return nodes_[*id].integer;
}

Result<std::vector<Checkpoint::Entry>> Checkpoint::state_dict() const {
  const auto state = find(root_, "state_dict");
  if (!state || nodes_[*state].kind != NodeKind::dict) {
    return Error(ErrorCode::torch_pickle, "the checkpoint has no dictionary 'state_dict'")
        .in_file(file_);
  }
  std::vector<Entry> out;
  int64_t together = 0;
  std::unordered_map<std::string_view, size_t> places;
  const std::vector<NodeId>& items = nodes_[*state].items;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    const Node& key = nodes_[items[i]];
    if (key.kind != NodeKind::text || nodes_[items[i + 1]].kind != NodeKind::tensor) continue;
    const NodeId tensor = items[i + 1];
    together += storage_bytes(dtype(tensor), shape(tensor).elements());
    if (together > kMaxTensorBytesTogether) {
      return Error(ErrorCode::torch_limit, "the tensors of 'state_dict' are larger than 1 GiB")
          .in_file(file_);
    }
    const auto [place, fresh] = places.try_emplace(key.text, out.size());
    if (fresh) {
      out.push_back({key.text, tensor});
    } else {
      out[place->second].tensor = tensor;
    }
  }
  return out;
}

Tensor Checkpoint::tensor(NodeId id) const {
  const TensorView& v = view(id);
  const Storage& storage = storages_[v.storage];
  const size_t bytes = byte_size(storage.dtype);
  Tensor out;
  out.dtype = storage.dtype;
  out.shape = v.shape;
  const int64_t elements = v.shape.elements();
  out.data.resize(static_cast<size_t>(elements) * bytes);
  // The innermost axes that lie without gaps are copied at once.
  int64_t run = 1;
  int outer = v.shape.rank();
  while (outer > 0 && (v.shape[outer - 1] == 1 || v.strides[outer - 1] == run)) {
    run *= v.shape[--outer];
  }
  const Shape around(v.shape.dims().first(static_cast<size_t>(outer)));
  for (int64_t i = 0; run > 0 && i < elements / run; ++i) {
    int64_t rest = i;
    int64_t source = v.offset;
    for (int axis = outer - 1; axis >= 0; --axis) {
      source += rest % around[axis] * v.strides[axis];
      rest /= around[axis];
    }
    std::memcpy(out.data.data() + static_cast<size_t>(i * run) * bytes,
                storage.data.data() + static_cast<size_t>(source) * bytes,
                static_cast<size_t>(run) * bytes);
  }
  return out;
}

NodeId Checkpoint::add_text(std::string text) {
  Node out;
  out.kind = NodeKind::text;
  out.text = std::move(text);
  return add(std::move(out));
}

NodeId Checkpoint::add_integer(int64_t value) {
  Node out;
  out.kind = NodeKind::integer;
  out.integer = value;
  return add(std::move(out));
}

NodeId Checkpoint::add_real(double value) {
  Node out;
  out.kind = NodeKind::real;
  out.real = value;
  return add(std::move(out));
}

NodeId Checkpoint::add_dict(bool ordered) {
  Node out;
  out.kind = NodeKind::dict;
  out.ordered = ordered;
  return add(std::move(out));
}

NodeId Checkpoint::add_tensor(const Tensor& tensor) {
  own_.push_back(std::make_unique<Bytes>(tensor.data));
  Storage storage;
  storage.key = "own " + std::to_string(own_.size());
  storage.dtype = tensor.dtype;
  storage.elements = tensor.shape.elements();
  storage.data = *own_.back();
  TensorView v;
  v.storage = static_cast<uint32_t>(storages_.size());
  v.shape = tensor.shape;
  v.strides = tensor.shape;
  int64_t stride = 1;
  for (int axis = v.shape.rank() - 1; axis >= 0; --axis) {
    v.strides[axis] = stride;
    stride *= std::max<int64_t>(v.shape[axis], 1);
  }
  storages_.push_back(std::move(storage));
  Node out;
  out.kind = NodeKind::tensor;
  out.index = static_cast<uint32_t>(tensors_.size());
  tensors_.push_back(v);
  return add(std::move(out));
}

NodeId Checkpoint::add_boolean(bool value) {
  Node out;
  out.kind = NodeKind::boolean;
  out.integer = value ? 1 : 0;
  return add(std::move(out));
}

NodeId Checkpoint::add_list(std::vector<NodeId> items) {
  Node out;
  out.kind = NodeKind::list;
  out.items = std::move(items);
  return add(std::move(out));
}

NodeId Checkpoint::add_tuple(std::vector<NodeId> items) {
  Node out;
  out.kind = NodeKind::tuple;
  out.items = std::move(items);
  return add(std::move(out));
}

NodeId Checkpoint::add_class(std::string name) {
  Node out;
  out.kind = NodeKind::global;
  out.role = Role::class_name;
  out.text = std::move(name);
  return add(std::move(out));
}

void Checkpoint::set(NodeId dict, std::string_view key, NodeId value) {
  std::vector<NodeId>& items = nodes_[dict].items;
  for (size_t i = items.size(); i >= 2; i -= 2) {
    const Node& name = nodes_[items[i - 2]];
    if (name.kind == NodeKind::text && name.text == key) {
      items[i - 1] = value;
      return;
    }
  }
  append(dict, key, value);
}

void Checkpoint::append(NodeId dict, std::string_view key, NodeId value) {
  append(dict, add_text(std::string(key)), value);
}

void Checkpoint::append(NodeId dict, NodeId key, NodeId value) {
  nodes_[dict].items.push_back(key);
  nodes_[dict].items.push_back(value);
}

}  // namespace edgetwin::torch
