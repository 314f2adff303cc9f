/* Makes a chosen call on files below a folder fail, for io_error_test.py. Loaded with LD_PRELOAD.
 *
 * FAULT_ROOT     folder; only calls on files below it count
 * FAULT_CONTROL  file of 8 bytes: the number of calls so far, shared by all processes
 * FAULT_CALLS    which calls count, for example "open,write,"
 * FAULT_AT       number of the call to fail, from 1; 0 lets all pass and logs them
 * FAULT_ERROR    errno of the failure; 0 writes half of the bytes instead
 * FAULT_STICKS   errno of all later calls; 0 if they succeed
 * FAULT_LOG      file that gets a line for each failed call: its name and the path
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static long *calls;
static long at, error, sticks;
static const char *root, *kinds, *log_path;

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

/* Raw system calls, because our own functions would count these. */
__attribute__((constructor)) static void begin(void) {
    const char *control = getenv("FAULT_CONTROL");
    root = getenv("FAULT_ROOT");
    kinds = getenv("FAULT_CALLS");
    log_path = getenv("FAULT_LOG");
    at = number("FAULT_AT");
    error = number("FAULT_ERROR");
    sticks = number("FAULT_STICKS");
    int file = control ? syscall(SYS_openat, AT_FDCWD, control, O_RDWR) : -1;
    if (file < 0 || !root || !kinds || !log_path)
        return;
    void *shared = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (shared != MAP_FAILED)
        calls = shared;
}

static int is_below(const char *path) {
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == 0 || path[length] == ' ');
}

static void path_of(int file, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
}

static void note(const char *call, const char *path) {
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%s %s\n", call, path);
    int file = syscall(SYS_openat, AT_FDCWD, log_path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (file >= 0) {
        (void)!syscall(SYS_write, file, line, (size_t)length);
        syscall(SYS_close, file);
    }
}

/* Counts a call. Returns 0 to let it pass, an errno, or -1 for half a write. */
static int fault(const char *call, const char *path) {
    char word[32];
    snprintf(word, sizeof word, "%s,", call);
    if (!calls || !is_below(path) || !strstr(kinds, word))
        return 0;
    long count = __atomic_add_fetch(calls, 1, __ATOMIC_SEQ_CST);
    if (count < at || (at > 0 && count > at && sticks == 0))
        return 0;
    note(call, path);
    if (at == 0)
        return 0;
    return count > at ? sticks : error == 0 ? -1 : error;
}

static int fault_at(const char *call, int folder, const char *name) {
    char path[2 * PATH_MAX];
    if (!calls)
        return 0;
    if (name[0] == '/') {
        snprintf(path, sizeof path, "%s", name);
    } else {
        char place[PATH_MAX];
        if (folder == AT_FDCWD)
            (void)!getcwd(place, sizeof place);
        else
            path_of(folder, place);
        snprintf(path, sizeof path, "%s%s%s", place, *name ? "/" : "", name);
    }
    return fault(call, path);
}

static int fault_on(const char *call, int file) {
    char path[PATH_MAX];
    if (!calls)
        return 0;
    path_of(file, path);
    return fault(call, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL(code)                                                                                                             \
    do {                                                                                                                       \
        int failure = (code);                                                                                                  \
        if (failure > 0) {                                                                                                     \
            errno = failure;                                                                                                   \
            return -1;                                                                                                         \
        }                                                                                                                      \
    } while (0)

#define IS_WRITING(flags) (((flags) & O_ACCMODE) != O_RDONLY || ((flags) & O_CREAT))
#define MODE(flags)                                                                                                            \
    mode_t mode = 0;                                                                                                           \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                                                   \
        va_list more;                                                                                                          \
        va_start(more, flags);                                                                                                 \
        mode = va_arg(more, mode_t);                                                                                           \
        va_end(more);                                                                                                          \
    }
#define OPEN(name)                                                                                                             \
    int name(const char *path, int flags, ...) {                                                                               \
        MODE(flags)                                                                                                            \
        if (IS_WRITING(flags))                                                                                                 \
            FAIL(fault_at("open", AT_FDCWD, path));                                                                            \
        return REAL(name)(path, flags, mode);                                                                                  \
    }
#define OPENAT(name)                                                                                                           \
    int name(int folder, const char *path, int flags, ...) {                                                                   \
        MODE(flags)                                                                                                            \
        if (IS_WRITING(flags))                                                                                                 \
            FAIL(fault_at("open", folder, path));                                                                              \
        return REAL(name)(folder, path, flags, mode);                                                                          \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *bytes, size_t count) {
    int reason = fault_on("write", file);
    FAIL(reason);
    return REAL(write)(file, bytes, reason < 0 ? (count + 1) / 2 : count);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t place) {
    int reason = fault_on("write", file);
    FAIL(reason);
    return REAL(pwrite64)(file, bytes, reason < 0 ? (count + 1) / 2 : count, place);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    int reason = fault_on("write", file);
    FAIL(reason);
    return REAL(writev)(file, parts, reason < 0 ? 1 : count);
}

/* A failed close has closed the file. */
int close(int file) {
    int reason = fault_on("close", file);
    int result = REAL(close)(file);
    FAIL(reason);
    return result;
}

#define ON_FILE(call, name, parameters, ...)                                                                                   \
    int name parameters {                                                                                                      \
        FAIL(fault_on(call, file));                                                                                            \
        return REAL(name)(__VA_ARGS__);                                                                                        \
    }
ON_FILE("sync", fsync, (int file), file)
ON_FILE("sync", fdatasync, (int file), file)
ON_FILE("truncate", ftruncate64, (int file, off64_t size), file, size)
ON_FILE("lock", flock, (int file, int operation), file, operation)

#define AT_PATH(call, name, parameters, folder, path, ...)                                                                     \
    int name parameters {                                                                                                      \
        FAIL(fault_at(call, folder, path));                                                                                    \
        return REAL(name)(__VA_ARGS__);                                                                                        \
    }
AT_PATH("mkdir", mkdir, (const char *path, mode_t mode), AT_FDCWD, path, path, mode)
AT_PATH("mkdir", mkdirat, (int folder, const char *path, mode_t mode), folder, path, folder, path, mode)
AT_PATH("unlink", unlink, (const char *path), AT_FDCWD, path, path)
AT_PATH("unlink", unlinkat, (int folder, const char *path, int flags), folder, path, folder, path, flags)
AT_PATH("unlink", rmdir, (const char *path), AT_FDCWD, path, path)
AT_PATH("rename", rename, (const char *from, const char *to), AT_FDCWD, to, from, to)
AT_PATH("rename", renameat, (int old, const char *from, int folder, const char *to), folder, to, old, from, folder, to)
AT_PATH("rename", renameat2, (int old, const char *from, int folder, const char *to, unsigned flags), folder, to, old, from, folder, to,
        flags)
AT_PATH("link", link, (const char *from, const char *to), AT_FDCWD, to, from, to)
AT_PATH("link", linkat, (int old, const char *from, int folder, const char *to, int flags), folder, to, old, from, folder, to, flags)
