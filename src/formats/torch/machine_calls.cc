// What the names of globals.def stand for: a call gives the plain data that it would have made.
#include <bit>

#include "formats/torch/machine.h"

namespace edgetwin::torch {
namespace {

Node of_kind(NodeKind kind) {
  Node out;
  out.kind = kind;
  return out;
}

}  // namespace

// ('storage', type, key, location, elements), in older files with a view, which must be None.
Status Machine::persistent_id() {
  EDGETWIN_TRY_ASSIGN(const Id id, pop());
  const bool tuple = node(id).kind == NodeKind::tuple;
  const std::vector<Id> parts =
      tuple && node(id).items.size() <= 6 ? node(id).items : std::vector<Id>();
  if (parts.size() < 5 || node(parts[0]).text != "storage") {
    return error("a reference to tensor data has another form than ('storage', ...)");
  }
  const Node& type = node(parts[1]);
  if (type.kind == NodeKind::opaque || type.role == Role::unknown) {
    return push(of_kind(NodeKind::opaque));
  }
  const Node& key = node(parts[2]);
  const Node& count = node(parts[4]);
  if (type.role != Role::storage_type || key.kind != NodeKind::text ||
      count.kind != NodeKind::integer || count.integer < 0) {
    return error("a reference to tensor data has no type, name or size");
  }
  if (parts.size() == 6 && node(parts[5]).kind != NodeKind::none) {
    return error("storage '" + key.text +
                 "' is a view of another one; this very old form is not read");
  }
  const auto [found, fresh] =
      storage_of_key_.try_emplace(key.text, static_cast<uint32_t>(out_.storages_.size()));
  if (fresh) {
    out_.storages_.push_back({key.text, type.dtype, count.integer, {}});
  } else {
    const Storage& known = out_.storages_[found->second];
    if (known.dtype != type.dtype || known.elements != count.integer) {
      return error("storage '" + key.text + "' has two types or two sizes");
    }
  }
  Node out = of_kind(NodeKind::storage);
  out.index = found->second;
  return push(std::move(out));
}

Status Machine::reduce() {
  EDGETWIN_TRY_ASSIGN(const Id arguments, pop());
  EDGETWIN_TRY_ASSIGN(const Id function, pop());
  if (node(arguments).kind == NodeKind::opaque) return push(of_kind(NodeKind::opaque));
  if (node(arguments).kind != NodeKind::tuple) return error("the arguments of a call are no tuple");
  if (node(arguments).items.size() > 16) return error("a call has more than 16 arguments");
  // Copies: making values moves the nodes.
  const Node callee = node(function);
  const std::vector<Id> values = node(arguments).items;
  EDGETWIN_TRY_ASSIGN(Node made, call(callee, values));
  return push(std::move(made));
}

Status Machine::new_object() { return reduce(); }

Result<Node> Machine::call(const Node& function, const std::vector<Id>& arguments) {
  if (function.kind == NodeKind::opaque || function.kind != NodeKind::global) {
    if (function.kind == NodeKind::opaque) return of_kind(NodeKind::opaque);
    return error("something is called that is no name");
  }
  switch (function.role) {
    case Role::unknown:
      return of_kind(NodeKind::opaque);
    case Role::ordered_dict:
      return make_dict(arguments, true);
    case Role::default_dict:
      return make_dict({}, false);
    case Role::tensor:
      return make_tensor(arguments);
    case Role::parameter:
      if (arguments.empty() || node(arguments[0]).kind != NodeKind::tensor) {
        return error("a parameter without a tensor");
      }
      return Node(node(arguments[0]));
    case Role::size: {
      Node out = of_kind(NodeKind::tuple);
      if (!arguments.empty()) out.items = node(arguments[0]).items;
      return out;
    }
    case Role::device: {
      Node out = of_kind(NodeKind::text);
      if (!arguments.empty()) out.text = node(arguments[0]).text;
      return out;
    }
    case Role::numpy_scalar:
      return make_scalar(arguments);
    case Role::numpy_dtype:
      return make_dtype(arguments);
    case Role::numpy_array:
      return make_array(arguments);
    case Role::encode:
      return make_bytes(arguments);
    case Role::class_name:
    case Role::storage_type:
      break;
  }
  return error("'" + function.text + "' is called; only its name may be stored");
}

Result<Shape> Machine::shape_of(Id id, std::string_view what) {
  const Node& tuple = node(id);
  if (tuple.kind != NodeKind::tuple || tuple.items.size() > Shape::kMaxRank) {
    return error("the " + std::string(what) + " of a tensor is no tuple of up to 8 numbers");
  }
  Shape out;
  for (const Id item : tuple.items) {
    if (node(item).kind != NodeKind::integer || node(item).integer < 0) {
      return error("the " + std::string(what) + " of a tensor has a part that is no size");
    }
    out.push_back(node(item).integer);
  }
  return out;
}

// (storage, offset, sizes, strides, requires_grad, hooks)
Result<Node> Machine::make_tensor(const std::vector<Id>& arguments) {
  if (arguments.size() < 4) return error("a tensor is made from fewer than 4 values");
  const Node& storage = node(arguments[0]);
  if (storage.kind == NodeKind::opaque) return of_kind(NodeKind::opaque);
  const Node& offset = node(arguments[1]);
  if (storage.kind != NodeKind::storage || offset.kind != NodeKind::integer || offset.integer < 0) {
    return error("a tensor has no storage or no offset");
  }
  TensorView view;
  view.storage = storage.index;
  view.offset = offset.integer;
  EDGETWIN_TRY_ASSIGN(view.shape, shape_of(arguments[2], "size"));
  EDGETWIN_TRY_ASSIGN(view.strides, shape_of(arguments[3], "stride"));
  if (view.shape.rank() != view.strides.rank()) {
    return error("a tensor has " + std::to_string(view.shape.rank()) + " sizes and " +
                 std::to_string(view.strides.rank()) + " strides");
  }
  Node out = of_kind(NodeKind::tensor);
  out.index = static_cast<uint32_t>(out_.tensors_.size());
  out_.tensors_.push_back(view);
  return out;
}

// OrderedDict() or OrderedDict([(key, value), ...])
Result<Node> Machine::make_dict(const std::vector<Id>& arguments, bool ordered) {
  Node out = of_kind(NodeKind::dict);
  out.ordered = ordered;
  if (arguments.empty()) return out;
  const Node& pairs = node(arguments[0]);
  if (pairs.kind != NodeKind::list && pairs.kind != NodeKind::tuple) {
    return error("an OrderedDict is made from something else than pairs");
  }
  for (const Id pair : pairs.items) {
    if (node(pair).items.size() != 2) return error("an OrderedDict is made from no pair");
    out.items.insert(out.items.end(), node(pair).items.begin(), node(pair).items.end());
  }
  return out;
}

// numpy.dtype('f8', align, copy): the text alone; BUILD adds the byte order, which must be little.
Result<Node> Machine::make_dtype(const std::vector<Id>& arguments) {
  Node out = of_kind(NodeKind::global);
  out.role = Role::numpy_dtype;
  if (arguments.empty() || node(arguments[0]).kind != NodeKind::text) {
    return error("a NumPy type without a name");
  }
  const std::string& name = node(arguments[0]).text;
  const std::string descriptor = (name == "b1" || name.ends_with("1") ? "|" : "<") + name;
  const auto dtype = dtype_from_npy(descriptor);
  if (!dtype) return error("NumPy's type '" + name.substr(0, 20) + "' is not known");
  out.dtype = *dtype;
  out.text = "numpy " + name;
  return out;
}

// numpy.core.multiarray.scalar(dtype, bytes)
Result<Node> Machine::make_scalar(const std::vector<Id>& arguments) {
  if (arguments.size() != 2 || node(arguments[0]).role != Role::numpy_dtype ||
      node(arguments[1]).kind != NodeKind::bytes) {
    return error("a NumPy scalar has another form than (type, bytes)");
  }
  const DType dtype = node(arguments[0]).dtype;
  const std::string& raw = node(arguments[1]).text;
  if (byte_size(dtype) == 0 || byte_size(dtype) > 8 || raw.size() != byte_size(dtype)) {
    return error("a NumPy scalar has " + std::to_string(raw.size()) + " bytes");
  }
  // element_as_double wants aligned data.
  Bytes aligned = to_bytes(as_byte_span(raw));
  const double value = element_as_double(dtype, aligned, 0);
  const bool whole = integer_range(dtype).has_value() || dtype == DType::int64;
  Node out = of_kind(whole ? NodeKind::integer : NodeKind::real);
  if (dtype == DType::int64) {
    std::memcpy(&out.integer, raw.data(), sizeof(out.integer));
  } else if (whole) {
    out.integer = static_cast<int64_t>(value);
  } else {
    out.real = value;
  }
  return out;
}

// _codecs.encode(text, 'latin1'): how protocol 2 writes bytes. The text is UTF-8 here.
Result<Node> Machine::make_bytes(const std::vector<Id>& arguments) {
  if (arguments.empty() || node(arguments[0]).kind != NodeKind::text) {
    return error("bytes are made from something that is no text");
  }
  const std::string& text = node(arguments[0]).text;
  Node out = of_kind(NodeKind::bytes);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<uint8_t>(text[i]);
    if (first < 0x80) {
      out.text.push_back(text[i]);
    } else if ((first == 0xc2 || first == 0xc3) && i + 1 < text.size()) {
      const auto second = static_cast<uint8_t>(text[++i]);
      out.text.push_back(static_cast<char>((first & 3U) << 6 | (second & 0x3fU)));
    } else {
      return error("bytes are written with a character beyond 255");
    }
  }
  return out;
}

// numpy.core.multiarray._reconstruct(numpy.ndarray, (0,), 'b'): an array that BUILD fills.
Result<Node> Machine::make_array(const std::vector<Id>& arguments) {
  if (arguments.size() != 3 || node(arguments[0]).text != "numpy ndarray") {
    return error("an array of NumPy is made of another class than ndarray");
  }
  return of_kind(NodeKind::array);
}

// (version, shape, type, stored by columns, elements)
Status Machine::build_array(Id array, Id state) {
  const Node& parts = node(state);
  if (parts.kind != NodeKind::tuple || parts.items.size() != 5) {
    return error("the state of a NumPy array has another form than (1, shape, type, order, data)");
  }
  EDGETWIN_TRY_ASSIGN(const Shape shape, shape_of(parts.items[1], "size"));
  const Node& type = node(parts.items[2]);
  const Node& elements = node(parts.items[4]);
  const bool raw = elements.kind == NodeKind::bytes || elements.kind == NodeKind::text;
  if (type.role != Role::numpy_dtype || !raw) {
    return error("a NumPy array has no type of numbers or no elements");
  }
  if (node(parts.items[3]).integer != 0 && shape.rank() > 1) {
    return error("a NumPy array is stored by columns");
  }
  const auto count = checked_elements(shape.dims(), static_cast<int64_t>(kMaxContentBytes));
  const auto bytes = static_cast<int64_t>(byte_size(type.dtype));
  if (!count || *count * bytes != static_cast<int64_t>(elements.text.size())) {
    return error("a NumPy array of shape " + to_string(shape) + " has " +
                 std::to_string(elements.text.size()) + " bytes");
  }
  node(array).items = {parts.items[1], parts.items[2], parts.items[4]};
  return Ok{};
}

// The state of an object: an OrderedDict's attributes and a NumPy type's details do not matter.
Status Machine::build() {
  EDGETWIN_TRY_ASSIGN(const Id state, pop());
  EDGETWIN_TRY_ASSIGN(const Id target, top());
  const Node& object = node(target);
  if (object.kind == NodeKind::opaque || object.kind == NodeKind::dict) return Ok{};
  if (object.kind == NodeKind::array) return build_array(target, state);
  if (object.role == Role::numpy_dtype) {
    const Node& details = node(state);
    if (details.items.size() >= 2 && node(details.items[1]).text == ">") {
      return error("NumPy's numbers are stored with the high byte first");
    }
    return Ok{};
  }
  return error("a state is given to what is no object");
}

}  // namespace edgetwin::torch
