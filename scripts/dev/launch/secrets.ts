// Secrets that are not configured are generated once and stored in the data folder, readable only by its owner.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { replaceFile } from '../../replace-file.ts';
import { StartFault } from '../start-fault.ts';

/** A random password. It begins with a letter, because a configuration could read a value such as `12e34` as a number. */
export const randomWord = (): string => `s${randomBytes(24).toString('hex')}`;
const ring = () => `k1:${randomBytes(32).toString('base64')}`;
/** A key from which each service's own key is derived. */
const masterKey = (id: string) => `${id}.*:${randomBytes(32).toString('base64')}`;

/** Generators of the secrets. */
export const MAKERS: Record<string, () => string> = {
  SUPERADMIN_KEYS: () => `operator:${randomWord()}`,
  JWT_PRIVATE_KEYS: () => `k1:${generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')}`,
  ENCRYPTION_KEYS: () => masterKey('k1'),
  INTERNAL_KEYS: ring,
  CHAT_APP_SECRET: randomWord,
  CHAT_VERIFY_TOKEN: randomWord,
  PAYMENTS_WEBHOOK_SECRET: randomWord,
};

/** Throws when the data folder has the database but not the keys of its encrypted values, which new keys could not replace. */
export function requireEncryptionKeys(env: NodeJS.ProcessEnv, dataDir: string): void {
  if (env.ENCRYPTION_KEYS || readStoredSecrets(dataDir).ENCRYPTION_KEYS) return;
  if (env.DATABASE_URL || !existsSync(path.join(dataDir, 'postgres/cluster'))) return;
  throw new StartFault(
    `${path.join(dataDir, 'secrets.env')} has no ENCRYPTION_KEYS, but ${dataDir} has a database with values that only these keys decrypt: put the file back. If it is lost, write ENCRYPTION_KEYS=<id>.*:<32 bytes as base64> into a new one, with an id that the lost keys did not have, such as k2.`,
  );
}

/** The environment, with each missing secret taken from `<dataDir>/secrets.env`; secrets that the file lacks are generated and added to it. */
export function withStoredSecrets(env: NodeJS.ProcessEnv, dataDir: string): NodeJS.ProcessEnv {
  const stored = readStoredSecrets(dataDir);
  const missing = Object.keys(MAKERS).filter((name) => !env[name] && !stored[name]);
  // In earlier releases all services shared the keys. These still decrypt old values; new values are encrypted with each service's own key.
  const shared = env.ENCRYPTION_KEYS || stored.ENCRYPTION_KEYS?.includes('.') ? undefined : stored.ENCRYPTION_KEYS;
  if (shared) stored.ENCRYPTION_KEYS = `${masterKey(`k${shared.split(',').length + 1}`)},${shared}`;
  if (missing.length > 0 || shared) {
    for (const name of missing) stored[name] = MAKERS[name]?.() ?? '';
    storeSecrets(dataDir, stored);
  }
  return { ...stored, ...Object.fromEntries(Object.entries(env).filter(([, value]) => value)) };
}

/** Generates ENCRYPTION_KEYS and adds them to `<dataDir>/secrets.env`. Returns their id, which none of the lost keys has. */
export function replaceLostEncryptionKeys(dataDir: string, lostIds: string[]): string {
  const lost = new Set(lostIds.map((id) => id.split('.')[0]));
  let number = 1;
  while (lost.has(`k${number}`)) number++;
  storeSecrets(dataDir, { ...readStoredSecrets(dataDir), ENCRYPTION_KEYS: masterKey(`k${number}`) });
  return `k${number}.*`;
}

function storeSecrets(dataDir: string, secrets: Record<string, string>): void {
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value}\n`);
  replaceFile(path.join(dataDir, 'secrets.env'), lines.join(''));
}

export function readStoredSecrets(dataDir: string): Record<string, string> {
  const file = path.join(dataDir, 'secrets.env');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return Object.fromEntries([...text.matchAll(/^(.*?)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}
