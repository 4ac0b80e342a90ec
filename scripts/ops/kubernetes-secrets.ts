// `npm run kubernetes-secrets`: prints the secrets made by `npm run secrets` as objects for `kubectl apply --server-side -f -`.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { misused, parseOptions } from '../help.ts';

const USAGE = `Usage: npm run -s kubernetes-secrets -- <folder> <single|production> | kubectl apply --server-side -f -

Prints the Secrets of an overlay of deploy/k8s, from the files that npm run secrets wrote into the folder: clinic-secrets for the processes, of
which each pod receives only the keys that it needs; clinic-owner for the migration, operators' commands and the exporter of PostgreSQL; and those
of PostgreSQL and NATS.

  --checksum  prints a patch for a Deployment instead, with the checksum of clinic-secrets: it restarts the pods when the secrets have changed
  --help      this text`;

const { values, positionals } = parseOptions({ options: { checksum: { type: 'boolean' } }, allowPositionals: true }, USAGE, 2);
const [folder, overlay] = positionals;
if (!folder || (overlay !== 'single' && overlay !== 'production')) misused('Name the folder of the secrets and the overlay, single or production.', USAGE);
if (!existsSync(path.join(folder, 'database_owner'))) misused(`${folder} has no secrets: create them with npm run secrets.`, USAGE);
const production = overlay === 'production';

/** Files that are not part of clinic-secrets. */
const OTHERS = [
  ...['database_owner', 'database_owner_password', 'database_monitor_password', 'encryption_keys', 'nats_passwords', 'nats_ops', 'grafana_password'],
  ...['README.md', '.gitignore'],
  ...['internal_keys', 'tls_ca_key'], // stay on the machine of npm run secrets
];

const read = (file: string) =>
  existsSync(path.join(folder, file))
    ? readFileSync(path.join(folder, file), 'utf8').trim()
    : misused(`${folder} has no ${file}: run npm run secrets again.`, USAGE);
const ofProcesses = Object.fromEntries(
  readdirSync(folder)
    .filter((file) => !OTHERS.includes(file))
    .sort()
    .map((file) => [file, read(file)]),
);

if (values.checksum) {
  const checksum = createHash('sha256').update(JSON.stringify(ofProcesses)).digest('hex');
  console.log(JSON.stringify({ spec: { template: { metadata: { annotations: { 'clinic/secrets': checksum } } } } }));
} else {
  const password = read('database_owner_password');
  // Not through the pooler, whose connections are not sessions. The superuser of CloudNativePG is always named postgres.
  const owner = production ? `postgres://postgres:${password}@database-rw.clinic-data:5432/clinic` : read('database_owner');
  const stores = production ? 'clinic-data' : 'clinic';
  const items = [
    secret('clinic', 'clinic-secrets', ofProcesses),
    secret('clinic', 'clinic-owner', {
      database_owner: owner,
      database_owner_password: password,
      database_monitor_password: read('database_monitor_password'),
      encryption_keys: read('encryption_keys'),
      nats_ops: read('nats_ops'),
    }),
    secret(stores, 'nats', { 'passwords.conf': `${read('nats_passwords')}\n` }),
    ...(production ? [secret(stores, 'database-superuser', { username: 'postgres', password }, 'kubernetes.io/basic-auth')] : []),
  ];
  console.log(JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2));
}

function secret(namespace: string, name: string, values: Record<string, string>, type = 'Opaque') {
  const data = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, type, data };
}
