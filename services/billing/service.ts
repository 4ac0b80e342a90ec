// Billing's wiring: it holds its schema and its role, and answers for its health.
import path from 'node:path';
import type { ServiceModule } from '@clinic/lib/service.ts';

export default {
  name: 'billing',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings: {},
  neighbours: [],
  create: () => ({ implementations: [], consumers: [], jobs: [] }),
} satisfies ServiceModule;
