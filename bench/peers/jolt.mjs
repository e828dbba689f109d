// Jolt Physics' Cosserat rods (position-based stretch, shear, bend and twist), in the same arrangement as rods.c.
import initialise from "jolt-physics/wasm-compat";

const Jolt = await initialise();

// Rods do not collide: one layer that meets nothing.
export function makeWorld(rods, segments, iterations, compliance = 1e-9) {
    const settings = new Jolt.JoltSettings();
    settings.mMaxWorkerThreads = 0;
    settings.mMaxBodies = rods + 8;
    const pairs = new Jolt.ObjectLayerPairFilterTable(1);
    const layer = new Jolt.BroadPhaseLayer(0);
    const broad = new Jolt.BroadPhaseLayerInterfaceTable(1, 1);
    broad.MapObjectToBroadPhaseLayer(0, layer);
    settings.mObjectLayerPairFilter = pairs;
    settings.mBroadPhaseLayerInterface = broad;
    settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(broad, 1, pairs, 1);
    const physics = new Jolt.JoltInterface(settings);
    Jolt.destroy(settings);
    const bodies = physics.GetPhysicsSystem().GetBodyInterface();

    const shape = rodShape(segments, compliance);
    const made = [];
    for (let i = 0; i < rods; ++i) {
        const at = new Jolt.RVec3(0, 0, 0.1 * i), turn = new Jolt.Quat(0, 0, 0, 1);
        const creation = new Jolt.SoftBodyCreationSettings(shape, at, turn, 0);
        creation.mNumIterations = iterations;
        creation.mLinearDamping = 0;
        creation.mAllowSleeping = false;
        creation.mUpdatePosition = false;
        const body = bodies.CreateSoftBody(creation);
        bodies.AddBody(body.GetID(), Jolt.EActivation_Activate);
        made.push(body);
        for (const each of [creation, at, turn]) Jolt.destroy(each);
    }
    return {
        step: (count) => {
            for (let i = 0; i < count; ++i) physics.Step(1 / 60, 1);
        },
        setIterations: (count) => {
            for (const body of made) motion(body).SetNumIterations(count);
        },
        points: () => pointsOf(made[0]),
        destroy: () => Jolt.destroy(physics),
    };
}

const motion = (body) => Jolt.castObject(body.GetMotionProperties(), Jolt.SoftBodyMotionProperties);

function pointsOf(body) {
    const vertices = motion(body).GetVertices(), out = [];
    for (let i = 0; i < vertices.size(); ++i) {
        const at = vertices.at(i).mPosition;
        out.push([at.GetX(), at.GetY(), at.GetZ()]);
    }
    return out;
}

function rodShape(segments, compliance) {
    const shape = new Jolt.SoftBodySharedSettings();
    const mass = (1000 * Math.PI * 0.01 ** 2) / (segments + 1);
    for (let i = 0; i <= segments; ++i) {
        const vertex = new Jolt.SoftBodySharedSettingsVertex();
        vertex.mPosition = new Jolt.Float3(i / segments, 0, 0);
        vertex.mInvMass = i > 0 ? 1 / mass : 0;
        shape.mVertices.push_back(vertex);
    }
    for (let i = 0; i < segments; ++i) {
        shape.mRodStretchShearConstraints.push_back(new Jolt.SoftBodySharedSettingsRodStretchShear(i, i + 1, compliance));
    }
    for (let i = 0; i + 1 < segments; ++i) {
        shape.mRodBendTwistConstraints.push_back(new Jolt.SoftBodySharedSettingsRodBendTwist(i, i + 1, compliance));
    }
    shape.CalculateRodProperties();
    shape.Optimize();
    return shape;
}
