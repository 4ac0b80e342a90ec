import { expect, test } from '@jest/globals';
import { centsOf, clockTimeOf, splitDateTime, statusOf } from './appointment-cells-rules.ts';
import { type Candidate, isSameName, matchPatient, type PatientRef } from './patient-ref.ts';

test('times, dates with a time, and statuses are normalized', () => {
  expect(['9:05', '14:30:00', '2:30 PM', '12:00 a. m.', '12:15pm'].map(clockTimeOf)).toEqual(['09:05', '14:30', '14:30', '00:00', '12:15']);
  for (const wrong of ['25:00', '9:60', '13:00 PM', '0:10 AM', 'noon', '9']) expect(() => clockTimeOf(wrong)).toThrow(/HH:MM/);
  expect(['2024-03-05T14:30:00Z', '05/03/2024 2:30 PM', '2024-03-05'].map(splitDateTime)).toEqual([
    { date: '2024-03-05', time: '14:30:00' },
    { date: '05/03/2024', time: '2:30 PM' },
    { date: '2024-03-05', time: '' },
  ]);
  expect(['', 'Complete', 'Broken', 'No asistió', 'Cancelada', 'no_show', '5'].map(statusOf)).toEqual([
    'completed',
    'completed',
    'no_show',
    'no_show',
    'cancelled',
    'no_show',
    'no_show',
  ]);
  expect(() => statusOf('Scheduled')).toThrow(/must be completed/);
});

test('amounts are read with either decimal mark', () => {
  expect(['85', '$85.5', '1,234.50', '1.234,50', '1,234', 'USD 0.05'].map(centsOf)).toEqual([8500n, 8550n, 123450n, 123450n, 123400n, 5n]);
  expect(["1'234.50", '1 234.50', 'US$5', '₡ 500', '7.25 USD', '$85'].map(centsOf)).toEqual([123450n, 123450n, 500n, 50000n, 725n, 8500n]);
  const refused = ['-5', '(5.00)', '0', '1.2345', '1,23,4', 'x', '12.345.6', '1e3', '10/2', '12abc', '5%', '100 CR', '0.001', '5 -'];
  for (const wrong of refused) expect(() => centsOf(wrong)).toThrow(/positive amount/);
});

test('a patient is found by phone and name, by DUI, or by name and date of birth', () => {
  const one = (id: string, fields: Partial<Candidate>): Candidate => ({
    id,
    phone: null,
    search_name: '',
    guardian_id: null,
    dui_index: null,
    birth_date: null,
    merged_into: null,
    ...fields,
  });
  const candidates = [
    one('mother', { phone: '+1', search_name: ' ana paz de leon', dui_index: Buffer.from('A') }),
    one('child', { guardian_id: 'mother', search_name: ' luz paz' }),
    one('old', { phone: '+2', search_name: ' ana paz', merged_into: 'mother' }),
    one('twin-1', { search_name: ' eva sol', birth_date: '2010-01-01' }),
    one('twin-2', { search_name: ' eva sol', birth_date: '2010-01-01' }),
  ];
  const match = (ref: Partial<PatientRef>) =>
    matchPatient({ phone: null, dui: null, search_name: '', birth_date: null, ...ref }, candidates, (dui) => [Buffer.from(dui)]);
  expect(match({ phone: '+1' })).toEqual({ id: 'mother' });
  expect(match({ phone: '+1', search_name: ' ana paz' })).toEqual({ id: 'mother' });
  expect(match({ phone: '+1', search_name: ' luz paz' })).toEqual({ id: 'child' });
  expect(match({ phone: '+1', search_name: ' paz' })).toMatchObject({ fault: expect.stringContaining('another name') });
  expect(match({ phone: '+1', search_name: ' mario rojas' })).toMatchObject({ fault: expect.stringContaining('another name') });
  expect(match({ phone: '+2' })).toEqual({ id: 'mother' });
  expect(match({ phone: '+3' })).toMatchObject({ fault: expect.stringContaining('no patient has') });
  expect(match({ dui: 'A' })).toEqual({ id: 'mother' });
  expect(match({ search_name: ' eva sol', birth_date: '2010-01-01' })).toMatchObject({ fault: expect.stringContaining('several') });
  expect(match({ search_name: ' luz paz', birth_date: '2010-01-01' })).toMatchObject({ fault: expect.stringContaining('no patient') });
  expect([isSameName(' ana paz', ' ana paz de leon'), isSameName(' ana', ' eva'), isSameName('', ' eva')]).toEqual([true, false, false]);
});
