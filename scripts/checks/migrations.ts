// Migrations are applied in the order of their numbers, so each folder must number them from 1 without gaps.
import path from 'node:path';
import type { Fault, Source } from './source.ts';

export function misnumberedMigrations(sources: Source[]): Fault[] {
  const folders = Map.groupBy(
    sources.filter(({ file }) => /\/migrations\/[^/]+\.sql$/.test(file)),
    ({ file }) => path.posix.dirname(file),
  );
  return [...folders].flatMap(([folder, files]) => {
    const names = files.map(({ file }) => path.posix.basename(file)).sort();
    return names.flatMap((name, index) => {
      const number = String(index + 1).padStart(4, '0');
      if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name)) return [`${folder}/${name}: is never applied: rename it to ${number}_what_it_does.sql`];
      return name.startsWith(`${number}_`) ? [] : [`${folder}/${name}: must have the next number, ${number}`];
    });
  });
}
