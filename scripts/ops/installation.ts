// Finds the stores and the keys of an installation: in the environment, or else in the data folder of a running embedded one.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readFileSettings, readSettings } from '@clinic/lib/config/config.ts';
import type { ObjectStore } from '@clinic/lib/objects/object-store.ts';
import { openObjectStore } from '@clinic/lib/objects/objects.ts';
import { type ObjectSettings, objectSettings } from '@clinic/lib/objects/settings.ts';
import { createLog } from '@clinic/lib/telemetry/log.ts';
import { natsUrlOf } from '../dev/embedded/nats-passwords.ts';
import { embeddedUrl } from '../dev/embedded/postgres.ts';
import { dataFolder } from '../dev/launch/data-folder.ts';
import { readStoredSecrets } from '../dev/launch/secrets.ts';
import { PROJECT } from '../schemas.ts';

const fromEnvironment = (name: string) => readFileSettings([name], process.env)[name];

/** DATABASE_URL, or the content of the file that DATABASE_URL_FILE names. */
export const configuredUrl = (): string | undefined => fromEnvironment('DATABASE_URL');

/** The owner's URL of PostgreSQL; undefined when it is not set and no embedded server runs. */
export const ownerUrl = (): string | undefined => configuredUrl() || embeddedUrl(dataFolder());

/** The owner's URL of the installation that a clinic moves to. */
export const targetUrl = (): string | undefined =>
  fromEnvironment('TARGET_DATABASE_URL') || (process.env.TARGET_DATA_DIR ? embeddedUrl(path.resolve(PROJECT, process.env.TARGET_DATA_DIR)) : undefined);

/** The store of patients' files. */
export const fileStore = (): ObjectStore => openStore(storeSettings());

/** The file stores of a move to another installation. `from` is undefined when both installations have the same store, `to` when the target's is not set. */
export function storesOfMove(): { from: ObjectStore | undefined; to: ObjectStore | undefined } {
  const named = Object.keys(objectSettings).flatMap((name) => [name, `${name}_FILE`]);
  const target = Object.fromEntries(named.map((name) => [name, process.env[`TARGET_${name}`]]));
  const [here, there] = [storeSettings(), storeSettings(target)];
  const to = target.DATA_DIR || there.S3_ENDPOINT ? openStore(there) : undefined;
  const placeOf = ({ DATA_DIR, S3_ENDPOINT, S3_BUCKET }: ObjectSettings) => (S3_ENDPOINT ? `${S3_ENDPOINT} ${S3_BUCKET}` : DATA_DIR);
  return { from: placeOf(here) === placeOf(there) ? undefined : openStore(here), to };
}

function storeSettings(env: NodeJS.ProcessEnv = process.env): ObjectSettings {
  const settings = readSettings(objectSettings, env);
  return { ...settings, DATA_DIR: path.resolve(PROJECT, settings.DATA_DIR) };
}

const openStore = (settings: ObjectSettings) => openObjectStore(settings, createLog('ops', 'error'));

/** A setting from the environment or from the file that its `_FILE` variable names, or else the secret stored in the data folder. */
export const storedSetting = (name: string): string | undefined => fromEnvironment(name) || readStoredSecrets(dataFolder())[name];

/** The URL of NATS for operators' commands; undefined when it is not set and no embedded server has run. */
export function natsUrl(): string | undefined {
  const url = fromEnvironment('NATS_URL');
  if (url) return url;
  const [file, passwords] = ['nats.conf', 'passwords.conf'].map((name) => path.join(dataFolder(), 'nats', name)) as [string, string];
  const listen = existsSync(file) && existsSync(passwords) ? /^listen: "(.*)"$/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return listen && natsUrlOf('ops', listen, readFileSync(passwords, 'utf8'));
}
