// The control socket: one command a line, one JSON object a line in answer.
#pragma once

void control_open(const char *path);
