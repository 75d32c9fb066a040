// The side of the server that has sockets, over a library of HTTP: a module, which `serve` alone
// needs.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "base/modules/modules.h"
#include "serve/http/guard.h"
#include "serve/http/server.h"

namespace edgetwin::serve {

// What a listener asks its server; it outlives the listener.
struct Answers {
  Guard guard;
  HttpLimits limits;
  HttpResponse (*error)(int status, const std::string& message) = nullptr;
  std::atomic<bool> stopping = false;
};

class Listener {
 public:
  virtual ~Listener() = default;
  virtual void on(const std::string& method, const std::string& path, HttpHandler handler) = 0;
  // The port; not above 0: it is not free, or no address of this computer.
  virtual int bind(const std::string& host, int port) = 0;
  virtual void serve() = 0;
  virtual void stop() = 0;
};

using MakeListener = std::unique_ptr<Listener>(const Answers& answers);

}  // namespace edgetwin::serve

EDGETWIN_MODULE_OFFERS(edgetwin::serve::MakeListener*, edgetwin_http_listener);
