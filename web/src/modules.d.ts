// Made by build.mjs: the bundle of worker.ts as text.
declare module 'worker-code' {
    const code: string;
    export default code;
}
