// Dental: treatment plans, prices and payment plans; charts and recall come from charting.ts. The only wiring.
import path from 'node:path';
import type { ServiceModule } from '@clinic/lib/service.ts';
import { ClinicProfileService } from '@clinic/proto/identity/v1/profile_pb.js';
import { LookupService } from '@clinic/proto/scheduling/v1/lookup_pb.js';
import { createClient } from '@connectrpc/connect';
import type { App } from './app.ts';
import { charting } from './charting.ts';

export default {
  name: 'dental',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings: {},
  neighbours: ['scheduling', 'identity'],
  create({ settings, db, clock, log, neighbour }) {
    const app: App = {
      db,
      clock,
      log,
      constraints: {},
      keys: settings.ENCRYPTION_KEYS,
      lookup: createClient(LookupService, neighbour('scheduling')),
      clinicProfile: createClient(ClinicProfileService, neighbour('identity')),
    };
    return charting(app);
  },
} satisfies ServiceModule;
