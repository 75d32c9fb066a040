// Large memory that is zero at first.
#pragma once

#include <cstddef>
#include <memory>

namespace edgetwin {

// `size` bytes, on the border of a page. What nobody touches of it takes neither time nor memory,
// since the system gives pages when they are touched: large ones where it has such. Throws
// std::bad_alloc.
std::shared_ptr<std::byte> zeroed_bytes(size_t size);

}  // namespace edgetwin
