// Preloaded into the process that describes statements: makes sql() of lib/db/db.ts also record its argument and the place of the call.
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
