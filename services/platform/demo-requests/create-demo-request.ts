// Stores a demo request. Anyone may send one, within the rate limit.
import { audit } from '@clinic/lib/audit/audit.ts';
import { parseEmail } from '@clinic/lib/formats/email.ts';
import { parseInteger } from '@clinic/lib/formats/numbers.ts';
import { parseName } from '@clinic/lib/formats/person-name.ts';
import { parseOptionalText } from '@clinic/lib/formats/text.ts';
import { NO_CLINIC } from '@clinic/lib/formats/uuid.ts';
import { idempotentWithoutClinic } from '@clinic/lib/rpc/idempotency.ts';
import type { Call } from '@clinic/lib/rpc/pipeline.ts';
import { type CreateDemoRequestRequest, DemoRequestService } from '@clinic/proto/platform/v1/demo_request_pb.js';
import { v7 } from 'uuid';
import type { App } from '../app.ts';
import { insertDemoRequest, type NewDemoRequest } from './demo-requests.sql.ts';

export async function createDemoRequest(app: App, request: CreateDemoRequestRequest, call: Call) {
  const demo: NewDemoRequest = {
    id: v7(),
    clinic_name: parseName('clinicName', request.clinicName),
    contact_name: parseName('contactName', request.contactName),
    email: parseEmail('email', request.email),
    phone: parseOptionalText('phone', request.phone, 40),
    city: parseOptionalText('city', request.city, 100),
    doctors_count: request.doctorsCount === undefined ? null : parseInteger('doctorsCount', request.doctorsCount, 1, 10_000),
    message: parseOptionalText('message', request.message, 2000),
  };
  return idempotentWithoutClinic(app.db, call, DemoRequestService.method.createDemoRequest, request, async (tx) => {
    await insertDemoRequest(tx, demo, app.clock.now());
    await audit(tx, NO_CLINIC, call.caller, { action: 'demo_request.created', entityId: demo.id });
    return { id: demo.id, status: 'pending', message: 'Thank you: we will answer by e-mail' };
  });
}
