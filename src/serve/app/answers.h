// Requests and answers as JSON.
#pragma once

#include <string>

#include "base/json/json.h"
#include "serve/http/server.h"
#include "serve/inspect/inspect.h"
#include "serve/session/pipeline.h"

namespace edgetwin::serve {

HttpResponse answer_of(const Json& document);
HttpResponse answer_of(const Result<Json>& document);
// The object of a request's body. Error: bad_value.
Result<Json> body_of(const HttpRequest& request);
// The same as words; numbers become their text.
Result<Members> members_of(const HttpRequest& request);
// {algorithm, params, device, beside} as an event.
Event mode_event(const Json& wanted);
// Now, for names of files: "20260131_235959".
std::string file_time();
// Without line ends.
std::string one_line(std::string text);

}  // namespace edgetwin::serve
