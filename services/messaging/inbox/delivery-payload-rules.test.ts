import { expect, test } from '@jest/globals';
import { parseDelivery } from './delivery-payload-rules.ts';

const LUCIA = { profile: { name: 'Lucía' }, wa_id: '50370000001' };
const ROSA = { profile: { name: 'Rosa' }, wa_id: '50370000002' };
const HIDDEN = { profile: { name: 'Iris' }, user_id: 'SV.1' };
const ALSO_HIDDEN = { profile: { name: 'Noé' }, user_id: 'SV.2' };

const parse = (contacts: object[], message: object) => {
  const value = { metadata: { phone_number_id: 'n' }, contacts, messages: [{ id: 'wamid.1', type: 'text', text: { body: 'Hola' }, ...message }] };
  return parseDelivery(Buffer.from(JSON.stringify({ entry: [{ changes: [{ value }] }] })))?.messages;
};

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

test('a message without a sender is omitted if there are several contacts', () => {
  expect(parse([HIDDEN, ALSO_HIDDEN], {})).toEqual([]);
});
