// An HTTP/1.1 server of one kind of request: with a body and its length. Connections are kept.
#pragma once
#include <stddef.h>

#include "frame.h"
#include "options.h"

// Listens; `answer` is called with the body of each request, writes the body of the answer into `out`, which holds FRAME_LIMIT bytes,
// and gives its length; 0 answers 204. The port is given back.
int http_serve(Target target, size_t (*answer)(Slice body, char *out));
