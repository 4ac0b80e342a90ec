// Updates a user within the limit of the plan. Only admins may update others. The last admin of a clinic cannot lose the role.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { emit } from '@clinic/lib/events/outbox.ts';
import { parseName } from '@clinic/lib/formats/person-name.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import { AccessChangedSchema } from '@clinic/proto/events/v1/identity_pb.js';
import type { UpdateUserRequest, UpdateUserRoleRequest } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { parseShownPhone } from '../clinics/parse-phone.ts';
import { removePin } from '../credentials/pins.sql.ts';
import { endFamilies, endFamiliesByPin } from '../sessions/session-families.sql.ts';
import { parseRole } from './parse-user.ts';
import { lockOthers, type Others, requireUserLimit } from './user-limit.ts';
import { lockUser, PERSONAL_FIELDS, toProto, type UserFields, type UserRow, updateUserFields } from './users.sql.ts';

export async function updateUser(app: App, request: UpdateUserRequest, call: Call) {
  const { id, fullName, phone, isActive, licenseNumber } = request;
  const { caller } = call;
  if (caller.role !== 'admin' && caller.id !== id.toLowerCase()) fail('FORBIDDEN', 'Only an admin may change another user');
  if (caller.role !== 'admin' && isActive !== undefined) fail('FORBIDDEN', 'Only an admin may deactivate or reactivate a user');
  return changeUser(app, call, id, {
    ...(fullName !== undefined && { full_name: parseName('fullName', fullName) }),
    ...(phone !== undefined && { phone: parseShownPhone(phone, clinicOf(call).country) }),
    ...(licenseNumber !== undefined && { license_number: parseOptionalText('licenseNumber', licenseNumber, 40) }),
    ...(isActive !== undefined && { is_active: isActive }),
  });
}

export const updateUserRole = async (app: App, request: UpdateUserRoleRequest, call: Call) =>
  changeUser(app, call, request.id, { app_role: parseRole(request.appRole) });

/** Absent fields keep their values. Throws USER_LIMIT_REACHED, LIMIT_CHECK_UNAVAILABLE or LAST_ADMIN. */
async function changeUser(app: App, call: Call, id: string, changes: Partial<UserFields>) {
  const { id: clinicId } = clinicOf(call);
  if (!isUuid(id)) fail('NOT_FOUND', 'User not found');
  return inTenant(app.db, clinicId, async (tx) => {
    // The clinic is locked before the user, so that all changes take their locks in the same order.
    const others = changes.is_active === undefined && changes.app_role === undefined ? undefined : await lockOthers(tx, id);
    const before = found(await lockUser(tx, id), 'User');
    const wanted = { ...before, ...changes };
    const differences = maskChanges(before, wanted, PERSONAL_FIELDS);
    if (Object.keys(differences).length === 0) return toProto(before, app.publicUrl);
    if (others) requireAllowed(before, wanted, others);
    const now = app.clock.now();
    const after = await updateUserFields(tx, id, wanted, now);
    const becomesAdmin = before.app_role !== 'admin' && after.app_role === 'admin';
    await Promise.all([
      // The PIN may be too short for an admin.
      ...(becomesAdmin ? [removePin(tx, id, now), endFamiliesByPin(tx, id, now)] : []),
      before.is_active && !after.is_active ? endFamilies(tx, id, 'user_inactive', now) : undefined,
      before.app_role === after.app_role ? undefined : emit(tx, clinicId, AccessChangedSchema, { userId: id }),
      audit(tx, clinicId, call.caller, { action: 'user.updated', entityId: id, changes: differences }),
    ]);
    return toProto({ ...after, has_pin: after.has_pin && !becomesAdmin }, app.publicUrl);
  });
}

function requireAllowed(before: UserRow, wanted: UserFields, others: Others): void {
  const isAdmin = (user: UserFields) => user.is_active && user.app_role === 'admin';
  if (isAdmin(before) && !isAdmin(wanted) && others.admins === 0) fail('LAST_ADMIN');
  if (!before.is_active && wanted.is_active && !before.registered_clinic) requireUserLimit(others);
}
