// Updates the profile that printed documents show.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { type Db, inTenant } from '@clinic/lib/db/db.ts';
import { invalid } from '@clinic/lib/errors/errors.ts';
import { parseName } from '@clinic/lib/formats/person-name.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import type { UpdateProfileRequest } from '@clinic/proto/identity/v1/settings_pb.js';
import type { App } from '../app.ts';
import { lockSettings, PERSONAL_FIELDS, type ProfileFields, type SettingsRow, toProfile, updateProfileFields } from './clinic-settings.sql.ts';
import { parseShownPhone } from './parse-phone.ts';
import { parseTimezone } from './parse-timezone.ts';
import { publishClinicUpdated } from './publish-clinic-updated.ts';

/** ISO 4217 codes in which this runtime can format amounts. */
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'));

type Wanted = Pick<UpdateProfileRequest, 'name' | 'phone' | 'address' | 'city' | 'timezone' | 'currency'>;

export const updateProfile = async (app: App, request: UpdateProfileRequest, call: Call) =>
  toProfile(await changeProfile(app, call, await parseProfile(app.db, request, clinicOf(call).country)), app.publicUrl);

/** The fields that the request contains. `country` is that of the clinic. */
export async function parseProfile(db: Db, request: Wanted, country: string): Promise<Partial<ProfileFields>> {
  const { name, phone, address, city, timezone, currency } = request;
  if (currency !== undefined && !CURRENCIES.has(currency)) invalid('currency', 'must be an ISO 4217 code, for example USD');
  return {
    ...(name !== undefined && { name: parseName('name', name) }),
    ...(phone !== undefined && { phone: parseShownPhone(phone, country) }),
    ...(address !== undefined && { address: parseOptionalText('address', address, 500) }),
    ...(city !== undefined && { city: parseOptionalText('city', city, 100) }),
    ...(timezone !== undefined && { timezone: await parseTimezone(db, timezone) }),
    ...(currency !== undefined && { currency }),
  };
}

/** Changes the caller's clinic. Absent fields keep their values. */
export async function changeProfile(app: App, call: Call, changes: Partial<ProfileFields>): Promise<SettingsRow> {
  const { id } = clinicOf(call);
  return inTenant(app.db, id, async (tx) => {
    const before = await lockSettings(tx);
    const wanted = { ...before, ...changes };
    const differences = maskChanges(before, wanted, PERSONAL_FIELDS);
    if (Object.keys(differences).length === 0) return before;
    await updateProfileFields(tx, wanted, app.clock.now());
    await audit(tx, id, call.caller, { action: 'clinic.updated', entityId: id, changes: differences });
    return publishClinicUpdated(tx, id);
  });
}
