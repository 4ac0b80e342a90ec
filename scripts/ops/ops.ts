// `npm run ops -- <command>`: commands for operators of an installation, each with its help and lines in the audit log.
import { parseArgs } from 'node:util';
import { ServiceError } from '@clinic/lib/errors/errors.ts';
import { misused } from '../help.ts';
import { archiveAudit } from './archive-audit.ts';
import { type Command, type Given, OpsFault, openOps } from './command.ts';
import { endSessions } from './end-sessions.ts';
import { eraseClinic, erasePatient } from './erase.ts';
import { exportClinic, exportPatient } from './export.ts';
import { failedJobs } from './failed-jobs.ts';
import { moveClinic } from './move-clinic.ts';
import { rebuild } from './rebuild.ts';
import { replay } from './replay.ts';
import { resetMfa } from './reset-mfa.ts';
import { rotateKeys } from './rotate-keys.ts';
import { verifyAudit } from './verify-audit.ts';

const COMMANDS: Command[] = [
  rotateKeys,
  rebuild,
  replay,
  failedJobs,
  verifyAudit,
  archiveAudit,
  endSessions,
  resetMfa,
  exportPatient,
  erasePatient,
  exportClinic,
  eraseClinic,
  moveClinic,
];

const COMMON = `  --operator <name>  who does this, for the audit log (default: the name that you are signed in with here)
  --help             this text

DATABASE_URL is the owner's URL; without it, that of the embedded installation in DATA_DIR, which must be running.`;

const LIST = `Usage: npm run ops -- <command> [options]

${COMMANDS.map(({ name, summary }) => `  ${name.padEnd(16)}  ${summary}`).join('\n')}

Each says more with --help. Each leaves lines in the operators' audit log (GET /api/superadmin/audit-log).`;

const [name, ...rest] = process.argv.slice(2);
const command = COMMANDS.find((one) => one.name === name);
if (name === undefined || name === '--help' || name === '-h') {
  console.log(LIST);
  process.exit(name === undefined ? 1 : 0);
}
if (!command) misused(`There is no command ${name}.`, LIST);

const usage = `Usage: npm run ops -- ${command.name} ${command.usage}\n${COMMON}`;
const given = read(command);
if (given.values.help) {
  console.log(usage);
  process.exit(0);
}
process.exit(await perform(command));

function read({ options }: Command): Given {
  try {
    const { values, positionals } = parseArgs({
      args: rest,
      options: { ...options, operator: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    return { values: values as Given['values'], words: positionals };
  } catch (error) {
    return misused((error as Error).message, usage);
  }
}

async function perform(chosen: Command): Promise<number> {
  try {
    const ops = openOps(given.values.operator as string | undefined, (line) => console.log(line));
    try {
      return await chosen.run(ops, given);
    } finally {
      await ops.close();
    }
  } catch (error) {
    const explained = error instanceof OpsFault || error instanceof ServiceError;
    console.error(
      explained ? error.message : `The command failed: ${(error as Error).message}\nRun it again when the cause is removed: what was done stays done.`,
    );
    return 1;
  }
}
