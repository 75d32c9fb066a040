// Writes ONNX files for tests: the messages of the format by hand, field by field.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace edgetwin::onnx {

class Message {
 public:
  Message& number(int field, uint64_t value) {
    tag(field, 0);
    varint(value);
    return *this;
  }
  Message& text(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_.append(value);
    return *this;
  }
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }
  Message& real(int field, float value) {
    tag(field, 5);
    char raw[4];
    std::memcpy(raw, &value, 4);
    bytes_.append(raw, 4);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void tag(int field, int wire) { varint(static_cast<uint64_t>(field << 3 | wire)); }
  void varint(uint64_t v) {
    for (; v >= 0x80; v >>= 7) bytes_.push_back(static_cast<char>(v | 0x80));
    bytes_.push_back(static_cast<char>(v));
  }
  std::string bytes_;
};

// A network under way. Field numbers are those of the format's description.
class Network {
 public:
  Network& input(const std::string& name, const std::vector<int64_t>& dims) {
    graph_.message(11, value(name, dims));
    return *this;
  }
  // -1 in dims: open, by the name "N".
  Network& output(const std::string& name) {
    graph_.message(12, Message().text(1, name));
    return *this;
  }
  Network& floats(const std::string& name, const std::vector<int64_t>& dims,
                  const std::vector<float>& values) {
    return tensor(name, 1, dims, values.data(), values.size() * 4);
  }
  Network& integers(const std::string& name, const std::vector<int64_t>& values) {
    return tensor(name, 7, {static_cast<int64_t>(values.size())}, values.data(), values.size() * 8);
  }
  Network& node(const std::string& type, const std::vector<std::string>& inputs,
                const std::vector<std::string>& outputs,
                const std::vector<Message>& attributes = {}, const std::string& name = "",
                const std::string& domain = "") {
    Message n;
    for (const auto& i : inputs) n.text(1, i);
    for (const auto& o : outputs) n.text(2, o);
    n.text(3, name).text(4, type);
    for (const auto& a : attributes) n.message(5, a);
    if (!domain.empty()) n.text(7, domain);
    graph_.message(1, n);
    return *this;
  }
  Network& raw_initializer(const Message& tensor) {
    graph_.message(5, tensor);
    return *this;
  }
  Bytes bytes(int64_t opset = 13) const {
    Message model;
    model.number(1, 8).text(2, "test").message(7, graph_);
    model.message(8, Message().text(1, "").number(2, static_cast<uint64_t>(opset)));
    return to_bytes(as_byte_span(model.bytes()));
  }

 private:
  static Message value(const std::string& name, const std::vector<int64_t>& dims) {
    Message shape;
    for (const int64_t d : dims) {
      Message dim;
      if (d >= 0) dim.number(1, static_cast<uint64_t>(d));
      if (d < 0) dim.text(2, "N");
      shape.message(1, dim);
    }
    const Message type = Message().message(1, Message().number(1, 1).message(2, shape));
    return Message().text(1, name).message(2, type);
  }
  Network& tensor(const std::string& name, int type, const std::vector<int64_t>& dims,
                  const void* data, size_t size) {
    Message t;
    for (const int64_t d : dims) t.number(1, static_cast<uint64_t>(d));
    t.number(2, static_cast<uint64_t>(type)).text(8, name);
    t.text(9, {static_cast<const char*>(data), size});
    return raw_initializer(t);
  }
  Message graph_;
};

inline Message integer_attribute(const std::string& name, int64_t value) {
  return Message().text(1, name).number(3, static_cast<uint64_t>(value)).number(20, 2);
}
inline Message real_attribute(const std::string& name, float value) {
  return Message().text(1, name).real(2, value).number(20, 1);
}
inline Message text_attribute(const std::string& name, const std::string& value) {
  return Message().text(1, name).text(4, value).number(20, 3);
}
inline Message integers_attribute(const std::string& name, const std::vector<int64_t>& values) {
  Message m;
  m.text(1, name);
  for (const int64_t v : values) m.number(8, static_cast<uint64_t>(v));
  return m.number(20, 7);
}

}  // namespace edgetwin::onnx
