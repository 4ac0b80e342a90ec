import { expect, test } from '@jest/globals';
import { recallChoice } from '../bot/rules/intents.ts';
import { parseDelivery } from './delivery-payload-rules.ts';

const LUCIA = { profile: { name: 'Lucía' }, wa_id: '50370000001' };
const ROSA = { profile: { name: 'Rosa' }, wa_id: '50370000002' };
const HIDDEN = { profile: { name: 'Iris' }, user_id: 'SV.1' };
const ALSO_HIDDEN = { profile: { name: 'Noé' }, user_id: 'SV.2' };

const MESSAGE = { id: 'wamid.1', type: 'text', text: { body: 'Hola' } };
const NUMBER = { metadata: { phone_number_id: 'n' } };
const parseValue = (value: object) => parseDelivery(Buffer.from(JSON.stringify({ entry: [{ changes: [{ value }] }] })));
const parse = (contacts: object[], message: object) => parseValue({ ...NUMBER, contacts, messages: [{ ...MESSAGE, ...message }] })?.messages;

test.each([
  ['the contact with the phone', [LUCIA, ROSA], { from: ROSA.wa_id }, '+50370000002', 'Rosa'],
  ['the contact with the user id', [HIDDEN, ALSO_HIDDEN], { from_user_id: 'SV.2' }, 'SV.2', 'Noé'],
  ['the only contact', [{ profile: { name: 'Lucía' } }], { from: LUCIA.wa_id }, '+50370000001', 'Lucía'],
  ['the only contact, whose user id is also the key', [HIDDEN], {}, 'SV.1', 'Iris'],
  ['no contact if several have other phones', [LUCIA, ROSA], { from: '50370000003' }, '+50370000003', undefined],
  ['no contact if several have other user ids', [HIDDEN, ALSO_HIDDEN], { from: '50370000003' }, '+50370000003', undefined],
])('the profile name of a message is that of %s', (_which, contacts, sender, phone, profileName) => {
  expect(parse(contacts, sender)).toMatchObject([{ phone, profileName }]);
});

const FROM_LUCIA = { ...MESSAGE, from: LUCIA.wa_id };
const DELIVERED = { id: 'wamid.1', status: 'delivered' };

test.each([
  ['without a sender, if there are several contacts', { ...NUMBER, contacts: [HIDDEN, ALSO_HIDDEN], messages: [MESSAGE] }],
  ['without an id', { ...NUMBER, messages: [{ ...FROM_LUCIA, id: undefined }] }],
  ['that is not an object', { ...NUMBER, messages: ['Hola'] }],
  ['without a number', { messages: [FROM_LUCIA] }],
  ['without a recipient, written on another device', { ...NUMBER, message_echoes: [FROM_LUCIA] }],
  ['about promotional messages, without a phone', { ...NUMBER, user_preferences: [{ value: 'stop' }] }],
  ['about promotional messages, without a number', { user_preferences: [{ wa_id: LUCIA.wa_id, value: 'stop' }] }],
  ['that is a status without an id', { ...NUMBER, statuses: [{ status: 'failed' }] }],
  ['that is a status without a number', { statuses: [DELIVERED] }],
])('a message %s is omitted, and counted', (_which, value) => {
  expect(parseValue(value)).toEqual({ messages: [], statuses: [], omitted: 1 });
});

test.each([
  ['marketing_messages', 'stop', ['stop']],
  ['marketing_messages', 'resume', ['start']],
  ['marketing_messages', 'signup', ['start']],
  ['marketing_messages', 'paused', []],
  ['service_messages', 'stop', []],
])('of the preference %s: %s, the choice about recalls is %j', (category, value, choices) => {
  const parsed = parseValue({ ...NUMBER, user_preferences: [{ wa_id: LUCIA.wa_id, category, value, timestamp: 1 }] });
  expect(parsed?.messages.flatMap(({ type, content }) => recallChoice(type, content) ?? [])).toEqual(choices);
});

test('statuses of other kinds are ignored', () => {
  expect(parseValue({ ...NUMBER, statuses: [{ id: 'wacid.1', status: 'RINGING' }, DELIVERED] })).toMatchObject({
    statuses: [{ providerId: 'wamid.1', status: 'delivered' }],
    omitted: 0,
  });
});
