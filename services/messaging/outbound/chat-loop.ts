/**
 * How the loops between a message and its answer run: one that comes alone is handled at once; under load those that come meanwhile share the
 * next pass.
 */
export const CHAT_LOOP = { everyMs: 1_000, spacingMs: 200, burst: 4 };
