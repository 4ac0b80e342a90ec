// The order in which a request takes its locks.
import { waitFor } from '@clinic/lib/testing/wait-for.ts';
import pg from 'pg';

/**
 * Whether `work` locks the calendar of a doctor before a patient: another session holds the calendar, and once `work` waits for it, the row of the patient
 * must not be locked.
 */
export async function locksDoctorFirst(ownerUrl: string, doctorId: string, patientId: string, work: () => Promise<unknown>): Promise<boolean> {
  const [holder, observer] = [new pg.Client({ connectionString: ownerUrl }), new pg.Client({ connectionString: ownerUrl })];
  await Promise.all([holder.connect(), observer.connect()]);
  try {
    await holder.query('begin');
    await holder.query('select from scheduling.doctors where id = $1 for update', [doctorId]);
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
    let isDone = false;
    const worked = work().finally(() => {
      isDone = true;
    });
    await waitFor(async () => {
      const blocked = await observer.query('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [rows[0]?.pid]);
      return isDone || blocked.rowCount === 1;
    });
    if (isDone) {
      await worked;
      return false;
    }
    const unlocked = await observer.query('select from scheduling.patients where id = $1 for update skip locked', [patientId]);
    await holder.query('rollback');
    await worked;
    return unlocked.rowCount === 1;
  } finally {
    await Promise.all([holder.end(), observer.end()]);
  }
}
