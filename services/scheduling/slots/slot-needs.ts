// What an appointment needs besides its doctor: a length of its own, and a chair or a room.
import type { Db, TenantTx } from '@clinic/lib/db/db.ts';
import { found, invalid } from '@clinic/lib/errors/errors.ts';
import { parseMinutes } from '@clinic/lib/formats/duration.ts';
import { parseUuid } from '@clinic/lib/formats/uuid.ts';
import { findOfferedType, findOfferedTypeIn, type OfferedType } from '../appointment-types/appointment-types.sql.ts';
import { type BusyResource, type Except, listBusyResources, listBusyResourcesIn, type Span } from '../resources/resources.sql.ts';
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

/** addType() with the type of the needs. */
export async function resolveNeeds(tx: TenantTx, doctorId: string, needs: Needs, names = BODY): Promise<Needs> {
  return needs.typeId ? addType(needs, await findOfferedTypeIn(tx, needs.typeId, doctorId), names) : needs;
}

/** Adds the needs of the type. Throws NOT_FOUND for one that is unknown or deleted, and VALIDATION_ERROR for one that the doctor does not offer. */
export function addType(needs: Needs, offered: OfferedType | undefined, names = BODY): Needs {
  const type = found(offered, 'Appointment type');
  if (!type.offered) invalid(names.type, 'is a type that the doctor does not offer');
  return { ...needs, durationMinutes: needs.durationMinutes ?? type.duration_minutes, resourceKind: type.resource_kind };
}

export const needsResource = ({ resourceId, resourceKind }: Needs): boolean => resourceId !== null || resourceKind !== null;

/** The chairs or rooms that satisfy the needs. */
export const resourcesOf = ({ resourceId, resourceKind }: Needs) => ({ id: resourceId, kind: resourceKind });

/** The part of a schedule that depends on the needs. */
type OwnSchedule = Pick<Schedule, 'durationMinutes' | 'resources'>;

/** Throws NOT_FOUND for a resource that is unknown or deleted, and VALIDATION_ERROR for one of another kind. */
export async function scheduleOf(tx: TenantTx, needs: Needs, span: Span, now: Date, except: Except = {}): Promise<OwnSchedule> {
  return toOwnSchedule(needs, needsResource(needs) ? await listBusyResourcesIn(tx, resourcesOf(needs), span, now, except) : []);
}

function toOwnSchedule(needs: Needs, resources: BusyResource[]): OwnSchedule {
  const durationMinutes = needs.durationMinutes ?? undefined;
  if (!needsResource(needs)) return { durationMinutes };
  if (needs.resourceId) {
    const resource = found(resources[0], 'Resource');
    if (needs.resourceKind && resource.kind !== needs.resourceKind) invalid('resourceId', `must be a ${needs.resourceKind}, which the type needs`);
  }
  return { durationMinutes, resources: resources.map(({ id, busy }) => ({ id, busy: busy.map(([start, end]) => ({ start, end })) })) };
}

/**
 * scheduleOf() for lists. The appointment that is moved, if any, keeps its type, its length and the kind of its chair or room, whatever the type in
 * `needs`. Undefined when the doctor does not offer its type, so that it cannot be moved there. Throws as addType() does, and NOT_FOUND for an unknown
 * appointment.
 */
export async function findOwnSchedule(
  db: Db,
  clinicId: string,
  doctorId: string,
  needs: Needs,
  span: Span,
  now: Date,
  except: Except,
): Promise<OwnSchedule | undefined> {
  const { appointmentId } = except;
  const wanted = await (appointmentId === undefined ? findTypeNeeds(db, clinicId, doctorId, needs) : findMove(db, clinicId, doctorId, needs, appointmentId));
  if (!wanted) return undefined;
  return toOwnSchedule(wanted, needsResource(wanted) ? await listBusyResources(db, clinicId, resourcesOf(wanted), span, now, except) : []);
}

async function findTypeNeeds(db: Db, clinicId: string, doctorId: string, needs: Needs): Promise<Needs> {
  return needs.typeId ? addType(needs, await findOfferedType(db, clinicId, needs.typeId, doctorId), QUERY) : needs;
}

async function findMove(db: Db, clinicId: string, doctorId: string, needs: Needs, appointmentId: string): Promise<Needs | undefined> {
  const moved = found(await findMovedNeeds(db, clinicId, appointmentId), 'Appointment');
  const { type_id: typeId, duration_minutes, resource_kind: resourceKind } = moved;
  const type = typeId && doctorId.toLowerCase() !== moved.doctor_id ? await findOfferedType(db, clinicId, typeId, doctorId) : undefined;
  return type?.offered === false ? undefined : { ...needs, typeId, durationMinutes: needs.durationMinutes ?? duration_minutes, resourceKind };
}
