// Numbers 0 to n - 1 in sets that are joined: up[i] leads towards the root of i's set, which is its least number, so that
// sets do not depend on the order in which they were joined. All start as up[i] = i.
#ifndef SN_BASE_UNION_FIND_H
#define SN_BASE_UNION_FIND_H

static inline int sn_find_root(int *up, int i) {
    while (up[i] != i) i = up[i] = up[up[i]]; // the way is halved for those who come later
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
