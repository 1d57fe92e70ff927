/* Elasticsearch refuses to start with fewer than 65535 files. Where the limit of this computer is lower and cannot be raised, it is told
   another one; a cluster of a test opens some hundred. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/resource.h>

int getrlimit(__rlimit_resource_t resource, struct rlimit *limit) {
  int (*next)(__rlimit_resource_t, struct rlimit *) = dlsym(RTLD_NEXT, "getrlimit");
  int result = next(resource, limit);
  if (resource == RLIMIT_NOFILE && limit->rlim_cur < 65535) limit->rlim_cur = limit->rlim_max = 65535;
  return result;
}
