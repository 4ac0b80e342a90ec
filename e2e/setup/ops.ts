// Runs scripts of the project against a running product, for tests.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { PROJECT } from '../../scripts/schemas.ts';

export type Ran = { status: number | null; stdout: string; stderr: string };

const environment = (dataDir: string) => ({ ...process.env, NODE_OPTIONS: '', DATA_DIR: dataDir });

/** Starts `node scripts/run.js <words>` on a data folder. `ran` fills as it goes. */
export function startScript(dataDir: string, ...words: string[]): { child: ChildProcess; ran: Ran; ended: Promise<void> } {
  const child = spawn(process.execPath, [path.join(PROJECT, 'scripts/run.js'), ...words], {
    cwd: PROJECT,
    env: environment(dataDir),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ran: Ran = { status: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ran.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ran.stderr += text;
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', (status) => {
      ran.status = status;
      resolve();
    });
  });
  return { child, ran, ended };
}

export async function runScript(dataDir: string, ...words: string[]): Promise<Ran> {
  const { ran, ended } = startScript(dataDir, ...words);
  await ended;
  return ran;
}

const SEPARATOR = '\u001e';

export type Scripts = {
  /** The first word is the path of a program from the root of the project. The status is null when the program did not end itself. */
  run(...commandLine: string[]): Promise<Ran>;
  stop(): Promise<void>;
};

/** Starts one process for many command lines on a data folder, which it runs one after another. It loads their modules only once. */
export function startScripts(dataDir: string): Scripts {
  const child = spawn(process.execPath, [path.join(PROJECT, 'scripts/command-lines.ts'), SEPARATOR], { cwd: PROJECT, env: environment(dataDir) });
  child.stdin.on('error', () => {}); // when the process has ended, which run() reports
  const ended = once(child, 'close');
  const [stdout, stderr] = [readParts(child.stdout), readParts(child.stderr)];
  return {
    async run(...commandLine) {
      child.stdin.write(`${JSON.stringify(commandLine)}\n`);
      const [out, status, err] = await Promise.all([stdout.next(), stdout.next(), stderr.next()]);
      if (out.done || status.done || err.done) throw new Error(`the process has ended: ${err.value ?? ''}`);
      return { status: status.value === '' ? null : Number(status.value), stdout: out.value, stderr: err.value };
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

/** Yields the text before each separator, and returns that after the last one. */
async function* readParts(stream: NodeJS.ReadableStream): AsyncGenerator<string, string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    const parts = (text + chunk).split(SEPARATOR);
    text = parts.pop() ?? '';
    yield* parts;
  }
  return text;
}
