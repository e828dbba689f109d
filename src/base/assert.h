// Assertions: invariants of our own code. Users' errors get a status instead. Assertions do nothing and cost nothing
// unless the library is built with SN_VALIDATE; then a failed one prints its location and aborts.
#ifndef SN_BASE_ASSERT_H
#define SN_BASE_ASSERT_H

#ifdef SN_VALIDATE
void sn_assert_failed(const char *file, int line, const char *condition);
#define SN_ASSERT(condition) ((condition) ? (void)0 : sn_assert_failed(__FILE__, __LINE__, #condition))
#else
#define SN_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
