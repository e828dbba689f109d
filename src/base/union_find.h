// Union-find of the numbers 0 to n - 1: up[i] leads to the root of i's set, which is its smallest number, so that sets
// do not depend on the order of unions. Initialise up[i] = i.
#ifndef SN_BASE_UNION_FIND_H
#define SN_BASE_UNION_FIND_H

static inline int sn_find_root(int *up, int i) {
    while (up[i] != i) i = up[i] = up[up[i]]; // path halving
    return i;
}

static inline void sn_union(int *up, int a, int b) {
    a = sn_find_root(up, a), b = sn_find_root(up, b);
    if (a < b)
        up[b] = a;
    else
        up[a] = b;
}

#endif
