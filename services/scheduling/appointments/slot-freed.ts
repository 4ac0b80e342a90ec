// An appointment that is cancelled, missed, completed or rescheduled frees its slot.

import type { TenantTx } from '@clinic/lib/db/db.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import type { AppointmentRow } from './appointments.sql.ts';

export type FreedSlot = Pick<AppointmentRow, 'doctor_id' | 'appointment_date' | 'start_time' | 'end_time' | 'starts_at'>;

/** Called in the transaction that frees the slot, after the statement that frees it. Locks the doctor's calendar. */
export type OnSlotFreed = (tx: TenantTx, clinic: Pick<CallerClinic, 'id' | 'timezone'>, freed: FreedSlot, now: Date) => Promise<void>;
