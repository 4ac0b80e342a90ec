// `npm run bench -- --peer directus`: compares the list of a day with Directus (https://directus.io), which serves the same rows from tables of the
// same shape. Directus is not a dependency and must be installed. It runs as administrator, so it checks no permissions.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../lib/runtime/free-port.ts';
import { query } from '../database.ts';
import { familyOf } from '../processes.ts';
import { hasEnded } from '../spawn-node.ts';
import { isOk, until } from '../until.ts';
import { end, type Server, startFloor, startGenerator, startProduct } from './children.ts';
import { describe } from './dataset.ts';
import { loadDataset } from './load.ts';
import type { Options } from './options.ts';
import { requestOf } from './requests.ts';
import { inTurn, ratio, type Side, type Summary } from './rounds.ts';
import { openStores, type Store } from './stores.ts';
import { signTokens } from './tokens.ts';
import { push, whileRunning } from './while-running.ts';

const START_MS = 120_000;

/** The path of the program, found through PATH. */
function findDirectus(): string {
  const found = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'directus'));
  const program = found.find((file) => existsSync(file));
  if (!program) throw new Error('directus is not in PATH: install it (npm install --global directus) or add its node_modules/.bin to PATH');
  return program;
}

type PeerFigures = { date: string; options: Options; product: Summary; directus: Summary; floor: Summary };

export function measurePeer(options: Options, log: (line: string) => void): Promise<PeerFigures> {
  const program = findDirectus();
  return whileRunning(async (running) => {
    log('starting PostgreSQL and NATS');
    const data = describe({ clinics: options.clinics, appointments: options.appointments, today: new Date().toISOString().slice(0, 10) });
    const store = (await openStores(['peer'], running)).get('peer') as Store;
    await loadDataset(store.ownerUrl, data);
    log('copying the tables for Directus');
    for (const statement of COPIES) await query(store.ownerUrl, statement);
    log('starting Directus');
    const token = randomBytes(24).toString('hex');
    const directus = await push(running, startDirectus(program, store.ownerUrl, token));
    const product = await push(running, startProduct('single', 'one process', store.env));
    const floor = await push(running, startFloor('floor', store.ownerUrl));
    const generator = await push(running, startGenerator());
    const next = { read: 0, booking: 0 };
    const side = (server: Server, more: Partial<Side> = {}): Side => ({ server, size: data, stores: store.parts, next, ...more });
    const sides = [side(product, { tokens: await signTokens(store.env, data) }), side(directus, { adminToken: token }), side(floor)];
    await compareRows(sides);
    log('in turn: the product, Directus, the floor');
    const [one, two, three] = (await inTurn(generator, 'list', sides, options.pace)) as [Summary, Summary, Summary];
    return { date: new Date().toISOString(), options, product: one, directus: two, floor: three };
  });
}

const COPIES = [
  'create schema peer',
  'create table peer.patients as select id, clinic_id, full_name, phone from scheduling.patients',
  'create table peer.doctors as select id, clinic_id, full_name, specialty from scheduling.doctors',
  `create table peer.appointments as select id, clinic_id, doctor_id, patient_id, appointment_date, start_time, end_time, starts_at, status, source, notes,
    cancellation_reason, cancelled_at, completed_at, created_at, updated_at from scheduling.appointments`,
  ...['patients', 'doctors', 'appointments'].map((table) => `alter table peer.${table} add primary key (id)`),
  'alter table peer.appointments add foreign key (patient_id) references peer.patients, add foreign key (doctor_id) references peer.doctors',
  'create index on peer.appointments (clinic_id, appointment_date, start_time)',
  'vacuum (analyze)',
];

async function startDirectus(program: string, ownerUrl: string, token: string): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    NODE_ENV: 'production',
    NODE_OPTIONS: '--no-node-snapshot', // its sandbox needs it
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: ownerUrl,
    DB_SEARCH_PATH: 'peer',
    SECRET: randomBytes(24).toString('hex'),
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: randomBytes(12).toString('hex'),
    ADMIN_TOKEN: token,
    HOST: '127.0.0.1',
    PORT: String(port),
    PUBLIC_URL: url,
    LOG_LEVEL: 'warn',
    TELEMETRY: 'false',
  };
  const run = (command: string) => spawn(program, [command], { cwd: path.dirname(program), env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(run('bootstrap'), 'exit');
  if (code !== 0) throw new Error('directus bootstrap failed');
  const child = run('start');
  const answers = () => isOk(`${url}/server/ping`);
  await until(async () => hasEnded(child) || (await answers()), START_MS, 500);
  if (!(await answers())) {
    await end(child);
    throw new Error('Directus did not start');
  }
  return { name: 'directus', url, parts: [{ name: 'directus', pids: () => familyOf(child.pid as number) }], metrics: new Map(), stop: () => end(child) };
}

/** Throws unless all sides return the same number of appointments for the same request. */
async function compareRows(sides: Side[]): Promise<void> {
  const counts = await Promise.all(
    sides.map(async ({ server, size, ...target }) => {
      const { path: at, headers } = requestOf({ data: describe(size), operation: 'list', ...target }, 1) ?? {};
      const body = (await (await fetch(`${server.url}${at}`, { headers: headers as Record<string, string> })).json()) as { appointments?: []; data?: [] };
      return (body.appointments ?? body.data)?.length;
    }),
  );
  if (new Set(counts).size !== 1 || !counts[0]) throw new Error(`the same request returned ${counts.join(', ')} appointments`);
}

export function reportPeer({ options, product, directus, floor }: PeerFigures): string {
  const line = (name: string, one: Summary) =>
    `${name.padEnd(14)}${one.perSecond.toFixed(0).padStart(7)}/s  p50 ${one.p50.toFixed(1)} ms  p99 ${one.p99.toFixed(1)} ms  ${ratio(one, floor, (round) => round.perSecond).toFixed(2)} of the floor`;
  return [
    `appointments of a day, ${options.pace.inFlight} in flight, medians of ${options.pace.rounds} rounds of ${options.pace.seconds} s`,
    line('one process', product),
    line('Directus', directus),
    line('floor', floor),
  ].join('\n');
}
