// Joins the modules of platform. Personal data is erased in their order.
import path from 'node:path';
import { defineService } from '@clinic/lib/runtime/module.ts';
import { createApp } from './app.ts';
import { demoRequests } from './demo-requests/module.ts';
import { inviteCodes } from './invite-codes/module.ts';
import { operatorAudit } from './operator-audit/module.ts';
import { dependencies, settings } from './settings.ts';
import { statistics } from './statistics/module.ts';

export default defineService({
  name: 'platform',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings,
  dependencies,
  modules: [demoRequests, inviteCodes, statistics, operatorAudit],
  createApp,
});
