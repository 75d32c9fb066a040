#pragma once
#include <cstdint>
#include <vector>
namespace dl {
enum dtype_t {
  DATA_TYPE_UNDEFINED = 0,
  DATA_TYPE_FLOAT = 1,
  DATA_TYPE_UINT8 = 2,
  DATA_TYPE_INT8 = 3,
  DATA_TYPE_INT16 = 5,
  DATA_TYPE_INT32 = 6,
  DATA_TYPE_INT64 = 7,
};
class TensorBase {
 public:
  int size;
  std::vector<int> shape;
  dtype_t dtype;
  int exponent;
  void* data;
  TensorBase(std::vector<int> shape, const void* element, int exponent = 0,
             dtype_t dtype = DATA_TYPE_FLOAT, bool deep = true, uint32_t caps = 0);
  virtual ~TensorBase() = default;
  virtual int get_bytes();
  template <class T>
  T* get_element_ptr() {
    return static_cast<T*>(data);
  }
  bool assign(TensorBase* other);
};
}  // namespace dl
