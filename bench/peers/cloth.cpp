// Sinew's cloth beside Bullet's (btSoftBody, its solver of positions), in one run: the cloth of bench_spring.c.
//
// cloth [--json]
//
// The two do not solve the same equations. Sinew's springs have a stiffness, 1000 N/m, and a step of it is solved to a
// tolerance. Bullet's links would be rigid if it went over them often enough, and are as soft as its iterations are few.
// What can be compared is how far each is from what it would converge to:
//
// - the error of a step: from one and the same state, the one after 0.2 s, a step with few iterations, and one with so
//   many that more change nothing; how far points end from each other (root mean square over all points).
// - the stretch: how much longer than at rest springs are after a third of a second, in which the cloth falls into its
//   suspension (mean over all structural springs).
//
// Bullet gets as many iterations as it takes for the error of a step to be Sinew's, or for the stretch to be at most
// that of 1000 N/m, whichever are fewer; but no more than 800, so that a ratio may be too kind to it. Steps of both are
// timed in turns; of Sinew's, whose iterations vary, the mean counts, of Bullet's, which are all alike, the best.
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

extern "C" {
#include "sinew/sinew.h"
}

namespace {

constexpr int side = 100, count = side * side;
constexpr float step = 1.0f / 60;
constexpr int fall_steps = 12;  // to the state that steps are compared from
constexpr int swing_steps = 20; // until the stretch is measured

struct point {
    double x, y, z;
};
using cloth_state = std::vector<point>;

struct link {
    int a, b;
    bool structural;
    double rest;
};

std::vector<link> make_links() {
    static const int reach[6][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}, {2, 0}, {0, 2}};
    std::vector<link> links;
    for (int r = 0; r < side; r++)
        for (int c = 0; c < side; c++)
            for (int k = 0; k < 6; k++) {
                const int c2 = c + reach[k][0], r2 = r + reach[k][1];
                if (c2 < 0 || c2 >= side || r2 >= side) continue;
                const double length = std::hypot(double(reach[k][0]), double(reach[k][1])) / (side - 1);
                links.push_back({r * side + c, r2 * side + c2, k < 2, length});
            }
    return links;
}

// Root mean square of distances.
double distance(const cloth_state &a, const cloth_state &b) {
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const double x = a[i].x - b[i].x, y = a[i].y - b[i].y, z = a[i].z - b[i].z;
        sum += x * x + y * y + z * z;
    }
    return std::sqrt(sum / count);
}

// Mean strain of the structural springs.
double stretch(const cloth_state &at, const std::vector<link> &links) {
    double sum = 0;
    int used = 0;
    for (const link &l : links) {
        if (!l.structural) continue;
        const double x = at[l.a].x - at[l.b].x, y = at[l.a].y - at[l.b].y, z = at[l.a].z - at[l.b].z;
        sum += std::fabs(std::sqrt(x * x + y * y + z * z) / l.rest - 1);
        used++;
    }
    return sum / used;
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

[[noreturn]] void give_up(const char *what) {
    std::fprintf(stderr, "cloth: %s\n", what);
    std::exit(1);
}

// --- Sinew ---

class sinew_cloth {
  public:
    sinew_cloth(int threads, float tolerance, int iterations) {
        sn_world_def world_def = sn_world_def_default();
        world_def.worker_count = threads;
        sn_spring_cloth cloth = sn_spring_cloth_default();
        cloth.columns = cloth.rows = side;
        cloth.across = {1, 0, 0};
        cloth.down = {0, 0, 1};
        cloth.mass = 0.2f;
        cloth.structural = cloth.shear = cloth.bend = {1000, 0};
        sn_spring_net net = {};
        if (sn_world_create(&world_def, &world_) != SN_OK || sn_world_set_sleeping(world_, false) != SN_OK ||
            sn_springs_make_cloth(&cloth, nullptr, &net) != SN_OK)
            give_up("Sinew's world cannot be made");
        net.masses[0] = net.masses[side - 1] = 0;
        sn_springs_def def = sn_springs_def_of(&net);
        def.collide = false;
        def.tolerance = tolerance;
        def.iterations = iterations;
        if (sn_springs_create(world_, &def, &cloth_) != SN_OK) give_up("Sinew's cloth cannot be made");
        sn_spring_net_free(&net);
    }
    sinew_cloth(const sinew_cloth &) = delete;
    ~sinew_cloth() { sn_world_destroy(world_); }
    void advance(int steps = 1) {
        for (int i = 0; i < steps; i++)
            if (sn_world_step(world_, step, 1) != SN_OK) give_up("a step of Sinew's failed");
    }
    int iterations() const { return sn_springs_last_solve(world_, cloth_).iterations; }
    // Takes over where another one is, and how it moves.
    void follow(const sinew_cloth &other) {
        std::vector<sn_vec3> points(count), velocities(count);
        sn_body_get_points(other.world_, other.cloth_, points.data(), count);
        sn_body_get_velocities(other.world_, other.cloth_, velocities.data(), count);
        if (sn_springs_set_points(world_, cloth_, points.data(), count) != SN_OK ||
            sn_springs_set_velocities(world_, cloth_, velocities.data(), count) != SN_OK)
            give_up("Sinew's cloth cannot be put");
    }
    cloth_state state() const {
        std::vector<sn_vec3> points(count);
        sn_body_get_points(world_, cloth_, points.data(), count);
        cloth_state made(count);
        for (int i = 0; i < count; i++) made[i] = {points[i].x, points[i].y, points[i].z};
        return made;
    }

  private:
    sn_world *world_ = nullptr;
    sn_body cloth_ = {};
};

// --- Bullet ---

class bullet_cloth {
  public:
    bullet_cloth(const std::vector<link> &links, int iterations) {
        dispatcher_ = std::make_unique<btCollisionDispatcher>(&configuration_);
        world_ = std::make_unique<btSoftRigidDynamicsWorld>(dispatcher_.get(), &broadphase_, &solver_, &configuration_);
        const btVector3 gravity(0, btScalar(-9.81), 0);
        world_->setGravity(gravity);
        world_->getWorldInfo().m_gravity = gravity;
        world_->getWorldInfo().air_density = 0;
        std::vector<btVector3> points(count);
        std::vector<btScalar> masses(count);
        for (int r = 0; r < side; r++)
            for (int c = 0; c < side; c++) {
                const int cells = (c > 0 && c < side - 1 ? 2 : 1) * (r > 0 && r < side - 1 ? 2 : 1);
                points[r * side + c] = btVector3(btScalar(c) / (side - 1), 0, btScalar(r) / (side - 1));
                masses[r * side + c] = btScalar(0.2) / ((side - 1) * (side - 1)) * btScalar(cells) / 4;
            }
        cloth_ = new btSoftBody(&world_->getWorldInfo(), count, points.data(), masses.data());
        for (const link &l : links) cloth_->appendLink(l.a, l.b);
        cloth_->m_materials[0]->m_kLST = 1; // rigid, if there are iterations enough
        cloth_->setMass(0, 0);
        cloth_->setMass(side - 1, 0);
        cloth_->m_cfg.collisions = 0;
        cloth_->m_cfg.kDP = 0;
        cloth_->m_cfg.piterations = iterations;
        cloth_->setActivationState(DISABLE_DEACTIVATION);
        world_->addSoftBody(cloth_);
    }
    bullet_cloth(const bullet_cloth &) = delete;
    ~bullet_cloth() {
        world_->removeSoftBody(cloth_);
        delete cloth_;
    }
    void advance(int steps = 1) {
        for (int i = 0; i < steps; i++) world_->stepSimulation(step, 0, step);
    }
    void set_iterations(int iterations) { cloth_->m_cfg.piterations = iterations; }
    void follow(const bullet_cloth &other) {
        for (int i = 0; i < count; i++) {
            cloth_->m_nodes[i].m_x = other.cloth_->m_nodes[i].m_x;
            cloth_->m_nodes[i].m_q = other.cloth_->m_nodes[i].m_q;
            cloth_->m_nodes[i].m_v = other.cloth_->m_nodes[i].m_v;
        }
    }
    cloth_state state() const {
        cloth_state made(count);
        for (int i = 0; i < count; i++) {
            const btVector3 &p = cloth_->m_nodes[i].m_x;
            made[i] = {p.x(), p.y(), p.z()};
        }
        return made;
    }

  private:
    btSoftBodyRigidBodyCollisionConfiguration configuration_;
    btDbvtBroadphase broadphase_;
    btSequentialImpulseConstraintSolver solver_;
    std::unique_ptr<btCollisionDispatcher> dispatcher_;
    std::unique_ptr<btSoftRigidDynamicsWorld> world_;
    btSoftBody *cloth_ = nullptr;
};

// --- both ---

struct figure {
    int iterations;
    double error, stretch, ms;
};

} // namespace

int main(int argc, char **argv) {
    const bool json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
    const std::vector<link> links = make_links();

    // Sinew's own: the usual tolerance against one that float cannot reach.
    sinew_cloth fallen(2, 1e-3f, 200);
    fallen.advance(fall_steps);
    sinew_cloth converged(2, 1e-9f, 20000);
    converged.follow(fallen);
    converged.advance();
    fallen.advance();
    const double sinew_error = distance(fallen.state(), converged.state());
    const int sinew_iterations = fallen.iterations();
    sinew_cloth exact(2, 1e-6f, 5000);
    exact.advance(swing_steps);
    fallen.advance(swing_steps - fall_steps - 1);
    const double wanted = stretch(exact.state(), links), sinew_stretch = stretch(fallen.state(), links);

    if (!json) {
        std::printf("Sinew,   %3d iterations: error of a step %.2e, stretch %.2e (that of 1000 N/m: %.2e)\n",
                    sinew_iterations, sinew_error, sinew_stretch, wanted);
        std::fflush(stdout);
    }

    // Bullet's.
    bullet_cloth start(links, 400);
    start.advance(fall_steps);
    auto after = [&](int iterations) {
        bullet_cloth one(links, iterations);
        one.follow(start);
        one.advance();
        return one.state();
    };
    const cloth_state end = after(6400);
    std::vector<figure> figures;
    int matched = 0;
    bool reached = false;
    for (int iterations : {10, 50, 200, 800}) {
        const double error = distance(after(iterations), end);
        bullet_cloth swinging(links, iterations);
        swinging.advance(swing_steps);
        figures.push_back({iterations, error, stretch(swinging.state(), links), 0});
        const bool enough = error <= sinew_error || figures.back().stretch <= wanted;
        if (!json) {
            std::printf("Bullet, %4d iterations: error of a step %.2e, stretch %.2e%s\n", iterations, error,
                        figures.back().stretch, enough ? "  (as good as Sinew's)" : "");
            std::fflush(stdout);
        }
        matched = iterations;
        reached = enough;
        if (enough) break;
    }

    // Times, in turns.
    sinew_cloth one(1, 1e-3f, 200), two(2, 1e-3f, 200);
    bullet_cloth peer(links, 10);
    one.advance(fall_steps);
    two.advance(fall_steps);
    peer.advance(fall_steps);
    double best[3] = {1e9, 1e9, 1e9}, many = 1e9, sums[2] = {0, 0};
    constexpr int rounds = 40;
    for (int round = 0; round < rounds; round++) {
        double at = now();
        one.advance();
        sums[0] += now() - at;
        best[0] = std::fmin(best[0], now() - at);
        at = now();
        two.advance();
        sums[1] += now() - at;
        best[1] = std::fmin(best[1], now() - at);
        peer.set_iterations(10);
        at = now();
        peer.advance();
        best[2] = std::fmin(best[2], now() - at);
        peer.set_iterations(20);
        at = now();
        peer.advance();
        many = std::fmin(many, now() - at);
    }
    const double iteration = (many - best[2]) / 10, bullet = best[2] + (matched - 10) * iteration;
    const double means[2] = {sums[0] / rounds, sums[1] / rounds};
    if (json) {
        std::printf("{\n  \"masses\": %d, \"springs\": %zu,\n  \"sinew\": {\"step_ms_t1\": %.4g, \"step_ms_t2\": %.4g, "
                    "\"iterations\": %d, \"error\": %.3g, \"stretch\": %.3g},\n",
                    count, links.size(), 1000 * means[0], 1000 * means[1], sinew_iterations, sinew_error,
                    sinew_stretch);
        std::printf(
            "  \"stretch_of_1000_newtons_per_metre\": %.3g,\n  \"bullet\": {\"iteration_ms\": %.4g, \"matched\": "
            "%d, \"reached\": %s, \"step_ms\": %.4g, \"figures\": [",
            wanted, 1000 * iteration, matched, reached ? "true" : "false", 1000 * bullet);
        for (size_t i = 0; i < figures.size(); i++)
            std::printf("%s{\"iterations\": %d, \"error\": %.3g, \"stretch\": %.3g}", i ? ", " : "",
                        figures[i].iterations, figures[i].error, figures[i].stretch);
        std::printf("]},\n  \"ratio_t1\": %.4g, \"ratio_t2\": %.4g\n}\n", bullet / means[0], bullet / means[1]);
        return 0;
    }
    std::printf("\na step of %d masses and %zu springs, h = 1/60 s\n", count, links.size());
    std::printf("  Sinew, 1 thread            %8.2f ms (best %.2f)\n", 1000 * means[0], 1000 * best[0]);
    std::printf("  Sinew, 2 threads           %8.2f ms (best %.2f)\n", 1000 * means[1], 1000 * best[1]);
    std::printf("  Bullet, one iteration      %8.2f ms\n", 1000 * iteration);
    std::printf("  Bullet, %4d iterations    %8.2f ms, %.1f times Sinew's with one thread, %.1f with two%s\n", matched,
                1000 * bullet, bullet / means[0], bullet / means[1], reached ? "" : ", and not yet as good");
    return 0;
}
