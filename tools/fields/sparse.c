// Sparse Cholesky with CHOLMOD and multifrontal.c. Small systems, which includes most surfaces, are ordered by
// approximate minimum degree and factored by CHOLMOD's simplicial code. Large ones fill in more, especially those of
// bodies: they are ordered by nested dissection (METIS) and factored by multifrontal.c, which needs no BLAS. CHOLMOD's
// supernodal module is not used: it is GPL, the rest is LGPL. The result is deterministic and computed on one thread.
#include "fields/sparse.h"
#include "fields/multifrontal.h"
#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

struct sn_sparse_factor {
    cholmod_common common;
    cholmod_factor *factor;
    sn_multifrontal *multifrontal; // instead, for large systems
    int size;
};

enum { MULTIFRONTAL_MIN_SIZE = 8000 }; // rows

static void configure(cholmod_common *common, int size) {
    common->print = 0;
    common->error_handler = NULL;
    common->try_catch = 1;
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_AMD;
    common->postorder = 1;
    common->supernodal = CHOLMOD_SIMPLICIAL;
    common->final_ll = 1; // L L^T fails for matrices that are not positive definite, L D L^T does not
    if (size >= MULTIFRONTAL_MIN_SIZE) common->method[0].ordering = CHOLMOD_METIS;
}

// The lower triangle, duplicates summed. Null: out of memory.
static cholmod_sparse *gather(sn_sparse_factor *f, const sn_sparse_entry *entries, size_t count) {
    size_t used = 0;
    for (size_t i = 0; i < count; i++) used += entries[i].row >= entries[i].column;
    cholmod_triplet *t = cholmod_allocate_triplet((size_t)f->size, (size_t)f->size, used, -1, CHOLMOD_REAL, &f->common);
    if (!t) return NULL;
    for (size_t i = 0; i < count; i++) {
        if (entries[i].row < entries[i].column) continue;
        ((int *)t->i)[t->nnz] = entries[i].row;
        ((int *)t->j)[t->nnz] = entries[i].column;
        ((double *)t->x)[t->nnz++] = entries[i].value;
    }
    cholmod_sparse *matrix = cholmod_triplet_to_sparse(t, used, &f->common);
    cholmod_free_triplet(&t, &f->common);
    return matrix;
}

sn_sparse_factor *sn_sparse_factorize(int size, const sn_sparse_entry *entries, size_t count, bool *singular) {
    if (singular) *singular = false;
    sn_sparse_factor *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    cholmod_start(&f->common);
    configure(&f->common, size);
    f->size = size;
    cholmod_sparse *matrix = gather(f, entries, count);
    bool good = matrix && (f->factor = cholmod_analyze(matrix, &f->common));
    if (good && size >= MULTIFRONTAL_MIN_SIZE) {
        bool not_definite;
        f->multifrontal = sn_multifrontal_factorize(size, matrix->p, matrix->i, matrix->x, f->factor->Perm,
                                                    f->factor->ColCount, &not_definite);
        good = f->multifrontal != NULL;
        if (singular) *singular = not_definite;
        cholmod_free_factor(&f->factor, &f->common);
    } else if (good)
        good = cholmod_factorize(matrix, f->factor, &f->common);
    if (good && !f->multifrontal && (f->common.status == CHOLMOD_NOT_POSDEF || f->factor->minor < (size_t)size)) {
        good = false;
        if (singular) *singular = true;
    }
    if (good && f->common.status < CHOLMOD_OK) good = false;
    cholmod_free_sparse(&matrix, &f->common);
    if (good) return f;
    sn_sparse_free(f);
    return NULL;
}

bool sn_sparse_solve(sn_sparse_factor *f, double *sides, int columns) {
    if (f->multifrontal) return sn_multifrontal_solve(f->multifrontal, sides, columns);
    const size_t rows = (size_t)f->size, count = (size_t)columns;
    cholmod_dense given = {.nrow = rows,
                           .ncol = count,
                           .nzmax = rows * count,
                           .d = rows,
                           .x = sides,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE};
    cholmod_dense *solved = cholmod_solve(CHOLMOD_A, f->factor, &given, &f->common);
    if (!solved) return false;
    memcpy(sides, solved->x, rows * count * sizeof *sides);
    cholmod_free_dense(&solved, &f->common);
    return true;
}

void sn_sparse_free(sn_sparse_factor *f) {
    if (!f) return;
    sn_multifrontal_free(f->multifrontal);
    cholmod_free_factor(&f->factor, &f->common);
    cholmod_finish(&f->common);
    free(f);
}
