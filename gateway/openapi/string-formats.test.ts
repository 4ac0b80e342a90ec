import { expect, test } from '@jest/globals';
import { stringSchema } from './string-formats.ts';

const cases: [comment: string, schema: object][] = [
  ['confirmed, pending or no_show.', { enum: ['confirmed', 'pending', 'no_show'] }],
  ['chair or room; null when an appointment takes none.', { enum: ['chair', 'room'] }],
  ['female, male, other, or null.', { enum: ['female', 'male', 'other'] }],
  ['SLOT_TAKEN or SLOT_UNAVAILABLE: the time is occupied, or there is no slot.', { enum: ['SLOT_TAKEN', 'SLOT_UNAVAILABLE'] }],
  ['image/png or image/jpeg, as found from the content.', { enum: ['image/png', 'image/jpeg'] }],
  ['accepted or declined; empty while it is open.', { enum: ['accepted', 'declined', ''] }],
  ['Always Bearer.', { enum: ['Bearer'] }],
  ['UUID of the patient.', { format: 'uuid' }],
  ['UUID of the patient, or empty.', {}],
  ['Last date, included, YYYY-MM-DD.', { format: 'date' }],
  ['HH:MM:SS, or null.', { pattern: '^\\d{2}:\\d{2}:\\d{2}$' }],
  ['Phone, or null.', {}],
  ['bot, reply, recall …', {}],
  ['sent or received by a patient.', {}],
  ['', {}],
];

test.each(cases)('%s', (comment, schema) => expect(stringSchema(comment)).toEqual({ type: 'string', ...schema }));
