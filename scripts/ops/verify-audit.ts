// `ops verify-audit`: verifies the audit log of every service against its hash chain.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readArchives } from '@clinic/lib/audit/audit-archive.ts';
import { type ClinicVerdict, type KnownHead, verifyAudit as verify } from '@clinic/lib/audit/audit-verify.ts';
import { readSystem, sql } from '@clinic/lib/db/db.ts';
import { counted } from '@clinic/lib/formats/counted.ts';
import { z } from 'zod';
import { replaceFile } from '../replace-file.ts';
import { SERVICES } from '../schemas.ts';
import { whileNotArchiving } from './archive-lock.ts';
import { type Command, type Ops, OpsFault } from './command.ts';
import { requireOutliving } from './container.ts';
import { listLastMoves } from './move-clinic/last-moves.ts';

export const verifyAudit: Command = {
  usage: `[--heads <file>] [--archives <folder>]

Checks, for each service and clinic, that no row of the audit log was changed, removed or inserted. Otherwise it prints the faults and ends
with 1.

  --heads <file>       also compares the heads of the chains with those that an earlier run wrote to the file, and writes the new ones. A file that
                       is stored on another machine reveals that the end of a log was cut off or that a whole chain was replaced
  --archives <folder>  the folder of archive-audit, whose files must be the beginning of the logs. Required once rows have been archived`,
  options: { heads: { type: 'string' }, archives: { type: 'string' } },
  async run(ops, { values }) {
    const { heads, archives } = values as Options;
    if (heads) requireOutliving(heads);
    const faults = await whileNotArchiving(ops, () => verifyAll(ops, { heads, archives }));
    await ops.record({ action: 'audit_log.verified', entityId: 'all', changes: { faults } });
    ops.print(faults === 0 ? 'The audit log is intact.' : `Faults: ${faults}`);
    return faults === 0 ? 0 : 1;
  },
};

type Options = { heads?: string | undefined; archives?: string | undefined };

/** Verifies the logs of all services and writes the new heads unless there are faults. Returns the number of faults. */
async function verifyAll(ops: Ops, { heads, archives }: Options): Promise<number> {
  const known = heads && existsSync(heads) ? await withoutMoved(readHeads(heads), ops) : {};
  const seen: Heads = {};
  let faulty = 0;
  for (const service of SERVICES) {
    const expected = new Map(Object.entries(known).flatMap(([name, head]) => (name.startsWith(`${service}/`) ? [[name.slice(service.length + 1), head]] : [])));
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
    const [linked, archived, pending] = [sum((one) => one.linked), sum((one) => one.archived), sum((one) => one.pending)];
    ops.print(`${service}: ${counted(verdicts.length, 'log')}, ${counted(linked, 'row')} linked (${archived} archived), ${pending} not yet linked`);
  }
  if (heads && faulty === 0) replaceFile(heads, `${JSON.stringify(seen, null, 2)}\n`);
  return faulty;
}

/** The number of links and the hash, by service and clinic. */
const headsShape = z.record(z.string().regex(/^[a-z]+\/[0-9a-f-]{36}$/), z.object({ linked: z.number(), head: z.string() }));
type Heads = Record<string, KnownHead>;

const clinicsStatement = sql<{ clinic_id: string }>('select clinic_id from clinics');

/** The heads without those of clinics that move-clinic has moved to another installation, with their audit logs. Prints such clinics. */
async function withoutMoved(heads: Heads, ops: Ops): Promise<Heads> {
  const [present, moves] = await Promise.all([readSystem(ops.open('identity'), clinicsStatement, []), listLastMoves(ops)]);
  for (const { clinic_id } of present) moves.delete(clinic_id);
  const clinicOf = (name: string) => name.slice(name.indexOf('/') + 1);
  for (const clinicId of new Set(Object.keys(heads).map(clinicOf))) {
    const { target, at } = moves.get(clinicId) ?? {};
    if (target && at) ops.print(`clinic ${clinicId}: moved to ${target} on ${at.toISOString().slice(0, 10)}, with its audit log`);
  }
  return Object.fromEntries(Object.entries(heads).filter(([name]) => !moves.get(clinicOf(name))?.target));
}

function readHeads(file: string): Heads {
  try {
    return headsShape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const cause = error instanceof z.ZodError ? 'its content is something else' : (error as Error).message;
    throw new OpsFault(`${file} has no heads of an earlier run (${cause}): use a copy of the file, or name a new file.`);
  }
}
