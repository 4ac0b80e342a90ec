// Demo requests and their acceptance.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { DemoRequestService } from '@clinic/proto/platform/v1/demo_request_pb.js';
import type { App } from '../app.ts';
import { createDemoRequest } from './create-demo-request.ts';
import { acceptDemoRequest, rejectDemoRequest } from './decide-demo-request.ts';
import { getDemoInvitation } from './get-demo-invitation.ts';
import { listDemoRequests } from './list-demo-requests.ts';

export const demoRequests: Module<App> = {
  rpcs: [rpcs(DemoRequestService, { createDemoRequest, listDemoRequests, acceptDemoRequest, rejectDemoRequest, getDemoInvitation })],
  personal: [
    {
      table: 'demo_requests',
      // Found through the invite code. Its row is erased after this one, since the module of invite codes follows (service.ts).
      ofClinic: 'invite_code_id in (select i.id from invite_codes i where i.used_by_clinic_id = $1)',
      withClinic: { clinic_name: "'—'", contact_name: "'—'", email: "'erased@invalid'", phone: 'null', city: 'null', message: 'null' },
    },
  ],
};
