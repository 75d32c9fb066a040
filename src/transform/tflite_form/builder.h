// The state of bringing a network into TensorFlow Lite's form.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/uses.h"
#include "transform/tflite_form/form.h"

namespace edgetwin::transform {

// In which order of axes a value is kept: as in the network, channels last (of four axes), or
// channels last with a row of its own in front (of three).
enum class Order : uint8_t { plain, last, last_row };

class TfliteFormBuilder {
 public:
  explicit TfliteFormBuilder(const Graph& network);
  Result<Graph> run();

  const Value& value(ValueId id) const { return net_.value(id); }
  const Shape& shape(ValueId id) const { return net_.value(id).shape; }
  bool is_constant(ValueId id) const { return net_.value(id).is_constant(); }
  std::span<const float> floats(ValueId id) const;
  std::vector<int64_t> integers(ValueId id) const;

  // The order in which channels stand last for a value of this rank; plain for other ranks.
  static Order channels_last(int rank);
  // How a computed value is kept so far.
  Order order(ValueId id) const { return kept_[static_cast<size_t>(id)].order; }
  // The value in an order; a conversion is made once where it is kept in another. Constants are
  // reordered as they are.
  ValueId get(ValueId id, Order order);
  static Shape shape_in(const Shape& shape, Order order);
  // Axis of the network in an order.
  static int axis_in(int axis, int rank, Order order);

  // The result of the network's value, kept in this order.
  ValueId result(ValueId id, Order order);
  // A value in between, of the shape and type of another one.
  ValueId between(ValueId like, const std::string& suffix);
  ValueId between(const std::string& name, const Shape& shape);
  ValueId constant(const std::string& name, const Shape& shape, const std::vector<float>& numbers);
  ValueId constant(const std::string& name, const std::vector<int64_t>& numbers);
  // The same numbers with their axes in an order.
  ValueId reordered(const std::string& name, const Shape& shape, std::span<const float> numbers,
                    Order order);
  void reshape_constant(ValueId made, const Shape& shape) { out_.value(made).shape = shape; }
  void emit(OpKind kind, Attrs attrs, std::vector<ValueId> inputs, std::vector<ValueId> outputs);
  // `result` is the value itself, under another shape or order.
  void same_as(ValueId id, Order order, ValueId made);
  const Graph& made() const { return out_; }

  // Notes that the operator has no such form; run() ends with all of them.
  void refuse(const std::string& why) { refusals_.push_back(label_ + ": " + why); }
  const Op& op() const { return *op_; }

  // The operators of the network along its edges. Null: no operator makes the value; not exactly
  // one operand reads it.
  const Op* producer(ValueId id) const { return op_at(uses_.producer(id)); }
  const Op* only_consumer(ValueId id) const { return op_at(uses_.only_consumer(id)); }
  bool is_read_once(ValueId id) const { return uses_.count(id) == 1; }

 private:
  struct Kept {
    Order order = Order::plain;
    std::map<Order, ValueId> in;
  };
  ValueId convert(ValueId id, Order from, Order to);
  ValueId reordered_constant(ValueId id, Order order);
  void take(const Op& op);

  const Op* op_at(std::optional<size_t> index) const { return index ? &net_.ops[*index] : nullptr; }

  const Graph& net_;
  const Uses uses_;
  Graph out_;
  // By value of the network.
  std::vector<Kept> kept_;
  const Op* op_ = nullptr;
  std::string label_;
  std::vector<std::string> refusals_;
};

// One operator each; what they cannot do they refuse.
void form_insert_zeros(TfliteFormBuilder& f);
void form_conv(TfliteFormBuilder& f);
void form_fully_connected(TfliteFormBuilder& f);
void form_matmul(TfliteFormBuilder& f);
void form_pool(TfliteFormBuilder& f);
void form_resize(TfliteFormBuilder& f);
void form_binary(TfliteFormBuilder& f);
void form_unary(TfliteFormBuilder& f);
void form_clip(TfliteFormBuilder& f);
void form_prelu(TfliteFormBuilder& f);
void form_softmax(TfliteFormBuilder& f);
void form_reduce(TfliteFormBuilder& f);
void form_reduce_max(TfliteFormBuilder& f);
void form_concat(TfliteFormBuilder& f);
void form_split(TfliteFormBuilder& f);
void form_slice(TfliteFormBuilder& f);
void form_pad(TfliteFormBuilder& f);
void form_transpose(TfliteFormBuilder& f);
void form_reshape(TfliteFormBuilder& f);
void form_gather(TfliteFormBuilder& f);
void form_blocks(TfliteFormBuilder& f);

}  // namespace edgetwin::transform
