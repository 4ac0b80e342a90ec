// Moves old rows of the audit logs into files.
import path from 'node:path';
import { countOldRows, deleteArchived, listAuditedClinics, writeArchive } from '@clinic/lib/audit/audit-archive.ts';
import { withClient } from '../database.ts';
import { SERVICES } from '../schemas.ts';
import { type Command, OpsFault } from './command.ts';

const YEAR_MS = 365 * 86_400_000;

export const archiveAudit: Command = {
  usage: `--before <yyyy-mm-dd> --to <folder> [--dry-run]

Writes the rows of each service and clinic from before that day (UTC), at least a year ago, to <folder>/<service>/<clinic>/<first>-<last>.jsonl,
and deletes them from the database when their file is on the disk. verify-audit --archives <folder> accepts the files as the beginning of the
logs; it fails without them, so store them as safely as backups, and always use the same folder. Names that a patient had before are deleted
and not archived, since files cannot be erased. The command can be stopped and run again at any time.

  --before <day>     the first day that stays in the database
  --to <folder>      where the files are written
  --dry-run          only counts the rows`,
  options: { before: { type: 'string' }, to: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  async run(ops, { values }) {
    const { before = '', to } = values as { before?: string; to?: string };
    const day = new Date(/^\d{4}-\d{2}-\d{2}$/.test(before) ? before : Number.NaN);
    if (!(day.getTime() <= Date.now() - YEAR_MS)) throw new OpsFault('Name a day at least a year ago with --before yyyy-mm-dd.');
    if (!to) throw new OpsFault('Name the folder of the archives with --to.');
    if (values['dry-run'] === true) {
      for (const service of SERVICES) ops.say(`${service}: ${await countOldRows(ops.open(service), day)} rows would be archived`);
      return 0;
    }
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
          ops.say(`${service}: ${rows} rows archived`);
          all += rows;
        },
        { options: `-c search_path=${service}` },
      );
    }
    await ops.record({ action: 'audit_log.archived', entityId: 'all', changes: { state: 'done', rows: all } });
    return 0;
  },
};
