/* Included before the compiled code by tests/sanitised: counts its allocations, and lets one of them fail. */
#include <stdlib.h>

int allocations_before_failure = -1; /* -1: none fails */
int allocations_held = 0;            /* that were not given back */

static inline int may_allocate(void) {
    if (allocations_before_failure == 0) return 0;
    if (allocations_before_failure > 0) allocations_before_failure--;
    __atomic_add_fetch(&allocations_held, 1, __ATOMIC_SEQ_CST);
    return 1;
}

static inline void count_free(void *made) {
    if (made) __atomic_sub_fetch(&allocations_held, 1, __ATOMIC_SEQ_CST);
    free(made);
}

#define malloc(size) (may_allocate() ? malloc(size) : NULL)
#define calloc(count, each) (may_allocate() ? calloc(count, each) : NULL)
#define free(made) count_free(made)
