// Tensors: name, element type, shape, quantization and bytes in C order, little endian.
#pragma once

#include "tensor/tensor.h"
