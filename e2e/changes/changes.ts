// What the test of single fields (changes-one-field.test.ts) needs for every PATCH and PUT route: a record to change, a new value for each field of
// the body, and how the response and a later read show the value.
import type { Api } from '../api.ts';
import type { Clinic } from '../clinic.ts';
import { billingChanges } from './billing.ts';
import { type Changes, contextOf } from './change.ts';
import { dentalChanges } from './dental.ts';
import { identityChanges } from './identity.ts';
import { messagingChanges } from './messaging.ts';
import { operatorChanges } from './operators.ts';
import { schedulingChanges } from './scheduling.ts';

const AREAS = [identityChanges, schedulingChanges, dentalChanges, billingChanges, messagingChanges, operatorChanges];

/** The changes by the name of their route. */
export async function changesOf(api: Api, clinic: Clinic): Promise<Changes> {
  const context = await contextOf(api, clinic);
  return Object.assign({}, ...(await Promise.all(AREAS.map((changes) => changes(context)))));
}
