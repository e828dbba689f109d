// node validate.mjs FILE.glb...: no errors and no warnings by Khronos' own validator, or exit 1.
import { readFileSync } from 'node:fs';
import validator from 'gltf-validator';

let failed = false;
for (const file of process.argv.slice(2)) {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { maxIssues: 20 });
    const { numErrors, numWarnings, messages } = report.issues;
    if (numErrors || numWarnings) {
        failed = true;
        console.error(`${file}: ${numErrors} errors, ${numWarnings} warnings`);
        for (const m of messages.filter((m) => m.severity < 2)) console.error(`  ${m.code} ${m.pointer ?? ''}: ${m.message}`);
    }
}
process.exit(failed ? 1 : 0);
