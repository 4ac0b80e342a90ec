// The secrets of an installation that nobody configured: made once, kept in the data folder for its owner alone.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const word = () => randomBytes(24).toString('base64url');
const ring = () => `k1:${randomBytes(32).toString('base64')}`;

/** How each secret is made. */
export const MAKERS: Record<string, () => string> = {
  SUPERADMIN_KEYS: () => `operator:${word()}`,
  JWT_PRIVATE_KEYS: () => `k1:${generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')}`,
  ENCRYPTION_KEYS: ring,
  INTERNAL_KEYS: ring,
  CHAT_APP_SECRET: word,
  CHAT_VERIFY_TOKEN: word,
  PAYMENTS_WEBHOOK_SECRET: word,
};

/** The environment with each missing secret filled in from `<dataDir>/secrets.env`, where it is made when it is not there yet. */
export function withKeptSecrets(env: NodeJS.ProcessEnv, dataDir: string): NodeJS.ProcessEnv {
  const file = path.join(dataDir, 'secrets.env');
  const kept = read(file);
  const missing = Object.keys(MAKERS).filter((name) => !env[name] && !kept[name]);
  if (missing.length > 0) {
    for (const name of missing) kept[name] = MAKERS[name]?.() ?? '';
    writeFileSync(
      `${file}.new`,
      Object.entries(kept)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
      { mode: 0o600 },
    );
    renameSync(`${file}.new`, file);
  }
  return { ...kept, ...Object.fromEntries(Object.entries(env).filter(([, value]) => value)) };
}

function read(file: string): Record<string, string> {
  if (!existsSync(file)) return {};
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('='));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
