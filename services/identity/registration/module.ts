// Registration of a clinic.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { SessionService } from '@clinic/proto/identity/v1/session_pb.js';
import type { App } from '../app.ts';
import { registerClinic } from './register-clinic.ts';

export const registration: Module<App> = {
  rpcs: [rpcs(SessionService, { registerClinic })],
};
