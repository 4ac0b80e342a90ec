// The command lines of the scripts: each prints its usage, and refuses an incorrect command line in one sentence before it does anything.
import { beforeAll, expect, test } from '@jest/globals';
import { type Ran, runScript, startScripts } from '../e2e/setup/ops.ts';

const inFolder = (folder: string, ...names: string[]) => names.map((name) => `scripts/${folder}/${name}.ts`);
const SCRIPTS = [
  ...inFolder('ops', 'backup', 'restore', 'migrate', 'make-secrets', 'kubernetes-secrets'),
  ...inFolder('dev', 'caller-token', 'new-migration', 'receive-webhooks', 'seed-demo', 'write-pages', 'dte-simulator/main', 'testing/make-fixture'),
  ...inFolder('checks', 'check', 'check-kubernetes', 'verify', 'plain-words', 'persisted-names'),
  ...inFolder('bench', 'run', 'fill-page', 'noisy-clinic', 'move-clinic', 'webhook', 'patients'),
  ...['scripts/chaos/upgrade-rehearsal.ts', 'e2e/examples/record.ts', 'sdk/generate.ts'],
];

const REFUSED: [commandLine: string[], complaint: RegExp][] = [
  [['scripts/chaos/run.ts'], /^Name what to run: rolling, /],
  [['scripts/chaos/run.ts', 'failover', '--rate', '5'], /^Unknown option '--rate'\.$/],
  [['scripts/chaos/run.ts', 'rolling', '--rate', 'fast'], /^--rate must be a whole number from 1 to 10000\.$/],
  [['scripts/chaos/run.ts', 'rolling', '--only', 'postgres'], /^--only has the unknown value 'postgres'\. Allowed: billing, /],
  [['scripts/chaos/run.ts', 'unavailable', '--only', 'postgres,nat'], /^--only has the unknown value 'nat'\. Allowed: postgres, nats, /],
  [['scripts/chaos/run.ts', 'model', '--seeds', '9-1'], /^--seeds must be a number or a range such as 1-1000\.$/],
  [['scripts/chaos/run.ts', 'campaign', '--topology', 'both'], /^--topology must be single or distributed\.$/],
  [['scripts/chaos/upgrade-rehearsal.ts', '--rate', '5'], /^--only and --rate are used with --under-load\.$/],
  [['scripts/chaos/upgrade-rehearsal.ts', '--from', 'no-such-release'], /^There is no no-such-release in this repository\.$/],
  [['scripts/dev/caller-token.ts', 'clinic.platform.v1.StatsService/GetStats', '--role', 'boss'], /^--role must be one of admin, doctor, receptionist\.$/],
  [['scripts/dev/new-migration.ts', 'scheduling'], /^Describe in a few words what the migration does\.$/],
  [['scripts/bench/noisy-clinic.ts', '--rounds', 'many'], /^--rounds must be a whole number from 1 to 1000\.$/],
  [['scripts/bench/run.ts', '--publish'], /^--publish is used with --day\.$/],
  [['scripts/bench/run.ts', '--chat', '--day'], /^Use only one of --chat, --writes, --day and --peer\.$/],
  [['scripts/dev/seed.ts', '--clinics', '0'], /^--clinics must be a whole number from 1 to 500\.$/],
];

const HELP = ['--help', '--no-such-option'];
const outcomes = new Map<string, Ran>();
const outcomeOf = (...commandLine: string[]) => outcomes.get(commandLine.join(' '));

beforeAll(async () => {
  const commandLines = [...SCRIPTS.flatMap((script) => HELP.map((option) => [script, option])), ...REFUSED.map(([commandLine]) => commandLine)];
  const scripts = startScripts(''); // none of them reads the data folder
  for (const commandLine of commandLines) outcomes.set(commandLine.join(' '), await scripts.run(...commandLine));
  await scripts.stop();
});

test.each(SCRIPTS)('%s prints its usage, and refuses an unknown option', (script) => {
  expect(outcomeOf(script, '--help')).toEqual({ status: 0, stdout: expect.stringMatching(/^Usage: /), stderr: '' });
  expect(outcomeOf(script, '--no-such-option')).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Unknown option '--no-such-option'\.\n\nUsage: /),
  });
});

test.each(REFUSED)('%j is refused', (commandLine, complaint) => {
  const { status, stdout, stderr } = outcomeOf(...commandLine) ?? {};
  expect([status, stdout, stderr?.split('\n\n')[0]]).toEqual([1, '', expect.stringMatching(complaint)]);
});

test('a secret of webhooks that is not one is refused', async () => {
  process.env.WEBHOOK_SECRET = '<secret>';
  const refused = { status: 1, stdout: '', stderr: expect.stringMatching(/^WEBHOOK_SECRET must be the secret of a webhook endpoint, whsec_…\.\n\nUsage: /) };
  expect(await runScript('', 'receive-webhooks')).toEqual(refused);
});

// As a process of its own, by its name: the statuses and outputs are those of the tests above.
test('a script is found by its name', async () => {
  const alone = await Promise.all(HELP.map((option) => runScript('', 'migrate', option)));
  expect(alone).toEqual(HELP.map((option) => outcomeOf('scripts/ops/migrate.ts', option)));
});
