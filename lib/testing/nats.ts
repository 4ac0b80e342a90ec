// A nats-server for one test, which may stop it, start it again and delete its store.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../runtime/free-port.ts';
import { waitFor } from './wait-for.ts';

export type TestNats = {
  url: string;
  /** Starts the server again, on the same port and with the same store. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Deletes the store. The server must be stopped. */
  wipe(): void;
  /** Stops the server and deletes its store. */
  drop(): Promise<void>;
};

export async function testNats(): Promise<TestNats> {
  const server = process.env.CLINIC_TEST_NATS_SERVER;
  if (!server) throw new Error('CLINIC_TEST_NATS_SERVER is not set: name the test *.db.test.ts, so that it runs in the jest project `services`');
  const store = mkdtempSync(path.join(os.tmpdir(), 'clinic-nats-'));
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start() {
    child = spawn(server as string, ['-js', '-sd', store, '-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
    await waitFor(() => accepts(port));
  }
  async function stop() {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null) return;
    const ended = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill('SIGKILL');
    await ended;
  }
  const wipe = () => rmSync(store, { recursive: true, force: true });

  await start();
  return { url: `nats://127.0.0.1:${port}`, start, stop, wipe, drop: () => stop().then(wipe) };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
