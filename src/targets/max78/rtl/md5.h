// MD5 (RFC 1321), which names long folders; not for anything that must be safe.
#pragma once

#include <string>
#include <string_view>

namespace edgetwin::max78 {

// 32 hexadecimal digits.
std::string md5(std::string_view text);

}  // namespace edgetwin::max78
