// Tables of words; see anatomy_names.h.
#include "bake/anatomy_names.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Bones from the trunk outward, with their length in an adult, 0: it varies.
static const struct {
    const char *word;
    double length; // m
} bones[] = {
    {"pelvis", 0},
    {"hip bone", 0.21},
    {"sacrum", 0.11},
    {"vertebra", 0},
    {"atlas", 0},
    {"axis", 0},
    {"sternum", 0.17},
    {"manubrium", 0.05},
    {"xiphoid", 0},
    {"rib", 0},
    {"skull", 0.2},
    {"cranium", 0.2},
    {"occipital bone", 0},
    {"temporal bone", 0},
    {"clavicle", 0.145},
    {"scapula", 0.16},
    {"humerus", 0.31},
    {"femur", 0.44},
    {"ulna", 0.25},
    {"tibia", 0.37},
    {"radius", 0.235},
    {"fibula", 0.36},
    {"patella", 0.045},
    {"talus", 0.055},
    {"calcaneus", 0.08},
    {"navicular bone", 0},
    {"cuboid bone", 0},
    {"cuneiform bone", 0},
    {"scaphoid", 0},
    {"lunate", 0},
    {"triquetral", 0},
    {"pisiform", 0},
    {"trapezium", 0},
    {"trapezoid", 0},
    {"capitate", 0},
    {"hamate", 0},
    {"metacarpal bone", 0},
    {"metatarsal bone", 0},
    {"proximal phalanx", 0},
    {"middle phalanx", 0},
    {"distal phalanx", 0},
    {"mandible", 0},
    {"maxilla", 0},
    {"hyoid bone", 0},
    {"coccyx", 0},
    {"phalanx", 0},
    {"bone", 0},
};
enum { BONES = sizeof bones / sizeof *bones };

static const char *const others[] = {"cartilage", "ligament", "membrane", "disk",   "disc",  "retinaculum", "artery",
                                     "vein",      "nerve",    "gland",    "fascia", "tooth", "bursa",       "skin"};

static const char *const muscle_words[] = {
    "muscle",        "biceps",        "triceps",       "brachialis",     "brachioradialis",
    "deltoid",       "pectoralis",    "pectoral",      "trapezius",      "latissimus",
    "supraspinatus", "infraspinatus", "subscapularis", "teres",          "coracobrachialis",
    "anconeus",      "supinator",     "pronator",      "flexor",         "extensor",
    "abductor",      "adductor",      "palmaris",      "quadriceps",     "rectus",
    "vastus",        "sartorius",     "gracilis",      "semitendinosus", "semimembranosus",
    "gastrocnemius", "soleus",        "plantaris",     "popliteus",      "tibialis",
    "fibularis",     "peroneus",      "gluteus",       "iliacus",        "psoas",
    "piriformis",    "obturator",     "gemellus",      "quadratus",      "tensor",
    "pectineus",     "masseter",      "temporalis",    "pterygoid",      "sternocleidomastoid",
    "scalenus",      "levator",       "rhomboid",      "serratus",       "splenius",
    "semispinalis",  "longissimus",   "iliocostalis",  "spinalis",       "multifidus",
    "rotator",       "oblique",       "diaphragm",     "bipennate",      "lumbrical",
    "interosseous",  "opponens",      "digastric",     "longus",         "platysma"};

#define ELBOW    "brachialis,biceps brachii,biceps,brachioradialis"
#define KNEE     "semitendinosus,semimembranosus,biceps femoris,gracilis,popliteus,gastrocnemius"
#define HIP      "iliacus,psoas,rectus femoris,sartorius,tensor fasciae latae,pectineus"
#define SHOULDER "clavicular part,coracobrachialis,biceps brachii,biceps,pectoralis major"
#define WRIST    "flexor carpi radialis,flexor carpi ulnaris,palmaris longus"
#define FINGER   "flexor digitorum,flexor pollicis,lumbrical"
static const anatomy_joint joints[] = {
    {"sternum", "clavicle", JOINT_FIXED, 0, NULL},
    {"manubrium", "clavicle", JOINT_FIXED, 0, NULL},
    {"clavicle", "scapula", JOINT_FIXED, 0, NULL},
    {"rib", "scapula", JOINT_FIXED, 0, NULL},
    {"scapula", "humerus", JOINT_BALL, 70, SHOULDER},
    {"humerus", "ulna", JOINT_HINGE, 130, ELBOW},
    {"ulna", "radius", JOINT_FIXED, 0, NULL},
    {"radius", "scaphoid", JOINT_HINGE, 60, WRIST},
    {"radius", "lunate", JOINT_FIXED, 0, NULL},
    {"hip bone", "femur", JOINT_BALL, 80, HIP},
    {"pelvis", "femur", JOINT_BALL, 80, HIP},
    {"femur", "tibia", JOINT_HINGE, 110, KNEE},
    {"tibia", "fibula", JOINT_FIXED, 0, NULL},
    {"femur", "patella", JOINT_FIXED, 0, NULL},
    {"tibia", "patella", JOINT_FIXED, 0, NULL},
    {"tibia", "talus", JOINT_HINGE, 40, "tibialis anterior"},
    {"talus", "calcaneus", JOINT_FIXED, 0, NULL},
    {"sacrum", "hip bone", JOINT_FIXED, 0, NULL},
    {"metacarpal bone", "proximal phalanx", JOINT_HINGE, 80, FINGER},
    {"metatarsal bone", "proximal phalanx", JOINT_HINGE, 40, FINGER},
    {"proximal phalanx", "middle phalanx", JOINT_HINGE, 90, FINGER},
    {"proximal phalanx", "distal phalanx", JOINT_HINGE, 70, FINGER},
    {"middle phalanx", "distal phalanx", JOINT_HINGE, 70, FINGER},
    {"temporal bone", "mandible", JOINT_HINGE, 25, NULL},
};

// Bones that hardly move against each other.
static const char *const tight[] = {"scaphoid",  "lunate",     "triquetral",    "pisiform",  "trapezium", "trapezoid",
                                    "capitate",  "hamate",     "talus",         "calcaneus", "navicular", "cuboid",
                                    "cuneiform", "metatarsal", "metacarpal",    "rib",       "hip bone",  "sacrum",
                                    "sternum",   "manubrium",  "xiphoid",       "frontal",   "parietal",  "occipital",
                                    "temporal",  "sphenoid",   "ethmoid",       "maxilla",   "zygomatic", "nasal",
                                    "lacrimal",  "palatine",   "inferior nasal"};
static const anatomy_joint tight_joint = {"", "", JOINT_FIXED, 0, NULL};

// Whether a name has these words, as whole words.
static bool has_words(const char *name, const char *words) {
    const size_t length = strlen(words);
    for (const char *at = strstr(name, words); at; at = strstr(at + 1, words))
        if ((at == name || !isalpha((unsigned char)at[-1])) && !isalpha((unsigned char)at[length])) return true;
    return false;
}

void anatomy_clean_name(const char *file, char *out, size_t capacity, char number[32]) {
    const char *slash = strrchr(file, '/');
    char text[256];
    snprintf(text, sizeof text, "%s", slash ? slash + 1 : file);
    char *dot = strrchr(text, '.');
    if (dot) *dot = '\0';
    size_t start = 0, count = 0;
    while (isupper((unsigned char)text[start])) start++;
    size_t end = start;
    while (isdigit((unsigned char)text[end])) end++;
    const bool numbered = start >= 1 && start <= 3 && end > start && (text[end] == '\0' || strchr("_- ", text[end]));
    snprintf(number, 32, "%.*s", numbered ? (int)end : 0, text);
    for (const char *c = text + (numbered ? end : 0); *c && count + 1 < capacity; c++) {
        const char letter = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : ' ';
        if (letter == ' ' && (count == 0 || out[count - 1] == ' ')) continue;
        out[count++] = letter;
    }
    while (count > 0 && out[count - 1] == ' ') count--;
    out[count] = '\0';
}

static int bone_of(const char *name) {
    for (int i = 0; i < BONES; i++)
        if (has_words(name, bones[i].word)) return i;
    return -1;
}

anatomy_kind anatomy_kind_of(const char *name, bool *known) {
    *known = true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (has_words(name, others[i]))
            return strstr(name, "interosseous") && !has_words(name, "membrane") ? ANATOMY_MUSCLE : ANATOMY_OTHER;
    for (size_t i = 0; i < sizeof muscle_words / sizeof *muscle_words; i++)
        if (has_words(name, muscle_words[i])) return ANATOMY_MUSCLE;
    if (bone_of(name) >= 0) return ANATOMY_BONE;
    *known = false;
    return ANATOMY_MUSCLE;
}

char anatomy_side_of(const char *name) {
    return has_words(name, "right") ? 'r' : has_words(name, "left") ? 'l' : 0;
}

double anatomy_length_of(const char *bone) {
    const int i = bone_of(bone);
    return i < 0 ? 0 : bones[i].length;
}

int anatomy_rank_of(const char *bone) {
    const int i = bone_of(bone);
    return i < 0 ? BONES : i;
}

const anatomy_joint *anatomy_joint_of(const char *parent, const char *child) {
    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++)
        if (has_words(parent, joints[i].parent) && has_words(child, joints[i].child)) return &joints[i];
    bool both[2] = {false, false};
    for (size_t i = 0; i < sizeof tight / sizeof *tight; i++) {
        both[0] = both[0] || has_words(parent, tight[i]);
        both[1] = both[1] || has_words(child, tight[i]);
    }
    return both[0] && both[1] ? &tight_joint : NULL;
}

bool anatomy_is_flexor(const anatomy_joint *joint, const char *muscle) {
    for (const char *at = joint->flexors; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char words[64];
        snprintf(words, sizeof words, "%.*s", (int)strcspn(at, ","), at);
        if (has_words(muscle, words)) return true;
    }
    return false;
}
