// Claims the slots of a series one after another. A slot that is not free is refused with the closest free slots.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { TenantTx } from '@clinic/lib/db/db.ts';
import { type Detail, fail, ServiceError } from '@clinic/lib/errors/errors.ts';
import { addDays } from '@clinic/lib/formats/local-date.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import type { RefusedAppointmentSchema } from '@clinic/proto/scheduling/v1/appointment_series_pb.js';
import type { Except } from '../resources/resources.sql.ts';
import type { WantedSlot } from '../slots/claim-slot.ts';
import { findDay, spanOf, toSchedule } from '../slots/doctor-day.sql.ts';
import { farthestDate } from '../slots/farthest-date-rules.ts';
import { scheduleOf } from '../slots/slot-needs.ts';
import { freeSlots } from '../slots/slots-rules.ts';
import { closest } from './series-rules.ts';

type Clinic = Pick<CallerClinic, 'id' | 'timezone'>;
type Reason = 'SLOT_TAKEN' | 'SLOT_UNAVAILABLE';
export type Refused = MessageInitShape<typeof RefusedAppointmentSchema> & { date: string; reason: Reason };

/**
 * What `take` returns, or why the time is not free. `take` must throw the refusal of claimSlot() before it writes. The time of the appointment
 * `except` counts as free.
 */
export async function trySlot<T>(
  tx: TenantTx,
  clinic: Clinic,
  wanted: WantedSlot,
  now: Date,
  take: () => Promise<T>,
  except: Except = {},
): Promise<{ taken: T } | Refused> {
  try {
    return { taken: await take() };
  } catch (error) {
    const reason = error instanceof ServiceError ? error.reason : undefined;
    if (reason !== 'SLOT_TAKEN' && reason !== 'SLOT_UNAVAILABLE') throw error;
    return { date: wanted.date, reason, alternatives: await listAlternatives(tx, clinic, wanted, now, except) };
  }
}

/** Days before and after, the closest first. */
const AROUND = [[0], [-1, 1], [-2, 2], [-3, 3]];

async function listAlternatives(tx: TenantTx, clinic: Clinic, { doctorId, date, startTime, needs }: WantedSlot, now: Date, except: Except) {
  const last = farthestDate(clinic.timezone, now);
  for (const days of AROUND) {
    const free = await Promise.all(
      days.map((offset) => addDays(date, offset)).map((day) => (day > last ? [] : listFree(tx, clinic, doctorId, day, needs, now, except))),
    );
    const found = closest(free.flat(), startTime);
    if (found.length > 0) return found.map(({ date, startTime, endTime }) => ({ date, startTime, endTime }));
  }
  return [];
}

async function listFree(tx: TenantTx, { timezone }: Clinic, doctorId: string, date: string, needs: WantedSlot['needs'], now: Date, except: Except) {
  const doctor = await findDay(tx, doctorId, date, timezone, now, except);
  if (!doctor?.is_active) return [];
  const own = await scheduleOf(tx, needs, spanOf(doctor.day, date), now, except);
  return freeSlots({ ...toSchedule(doctor), ...own }, doctor.day, now.getTime()).map((slot) => ({ ...slot, date }));
}

/** Throws SLOT_TAKEN or SLOT_UNAVAILABLE with the dates as details when nothing was taken, or, with `allOrNothing`, when something was refused. */
export function refuseUnless(taken: number, refused: Refused[], allOrNothing: boolean): void {
  const [first] = refused;
  if (!first || (taken > 0 && !allOrNothing)) return;
  const reason = refused.find((one) => one.reason === 'SLOT_TAKEN')?.reason ?? first.reason;
  const details = refused.map((one): Detail => ({ path: one.date, message: one.reason }));
  fail(reason, undefined, details);
}
