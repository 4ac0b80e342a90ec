// initdb accepts the arguments of each deployment, so that every installation can initialise its database.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { binaries } from '../dev/embedded/postgres.ts';
import { ownFolder, userFor } from '../dev/embedded/unprivileged.ts';
import { tempFolder } from '../dev/temp-folder.ts';
import { PROJECT } from '../schemas.ts';
import { FOLDER, type KubeObject, ofKind, readObjects } from './kubernetes-objects.ts';

type Compose = { services: { postgres: { environment: Record<string, string> } } };
type StatefulSet = KubeObject & { spec: { template: { spec: { containers: { name: string; env: { name: string; value?: string }[] }[] } } } };
type Cluster = KubeObject & { spec: { bootstrap: { initdb: Record<string, unknown> } } };

/** The image passes this variable to initdb as words of a shell. */
const words = (text: string | undefined) => text?.split(/\s+/) ?? [];

function ofCompose(): string[] {
  const { services } = parse(readFileSync(path.join(PROJECT, 'deploy/compose.yaml'), 'utf8')) as Compose;
  return words(services.postgres.environment.POSTGRES_INITDB_ARGS);
}

function ofStatefulSet(): string[] {
  const found = ofKind<StatefulSet>(readObjects(PROJECT), 'StatefulSet').find(({ metadata }) => metadata.name === 'postgres');
  const env = found?.spec.template.spec.containers.find(({ name }) => name === 'postgres')?.env;
  return words(env?.find(({ name }) => name === 'POSTGRES_INITDB_ARGS')?.value);
}

/** The initdb argument that CloudNativePG derives from each field of `bootstrap.initdb`; undefined when it derives none. */
const FIELDS: Record<string, ((value: unknown) => string | undefined) | undefined> = {
  database: undefined,
  owner: undefined,
  encoding: (value) => `--encoding=${value}`,
  localeProvider: (value) => `--locale-provider=${value}`,
  builtinLocale: (value) => `--builtin-locale=${value}`,
  locale: (value) => `--locale=${value}`,
  dataChecksums: (value) => (value === true ? '-k' : undefined),
};

function ofCloudNativePg(): string[] {
  const [cluster] = ofKind<Cluster>(readObjects(PROJECT), 'Cluster');
  const fields = Object.entries(cluster?.spec.bootstrap.initdb ?? {});
  expect(fields.map(([name]) => name).filter((name) => !(name in FIELDS))).toEqual([]);
  return fields.flatMap(([name, value]) => FIELDS[name]?.(value) ?? []);
}

test.each([
  ['deploy/compose.yaml', ofCompose],
  [`${FOLDER}/overlays/single`, ofStatefulSet],
  [`${FOLDER}/overlays/production`, ofCloudNativePg],
])('initdb accepts the arguments of %s', async (_where, deployed) => {
  const args = deployed();
  expect(args).toEqual(expect.arrayContaining(['--locale-provider=builtin', '--builtin-locale=C.UTF-8']));
  const folder = tempFolder('initdb');
  try {
    const cluster = path.join(folder, 'cluster');
    const user = userFor(cluster);
    const home = ownFolder(cluster, user);
    const initdb = path.join(await binaries(user), 'initdb');
    // Without LANG, so that missing arguments are not taken from the machine that runs the test.
    const { status, stderr } = spawnSync(initdb, ['-D', home, '-U', 'clinic_owner', '--no-sync', ...args], {
      cwd: home,
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
      ...user,
    });
    expect({ status, errors: stderr.split('\n').filter((line) => line.includes('error')) }).toEqual({ status: 0, errors: [] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
