// Which requests are answered at all: on the loopback those that name it, elsewhere those that have
// the token. A page of another site can neither read nor send anything.
#pragma once

#include <string>
#include <string_view>

namespace edgetwin::serve {

// What of a request the guard looks at; a header that is absent is empty.
struct Caller {
  std::string method;         // "GET"
  std::string host, origin;   // Host, Origin
  std::string fetch_site;     // Sec-Fetch-Site
  std::string authorization;  // Authorization
  std::string cookie;         // Cookie
  std::string token;          // of the query
};

struct Refusal {
  int status = 0;  // 0: the request is answered
  std::string message;
};

struct Guard {
  std::string host = "127.0.0.1";  // where the server listens
  int port = 0;
  std::string token;  // empty: none is asked for

  Refusal refusal(const Caller& caller) const;
};

// 127.0.0.1 and its like, ::1, localhost.
bool is_loopback(std::string_view host);
// 128 random bits as hexadecimal digits.
std::string random_token();

}  // namespace edgetwin::serve
