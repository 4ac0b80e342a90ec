// `npm run secrets`: generates the secrets of an installation, each in a file, as deploy/compose.yaml mounts them.
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { encryptionKeyRing, keyRing, type NamedKey } from '@clinic/lib/config/config.ts';
import { serviceKeySetting } from '@clinic/lib/crypto/service-keys.ts';
import { databaseUrls, monitorUrl } from '@clinic/lib/db/migrate.ts';
import { deriveAssertionKeys, deriveCallKeys } from '@clinic/lib/rpc/call-keys.ts';
import { NATS_USERS, natsUrlOf, withPasswords } from '../dev/embedded/nats-passwords.ts';
import { createAuthority, isDue, issueCertificate } from '../dev/launch/certificates.ts';
import { lockDataFolder } from '../dev/launch/data-folder.ts';
import { MAKERS, randomWord } from '../dev/launch/secrets.ts';
import { misused, parseOptions } from '../help.ts';
import { SERVICES } from '../schemas.ts';

const USAGE = `Usage: npm run secrets -- <folder> [postgres [nats]]

Generates each secret that is missing in the folder: keys, the URLs of the owner and of each process for PostgreSQL at the address <postgres>
(default: postgres:5432), and the URLs of each process for NATS at the address <nats> (default: nats:4222). Existing secrets are not changed,
except derived ones: the keys of calls between processes are derived from internal_keys, and those of the services from encryption_keys.
Certificates that expire within 60 days are renewed. deploy/secrets/README.md lists which process needs which secret.`;

const [folder, address = 'postgres:5432', natsAddress = 'nats:4222'] = parseOptions({ allowPositionals: true }, USAGE, 3).positionals;
if (!folder) misused('Name the folder for the secrets.', USAGE);
process.umask(0o022); // the users of the containers read the files
mkdirSync(folder, { recursive: true });
chmodSync(folder, 0o700); // it may exist: Git creates deploy/secrets readable for everybody
// Two runs at once would each generate some of the secrets.
await lockDataFolder(realpathSync(folder)).catch(() => {
  console.error(`Another npm run secrets writes into ${folder}: wait until it has ended.`);
  process.exit(1);
});

const password = ensureSecret('database_owner_password', randomWord);
const owner = ensureSecret('database_owner', () => `postgres://clinic_owner:${password}@${address}/clinic`);
for (const name of [...SERVICES, 'gateway']) {
  const urls = databaseUrls(owner, name);
  const { host } = new URL(ensureSecret(`database_${name}`, () => urls.DATABASE_URL));
  // The gateway has no system connections.
  if (name !== 'gateway') ensureSecret(`database_${name}_system`, () => Object.assign(new URL(urls.DATABASE_SYSTEM_URL), { host }).href);
}
ensureSecret('database_monitor_password', () => new URL(monitorUrl(owner)).password);
const knownPasswords = read('nats_passwords');
const natsPasswords = withPasswords(knownPasswords ? `${knownPasswords}\n` : '');
writeSecret('nats_passwords', natsPasswords);
for (const user of NATS_USERS) ensureSecret(`nats_${user}`, () => natsUrlOf(user, natsAddress, natsPasswords));
for (const [name, make] of Object.entries(MAKERS)) ensureSecret(name.toLowerCase(), make);
const internal = ringIn('internal_keys', keyRing);
const processes = [...SERVICES, 'gateway'];
for (const name of processes) writeSecret(`call_keys_${name}`, deriveCallKeys(internal, name, processes));
const encryption = ringIn('encryption_keys', encryptionKeyRing);
for (const name of SERVICES) writeSecret(`encryption_keys_${name}`, serviceKeySetting(encryption, name));
const { privateKeys, publicKeys } = deriveAssertionKeys(internal);
writeSecret('assertion_keys', privateKeys);
writeSecret('assertion_public_keys', publicKeys);
await ensureCertificates();
ensureSecret('smtp_url', () => 'smtp://mail:1025');
ensureSecret('assistant_api_key', () => '');
ensureSecret('grafana_password', randomWord);

function read(name: string): string | undefined {
  const file = path.join(folder as string, name);
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;
}

function ringIn(name: string, ring: typeof keyRing): NamedKey[] {
  const parsed = ring.safeParse(read(name));
  return parsed.success ? parsed.data : misused(`${name} must contain id:base64 pairs of 32 bytes, separated by commas, each id once.`, USAGE);
}

/** Returns the secret, which is generated when its file does not exist, or is empty because an earlier run was killed. */
function ensureSecret(name: string, make: () => string): string {
  return read(name) || writeSecret(name, make());
}

/**
 * Writes the secret unless its file already contains it. The file is written in place, because running containers have the file itself mounted.
 * It is readable by everybody, since a container's user must be able to read it; the mode of the folder protects it.
 */
function writeSecret(name: string, value: string): string {
  const secret = value.trim();
  if (read(name) === secret) return secret;
  writeFileSync(path.join(folder as string, name), `${secret}\n`, { mode: 0o644 });
  console.log(`generated ${name}`);
  return secret;
}

/** Creates the authority unless it exists, and the certificates of processes that have none or whose certificate is due for renewal. */
async function ensureCertificates(): Promise<void> {
  // Keys are written before their certificates: the next run of an interrupted command would not replace a certificate without a key.
  if (!read('tls_ca')) {
    const { certificate, key } = await createAuthority();
    writeSecret('tls_ca_key', key);
    writeSecret('tls_ca', certificate);
  }
  const authority = { certificate: read('tls_ca') ?? '', key: read('tls_ca_key') ?? '' };
  for (const name of processes) {
    const known = read(`tls_cert_${name}`);
    if (known && !isDue(known, authority.certificate)) continue;
    const { certificate, key } = await issueCertificate(authority, name);
    writeSecret(`tls_key_${name}`, key);
    writeSecret(`tls_cert_${name}`, certificate);
  }
}
