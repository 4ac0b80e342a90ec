// What node-version.js, which cannot be TypeScript, offers to TypeScript.
export function nodeFault(version: string): string | undefined;
