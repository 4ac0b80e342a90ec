// `ops archive-audit`: moves old rows of the audit logs into files.
import path from 'node:path';
import { countOldRows, deleteArchived, listAuditedClinics, writeArchive } from '@clinic/lib/audit/audit-archive.ts';
import { counted } from '@clinic/lib/formats/counted.ts';
import { withClient } from '../database.ts';
import { SERVICES } from '../schemas.ts';
import { whileArchiving } from './archive-lock.ts';
import { type Command, type Ops, OpsFault } from './command.ts';
import { requireOutliving } from './container.ts';

const YEAR_MS = 365 * 86_400_000;

export const archiveAudit: Command = {
  usage: `--before <yyyy-mm-dd> --to <folder> [--dry-run]

Writes the rows of each service and clinic that are older than the day (UTC), which must be at least a year ago, to
<folder>/<service>/<clinic>/<first>-<last>.jsonl, and deletes them from the database when the file is on the disk. Afterwards, verify-audit needs
the files (--archives <folder>) as the beginning of the logs: store them as safely as backups, and always use the same folder. Former names of
patients are deleted and not archived, because files cannot be erased. The command can be stopped and run again at any time.

  --before <day>     the first day that stays in the database
  --to <folder>      where the files are written
  --dry-run          only counts the rows`,
  options: { before: { type: 'string' }, to: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  async run(ops, { values }) {
    const { before = '', to } = values as { before?: string; to?: string };
    const day = new Date(/^\d{4}-\d{2}-\d{2}$/.test(before) ? before : Number.NaN);
    // Date takes 2021-02-29 for the 1st of March.
    const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(before);
    if (!isDay || day.getTime() > Date.now() - YEAR_MS) throw new OpsFault('Set --before to a day at least a year ago, as yyyy-mm-dd.');
    if (!to) throw new OpsFault('Set --to to the folder of the archives.');
    requireOutliving(to);
    if (values['dry-run'] === true) {
      for (const service of SERVICES) ops.print(`${service}: ${counted(await countOldRows(ops.open(service), day), 'row')} would be archived`);
      return 0;
    }
    await whileArchiving(ops, () => archive(ops, { before, day, to }));
    return 0;
  },
};

async function archive(ops: Ops, { before, day, to }: { before: string; day: Date; to: string }): Promise<void> {
  await ops.record({ action: 'audit_log.archived', entityId: 'all', changes: { state: 'begun', before } });
  let all = 0;
  for (const service of SERVICES) {
    const db = ops.open(service);
    await withClient(
      ops.url,
      async (owner) => {
        let rows = 0;
        for (const clinicId of await listAuditedClinics(db)) {
          const range = await writeArchive(db, clinicId, path.join(to, service, clinicId), day);
          if (!range) continue;
          await deleteArchived(owner, clinicId, range);
          rows += range.last - range.first + 1;
        }
        ops.print(`${service}: ${counted(rows, 'row')} archived`);
        all += rows;
      },
      { options: `-c search_path=${service}` },
    );
  }
  await ops.record({ action: 'audit_log.archived', entityId: 'all', changes: { state: 'done', rows: all } });
}
