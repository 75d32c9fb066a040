#include "c/tensor_info.h"

#include <algorithm>
#include <cstring>

namespace edgetwin::c {
namespace {

struct Number {
  DType type;
  int32_t number;
};

constexpr Number kNumbers[] = {
    {DType::float32, EDGETWIN_DTYPE_FLOAT32}, {DType::int32, EDGETWIN_DTYPE_INT32},
    {DType::uint8, EDGETWIN_DTYPE_UINT8},     {DType::int64, EDGETWIN_DTYPE_INT64},
    {DType::string, EDGETWIN_DTYPE_STRING},   {DType::boolean, EDGETWIN_DTYPE_BOOL},
    {DType::int16, EDGETWIN_DTYPE_INT16},     {DType::complex64, EDGETWIN_DTYPE_COMPLEX64},
    {DType::int8, EDGETWIN_DTYPE_INT8},       {DType::float16, EDGETWIN_DTYPE_FLOAT16},
    {DType::float64, EDGETWIN_DTYPE_FLOAT64}, {DType::complex128, EDGETWIN_DTYPE_COMPLEX128},
    {DType::uint64, EDGETWIN_DTYPE_UINT64},   {DType::resource, EDGETWIN_DTYPE_RESOURCE},
    {DType::variant, EDGETWIN_DTYPE_VARIANT}, {DType::uint32, EDGETWIN_DTYPE_UINT32},
    {DType::uint16, EDGETWIN_DTYPE_UINT16},   {DType::int4, EDGETWIN_DTYPE_INT4},
};

std::vector<int32_t> sizes(const Shape& shape) {
  std::vector<int32_t> list;
  for (const int64_t d : shape.dims()) list.push_back(static_cast<int32_t>(d));
  list.reserve(1);  // a pointer that is not null, for scalars too
  return list;
}

uint32_t flags_of(const TensorRow& row) {
  uint32_t flags = 0;
  if (row.constant) flags |= EDGETWIN_TENSOR_CONSTANT;
  if (row.input) flags |= EDGETWIN_TENSOR_INPUT | EDGETWIN_TENSOR_WRITABLE;
  if (row.output) flags |= EDGETWIN_TENSOR_OUTPUT;
  if (row.variable) flags |= EDGETWIN_TENSOR_VARIABLE;
  if (row.readable || row.input || row.output) flags |= EDGETWIN_TENSOR_READABLE;
  return flags;
}

void set_quant(const Quant& quant, TensorTexts& texts, edgetwin_tensor_info& info) {
  texts.scales.clear();
  texts.zero_points.clear();
  texts.exponents.clear();
  for (size_t c = 0; c < quant.channels(); ++c) {
    texts.scales.push_back(quant.scale_of(c));
    texts.zero_points.push_back(quant.zero_point_of(c));
  }
  const bool powers = quant.scheme == Quant::Scheme::power_of_two;
  if (powers) texts.exponents.assign(quant.exponent.begin(), quant.exponent.end());
  info.scheme = !quant.present() ? EDGETWIN_SCHEME_NONE
                : powers         ? EDGETWIN_SCHEME_POWER_OF_TWO
                                 : EDGETWIN_SCHEME_AFFINE;
  info.channels = static_cast<int32_t>(quant.channels());
  info.axis = quant.axis;
  info.scales = texts.scales.empty() ? nullptr : texts.scales.data();
  info.zero_points = texts.zero_points.empty() ? nullptr : texts.zero_points.data();
  info.exponents = texts.exponents.empty() ? nullptr : texts.exponents.data();
}

}  // namespace

int32_t dtype_number(DType type) {
  for (const Number& n : kNumbers) {
    if (n.type == type) return n.number;
  }
  return EDGETWIN_DTYPE_NONE;
}

std::optional<DType> dtype_of_number(int32_t number) {
  for (const Number& n : kNumbers) {
    if (n.number == number) return n.type;
  }
  return std::nullopt;
}

void describe(const TensorRow& row, TensorTexts& texts, edgetwin_tensor_info& info) {
  edgetwin_tensor_info all = {};
  all.size = info.size;
  all.dtype = dtype_number(row.dtype);
  all.name = row.name.c_str();
  all.rank = row.has_shape ? row.shape.rank() : -1;
  texts.shape = sizes(row.shape);
  // A shape that was open altogether is known after a plan or a run: nothing of it is the file's.
  const bool same_rank = row.signature.rank() == row.shape.rank();
  texts.signature = sizes(same_rank ? row.signature : row.shape);
  all.shape = texts.shape.data();
  all.shape_signature = texts.signature.data();
  all.bytes = row.bytes;
  set_quant(row.quant, texts, all);
  all.flags = flags_of(row);
  std::memcpy(&info, &all, std::min<size_t>(info.size, sizeof(all)));
}

}  // namespace edgetwin::c
