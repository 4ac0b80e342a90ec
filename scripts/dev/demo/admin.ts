// Call options for the demo clinic's admin, after a normal sign-in.
import { randomUUID } from 'node:crypto';
import type { Caller, CallerClinic } from '@clinic/lib/rpc/caller.ts';
import { callAs } from '@clinic/lib/rpc/context.ts';
import { SessionService } from '@clinic/proto/identity/v1/session_pb.js';
import { type CallOptions, createClient, type Transport } from '@connectrpc/connect';

export const anonymous = () => callAs({ kind: 'anonymous', id: '', role: '', requestId: randomUUID(), ip: '127.0.0.1' });

/** Throws when the admin's password has been changed. */
export async function demoCaller(transport: (service: string) => Transport, { email, password }: { email: string; password: string }): Promise<Caller> {
  const { user } = await createClient(SessionService, transport('identity')).login({ email, password }, anonymous());
  const clinic: CallerClinic = { id: user?.clinicId ?? '', plan: 'clinica', timezone: 'America/El_Salvador', country: 'SV' };
  return { kind: 'user', id: user?.id ?? '', role: 'admin', clinic, requestId: randomUUID(), ip: '127.0.0.1' };
}

/** Call options for the admin. */
export const demoAdmin = async (...as: Parameters<typeof demoCaller>): Promise<CallOptions> => callAs(await demoCaller(...as));
