// The time zone and the cancellation policy of each clinic as identity's events report them.
import { type Db, execute, readTenant, row, sql, type Tx } from '@clinic/lib/db/db.ts';
import { DEFAULT_ZONE } from '@clinic/lib/formats/local-date.ts';
import type { ClinicUpdated } from '@clinic/proto/events/v1/identity_pb.js';

/** The revision of a clinic at its registration, whose event carries none. */
export const FIRST_REVISION = 1;

const findStatement = sql<{ timezone: string }>('select timezone from clinics where clinic_id = $1');

/** `unknown` is the zone of a clinic that is not stored yet. */
export const findZoneIn = async (tx: Tx, clinicId: string, unknown = DEFAULT_ZONE) => (await row(tx, findStatement, [clinicId]))?.timezone ?? unknown;

export const findZone = async (db: Db, clinicId: string, unknown = DEFAULT_ZONE) =>
  (await readTenant(db, clinicId, findStatement, [clinicId]))[0]?.timezone ?? unknown;

const updateStatement = sql(`
  update clinics set timezone = $2, revision = $3, cancellation_notice_hours = coalesce($4, cancellation_notice_hours),
    cancellation_text = nullif(coalesce($5, cancellation_text), ''), booking_no_show_limit = coalesce($6, booking_no_show_limit)
  where clinic_id = $1`);

const findPolicyStatement = sql<{ cancellation_notice_hours: number; cancellation_text: string | null }>(
  'select cancellation_notice_hours, cancellation_text from clinics where clinic_id = $1',
);

export const findClinicPolicy = async (db: Db, clinicId: string) => (await readTenant(db, clinicId, findPolicyStatement, [clinicId]))[0];

/** What identity's events report besides the zone. Absent fields keep their stored values. */
export type ClinicPolicy = Partial<Pick<ClinicUpdated, 'cancellationNoticeHours' | 'cancellationText' | 'bookingNoShowLimit'>>;

/** The clinic must be locked. */
export async function updateClinic(tx: Tx, clinicId: string, timezone: string, revision: number, policy: ClinicPolicy): Promise<void> {
  const { cancellationNoticeHours, cancellationText, bookingNoShowLimit } = policy;
  await execute(tx, updateStatement, [clinicId, timezone, revision, cancellationNoticeHours, cancellationText, bookingNoShowLimit]);
}
