// Joins the modules of identity. Personal data is erased in their order: rows that refer to other rows are erased first.
import path from 'node:path';
import { defineService } from '@clinic/lib/runtime/module.ts';
import { access } from './access/module.ts';
import { createApp } from './app.ts';
import { auditLog } from './audit-log/module.ts';
import { clinics } from './clinics/module.ts';
import { credentials } from './credentials/module.ts';
import { integrationKeys } from './integration-keys/module.ts';
import { notices } from './notices/module.ts';
import { operations } from './operations/module.ts';
import { pictures } from './pictures/module.ts';
import { recovery } from './recovery/module.ts';
import { registration } from './registration/module.ts';
import { secondFactor } from './second-factor/module.ts';
import { sessions } from './sessions/module.ts';
import { dependencies, settings } from './settings.ts';
import { subscriptions } from './subscriptions/module.ts';
import { usage } from './usage/module.ts';
import { users } from './users/module.ts';

export default defineService({
  name: 'identity',
  migrations: path.join(import.meta.dirname, 'migrations'),
  settings,
  dependencies,
  modules: [
    registration,
    integrationKeys,
    subscriptions,
    secondFactor,
    sessions,
    recovery,
    credentials,
    users,
    notices,
    pictures,
    operations,
    usage,
    clinics,
    access,
    auditLog,
  ],
  createApp,
});
