// Examples of requests and answers, recorded from a run for the demo clinic (`npm run examples`).
import { readFileSync } from 'node:fs';

export type Examples = Record<string, { body?: unknown; answer?: unknown }>;

/** By operation id. */
export const EXAMPLES = JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')) as Examples;
