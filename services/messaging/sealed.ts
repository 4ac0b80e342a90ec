// What messaging keeps sealed, for the rotation of keys.
import type { SealedColumn } from '@clinic/lib/crypto/reseal.ts';
import { actionPlace } from './assistant/sql/assistant-actions.sql.ts';
import { messagePlace, titlePlace } from './assistant/sql/assistant-conversations.sql.ts';
import { channelPlace } from './channel/sealed.ts';
import { eventPlace } from './inbox/sealed.ts';
import { mailPlace } from './mail/sealed.ts';

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
  { table: 'assistant_conversations', key: ['clinic_id', 'id'], column: 'title_sealed', context: ({ id }) => titlePlace(id) },
  { table: 'assistant_messages', key: ['clinic_id', 'id'], column: 'content_sealed', context: ({ id }) => messagePlace(id) },
  { table: 'assistant_actions', key: ['clinic_id', 'id'], column: 'payload_sealed', context: ({ id }) => actionPlace(id) },
] satisfies SealedColumn[];
