// Preloaded into the process that describes statements: sql() of lib/db/db.ts also records what it was given and from where.
import { registerHooks } from 'node:module';

globalThis.observedStatements = [];
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith('/lib/db/db.ts')) return loaded;
    const source = String(loaded.source).replace(
      /export function sql<.*\{/,
      (line) => `${line} globalThis.observedStatements.push({ text, stack: new Error().stack });`,
    );
    return { ...loaded, source };
  },
});
