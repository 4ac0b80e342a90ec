// Alertmanager with the deployed configuration delivers an alert to the receiver of its severity. The test acts as the mail server.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '@clinic/lib/runtime/free-port.ts';
import { startMailServer } from '@clinic/lib/testing/smtp-server.ts';
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import { expect, test } from '@jest/globals';
import { tempFolder } from '../dev/temp-folder.ts';
import { PROJECT } from '../schemas.ts';
import { hasEnded } from '../spawn-node.ts';

const deployed = readFileSync(path.join(PROJECT, 'deploy/alertmanager/alertmanager.yml'), 'utf8');
const program = ['alertmanager', 'prometheus-alertmanager'].find((name) => !spawnSync(name, ['--version']).error);
const whereInstalled = program ? test : test.skip;

whereInstalled.each([
  ['page', 'on-call@clinic.example.com'],
  ['ticket', 'operators@clinic.example.com'],
])('an alert of severity %s is mailed to %s (Debian: apt-get install prometheus-alertmanager)', async (severity, to) => {
  const folder = tempFolder('alertmanager');
  const [server, port] = [await startMailServer(), await freePort()];
  const config = path.join(folder, 'alertmanager.yml');
  writeFileSync(config, deployed.replace('mail:1025', new URL(server.url).host).replaceAll(/group_wait: \w+/g, 'group_wait: 50ms'));
  const address = `127.0.0.1:${port}`;
  const args = [`--config.file=${config}`, `--storage.path=${folder}`, `--web.listen-address=${address}`, '--cluster.listen-address=', '--log.level=warn'];
  const running = spawn(program ?? '', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(running, 'exit');
  try {
    await waitFor(async () => hasEnded(running) || (await fetch(`http://${address}/-/ready`)).ok);
    expect(hasEnded(running)).toBe(false);
    const labels = { alertname: 'ProcessDown', severity, instance: 'identity:7001' };
    const annotations = { summary: 'identity:7001 does not answer', runbook_url: 'docs/runbooks/ProcessDown.md' };
    const headers = { 'content-type': 'application/json' };
    const posted = await fetch(`http://${address}/api/v2/alerts`, { method: 'POST', headers, body: JSON.stringify([{ labels, annotations }]) });
    expect(posted.status).toBe(200);
    const mail = await waitFor(() => server.mails[0] ?? false);
    expect(mail.to).toMatchObject({ value: [{ address: to }] });
    expect(mail.subject).toContain('ProcessDown');
    expect(mail.html).toContain('docs/runbooks/ProcessDown.md');
  } finally {
    await server.close();
    running.kill();
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
});
