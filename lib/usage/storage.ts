// The bytes of files that a service stores for each clinic, reported every night.
import { randomUUID } from 'node:crypto';
import type { UsageReportService } from '@clinic/proto/common/v1/usage_pb.js';
import type { Client } from '@connectrpc/connect';
import { type Db, readSystem, sql } from '../db/db.ts';
import { type Job, job } from '../jobs/jobs.ts';
import { serviceCaller } from '../rpc/caller.ts';
import { callAs } from '../rpc/context.ts';

export type Stored = { clinicId: string; bytes: bigint };

/** Maximum number of clinics in one report. */
export const MAX_REPORTED = 5_000;

/**
 * The job that calls `report` every night. `files` are columns that contain files, such as `pictures.content`, and `sizes` columns with the sizes of
 * files, all of them of tables with a `clinic_id`.
 */
export function storageJob(db: Db, files: string[], report: (stored: Stored[]) => Promise<unknown>, sizes: string[] = []): Job {
  const bytesIn = (column: string, bytes: string) => `select clinic_id, ${bytes} as bytes from ${column.split('.')[0]}`;
  const each = [...files.map((file) => bytesIn(file, `octet_length(${file})`)), ...sizes.map((size) => bytesIn(size, size))];
  const statement = sql<{ clinic_id: string; bytes: bigint }>(
    `select clinic_id, coalesce(sum(bytes), 0)::bigint as bytes from (${each.join(' union all ')}) stored group by clinic_id order by clinic_id`,
  );
  return job(`report-storage-of-${db.schema}`, { daily: { at: '08:20', timezone: 'UTC' } }, async () => {
    // As the system: over all clinics.
    const stored = (await readSystem(db, statement, [])).map(({ clinic_id, bytes }) => ({ clinicId: clinic_id, bytes }));
    for (let from = 0; from < stored.length; from += MAX_REPORTED) await report(stored.slice(from, from + MAX_REPORTED));
  });
}

/** The `report` of storageJob() that sends to identity. */
export const toIdentity = (service: string, reports: Client<typeof UsageReportService>) => (stored: Stored[]) =>
  reports.reportStorage({ stored }, callAs(serviceCaller(service, randomUUID())));
