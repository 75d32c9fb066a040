#include "serve/http/guard.h"

#include <gtest/gtest.h>

namespace edgetwin::serve {
namespace {

Guard open_guard() { return {"127.0.0.1", 8080, ""}; }
Guard closed_guard() { return {"0.0.0.0", 8080, "abcdefgh"}; }

Caller caller(const std::string& host) { return {"GET", host, "", "", "", "", ""}; }

TEST(ServeGuard, LoopbackTakesItsOwnNamesOnly) {
  for (const char* host : {"127.0.0.1:8080", "localhost:8080", "[::1]:8080", "127.9.9.9:8080"}) {
    EXPECT_EQ(open_guard().refusal(caller(host)).status, 0) << host;
  }
  for (const char* host : {"evil.example:8080", "127.0.0.1:8081", "127.0.0.1", "192.168.0.2:8080",
                           "127.evil.example:8080", "", "[::1", "localhost.evil:8080"}) {
    EXPECT_EQ(open_guard().refusal(caller(host)).status, 403) << host;
  }
}

TEST(ServeGuard, OtherOriginsAreRefused) {
  Caller c = caller("127.0.0.1:8080");
  c.origin = "http://127.0.0.1:8080";
  EXPECT_EQ(open_guard().refusal(c).status, 0);
  for (const char* origin : {"http://evil.example", "https://127.0.0.1:8080", "null",
                             "http://127.0.0.1:80", "http://localhost:8080"}) {
    c.origin = origin;
    EXPECT_EQ(open_guard().refusal(c).status, 403) << origin;
  }
  c.origin.clear();
  for (const char* site : {"cross-site", "same-site"}) {
    c.fetch_site = site;
    EXPECT_EQ(open_guard().refusal(c).status, 403) << site;
  }
  c.fetch_site = "none";
  EXPECT_EQ(open_guard().refusal(c).status, 0);
}

TEST(ServeGuard, TokenIsAskedForBeyondTheLoopback) {
  Caller c = caller("192.168.0.2:8080");
  EXPECT_EQ(closed_guard().refusal(c).status, 401);
  c.authorization = "Bearer abcdefgh";
  EXPECT_EQ(closed_guard().refusal(c).status, 0);
  c.authorization = "Bearer abcdefg";
  EXPECT_EQ(closed_guard().refusal(c).status, 401);
  c.authorization = "abcdefgh";
  EXPECT_EQ(closed_guard().refusal(c).status, 401);
  c.authorization.clear();
  c.cookie = "a=b; edgetwin=abcdefgh; c=d";
  EXPECT_EQ(closed_guard().refusal(c).status, 0);
  c.cookie = "edgetwin=abcdefgX";
  EXPECT_EQ(closed_guard().refusal(c).status, 401);
  c.cookie = "noedgetwin=abcdefgh";
  EXPECT_EQ(closed_guard().refusal(c).status, 401);
  c.cookie.clear();
  c.token = "abcdefgh";
  EXPECT_EQ(closed_guard().refusal(c).status, 0);
}

TEST(ServeGuard, NamesOfOthersAreRefusedWithATokenToo) {
  Caller c = caller("evil.example:8080");
  c.token = "abcdefgh";
  EXPECT_EQ(closed_guard().refusal(c).status, 403);  // DNS rebinding
}

TEST(ServeGuard, TokensAreLongAndOthersEachTime) {
  const std::string a = random_token(), b = random_token();
  EXPECT_EQ(a.size(), 32U);
  EXPECT_EQ(a.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(a, b);
}

TEST(ServeGuard, Loopback) {
  EXPECT_TRUE(is_loopback("127.0.0.1") && is_loopback("::1") && is_loopback("localhost"));
  EXPECT_FALSE(is_loopback("0.0.0.0") || is_loopback("127.example") || is_loopback(""));
}

}  // namespace
}  // namespace edgetwin::serve
