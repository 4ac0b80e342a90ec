// `npm start`: data is retained, the next start recovers from a killed one, Ctrl-C leaves no process behind.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { NODE_FLAGS } from '../node-flags.ts';
import { familyOf, servicesBelow } from '../processes.ts';
import { MAKERS } from './launch/secrets.ts';
import { declaredServices, readAllSettings } from './launch/settings.ts';
import { PREPARED } from './prepared-postgres.ts';
import { type Product, startProduct } from './product.ts';
import { isRunning, tempFolder } from './temp-folder.ts';

/** Command lines of processes that work on this folder. */
function processesOn(folder: string): string[] {
  const lines = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(folder));
}

/** Empty if the process has ended. */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

/** How many of something the demo clinic has. */
async function count({ api }: Product, path: string): Promise<number> {
  const json = { 'Content-Type': 'application/json' };
  const login = await fetch(`${api.baseUrl}/api/auth/login`, { method: 'POST', headers: json, body: JSON.stringify(api.demo) });
  const { access_token: token } = (await login.json()) as { access_token: string };
  const list = await fetch(`${api.baseUrl}/api/${path}`, { headers: { Authorization: `Bearer ${token}` } });
  return ((await list.json()) as { total: number }).total;
}
const countPatients = (product: Product) => count(product, 'patients');

/** Process ids of the services and the gateway. */
const childrenOf = ({ child }: Product) => servicesBelow(child.pid as number).map(({ pid }) => pid);

/** Another address of this machine than 127.0.0.1, to which that which listens on all addresses answers. */
const elsewhere = '127.0.0.2';

describe('open to others, one data folder', () => {
  const folder = tempFolder('open');
  const open = (topology: 'single' | 'distributed') => startProduct(topology, { DATA_DIR: folder, HOST: '0.0.0.0' });
  let product: Product;

  afterAll(async () => {
    await product?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the demo clinic has a password of its own, which is printed once', async () => {
    product = await open('single');
    const { password } = product.api.demo;
    expect(password).toMatch(/^[\w-]{16}$/);
    expect(product.output()).toContain(`Demo sign-in  admin@sonrisa.example ${password}\n`);
    expect((await fetch(`http://${elsewhere}:${new URL(product.api.baseUrl).port}/docs`)).status).toBe(200);
    expect(await countPatients(product)).toBeGreaterThanOrEqual(12);
    await product.stop();
    product = await open('distributed');
    expect(product.output()).toMatch(/Demo sign-in .*demo\.json/);
    expect(product.output()).not.toContain(password);
  });

  test('the distributed start runs seven processes, restarts one that is killed, and leaves none behind after kill -9', async () => {
    const before = childrenOf(product);
    expect(before).toHaveLength(7);
    process.kill(before[0] as number, 'SIGKILL');
    await waitFor(() => /\w+ ended \(SIGKILL\); restarting it/.test(product.output()) && childrenOf(product).length === 7);
    const services = childrenOf(product);
    expect(services).not.toEqual(before);
    product.child.kill('SIGKILL');
    await waitFor(() => !services.some(isRunning));
    product = await open('single');
    expect(await countPatients(product)).toBeGreaterThanOrEqual(12);
  });
});

test.each(['start', 'start-distributed', 'seed'])('%s --help says what it does and starts nothing, and an unknown option is refused', (program) => {
  const run = (...options: string[]) => spawnSync(process.execPath, ['scripts/run.js', program, ...options], { encoding: 'utf8', timeout: 600_000 });
  expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: .*npm (run )?(start|seed)/) });
  expect(run('--port', '1')).toMatchObject({ status: 1, stderr: expect.stringContaining("Unknown option '--port'") });
});

const secrets = Object.fromEntries(Object.entries(MAKERS).map(([name, make]) => [name, make()]));

test('a database that was given gets no demo clinic unless asked', () => {
  const given = { DATABASE_URL: 'postgres://owner@database.example/clinic', DATA_DIR: '.data' };
  const seeds = (env: NodeJS.ProcessEnv) => readAllSettings([], { ...secrets, ...env }).DEMO_SEED;
  expect([seeds({ DATA_DIR: '.data' }), seeds(given), seeds({ ...given, DEMO_SEED: 'true' })]).toEqual([true, false, true]);
});

describe('invalid settings', () => {
  const faultsOf = async (env: NodeJS.ProcessEnv): Promise<string[]> => {
    const services = await declaredServices();
    try {
      readAllSettings(services, { ...secrets, DATA_DIR: '.data', ...env });
      return [];
    } catch (error) {
      return (error as Error).message
        .split('\n')
        .slice(1, -1)
        .map((line) => line.trim())
        .toSorted();
    }
  };

  test('are named by what is allowed', async () => {
    const ranges = { ASSISTANT_DAILY_TOKENS: '-1', ASSISTANT_TIMEOUT_SECONDS: '0', CLINIC_REQUESTS_PER_MINUTE: '0', DATABASE_POOL: '1', DRAIN_SECONDS: '-1' };
    expect(await faultsOf({ ...ranges, MAIL_FROM: 'nobody', TRUST_PROXY: '11' })).toEqual([
      'ASSISTANT_DAILY_TOKENS: must be 0 to 1000000000',
      'ASSISTANT_TIMEOUT_SECONDS: must be a number of seconds from 0.3 to 600',
      'CLINIC_REQUESTS_PER_MINUTE: must be a number from 1 to 1000000, or off',
      'DATABASE_POOL: must be 2 to 200',
      'DRAIN_SECONDS: must be a number of seconds from 0 to 15',
      'MAIL_FROM: must be an address, for example Clínica <no-reply@clinic.example>',
      'TRUST_PROXY: must be a number of proxies from 0 to 10',
    ]);
    expect(await faultsOf({ CLINIC_REQUESTS_PER_MINUTE: 'off', MAIL_FROM: 'clinic@clinic.example', TRUST_PROXY: '0' })).toEqual([]);
  });

  test('of the simulators are refused too', async () => {
    expect(await faultsOf({ CHAT_SIMULATOR_PORT: 'abc', DTE_SIMULATOR_PORT: '99999', DTE_SCHEMA_DIR: '/nowhere' })).toEqual([
      'CHAT_SIMULATOR_PORT: must be a port number',
      'DTE_SCHEMA_DIR: must be a folder that contains legacy-2022-2025 and current-2026',
      'DTE_SIMULATOR_PORT: must be a port number',
    ]);
  });

  test('production requires the key of an operator', async () => {
    const production = { NODE_ENV: 'production', SUPERADMIN_KEYS: '' };
    expect(await faultsOf(production)).toEqual(['SUPERADMIN_KEYS: is required']);
    const folder = tempFolder('operator-keys');
    const SUPERADMIN_KEYS_FILE = path.join(folder, 'keys');
    writeFileSync(SUPERADMIN_KEYS_FILE, 'ana:0123456789abcdef\n');
    expect(await faultsOf({ ...production, SUPERADMIN_KEYS_FILE })).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

describe('one data folder, started again and again', () => {
  const folder = tempFolder('start');
  const withHistory = { DATA_DIR: folder, DEMO_HISTORY: 'true', SECRET_OF_TEST: 'canary' };
  let product: Product;

  beforeAll(async () => {
    product = await startProduct('single', { ...withHistory, [PREPARED]: '' }); // from nothing
  });
  afterAll(async () => {
    await product.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the first start seeds the demo clinic, and only its owner can read its secrets, which its servers do not have', async () => {
    expect(product.output()).toContain('seeded Clínica Dental Sonrisa: 3 doctors');
    expect(await countPatients(product)).toBeGreaterThanOrEqual(12);
    for (const file of ['secrets.env', 'demo.json']) expect(statSync(path.join(folder, file)).mode & 0o077).toBe(0);
    const [, ...servers] = familyOf(product.child.pid as number);
    expect(servers.filter((pid) => environmentOf(pid).includes('canary'))).toEqual([]);
  });

  test('a concurrent second start on the same folder is refused with one sentence', async () => {
    await expect(startProduct('single', { DATA_DIR: folder })).rejects.toThrow(/ready:\nThe data folder \S+ is in use by another start[^\n]*\n$/);
  });

  test('only this machine reaches it, health and metrics included', async () => {
    const { baseUrl, adminUrl } = product.api;
    for (const url of [baseUrl, `${adminUrl}/metrics`].map((one) => new URL(one))) {
      expect((await fetch(url)).status).toBeLessThan(500);
      url.hostname = elsewhere;
      await expect(fetch(url)).rejects.toThrow();
    }
  });

  test('Ctrl-C leaves no process', async () => {
    await product.stop();
    expect(product.child.exitCode).toBe(0);
    expect(processesOn(folder)).toEqual([]);
  });

  test('with its documented password it is not opened to others', async () => {
    await expect(startProduct('single', { DATA_DIR: folder, HOST: '0.0.0.0' })).rejects.toThrow(/ready:\nHOST is 0\.0\.0\.0, but the demo clinic[^\n]*\n$/);
    // As after a restore.
    renameSync(path.join(folder, 'demo.json'), path.join(folder, 'demo.before'));
    await expect(startProduct('single', { DATA_DIR: folder, HOST: '0.0.0.0' })).rejects.toThrow(/ready:\nHOST is 0\.0\.0\.0, but the database[^\n]*\n$/);
    renameSync(path.join(folder, 'demo.before'), path.join(folder, 'demo.json'));
  });

  test('the next start has the data and does not seed again', async () => {
    const secrets = readFileSync(path.join(folder, 'secrets.env'), 'utf8');
    product = await startProduct('single', withHistory);
    expect(product.output()).not.toContain('seeded');
    expect(readFileSync(path.join(folder, 'secrets.env'), 'utf8')).toBe(secrets);
    expect(await countPatients(product)).toBeGreaterThanOrEqual(12);
  });

  test('after kill -9, with PostgreSQL and NATS still running, the next start ends them and continues', async () => {
    const left = processesOn(folder).length;
    product.child.kill('SIGKILL');
    product = await startProduct('single', withHistory);
    expect(processesOn(folder)).toHaveLength(left);
    expect(await countPatients(product)).toBeGreaterThanOrEqual(12);
  });

  test('the history of the demo clinic, interrupted by both, is completed once', async () => {
    await waitFor(() => product.output().includes('the demo clinic has its history of sixty days'));
    expect([await countPatients(product), await count(product, 'waitlist')]).toEqual([90, 3]);
    expect(await count(product, 'appointments?status=completed')).toBeGreaterThan(300);
    expect(JSON.parse(readFileSync(path.join(folder, 'demo.json'), 'utf8'))).toMatchObject({
      history: { done: expect.arrayContaining(['appointments', 'chats']) },
    });
  });

  test('npm run seed adds clinics with their history and ends', async () => {
    await product.stop();
    const env = { ...process.env, DATA_DIR: folder, PORT: '0', ADMIN_PORT: '0' };
    const seed = spawnSync(process.execPath, [...NODE_FLAGS, 'scripts/run.js', 'seed', '--clinics', '2'], { encoding: 'utf8', env });
    expect(seed).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^clinic 1 of 2: admin@sonrisa.example [\s\S]*^clinic 2 of 2: admin@clinica-2.example /m),
    });
    expect(processesOn(folder)).toEqual([]);
  });
});

describe('faults that a start reports in one sentence', () => {
  const folder = tempFolder('refused');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const refusal = (env: NodeJS.ProcessEnv) => startProduct('single', { DATA_DIR: path.join(folder, 'data'), [PREPARED]: '', ...env });

  test('a port in use', async () => {
    const { createServer } = await import('node:net');
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, () => resolve((server.address() as { port: number }).port));
    });
    await expect(refusal({ PORT: String(port) })).rejects.toThrow(new RegExp(`ready:\nPort ${port} is in use: [^\n]*\n$`));
    server.close();
    expect(processesOn(folder)).toEqual([]);
  });

  test('a data folder that cannot be written', async () => {
    await expect(refusal({ DATA_DIR: '/proc/clinic' })).rejects.toThrow(/ready:\nThe data folder \/proc\/clinic [^\n]*: set DATA_DIR to another one\n$/);
  });

  test('faults in the settings of several services, in one message', async () => {
    await expect(refusal({ LOG_LEVEL: 'loud', TRUST_PROXY: 'many', DEMO_SEED: 'maybe' })).rejects.toThrow(
      /Invalid settings:\n(?=.*LOG_LEVEL)(?=.*TRUST_PROXY)(?=.*DEMO_SEED)/s,
    );
    expect(readdirSync(path.join(folder, 'data'))).not.toContain('postgres');
  });
});
