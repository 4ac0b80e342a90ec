// What an appointment needs besides its doctor: a length of its own, and a chair or a room.
import { type Db, inTenant, type TenantTx } from '@clinic/lib/db/db.ts';
import { found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseMinutes } from '@clinic/lib/formats/duration.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { findOfferedType } from '../appointment-types/appointment-types.sql.ts';
import { type Except, listBusyResources, type Span } from '../resources/resources.sql.ts';
import { findMovedNeeds } from './moved-needs.sql.ts';
import type { Schedule } from './slots-rules.ts';

export type Needs = {
  typeId: string | null;
  /** Null: the length of the type, or else of the doctor's consultation. */
  durationMinutes: number | null;
  /** Null: any of `resourceKind`. */
  resourceId: string | null;
  /** Null: none, unless `resourceId` names one. */
  resourceKind: string | null;
};

export const NO_NEEDS: Needs = { typeId: null, durationMinutes: null, resourceId: null, resourceKind: null };

type Given = { typeId?: string | undefined; durationMinutes?: number | undefined; resourceId?: string | undefined };

const BODY = { type: 'typeId', duration: 'durationMinutes' };
/** The same fields as query parameters. */
export const QUERY = { type: 'type_id', duration: 'duration_minutes' };

export const parseNeeds = ({ typeId, durationMinutes, resourceId }: Given, names = BODY): Needs => ({
  typeId: typeId === undefined ? null : parseUuid(names.type, typeId),
  durationMinutes: durationMinutes === undefined ? null : parseMinutes(names.duration, durationMinutes),
  resourceId: resourceId === undefined ? null : parseUuid('resourceId', resourceId),
  resourceKind: null,
});

/**
 * Adds the needs of the type. Throws NOT_FOUND for a type that is unknown or deleted, unless it is `optional`, and VALIDATION_ERROR for one that the
 * doctor does not offer.
 */
export async function resolveNeeds(tx: TenantTx, doctorId: string, needs: Needs, names = BODY, optional = false): Promise<Needs> {
  if (!needs.typeId) return needs;
  const offered = await findOfferedType(tx, needs.typeId, doctorId);
  if (!offered && optional) return needs;
  const type = found(offered, 'Appointment type');
  if (!type.offered) invalid(names.type, 'is a type that the doctor does not offer');
  return { ...needs, durationMinutes: needs.durationMinutes ?? type.duration_minutes, resourceKind: type.resource_kind };
}

export const needsResource = ({ resourceId, resourceKind }: Needs): boolean => resourceId !== null || resourceKind !== null;

/** The part of a schedule that depends on the needs. */
type OwnSchedule = Pick<Schedule, 'durationMinutes' | 'resources'>;

/** Throws NOT_FOUND for a resource that is unknown or deleted, and VALIDATION_ERROR for one of another kind. */
export async function scheduleOf(tx: TenantTx, needs: Needs, span: Span, now: Date, except: Except = {}): Promise<OwnSchedule> {
  const durationMinutes = needs.durationMinutes ?? undefined;
  if (!needsResource(needs)) return { durationMinutes };
  const resources = await listBusyResources(tx, { id: needs.resourceId, kind: needs.resourceKind }, span, now, except);
  if (needs.resourceId) {
    const resource = found(resources[0], 'Resource');
    if (needs.resourceKind && resource.kind !== needs.resourceKind) invalid('resourceId', `must be a ${needs.resourceKind}, which the type needs`);
  }
  return { durationMinutes, resources: resources.map(({ id, busy }) => ({ id, busy: busy.map(([start, end]) => ({ start, end })) })) };
}

/**
 * scheduleOf() for lists. The appointment that is moved, if any, keeps its length and the kind of its chair or room. Throws as resolveNeeds() does, and
 * NOT_FOUND for an unknown appointment.
 */
export async function readNeeds(db: Db, clinicId: string, doctorId: string, needs: Needs, span: Span, now: Date, except: Except): Promise<OwnSchedule> {
  const { appointmentId } = except;
  if (!needs.typeId && !appointmentId) return { durationMinutes: needs.durationMinutes ?? undefined };
  return inTenant(db, clinicId, async (tx) => {
    const moved = appointmentId === undefined ? undefined : found(await findMovedNeeds(tx, appointmentId), 'Appointment');
    const resolved = await resolveNeeds(tx, doctorId, needs, QUERY, moved !== undefined); // the type of the appointment may have been deleted
    const wanted = moved ? { ...resolved, durationMinutes: needs.durationMinutes ?? moved.duration_minutes, resourceKind: moved.resource_kind } : resolved;
    return scheduleOf(tx, wanted, span, now, except);
  });
}
