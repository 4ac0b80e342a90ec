// The command lines of the scripts: each prints its usage, and refuses an incorrect command line in one sentence before it does anything.
import { execFile } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { PROJECT } from './schemas.ts';

type Result = { status: number; stdout: string; stderr: string };

/** A program of scripts/ by its name, any other by its path. */
const run = (program: string, ...args: string[]) =>
  new Promise<Result>((resolve) => {
    execFile(
      process.execPath,
      [...(program.endsWith('.ts') ? [] : ['scripts/run.js']), program, ...args],
      { cwd: PROJECT, env: { ...process.env, NODE_OPTIONS: '' } },
      (error, stdout, stderr) => resolve({ status: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });

const SCRIPTS = [
  ...['backup', 'restore', 'migrate', 'make-secrets', 'kubernetes-secrets'],
  ...['caller-token', 'new-migration', 'receive-webhooks', 'seed-demo', 'dev/dte-simulator/main'],
  ...['check', 'check-kubernetes', 'verify', 'plain-words', 'checks/persisted-names', 'chaos/upgrade-rehearsal', 'write-pages'],
  ...['bench/run', 'bench/fill-page', 'bench/noisy-clinic', 'bench/move-clinic', 'bench/webhook', 'bench/patients', 'dev/testing/make-fixture'],
  ...['e2e/examples/record.ts', 'sdk/generate.ts'],
];

test.each(SCRIPTS)('%s prints its usage, and refuses an unknown option', async (script) => {
  const [help, refused] = await Promise.all([run(script, '--help'), run(script, '--no-such-option')]);
  expect(help).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: /), stderr: '' });
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^Unknown option '--no-such-option'\.\n\nUsage: /);
});

test.each([
  [['chaos/run'], /^Name what to run: rolling, /],
  [['chaos/run', 'failover', '--rate', '5'], /^Unknown option '--rate'\.$/],
  [['chaos/run', 'rolling', '--rate', 'fast'], /^--rate must be a whole number from 1 to 10000\.$/],
  [['chaos/run', 'rolling', '--only', 'postgres'], /^--only has the unknown value 'postgres'\. Allowed: billing, /],
  [['chaos/run', 'unavailable', '--only', 'postgres,nat'], /^--only has the unknown value 'nat'\. Allowed: postgres, nats, /],
  [['chaos/run', 'campaign', '--topology', 'both'], /^--topology must be single or distributed\.$/],
  [['chaos/upgrade-rehearsal', '--rate', '5'], /^--only and --rate are used with --under-load\.$/],
  [['chaos/upgrade-rehearsal', '--from', 'no-such-release'], /^There is no no-such-release in this repository\.$/],
  [['caller-token', 'clinic.platform.v1.StatsService/GetStats', '--role', 'boss'], /^--role must be one of admin, doctor, receptionist\.$/],
  [['new-migration', 'scheduling'], /^Describe in a few words what the migration does\.$/],
  [['bench/noisy-clinic', '--rounds', 'many'], /^--rounds must be a whole number from 1 to 1000\.$/],
  [['bench/run', '--publish'], /^--publish is used with --day\.$/],
  [['seed', '--clinics', '0'], /^--clinics must be a whole number from 1 to 500\.$/],
])('%j is refused', async ([program = '', ...args], complaint) => {
  const { status, stdout, stderr } = await run(program, ...args);
  expect([status, stdout, stderr.split('\n\n')[0]]).toEqual([1, '', expect.stringMatching(complaint)]);
});
