// One operator by itself: operands in, results or the error out.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.h"
#include "ops/core/kernel.h"
#include "tensor/tensor.h"

namespace edgetwin::ops {

template <class T>
Tensor make(const Shape& shape, const std::vector<T>& values, Quant quant = {}) {
  Tensor t = Tensor::zeros(dtype_of<T>, shape).value();
  EXPECT_EQ(t.as<T>().size(), values.size());
  std::copy(values.begin(), values.end(), t.as<T>().begin());
  t.quant = std::move(quant);
  return t;
}

inline Tensor integers(const std::vector<int32_t>& values) {
  return make<int32_t>({static_cast<int64_t>(values.size())}, values);
}

inline Tensor scalar(int32_t value) { return make<int32_t>({}, {value}); }

// 0, 1, 2, … of any arithmetic type.
template <class T>
Tensor counting(const Shape& shape) {
  Tensor t = Tensor::zeros(dtype_of<T>, shape).value();
  T next{0};
  for (T& v : t.as<T>()) v = next++;
  return t;
}

template <class T>
std::vector<T> values(const Tensor& t) {
  EXPECT_EQ(t.dtype, dtype_of<T>);
  return {t.as<T>().begin(), t.as<T>().end()};
}

// OpTest(kind, attrs).input(a).constant(b).output(DType::int8).run(prepare_…)
class OpTest {
 public:
  explicit OpTest(OpKind kind, Attrs attrs = NoAttrs{}) {
    graph_.ops.resize(1);
    op().kind = kind;
    op().attrs = std::move(attrs);
  }

  OpTest& input(const Tensor& t) { return add(t, false); }
  OpTest& constant(const Tensor& t) { return add(t, true); }
  OpTest& absent() {
    op().inputs.push_back(kAbsent);
    return *this;
  }
  // `declared`: the shape in the file; without one it is open.
  OpTest& output(DType type, const Quant& quant = {}, const Shape* declared = nullptr) {
    Value v;
    v.name = "out";
    v.dtype = type;
    v.quant = quant;
    v.has_shape = declared != nullptr;
    if (declared != nullptr) v.shape = *declared;
    op().outputs.push_back(add_value(v, {}));
    return *this;
  }

  // The operator's look-up table.
  OpTest& table(const Tensor& t) {
    add(t, true);
    op().table = op().inputs.back();
    graph_.values.back().constant = data_.back();
    op().inputs.pop_back();
    data_.pop_back();
    return *this;
  }
  OpTest& runtime(int version) {
    options_.runtime = version;
    return *this;
  }
  OpTest& once() {
    options_.once = true;
    return *this;
  }
  OpTest& allow_undefined() {
    options_.allow_undefined = true;
    return *this;
  }
  OpTest& plain() {
    options_.fast = false;
    return *this;
  }

  Result<std::vector<Tensor>> run(PrepareFn prepare) {
    OpContext c(graph_, 0, shapes_, constants_, options_);
    Result<Prepared> made = prepare(c);
    if (!made.ok()) return std::move(made).error();
    findings = made->findings;
    EXPECT_EQ(made->output_shapes.size(), op().outputs.size());
    std::vector<Tensor> results;
    for (size_t i = 0; i < op().outputs.size(); ++i) {
      const Value& v = graph_.value(op().outputs[i]);
      results.push_back(Tensor::zeros(v.dtype, made->output_shapes[i]).value());
      // What was in the memory before must not show.
      std::fill(results.back().data.begin(), results.back().data.end(), std::byte{0xA5});
    }
    EDGETWIN_TRY(execute(*made, results));
    run_findings.clear();
    if (made->after_run) made->after_run(run_findings);
    path = made->path;
    return results;
  }

  // The only output.
  Tensor result(PrepareFn prepare) {
    auto r = run(prepare);
    if (!r.ok()) {
      ADD_FAILURE() << to_text(r.error());
      return {};
    }
    return std::move(r->front());
  }

  // The code of the error that must come.
  ErrorCode error(PrepareFn prepare) {
    auto r = run(prepare);
    EXPECT_FALSE(r.ok());
    if (r.ok()) return ErrorCode::internal;
    EXPECT_FALSE(r.error().place.layer.empty()) << r.error().message;
    message = r.error().message;
    return r.error().code;
  }

  std::vector<Finding> findings;
  std::vector<Finding> run_findings;
  std::string message;
  std::string path;

 private:
  Op& op() { return graph_.ops[0]; }

  ValueId add_value(const Value& v, std::shared_ptr<const Bytes> constant) {
    graph_.values.push_back(v);
    shapes_.push_back(v.shape);
    constants_.push_back(std::move(constant));
    return static_cast<ValueId>(graph_.values.size() - 1);
  }

  OpTest& add(const Tensor& t, bool constant) {
    Value v;
    v.name = "in" + std::to_string(op().inputs.size());
    v.dtype = t.dtype;
    v.shape = t.shape;
    v.quant = t.quant;
    auto bytes = std::make_shared<const Bytes>(t.data);
    data_.push_back(bytes);
    op().inputs.push_back(add_value(v, constant ? bytes : nullptr));
    return *this;
  }

  Status execute(const Prepared& prepared, std::vector<Tensor>& results) {
    std::vector<std::byte*> inputs;
    std::vector<std::byte*> outputs;
    size_t next = 0;
    for (const ValueId id : op().inputs) {
      inputs.push_back(id == kAbsent ? nullptr : const_cast<std::byte*>(data_[next++]->data()));
    }
    for (Tensor& t : results) outputs.push_back(t.data.data());
    Bytes scratch(prepared.scratch_bytes);
    ThreadPool pool(1);
    return prepared.run(Args{inputs.data(), outputs.data(), scratch.data(), pool});
  }

  Graph graph_;
  std::vector<Shape> shapes_;
  std::vector<std::shared_ptr<const Bytes>> constants_;
  std::vector<std::shared_ptr<const Bytes>> data_;
  KernelOptions options_;
};

}  // namespace edgetwin::ops
