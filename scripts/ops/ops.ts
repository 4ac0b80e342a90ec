// `npm run ops -- <command>`: commands for operators of an installation.
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { misused, parseOptions } from '../help.ts';
import { type Arguments, type Command, OpsFault, openOps, openOutput } from './command.ts';

/** The module of a command is loaded only when the command is run. */
const COMMANDS: Record<string, [summary: string, load: () => Promise<Command>]> = {
  'rotate-keys': ['encrypts personal data and secrets under a new key, while the product runs', async () => (await import('./rotate-keys.ts')).rotateKeys],
  rebuild: ['rebuilds projections or the event stream while the product runs', async () => (await import('./rebuild.ts')).rebuild],
  replay: ['processes unusable webhooks, undeliverable messages or payments again', async () => (await import('./replay.ts')).replay],
  'failed-jobs': ['lists background jobs that failed permanently, and retries or deletes them', async () => (await import('./failed-jobs.ts')).failedJobs],
  'verify-audit': ['verifies the audit log of every service against its hash chain', async () => (await import('./verify-audit.ts')).verifyAudit],
  'archive-audit': ['moves old rows of the audit logs into files', async () => (await import('./archive-audit.ts')).archiveAudit],
  'end-sessions': ['ends all sessions of a clinic, so that all users have to sign in again', async () => (await import('./end-sessions.ts')).endSessions],
  'reset-mfa': ['removes the second factor of a user who has lost it', async () => (await import('./reset-mfa.ts')).resetMfa],
  'export-patient': ['writes everything stored about a patient into a file', async () => (await import('./export.ts')).exportPatient],
  'erase-patient': ['erases the personal data of a patient in every service', async () => (await import('./erase.ts')).erasePatient],
  'export-clinic': ['writes everything stored about a clinic into a file', async () => (await import('./export.ts')).exportClinic],
  'erase-clinic': ['erases a clinic with its users and patients in every service', async () => (await import('./erase.ts')).eraseClinic],
  'move-clinic': ['moves a clinic to another installation, while both run', async () => (await import('./move-clinic.ts')).moveClinic],
};

const COMMON = `  --operator <name>  your name for the audit log (default: the user of this session)
  --help             this text

DATABASE_URL is the owner's URL. By default, the embedded installation in DATA_DIR is used, which must be running.`;

const LIST = `Usage: npm run ops -- <command> [options]

${Object.entries(COMMANDS)
  .map(([name, [summary]]) => `  ${name.padEnd(16)}  ${summary}`)
  .join('\n')}

--help after a command describes it. Commands are recorded in the operators' audit log (GET /api/superadmin/audit-log).`;

const [name, ...rest] = process.argv.slice(2);
if (name === undefined || name === '--help' || name === '-h') {
  console.log(LIST);
  process.exit(name === undefined ? 1 : 0);
}
const [, load] = (Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined) ?? [];
if (!load) misused(`There is no command ${name}.`, LIST);
const command = await load();

const usage = `Usage: npm run ops -- ${name} ${command.usage}\n${COMMON}`;
const options = { ...command.options, operator: { type: 'string' } } as const;
const { values, positionals } = parseOptions({ args: rest, options, allowPositionals: true }, usage, command.words ?? 0);
process.exit(await perform(command, { values: values as Arguments['values'], words: positionals }));

async function perform(chosen: Command, args: Arguments): Promise<number> {
  try {
    const ops = openOps(args.values.operator as string | undefined, openOutput());
    try {
      return await chosen.run(ops, args);
    } finally {
      await ops.close();
    }
  } catch (error) {
    const explained = error instanceof OpsFault || error instanceof ServiceError;
    console.error(
      explained ? error.message : `The command failed: ${(error as Error).message}\nRemove the cause and run it again: completed work is not repeated.`,
    );
    return 1;
  }
}
