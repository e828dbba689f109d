// node scripts/npm-lock.mjs FOLDER: checks FOLDER/package-lock.json before anything is installed from it. Every package
// has a SHA-512 of its bytes and comes from the registry, the versions in package.json are exact, and both files agree.
import { readFileSync } from 'node:fs';

const folder = process.argv[2];
const read = (name) => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'));
const wanted = read('package.json');
const lock = read('package-lock.json');
const faults = [];

if (lock.lockfileVersion < 2) faults.push('package-lock.json is of an old version');
for (const list of ['dependencies', 'devDependencies']) {
    for (const [name, version] of Object.entries(wanted[list] ?? {})) {
        if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) faults.push(`${name}: "${version}" is not an exact version`);
        if (lock.packages?.['']?.[list]?.[name] !== version) faults.push(`${name}: package-lock.json wants another version`);
        if (lock.packages?.[`node_modules/${name}`]?.version !== version) faults.push(`${name}: another version is locked`);
    }
}
for (const [path, entry] of Object.entries(lock.packages ?? {})) {
    if (path === '') continue;
    // Without an address it is the registry of whoever installs it; a mirror cannot change the bytes.
    if (!(entry.resolved ?? 'https://registry.npmjs.org/').startsWith('https://registry.npmjs.org/'))
        faults.push(`${path}: not from the registry`);
    if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? '')) faults.push(`${path}: has no SHA-512`);
    if (entry.link) faults.push(`${path}: is a link`);
}
for (const fault of faults) console.error(`${folder}: ${fault}`);
process.exit(faults.length > 0 ? 1 : 0);
