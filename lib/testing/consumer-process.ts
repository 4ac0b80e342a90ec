// A consumer in its own process, which a test kills while it handles an event. Arguments: the owner's URL and the URL of NATS.
import { PatientCreatedSchema } from '@clinic/proto/events/v1/scheduling_pb.js';
import pino from 'pino';
import { openDb } from '../db/db.ts';
import { databaseUrls } from '../db/migrate.ts';
import { startConsumers } from '../events/consumers.ts';
import { subscribe } from '../events/events.ts';
import { connectNats } from '../events/nats.ts';

const [, , ownerUrl = '', natsUrl = ''] = process.argv;
const log = pino({ level: 'silent' });
const db = openDb(databaseUrls(ownerUrl, 'platform'), { schema: 'platform', max: 2, log });
const endless = subscribe('note-patient', 'scheduling', PatientCreatedSchema, () => {
  process.stdout.write('working\n');
  return new Promise(() => {});
});
await startConsumers([endless], { service: 'platform', db, nats: connectNats(natsUrl, 'platform', log), log });
