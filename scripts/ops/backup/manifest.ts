// What an archive holds: the list by which a restore knows that everything is there and is what it was.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** What a person did wrong or what is in the way, told in its own words. */
export class BackupFault extends Error {}

const FORMAT = 1;

const manifestShape = z.object({
  format: z.literal(FORMAT),
  madeAt: z.string(),
  /** For example 18.4. */
  server: z.string(),
  /** Applied migrations by schema: name and SHA-256. */
  migrations: z.record(z.string(), z.record(z.string(), z.string())),
  /** Version of pg-boss's schema, by jobs schema. */
  jobs: z.record(z.string(), z.number()),
  tables: z.array(
    z.object({
      schema: z.string(),
      table: z.string(),
      columns: z.array(z.string()),
      rows: z.number(),
      /** Of the lines of COPY, before they are packed. */
      bytes: z.number(),
      sha256: z.string(),
      file: z.string(),
    }),
  ),
  sequences: z.array(z.object({ schema: z.string(), name: z.string(), last: z.string(), called: z.boolean() })),
  /** Ids, never keys, of ENCRYPTION_KEYS under which something in the archive is sealed. */
  sealedUnder: z.array(z.string()),
});

export type Manifest = z.infer<typeof manifestShape>;
export type ArchivedTable = Manifest['tables'][number];

export const manifestFile = (folder: string) => path.join(folder, 'manifest.json');

export function readManifest(folder: string): Manifest {
  const file = manifestFile(folder);
  if (!existsSync(file)) throw new BackupFault(`${folder} is no backup, or one that did not come to its end: it has no manifest.json.`);
  const read = manifestShape.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (!read.success) throw new BackupFault(`${file} is not the manifest of a backup that this release can read.`);
  return read.data;
}

export const newManifest = (server: string): Manifest => ({
  format: FORMAT,
  madeAt: new Date().toISOString(),
  server,
  migrations: {},
  jobs: {},
  tables: [],
  sequences: [],
  sealedUnder: [],
});
