// Names of test folders that are too long, and the digest in them.
#include <gtest/gtest.h>

#include <string>

#include "targets/max78/rtl/md5.h"
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {
namespace {

// The examples of RFC 1321.
TEST(RtlName, Digest) {
  EXPECT_EQ(md5(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  std::string digits;
  for (int i = 0; i < 8; ++i) digits += "1234567890";
  EXPECT_EQ(md5(digits), "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(RtlName, LongNamesAreCut) {
  const std::string fits(241, 'a');
  EXPECT_EQ(rtl_short_name(fits, 4), fits);
  const std::string name = std::string(200, 'a') + std::string(100, 'b');
  const std::string cut = rtl_short_name(name, 5);
  // 300 + 5 + 32 + 10 - 255 = 92 characters go.
  EXPECT_EQ(cut, name.substr(0, 208) + "-" + md5(name));
}

}  // namespace
}  // namespace edgetwin::max78
