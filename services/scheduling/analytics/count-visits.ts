// Brings the figures of visits in line with the appointments, after an event has told that one changed. What is counted is
// what is true by now, so events may repeat and overtake each other.
import type { SystemTx } from '@clinic/lib/db/db.ts';
import { remakeMoney } from './update-figures.ts';
import { lockFigures } from './sql/figures.sql.ts';
import { type DoctorDay, remakeDays, remakePatients } from './sql/appointment-sums.sql.ts';

/** The doctors' days that an appointment is or was in, whoever's completed visit it is or was, and the appointment itself. */
export type Touched = { days: DoctorDay[]; patientIds?: string[]; appointmentIds: string[] };

export async function countVisits(tx: SystemTx, clinicId: string, { days, patientIds = [], appointmentIds }: Touched): Promise<void> {
  const zone = await lockFigures(tx, clinicId);
  await Promise.all([remakeDays(tx, clinicId, days), remakePatients(tx, clinicId, patientIds), remakeMoney(tx, clinicId, zone, { visits: appointmentIds })]);
}
