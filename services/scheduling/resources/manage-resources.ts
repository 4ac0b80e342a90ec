// Chairs and rooms of a clinic. A deleted one is retained for its appointments.
import { audit, maskChanges } from '@clinic/lib/audit/audit.ts';
import { inTenant } from '@clinic/lib/db/db.ts';
import { fail, found } from '@clinic/lib/errors/errors.ts';
import { parseOneOf } from '@clinic/lib/formats/numbers.ts';
import { parsePage } from '@clinic/lib/formats/page.ts';
import { parseText } from '@clinic/lib/formats/text.ts';
import { toFields } from '@clinic/lib/formats/to-fields.ts';
import { isUuid } from '@clinic/lib/formats/uuid.ts';
import { idempotent } from '@clinic/lib/rpc/idempotency.ts';
import { type Call, clinicOf } from '@clinic/lib/rpc/pipeline.ts';
import {
  type CreateResourceRequest,
  type DeleteResourceRequest,
  type ListResourcesRequest,
  ResourceService,
  type UpdateResourceRequest,
} from '@clinic/proto/scheduling/v1/resource_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { deactivateResource, insertResource, listResources as list, lockResource, RESOURCE_KINDS, renameResource } from './resources.sql.ts';

export async function listResources(app: App, request: ListResourcesRequest, call: Call) {
  const { page, limit, offset } = parsePage(request, 50, 500);
  const kind = request.kind === undefined ? null : parseOneOf('kind', request.kind, RESOURCE_KINDS);
  const { rows, total } = await list(app.db, clinicOf(call).id, kind, limit, offset);
  return { resources: rows.map(toFields), total, page, limit };
}

export async function createResource(app: App, request: CreateResourceRequest, call: Call) {
  const resource = { id: v7(), name: parseText('name', request.name, 80), kind: parseOneOf('kind', request.kind, RESOURCE_KINDS) };
  return idempotent(app.db, call, ResourceService.method.createResource, request, async (tx) => {
    const [created] = await Promise.all([
      insertResource(tx, resource, app.clock.now()),
      audit(tx, tx.clinicId, call.caller, { action: 'resource.created', entityId: resource.id, changes: { name: resource.name, kind: resource.kind } }),
    ]);
    return toFields(created);
  });
}

export async function updateResource(app: App, request: UpdateResourceRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Resource not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    const before = found(await lockResource(tx, request.id), 'Resource');
    const name = request.name === undefined ? before.name : parseText('name', request.name, 80);
    if (name === before.name) return toFields(before);
    const after = await renameResource(tx, before.id, name, app.clock.now());
    await audit(tx, tx.clinicId, call.caller, { action: 'resource.updated', entityId: before.id, changes: maskChanges({ name: before.name }, { name }, []) });
    return toFields(after);
  });
}

export async function deleteResource(app: App, request: DeleteResourceRequest, call: Call) {
  if (!isUuid(request.id)) fail('NOT_FOUND', 'Resource not found');
  return inTenant(app.db, clinicOf(call).id, async (tx) => {
    if (!(await deactivateResource(tx, request.id, app.clock.now()))) fail('NOT_FOUND', 'Resource not found');
    await audit(tx, tx.clinicId, call.caller, { action: 'resource.deleted', entityId: request.id });
    return { message: 'Resource deleted' };
  });
}
