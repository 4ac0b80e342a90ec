// A nats-server of a test's own, which it may stop, start again and rob of its store.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { waitFor } from './wait-for.ts';

export type TestNats = {
  url: string;
  /** On the same port, with the same store. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Deletes the store. The server must be stopped. */
  wipe(): void;
  /** Stops the server and deletes its store. */
  drop(): Promise<void>;
};

export async function testNats(): Promise<TestNats> {
  const server = process.env.CLINIC_TEST_NATS_SERVER;
  if (!server) throw new Error('no nats-server: put the test where jest.config.js looks for one, in tests/ of a service, of lib or of the gateway');
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

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
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
