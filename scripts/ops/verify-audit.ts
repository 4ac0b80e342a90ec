// Verifies the audit log of every service against its hash chain.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readArchives } from '@clinic/lib/audit/audit-archive.ts';
import { type ClinicVerdict, type KnownHead, verifyAudit as verify } from '@clinic/lib/audit/audit-verify.ts';
import { SERVICES } from '../schemas.ts';
import type { Command } from './command.ts';

export const verifyAudit: Command = {
  usage: `[--heads <file>] [--archives <folder>]

Checks the audit log of each service: that no row was changed, removed or inserted, clinic by clinic. Otherwise
prints the faults and ends with 1.

  --heads <file>     also compares with the heads that an earlier run wrote there, and writes the new ones. Stored on another
                     machine, the file shows when the end of a log was cut off or a whole chain was replaced.
  --archives <folder>  where archive-audit wrote: the files must be the beginning of the logs. Needed as soon as something was archived.`,
  options: { heads: { type: 'string' }, archives: { type: 'string' } },
  async run(ops, { values }) {
    const { heads, archives } = values as { heads?: string; archives?: string };
    // Link number and hash by service and clinic.
    const known = (heads && existsSync(heads) ? JSON.parse(readFileSync(heads, 'utf8')) : {}) as Record<string, KnownHead>;
    const seen: typeof known = {};
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
        for (const fault of faults) ops.say(`${service}, clinic ${clinicId}: ${fault}`);
        faulty += faults.length;
      }
      const sum = (of: (verdict: ClinicVerdict) => number) => verdicts.reduce((all, verdict) => all + of(verdict), 0);
      ops.say(
        `${service}: ${verdicts.length} clinics, ${sum(({ linked }) => linked)} rows linked (${sum(({ archived }) => archived)} archived), ${sum(({ pending }) => pending)} waiting`,
      );
    }
    if (heads && faulty === 0) writeFileSync(heads, `${JSON.stringify(seen, null, 2)}\n`, { mode: 0o600 });
    await ops.record({ action: 'audit_log.verified', entityId: 'all', changes: { faults: faulty } });
    ops.say(faulty === 0 ? 'The audit log is intact.' : `Faults: ${faulty}`);
    return faulty === 0 ? 0 : 1;
  },
};
