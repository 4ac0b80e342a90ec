import { expect, test } from '@jest/globals';
import { AUDIT_ACTIONS, toCurrentAction, toStoredActions } from './audit-actions.ts';

test('rows of earlier releases are read under the current name of their action', () => {
  expect(toCurrentAction('patient', 'read_dui')).toBe('patient.dui_read');
  expect(toCurrentAction('clinic', 'update')).toBe('clinic.updated');
  expect(toCurrentAction('clinic', 'clinic.updated')).toBe('clinic.updated');
  expect(toCurrentAction('something', 'of another release')).toBe('of another release');
});

test('a filter by a current name finds rows with the former name of that entity alone', () => {
  expect(new Set(toStoredActions('patient.updated'))).toEqual(new Set(['patient.updated', 'patient update']));
});

test('a filter by a former name finds the rows of every entity that had it', () => {
  expect(toStoredActions('update')).toEqual(expect.arrayContaining(['update', 'patient.updated', 'clinic.updated', 'user.updated']));
  expect(toStoredActions('update')).not.toContain('patient.created');
});

test('an action is named <entity>.<past participle>, and a former name refers to one action of an entity', () => {
  for (const { action } of AUDIT_ACTIONS)
    expect(action).toMatch(/^[a-z_-]+\.([a-z]+_)*([a-z]+ed|in|out|over|left|proven|read|sent|set|reset|chosen|rebuilt|undone|withdrawn|written)$/);
  const former = AUDIT_ACTIONS.flatMap(({ entity, former: name }) => (name ? [`${entity} ${name}`] : []));
  expect(new Set(former).size).toBe(former.length);
});
