// `npm run verify-audit`: holds the audit log of every service against its chain.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type ClinicVerdict, verifyAudit } from '@clinic/lib/audit-verify.ts';
import { openDb } from '@clinic/lib/db.ts';
import { createLog } from '@clinic/lib/log.ts';
import { roleUrl } from '@clinic/lib/migrate.ts';
import { helpOn, misused } from './help.ts';
import { ownerUrl } from './installation.ts';
import { SERVICES } from './schemas.ts';

const USAGE = `Usage: npm run verify-audit [-- --heads <file>]

Checks the audit log of each service: that no row was changed, removed or slipped in, clinic by clinic. Ends with 1 and
says what is wrong otherwise.

  --heads <file>  also compares with the heads that an earlier run wrote there, and writes the new ones. Kept on another
                  machine, the file shows when the end of a log was cut off or a whole chain was made anew.
  --help          this text

DATABASE_URL is the owner's URL; without it, that of the embedded installation in DATA_DIR, which must be running.`;

function readOptions() {
  try {
    return parseArgs({ options: { heads: { type: 'string' } } }).values;
  } catch (error) {
    return misused((error as Error).message, USAGE);
  }
}

helpOn(USAGE);
const { heads } = readOptions();
const url = ownerUrl() ?? misused('Set DATABASE_URL to the URL of the owner, or start the installation of DATA_DIR.', USAGE);
// Link number and hash by service and clinic.
const known = (heads && existsSync(heads) ? JSON.parse(readFileSync(heads, 'utf8')) : {}) as Record<string, { linked: number; head: string }>;
const seen: typeof known = {};

let faulty = 0;
for (const service of SERVICES) {
  const db = openDb({ url: roleUrl(url, service), schema: service, max: 2, log: createLog('verify-audit', 'error') });
  try {
    const expected = new Map(Object.entries(known).flatMap(([name, head]) => (name.startsWith(`${service}/`) ? [[name.slice(service.length + 1), head]] : [])));
    const verdicts = await verifyAudit(db, expected);
    for (const verdict of verdicts) report(service, verdict);
    const sum = (of: (verdict: ClinicVerdict) => number) => verdicts.reduce((all, verdict) => all + of(verdict), 0);
    console.log(`${service}: ${verdicts.length} clinics, ${sum(({ linked }) => linked)} rows linked, ${sum(({ pending }) => pending)} waiting`);
  } finally {
    await db.pool.end();
  }
}
if (heads && faulty === 0) writeFileSync(heads, `${JSON.stringify(seen, null, 2)}\n`, { mode: 0o600 });
console.log(faulty === 0 ? 'The audit log is whole.' : `Faults: ${faulty}`);
process.exit(faulty === 0 ? 0 : 1);

function report(service: string, { clinicId, linked, head, faults }: ClinicVerdict): void {
  seen[`${service}/${clinicId}`] = { linked, head };
  for (const fault of faults) console.log(`${service}, clinic ${clinicId}: ${fault}`);
  faulty += faults.length;
}
