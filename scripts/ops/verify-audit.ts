// `ops verify-audit`: verifies the audit log of every service against its hash chain.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readArchives } from '@clinic/lib/audit/audit-archive.ts';
import { type ClinicVerdict, type KnownHead, verifyAudit as verify } from '@clinic/lib/audit/audit-verify.ts';
import { replaceFile } from '../replace-file.ts';
import { SERVICES } from '../schemas.ts';
import { type Command, OpsFault } from './command.ts';

export const verifyAudit: Command = {
  usage: `[--heads <file>] [--archives <folder>]

Checks, for each service and clinic, that no row of the audit log was changed, removed or inserted. Otherwise it prints the faults and ends
with 1.

  --heads <file>       also compares the heads of the chains with those that an earlier run wrote to the file, and writes the new ones. A file that
                       is stored on another machine reveals that the end of a log was cut off or that a whole chain was replaced
  --archives <folder>  the folder of archive-audit, whose files must be the beginning of the logs. Required once rows have been archived`,
  options: { heads: { type: 'string' }, archives: { type: 'string' } },
  async run(ops, { values }) {
    const { heads, archives } = values as { heads?: string; archives?: string };
    const known = heads && existsSync(heads) ? readHeads(heads) : {};
    const seen: Heads = {};
    let faulty = 0;
    for (const service of SERVICES) {
      const expected = new Map(
        Object.entries(known).flatMap(([name, head]) => (name.startsWith(`${service}/`) ? [[name.slice(service.length + 1), head]] : [])),
      );
      const verdicts = await verify(
        ops.open(service),
        expected,
        archives === undefined ? undefined : readArchives((clinicId) => path.join(archives, service, clinicId)),
      );
      for (const { clinicId, linked, head, faults } of verdicts) {
        seen[`${service}/${clinicId}`] = { linked, head };
        for (const fault of faults) ops.print(`${service}, clinic ${clinicId}: ${fault}`);
        faulty += faults.length;
      }
      const sum = (of: (verdict: ClinicVerdict) => number) => verdicts.reduce((all, verdict) => all + of(verdict), 0);
      ops.print(
        `${service}: ${verdicts.length} clinics, ${sum(({ linked }) => linked)} rows linked (${sum(({ archived }) => archived)} archived), ${sum(({ pending }) => pending)} not yet linked`,
      );
    }
    if (heads && faulty === 0) replaceFile(heads, `${JSON.stringify(seen, null, 2)}\n`);
    await ops.record({ action: 'audit_log.verified', entityId: 'all', changes: { faults: faulty } });
    ops.print(faulty === 0 ? 'The audit log is intact.' : `Faults: ${faulty}`);
    return faulty === 0 ? 0 : 1;
  },
};

/** The number of links and the hash, by service and clinic. */
type Heads = Record<string, KnownHead>;

function readHeads(file: string): Heads {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new OpsFault(`${file} has no heads of an earlier run (${(error as Error).message}): use a copy of the file, or name a new file.`);
  }
}
