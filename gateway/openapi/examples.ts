// Examples of requests and responses, recorded from a run against the demo clinic (`npm run examples`).
import { readFileSync } from 'node:fs';

/** `events` are those of a stream, by name. */
export type Examples = Record<string, { body?: unknown; answer?: unknown; events?: Record<string, unknown> }>;

/** By operation id, including the operations of webhooks. */
export const EXAMPLES = JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')) as Examples;
