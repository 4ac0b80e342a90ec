// What messaging keeps sealed, for the rotation of keys.
import type { SealedColumn } from '@clinic/lib/reseal.ts';
import { channelPlace, eventPlace, mailPlace } from './sql/sealed.ts';

const channel = (name: 'access_token' | 'verify_token' | 'pin') =>
  ({ table: 'channels', key: ['clinic_id'], column: `${name}_sealed`, context: ({ clinic_id }) => channelPlace(clinic_id, name) }) satisfies SealedColumn;
const mail = (name: 'to' | 'content') =>
  ({ table: 'mails', key: ['id'], column: `${name}_sealed`, context: ({ id }) => mailPlace(id, name) }) satisfies SealedColumn;

export default [
  channel('access_token'),
  channel('verify_token'),
  channel('pin'),
  { table: 'chat_events', key: ['seq'], reads: ['id'], column: 'body_sealed', context: ({ id }) => eventPlace(id) },
  mail('to'),
  mail('content'),
] satisfies SealedColumn[];
