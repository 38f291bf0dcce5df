// What the program can do; each returns the exit status.
#pragma once

int run_send(void);
int run_idle(void);
int run_accept(void);
int run_device(void);
int run_subscribe(void);
int run_post(void);
int run_listen(void);
int run_backend(void);
