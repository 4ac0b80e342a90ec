// Adds doctors within the plan's limit, changes and deactivates them. Booked appointments stay as they are.
import { audit, isUnchanged, maskChanges } from '@clinic/lib/audit/audit.ts';
import { renameOf } from '@clinic/lib/audit/rename-of.ts';
import { inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { fail, found, invalid, throwIfInvalid } from '@clinic/lib/errors/errors.ts';
import { parseMinutes } from '@clinic/lib/formats/duration.ts';
import { dateIn } from '@clinic/lib/formats/local-date.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { parseName } from '@clinic/lib/formats/person-name.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import type { CallerClinic } from '@clinic/lib/rpc/caller.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateDoctorRequest, type DeactivateDoctorRequest, DoctorService, type UpdateDoctorRequest } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { findZoneIn } from '../clinics/clinics.sql.ts';
import { listConflicts } from '../slots/timetable.sql.ts';
import { replacePhoto } from './doctor-photos.sql.ts';
import {
  type DoctorFields,
  type DoctorRow,
  deactivateDoctor as deactivate,
  findDoctor,
  insertDoctor,
  lockAndCountActive,
  lockDoctor,
  photoUrlOf,
  toProto,
  updateDoctor as update,
} from './doctors.sql.ts';
import { hoursFault, isSameWeek, type WeeklyRange } from './hours-rules.ts';
import { replaceBreaks, replaceWorkingHours } from './working-hours.sql.ts';

const NEW_DOCTOR: DoctorFields = {
  ...{ full_name: '', specialty: null, bio: null, photo_url: null, online_bookable: true },
  ...{ consultation_duration_minutes: 30, buffer_time_minutes: 0 },
};

/** Not named in the audit log, which is retained when a clinic is erased. */
const PERSONAL_FIELDS = ['full_name', 'bio', 'photo_url', 'feed_token_sealed'];

export async function createDoctor(app: App, request: CreateDoctorRequest, call: Call) {
  const doctor = parseFields(request, NEW_DOCTOR);
  throwIfInvalid(hoursFault(request.workingHours, 'workingHours') ?? hoursFault(request.breaks, 'breaks'));
  return idempotent(app.db, call, DoctorService.method.createDoctor, request, async (tx) => {
    await enforceDoctorLimit(tx, clinicOf(call));
    const id = v7();
    const [, , , created] = await Promise.all([
      insertDoctor(tx, id, doctor),
      replaceWorkingHours(tx, id, request.workingHours),
      replaceBreaks(tx, id, request.breaks),
      findDoctor(tx, id),
      audit(tx, tx.clinicId, call.caller, { action: 'doctor.created', entityId: id }),
    ]);
    return toProto(app, found(created, 'Doctor'));
  });
}

export async function updateDoctor(app: App, request: UpdateDoctorRequest, call: Call) {
  const clinic = clinicOf(call);
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Doctor not found');
  throwIfInvalid(hoursFault(request.workingHours?.ranges ?? [], 'workingHours') ?? hoursFault(request.breaks?.ranges ?? [], 'breaks'));
  return inTenant(app.db, clinic.id, async (tx) => {
    const before = found(await lockDoctor(tx, request.id), 'Doctor');
    // A client may send a doctor back as it was returned, with the address of the uploaded photo.
    const photoUrl = request.photoUrl === photoUrlOf(before, app.publicUrl) ? undefined : request.photoUrl;
    const fields = { ...parseFields({ ...request, photoUrl }, before), is_active: request.isActive ?? before.is_active };
    if (fields.is_active && !before.is_active) await enforceDoctorLimit(tx, clinic);
    const now = app.clock.now();
    const removesPhoto = photoUrl !== undefined && before.photo_id !== null;
    const workingHours = differingRanges(before.hours, request.workingHours?.ranges);
    const breaks = differingRanges(before.breaks, request.breaks?.ranges);
    const isSame = isUnchanged(before, fields) && !removesPhoto && !workingHours && !breaks;
    const after = isSame ? before : await change();
    const timezone = await findZoneIn(tx, clinic.id, clinic.timezone);
    const conflicts = request.workingHours || request.breaks ? await listConflicts(tx, after.id, timezone, dateIn(timezone, now), now) : [];
    return toProto(app, after, conflicts);

    async function change(): Promise<DoctorRow> {
      const [, , , , updated] = await Promise.all([
        removesPhoto && replacePhoto(tx, before.id, undefined, now),
        update(tx, before.id, fields, now),
        workingHours && replaceWorkingHours(tx, before.id, workingHours),
        breaks && replaceBreaks(tx, before.id, breaks),
        findDoctor(tx, before.id),
      ]);
      const changed = found(updated, 'Doctor');
      const changes = maskChanges(before, changed, PERSONAL_FIELDS);
      await audit(tx, clinic.id, call.caller, { action: 'doctor.updated', entityId: changed.id, changes, ...renameOf(before, changed) });
      return changed;
    }
  });
}

export async function deactivateDoctor(app: App, request: DeactivateDoctorRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Doctor not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const { id, is_active } = found(await lockDoctor(tx, request.id), 'Doctor');
    if (is_active) {
      await deactivate(tx, id, app.clock.now());
      await audit(tx, tx.clinicId, call.caller, { action: 'doctor.deactivated', entityId: id });
    }
    return { message: 'Doctor deactivated' };
  });
}

/** The ranges of a request, unless it has none or they equal the stored ones. */
const differingRanges = (stored: StoredRange[], requested: WeeklyRange[] | undefined) =>
  requested && !isSameWeek(stored.map(toRange), requested) ? requested : undefined;

type StoredRange = DoctorRow['breaks'][number];
const toRange = ({ day_of_week, start_time, end_time }: StoredRange): WeeklyRange => ({ dayOfWeek: day_of_week, startTime: start_time, endTime: end_time });

type DoctorInput = Omit<UpdateDoctorRequest, '$typeName' | 'id' | 'isActive' | 'workingHours' | 'breaks'>;

/** The fields of a request. Absent ones keep their previous value. */
const parseFields = ({ fullName, specialty, bio, photoUrl, ...numbers }: DoctorInput, before: DoctorFields): DoctorFields => ({
  full_name: fullName === undefined ? before.full_name : parseName('fullName', fullName),
  specialty: specialty === undefined ? before.specialty : parseOptionalText('specialty', specialty, 200),
  bio: bio === undefined ? before.bio : parseOptionalText('bio', bio, 5000),
  photo_url: photoUrl === undefined ? before.photo_url : parsePhotoUrl(photoUrl),
  consultation_duration_minutes: parseMinutes('consultationDurationMinutes', numbers.consultationDurationMinutes ?? before.consultation_duration_minutes),
  buffer_time_minutes: parseInteger('bufferTimeMinutes', numbers.bufferTimeMinutes ?? before.buffer_time_minutes, 0, 240),
  online_bookable: numbers.onlineBookable ?? before.online_bookable,
});

/** Null when blank. Browsers do not show http pictures on https pages. */
function parsePhotoUrl(value: string): string | null {
  const url = parseOptionalText('photoUrl', value, 2000);
  if (url && !/^https:\/\//i.test(url)) invalid('photoUrl', 'must be an https URL');
  return url;
}

/** Counts the doctors under a lock until the transaction ends. Throws DOCTOR_LIMIT_REACHED, or LIMIT_CHECK_UNAVAILABLE when the doctors cannot be counted. */
async function enforceDoctorLimit(tx: TenantTx, { doctorLimit }: CallerClinic): Promise<void> {
  if (doctorLimit === undefined) return;
  const active = await lockAndCountActive(tx).catch(() => fail('LIMIT_CHECK_UNAVAILABLE'));
  if (active >= doctorLimit) fail('DOCTOR_LIMIT_REACHED');
}
