"""What a hostile plugin tries. Usage: attacks.py GATEWAY_PID STATE_FOLDER ADMIN_SOCKET

Prints a line for each attack: its name, then `yes`, or `no` and the number of the error.
"""

import ctypes
import mmap
import os
import platform
import resource
import signal
import socket
import struct
import sys

gateway, state, admin = int(sys.argv[1]), sys.argv[2], sys.argv[3]
secret = state + "/castway.db"
libc = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == "aarch64"
NEW_USER = 0x10000000


def attack(name, what):
    try:
        what()
        print(name, "yes")
    except OSError as error:
        print(name, "no", error.errno)


def call(x86, arm, *arguments):
    """A system call by its number, which is the same on both processors for newer ones."""
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = libc.syscall(ctypes.c_long(arm if ARM else x86), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def connect_unix():
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(admin)


def dgram_pair():
    for end in socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM):
        end.close()


queued = ctypes.create_string_buffer(struct.pack("iii", 0, 0, -1), 128)
vector = struct.pack("PN", 0, 0)
limits = resource.getrlimit(resource.RLIMIT_NOFILE)

# The gateway, from outside.
attack("prlimit", lambda: resource.prlimit(gateway, resource.RLIMIT_CORE, (0, 0)))
attack("sched_setaffinity", lambda: os.sched_setaffinity(gateway, os.sched_getaffinity(0)))
attack("sched_setscheduler", lambda: os.sched_setscheduler(gateway, os.SCHED_OTHER, os.sched_param(0)))
attack("setpriority", lambda: os.setpriority(os.PRIO_PROCESS, gateway, 19))
attack("ioprio_set", lambda: call(251, 30, 1, gateway, (2 << 13) | 7))
attack("environ", lambda: open(f"/proc/{gateway}/environ", "rb").read(1))
attack("processes", lambda: os.listdir("/proc"))
attack("kill", lambda: os.kill(gateway, 0))
attack("sigqueue", lambda: call(129, 138, gateway, 0, queued))
attack("pidfd_getfd", lambda: call(438, 438, os.pidfd_open(gateway), 0, 0))
attack("process_vm_readv", lambda: call(310, 270, gateway, vector, 0, vector, 0, 0))
attack("kcmp", lambda: call(312, 272, gateway, gateway, 0, 0, 0))
attack("migrate_pages", lambda: call(256, 238, gateway, 0, 0, 0))
attack("ptrace", lambda: call(101, 117, 16, gateway, 0, 0))

# Oneself, which goes on as before.
attack("own prlimit", lambda: resource.prlimit(0, resource.RLIMIT_NOFILE, limits))
attack("own prlimit by id", lambda: resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE, limits))
attack("own sched_setaffinity", lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)))
attack("own setpriority", lambda: os.setpriority(os.PRIO_PROCESS, 0, 19))
child = os.fork()
if child == 0:
    signal.pause()
attack("own kill", lambda: os.kill(child, signal.SIGKILL))
os.waitpid(child, 0)

# Memory that no limit of a process counts, some of which outlives it.
def shared_segment():
    segment = call(29, 194, 0, 4096, 0o600)
    call(31, 195, segment, 0, 0)


def message_queue():
    call(71, 187, call(68, 186, 0, 0o600), 0, 0)


def semaphores():
    call(66, 191, call(64, 190, 0, 1, 0o600), 0, 0)


def posix_queue():
    name = ctypes.create_string_buffer(f"castway-attack-{os.getpid()}".encode())
    os.close(call(240, 180, name, os.O_CREAT | os.O_RDWR, 0o600, 0))
    call(241, 181, name)


attack("shmget", shared_segment)
attack("msgget", message_queue)
attack("semget", semaphores)
attack("mq_open", posix_queue)
attack("memfd_create", lambda: os.close(os.memfd_create("attack")))
attack("shared mmap", lambda: mmap.mmap(-1, 4096).close())
attack("own private mmap", lambda: mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close())

# The admin socket, and what else sockets lead to.
attack("unix", connect_unix)
attack("unix datagram pair", dgram_pair)
attack("unix stream pair", lambda: [end.close() for end in socket.socketpair()])
attack("tcp", lambda: socket.socket().close())
attack("udp6", lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).close())
attack("netlink route", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close())
attack("netlink audit", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9).close())
attack("vsock", lambda: socket.socket(40, socket.SOCK_STREAM).close())
attack("alg", lambda: socket.socket(38, socket.SOCK_SEQPACKET).close())

# Who may use the state.
mode = os.stat(secret).st_mode & 0o7777
attack("chmod", lambda: os.chmod(secret, mode))
attack("chmod folder", lambda: os.chmod(state, 0o700))
attack("fchmodat2", lambda: call(452, 452, -100, secret.encode(), mode, 0))
attack("chown", lambda: os.chown(secret, os.getuid(), os.getgid()))
attack("lchown", lambda: os.lchown(secret, os.getuid(), os.getgid()))
attack("setxattr", lambda: os.setxattr(secret, "user.castway", b"1"))
attack("setxattrat", lambda: call(463, 463, -100, secret.encode(), 0, b"user.castway", 0, 0))
attack("utime", lambda: os.utime(secret))

# What goes past filters, and the kernel itself.
attack("io_uring", lambda: call(425, 425, 1, ctypes.create_string_buffer(256)))
attack("clone3", lambda: call(435, 435, ctypes.create_string_buffer(64), 0))
attack("x32", lambda: call(0x40000000 + 39, 5000))
attack("unshare", lambda: call(272, 97, NEW_USER))
attack("keyctl", lambda: call(250, 219, 0, -3, 0))
attack("userfaultfd", lambda: call(323, 282, 1))
attack("bpf", lambda: call(321, 280, 0, ctypes.create_string_buffer(128), 128))
attack("perf_event_open", lambda: call(298, 241, ctypes.create_string_buffer(128), gateway, -1, -1, 0))
attack("mount", lambda: call(165, 40, b"none", b"/nowhere", b"tmpfs", 0, 0))

for line in open("/proc/self/status"):
    if line.startswith(("Cap", "NoNewPrivs")):
        print(line.split()[0].rstrip(":"), int(line.split()[1], 16))
