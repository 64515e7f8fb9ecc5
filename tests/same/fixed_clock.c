/* The real-time clock of a process is the number of microseconds in the file of SAME_CLOCK, which only the tool moves.
 * What a database draws from /dev/urandom are zeros, so that large sets have the same order in two of them. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *now;

static int64_t microseconds(void) {
    if (!now) {
        int file = open(getenv("SAME_CLOCK"), O_RDONLY);
        void *page = mmap(NULL, sizeof *now, PROT_READ, MAP_SHARED, file, 0);
        if (page == MAP_FAILED) abort();
        close(file);
        now = page;
    }
    return *now;
}

int gettimeofday(struct timeval *restrict told, void *restrict zone) {
    (void)zone;
    int64_t at = microseconds();
    told->tv_sec = at / 1000000;
    told->tv_usec = at % 1000000;
    return 0;
}

time_t time(time_t *told) {
    time_t at = microseconds() / 1000000;
    if (told) *told = at;
    return at;
}

int clock_gettime(clockid_t id, struct timespec *told) {
    if (id != CLOCK_REALTIME && id != CLOCK_REALTIME_COARSE) return (int)syscall(SYS_clock_gettime, id, told);
    int64_t at = microseconds();
    told->tv_sec = at / 1000000;
    told->tv_nsec = at % 1000000 * 1000;
    return 0;
}

FILE *fopen(const char *path, const char *mode) {
    static FILE *(*open_file)(const char *, const char *);
    if (!open_file) open_file = (FILE *(*)(const char *, const char *))dlsym(RTLD_NEXT, "fopen");
    return open_file(strcmp(path, "/dev/urandom") ? path : "/dev/zero", mode);
}
