// An installation for one test run: the image, secrets and deploy/compose.yaml, under its own project name and on its own ports.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Stoppable, stopAll } from '@clinic/lib/background/stop.ts';
import type { PublicApi } from '@clinic/lib/testing/public-api.ts';
import { DockerComposeEnvironment, Wait } from 'testcontainers';
import { freePort } from '../../lib/runtime/free-port.ts';
import { startSimulator } from '../../scripts/dev/chat-simulator/server.ts';
import { MAKERS } from '../../scripts/dev/launch/secrets.ts';
import { UNLIMITED } from '../../scripts/dev/product.ts';
import { openWire } from '../../scripts/dev/wire.ts';
import { PROJECT } from '../../scripts/schemas.ts';
import { containerOf, engine } from './engine.ts';

const DEMO = { email: 'admin@sonrisa.example', password: 'Sonrisa-2026' };
const SETTINGS = ['LOG_LEVEL=warn', ...Object.keys(UNLIMITED).map((name) => `${name}=off`), 'CLINIC_REQUESTS_PER_MINUTE=off', 'CLINIC_CONCURRENT_REQUESTS=off'];

const running: Stoppable[] = [];

/** For jest's global setup. CLINIC_IMAGE and CLINIC_DEMO_IMAGE name existing images to use; by default the images are built. */
export async function setup(): Promise<void> {
  try {
    await start();
  } catch (error) {
    await stopAll(running);
    throw error;
  }
}

export async function teardown(): Promise<void> {
  await stopAll(running);
}

async function start(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'clinic-containers-'));
  running.push({ stop: async () => rmSync(folder, { recursive: true, force: true }) });
  const secrets = path.join(folder, 'secrets');
  execFileSync(process.execPath, [path.join(PROJECT, 'scripts/run.js'), 'make-secrets', secrets]);
  const secret = (name: string) => readFileSync(path.join(secrets, name), 'utf8').trim();

  const ports = { PORT: await freePort(), ADMIN_PORT: await freePort(), MAIL_PORT: await freePort() };
  const provider = await startProvider(ports.PORT, secret('chat_app_secret'));
  const settings = path.join(folder, 'settings.env');
  writeFileSync(settings, [...SETTINGS, `CHAT_API_BASE_URL=${provider}`, ''].join('\n'));

  const image = process.env.CLINIC_IMAGE ?? buildImage();
  const demoImage = process.env.CLINIC_DEMO_IMAGE ?? buildImage('demo');
  const environment = {
    SECRETS_DIR: secrets,
    SETTINGS_FILE: settings,
    CLINIC_IMAGE: image,
    CLINIC_DEMO_IMAGE: demoImage,
    DEMO_PASSWORD: DEMO.password,
  };
  const baseUrl = `http://localhost:${ports.PORT}`;
  const project = `clinic-${process.pid}`;
  const compose = await new DockerComposeEnvironment(path.join(PROJECT, 'deploy'), 'compose.yaml')
    .withProjectName(project)
    .withEnvironment({ ...environment, ...Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)])), PUBLIC_URL: baseUrl })
    .withProfiles('demo')
    .withDefaultWaitStrategy(Wait.forHealthCheck())
    // `demo` creates the demo clinic and exits. testcontainers removes the project from the names of Compose 2 only; Compose 1 uses underscores.
    .withWaitStrategy('demo-1', Wait.forOneShotStartup())
    .withWaitStrategy(`${project}_demo_1`, Wait.forOneShotStartup())
    .withStartupTimeout(180_000)
    .up();
  running.push({ stop: () => compose.down({ removeVolumes: true, timeout: 30_000 }) });
  const [postgres, nats] = [await inside(project, 'postgres', 5432), await inside(project, 'nats', 4222)];
  layOut(folder, { postgres, nats, secret });
  const operatorKey = secret('superadmin_keys').replace(/^\w+:/, '');
  const api: PublicApi = { topology: 'distributed', baseUrl, adminUrl: `http://localhost:${ports.ADMIN_PORT}`, operatorKey, demo: DEMO, dataDir: folder };
  process.env.CLINIC_PUBLIC_API_DISTRIBUTED = JSON.stringify(api);
  process.env.CLINIC_CONTAINERS = JSON.stringify({ project, image, mailUrl: `http://localhost:${ports.MAIL_PORT}` });
}

/** Removes the image after the run. Its layers remain, so that the next build is quick. */
function buildImage(target?: string): string {
  const image = `clinic-management${target ? `-${target}` : ''}:test-${process.pid}`;
  const parts = ['-f', 'deploy/Dockerfile', '-t', image, ...(target ? ['--target', target] : [])];
  execFileSync('docker', ['build', '-q', ...parts, '.'], { cwd: PROJECT, stdio: ['ignore', 'ignore', 'inherit'] });
  running.push({ stop: async () => (await engine()).getImage(image).remove({ force: true }) });
  return image;
}

/** Starts the simulated chat provider in the tests' process, on an address that containers can reach. Returns its URL. */
async function startProvider(gatewayPort: number, appSecret: string): Promise<string> {
  const simulator = await startSimulator({ port: 0, webhookUrl: `http://127.0.0.1:${gatewayPort}/webhooks/chat`, secret: appSecret });
  running.push(simulator);
  const addresses = Object.values(os.networkInterfaces()).flatMap((found) => found ?? []);
  const address = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  if (!address) throw new Error('this machine has no address at which containers could reach the simulated chat provider');
  const way = await openWire({ host: '127.0.0.1', port: Number(new URL(simulator.url).port) }, address);
  running.push(way);
  return `http://${address}:${way.port}`;
}

/** Opens a proxy to a container that publishes no ports. Returns the port on loopback. */
async function inside(project: string, service: string, port: number): Promise<number> {
  const { NetworkSettings } = await (await containerOf(project, service)).inspect();
  const [network] = Object.values(NetworkSettings.Networks);
  const way = await openWire({ host: network?.IPAddress ?? '', port });
  running.push(way);
  return way.port;
}

/** Creates a data folder as the end-to-end tests expect it, with the files that are in volumes here. */
function layOut(folder: string, { postgres, nats, secret }: { postgres: number; nats: number; secret: (name: string) => string }): void {
  mkdirSync(path.join(folder, 'postgres/cluster'), { recursive: true });
  mkdirSync(path.join(folder, 'nats'));
  writeFileSync(path.join(folder, 'postgres/cluster/postmaster.pid'), `\n\n\n${postgres}\n`);
  writeFileSync(path.join(folder, 'postgres/password'), secret('database_owner_password'));
  writeFileSync(path.join(folder, 'nats/nats.conf'), `listen: "127.0.0.1:${nats}"\n`);
  writeFileSync(path.join(folder, 'nats/passwords.conf'), secret('nats_passwords'));
  writeFileSync(
    path.join(folder, 'secrets.env'),
    Object.keys(MAKERS)
      .map((name) => `${name}=${secret(name.toLowerCase())}\n`)
      .join(''),
  );
}
