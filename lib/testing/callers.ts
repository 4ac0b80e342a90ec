// Callers for tests: call options for a client, as the gateway creates them after its access check.
import { randomUUID } from 'node:crypto';
import type { CallOptions } from '@connectrpc/connect';
import { type Caller, type CallerClinic, serviceCaller } from '../rpc/caller.ts';
import { callAs } from '../rpc/context.ts';

type CallerOptions = {
  /** Idempotency-Key. */
  key?: string;
  userId?: string;
  role?: string;
  sessionId?: string;
  clinic?: Partial<CallerClinic>;
  ip?: string;
};

/** A clinic on the plan `clinica`, in San Salvador. */
export function callerClinic(id: string, changed: Partial<CallerClinic> = {}): CallerClinic {
  return { id, plan: 'clinica', timezone: 'America/El_Salvador', country: 'SV', ...changed };
}

/** `client.bookAppointment(request, asUser(clinicId))`: a receptionist by default. */
export function asUser(clinicId: string, options: CallerOptions = {}): CallOptions {
  const { userId = randomUUID(), role = 'receptionist', ip = '127.0.0.1', sessionId } = options;
  return callAs(caller({ kind: 'user', id: userId, role, ip, clinic: callerClinic(clinicId, options.clinic), ...(sessionId && { sessionId }) }), options.key);
}

export function asAdmin(clinicId: string, options: CallerOptions = {}): CallOptions {
  return asUser(clinicId, { role: 'admin', ...options });
}

/** A program of the clinic with an integration key. */
export function asKey(clinicId: string, key?: string): CallOptions {
  return callAs(caller({ kind: 'integration_key', id: randomUUID(), clinic: callerClinic(clinicId) }), key);
}

export function asOperator(name = 'tester', key?: string): CallOptions {
  return callAs(caller({ kind: 'operator', id: name }), key);
}

/** Another service; for one clinic when `clinicId` is given. */
export function asService(name: string, clinicId?: string, key?: string): CallOptions {
  return callAs({ ...serviceCaller(name, randomUUID()), ...(clinicId ? { clinic: callerClinic(clinicId) } : {}) }, key);
}

export function asAnonymous(options: { key?: string; ip?: string } = {}): CallOptions {
  return callAs(caller({ kind: 'anonymous', id: '', ip: options.ip ?? '127.0.0.1' }), options.key);
}

function caller(fields: Pick<Caller, 'kind' | 'id'> & Partial<Caller>): Caller {
  return { requestId: randomUUID(), ip: '127.0.0.1', role: '', ...fields };
}
