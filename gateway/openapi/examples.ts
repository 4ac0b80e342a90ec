// Examples of requests and answers, recorded from a run for the demo clinic (`npm run examples`).
import { readFileSync } from 'node:fs';

/** `events` of a stream, by name. */
export type Examples = Record<string, { body?: unknown; answer?: unknown; events?: Record<string, unknown> }>;

/** By operation id, those of webhooks included. */
export const EXAMPLES = JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')) as Examples;
