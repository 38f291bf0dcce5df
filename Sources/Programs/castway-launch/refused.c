#define _GNU_SOURCE
#include "refused.h"

#include <linux/fs.h>
#include <linux/fsverity.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

// Calls that older headers lack have the same number on every processor; those that a processor does not have are left out.
enum {
    IO_URING_SETUP = 425,
    IO_URING_ENTER = 426,
    IO_URING_REGISTER = 427,
    OPEN_TREE = 428,
    MOVE_MOUNT = 429,
    FSOPEN = 430,
    FSCONFIG = 431,
    FSMOUNT = 432,
    FSPICK = 433,
    PIDFD_GETFD = 438,
    PROCESS_MADVISE = 440,
    MOUNT_SETATTR = 442,
    QUOTACTL_FD = 443,
    PROCESS_MRELEASE = 448,
    MEMFD_SECRET = 447,
    FCHMODAT2 = 452,
};

static const uint32_t missing[] = {IO_URING_SETUP, IO_URING_ENTER, IO_URING_REGISTER};

static const uint32_t foreign[] = {
    // Other processes.
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_move_pages, SYS_migrate_pages, PIDFD_GETFD,
    PROCESS_MADVISE, PROCESS_MRELEASE, SYS_perf_event_open,
    // Mounts and namespaces.
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, OPEN_TREE, MOVE_MOUNT, FSOPEN, FSCONFIG, FSMOUNT,
    FSPICK, MOUNT_SETATTR, SYS_open_by_handle_at,
    // The kernel and the machine.
    SYS_bpf, SYS_userfaultfd, SYS_fanotify_init, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
    SYS_kexec_file_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct, SYS_quotactl, QUOTACTL_FD, SYS_syslog,
    SYS_sethostname, SYS_setdomainname, SYS_settimeofday, SYS_clock_settime, SYS_vhangup,
#ifdef SYS_iopl
    SYS_iopl, SYS_ioperm,
#endif
#ifdef SYS_uselib
    SYS_uselib,
#endif
    // Keys.
    SYS_keyctl, SYS_add_key, SYS_request_key,
};

static const uint32_t attributes[] = {
    SYS_fchmod, SYS_fchmodat, FCHMODAT2, SYS_fchown, SYS_fchownat, SYS_utimensat, SYS_setxattr, SYS_lsetxattr,
    SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr, SYS_fremovexattr,
#ifdef SYS_chmod
    SYS_chmod,
#endif
#ifdef SYS_chown
    SYS_chown, SYS_lchown,
#endif
#ifdef SYS_utime
    SYS_utime, SYS_utimes, SYS_futimesat,
#endif
};

static const uint32_t shared[] = {
    SYS_memfd_create, MEMFD_SECRET, SYS_shmget, SYS_shmat, SYS_msgget, SYS_semget, SYS_mq_open,
};

static const uint32_t requests[] = {
    // A terminal that is its input would take them as typed.
    TIOCSTI, TIOCLINUX,
    // What chattr(1) and its like set.
    FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_ENABLE_VERITY,
};

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

const struct calls missing_calls = {missing, COUNT(missing)};
const struct calls foreign_calls = {foreign, COUNT(foreign)};
const struct calls attribute_calls = {attributes, COUNT(attributes)};
const struct calls shared_calls = {shared, COUNT(shared)};
const struct requests refused_requests = {requests, COUNT(requests), 2};
