// Jobs that handle records of all clinics, one after another.
import type { Log } from '@clinic/lib/telemetry/log.ts';

/** A record that fails is logged with the fields that identify it, and does not delay the others. The next run tries it again. */
export async function sweep<R extends object>(
  { log }: { log: Log },
  records: R[],
  failure: string,
  work: (record: R) => Promise<unknown>,
  ids: (record: R) => object,
) {
  for (const record of records) {
    await work(record).catch((err: unknown) => log.warn({ err, ...ids(record) }, `${failure}; the next run tries again`));
  }
}
