#include "serve/http/guard.h"

#include <sys/random.h>

#include <array>

namespace edgetwin::serve {
namespace {

constexpr std::string_view kCookie = "edgetwin=";
constexpr std::string_view kBearer = "Bearer ";

// "name:8080" and "[::1]:8080" in two parts; the port is 80 where there is none.
struct HostParts {
  std::string_view name, port;
};

HostParts parts_of(std::string_view host) {
  HostParts p{host, "80"};
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    if (end == std::string_view::npos) return p;
    p.name = host.substr(1, end - 1);
    host.remove_prefix(end);
  }
  const size_t colon = host.find(':');
  if (colon == std::string_view::npos) return p;
  if (p.name.data() == host.data()) p.name = host.substr(0, colon);
  p.port = host.substr(colon + 1);
  return p;
}

// "192.168.0.7" or "fe80::1": digits and dots, or hexadecimal digits with colons.
bool is_address(std::string_view name) {
  bool letters = false, colons = false;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    letters = letters || (c >= 'a' && c <= 'f');
    colons = colons || c == ':';
    if (!digit && c != '.' && c != ':' && !(c >= 'a' && c <= 'f')) return false;
  }
  return !name.empty() && (colons || !letters);
}

// Takes as long for a wrong first character as for a wrong last one.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

std::string_view token_in_cookie(std::string_view cookies) {
  while (!cookies.empty()) {
    const size_t end = cookies.find(';');
    std::string_view one = cookies.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (one.starts_with(kCookie)) return one.substr(kCookie.size());
    if (end == std::string_view::npos) break;
    cookies.remove_prefix(end + 1);
  }
  return {};
}

bool has_token(const Caller& c, const std::string& token) {
  const std::string_view bearer = c.authorization;
  return same(c.token, token) || same(token_in_cookie(c.cookie), token) ||
         (bearer.starts_with(kBearer) && same(bearer.substr(kBearer.size()), token));
}

}  // namespace

bool is_loopback(std::string_view host) {
  const bool four = host.starts_with("127.") && is_address(host);
  return host == "localhost" || host == "::1" || four;
}

Refusal Guard::refusal(const Caller& c) const {
  const auto [name, its_port] = parts_of(c.host);
  const bool own_name = name == host || is_loopback(name);
  const bool known = token.empty() ? is_loopback(name) : own_name || is_address(name);
  if (!known || its_port != std::to_string(port)) {
    return {403, "Host '" + c.host + "' is not this server's; open the address that it printed"};
  }
  if (!c.origin.empty() && c.origin != "http://" + c.host) {
    return {403, "requests of other sites are refused: Origin '" + c.origin + "'"};
  }
  if (c.fetch_site == "cross-site" || c.fetch_site == "same-site") {
    const bool opens_page = c.method == "GET" && c.origin.empty() && !c.token.empty();
    if (!opens_page) return {403, "requests of other sites are refused"};
  }
  if (!token.empty() && !has_token(c, token)) {
    return {401, "the token is missing or wrong; open the address with the token that was printed"};
  }
  return {};
}

std::string random_token() {
  std::array<unsigned char, 16> bytes = {};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string text;
  for (const unsigned char b : bytes) {
    text += "0123456789abcdef"[b >> 4];
    text += "0123456789abcdef"[b & 15];
  }
  return text;
}

}  // namespace edgetwin::serve
