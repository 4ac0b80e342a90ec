// Migrations are applied in the order of their numbers, so each room numbers its own from 1 without a gap.
import path from 'node:path';
import type { Fault, Source } from './source.ts';

export function misnumberedMigrations(sources: Source[]): Fault[] {
  const rooms = Map.groupBy(
    sources.filter(({ file }) => /\/migrations\/[^/]+\.sql$/.test(file)),
    ({ file }) => path.posix.dirname(file),
  );
  return [...rooms].flatMap(([room, files]) => {
    const names = files.map(({ file }) => path.posix.basename(file)).sort();
    return names.flatMap((name, index) => {
      const number = String(index + 1).padStart(4, '0');
      if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name)) return [`${room}/${name}: is never applied: name it ${number}_what_it_does.sql`];
      return name.startsWith(`${number}_`) ? [] : [`${room}/${name}: number ${number} is next here`];
    });
  });
}
