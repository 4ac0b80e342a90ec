import { expect, test } from '@jest/globals';
import { hoursFault } from './hours-rules.ts';

const monday = (startTime: string, endTime: string) => ({ dayOfWeek: 1, startTime, endTime });

test('several ranges of a day may touch', () => {
  expect(hoursFault([monday('08:00', '12:00'), monday('12:00', '16:00'), { ...monday('09:00', '10:00'), dayOfWeek: 2 }], 'workingHours')).toBeUndefined();
});
test('a range may end at the end of the day, which is not a start', () => {
  for (const end of ['24:00', '24:00:00']) expect(hoursFault([monday('18:00', end)], 'workingHours')).toBeUndefined();
  expect(hoursFault([monday('18:00', '24:00'), monday('23:30', '23:45')], 'workingHours')?.path).toBe('workingHours.1.startTime');
});
test.each([
  [[monday('18:00', '00:00')], 'workingHours.0.endTime'],
  [[monday('18:00', '24:01')], 'workingHours.0.endTime'],
  [[monday('18:00', '24:00:01')], 'workingHours.0.endTime'],
  [[monday('08:00', '12:00'), monday('11:59', '13:00')], 'workingHours.1.startTime'],
  [[monday('08:00', '08:00')], 'workingHours.0.endTime'],
  [[monday('12:00', '08:00')], 'workingHours.0.endTime'],
  [[monday('24:00', '08:00')], 'workingHours.0.startTime'],
  [[monday('8:00', '09:00')], 'workingHours.0.startTime'],
  [[monday('08:00:30', '09:00')], 'workingHours.0.startTime'],
  [[monday('08:00:00', '09:00:59')], 'workingHours.0.endTime'],
  [[{ ...monday('08:00', '09:00'), dayOfWeek: 7 }], 'workingHours.0.dayOfWeek'],
])('%j is refused at %s', (ranges, path) => {
  expect(hoursFault(ranges, 'workingHours')?.path).toBe(path);
});
