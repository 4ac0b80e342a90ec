// manifest.json of a backup, with which a restore compares every file to detect missing and changed ones.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { OpsFault } from '../command.ts';

const FORMAT = 1;

const manifestShape = z.object({
  format: z.literal(FORMAT),
  madeAt: z.string(),
  /** Version of PostgreSQL, for example 18.4. */
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
      /** Size of the output of COPY before compression. */
      bytes: z.number(),
      sha256: z.string(),
      file: z.string(),
    }),
  ),
  /** Contents of patients' files, encrypted. Backups of earlier releases have none. */
  files: z.array(z.object({ key: z.string(), bytes: z.number(), sha256: z.string() })).default([]),
  sequences: z.array(z.object({ schema: z.string(), name: z.string(), last: z.string(), called: z.boolean() })),
  /** Ids of the keys in ENCRYPTION_KEYS that the encrypted values of the backup need; never the keys themselves. */
  sealedUnder: z.array(z.string()), // plain-words: sealed is part of the format
});

export type Manifest = z.infer<typeof manifestShape>;
export type ArchivedTable = Manifest['tables'][number];

export const manifestFile = (folder: string) => path.join(folder, 'manifest.json');

export function readManifest(folder: string): Manifest {
  const file = manifestFile(folder);
  if (!existsSync(file)) throw new OpsFault(`${folder} is not a complete backup: it has no manifest.json.`);
  const parsed = manifestShape.safeParse(parseJson(readFileSync(file, 'utf8')));
  if (!parsed.success) throw new OpsFault(`${file} is not the manifest of a backup that this release can read.`);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const newManifest = (server: string): Manifest => ({
  format: FORMAT,
  madeAt: new Date().toISOString(),
  server,
  migrations: {},
  jobs: {},
  tables: [],
  files: [],
  sequences: [],
  sealedUnder: [], // plain-words: sealed is part of the format
});
