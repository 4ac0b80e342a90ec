// /fhir/R4: patients, doctors, free slots and appointments for programs that use FHIR, read only.
import type { Clock } from '@clinic/lib/clock/clock.ts';
import { fail } from '@clinic/lib/errors/errors.ts';
import express, { type Request, type Router } from 'express';
import { sendJson, serveGet } from '../http/send.ts';
import { type Mount, type Perform, type Served, serve } from '../pipeline/mount.ts';
import { capabilityStatement, type ResourceType, SEARCHES } from './capability.ts';
import { toBundle } from './resources.ts';
import { parseCode, parsePage, parseParameters } from './search.ts';
import { searches } from './searches.ts';

export const FHIR = '/fhir/R4';
const TYPE = { 'Content-Type': 'application/fhir+json; charset=utf-8' };
/** The format of ids in FHIR. */
const ID = /^[A-Za-z0-9.-]{1,64}$/;

export function fhirRoutes({ publicUrl, clock, ...mount }: Mount & { publicUrl: string; clock: Clock }): Router {
  const base = `${publicUrl.replace(/\/$/, '')}${FHIR}`;
  const scheduling = mount.transports('scheduling');
  const router = express.Router({ caseSensitive: true });
  const add = (path: string, requirements: Pick<Served, 'access' | 'scope'>, getResource: (...args: Parameters<Perform>) => Promise<object>) => {
    const perform: Perform = async (request, response, caller) => {
      const json = JSON.stringify(await getResource(request, response, caller));
      return { send: (to, on, status, headers) => sendJson(to, on, status, json, { ...headers, ...TYPE }) };
    };
    serveGet(router, path, mount.log, serve({ ...requirements, path, method: 'get', rate: 'api' }, mount, perform));
  };
  add(`${FHIR}/metadata`, { access: 'public', scope: undefined }, async (request) => {
    const { mode } = parseParameters(request.url, ['mode']);
    parseCode('mode', mode, { full: true, normative: true });
    return capabilityStatement(base);
  });
  for (const type of Object.keys(SEARCHES) as ResourceType[]) {
    const { read, search, repeated = [] } = searches[type];
    const names = SEARCHES[type].map(({ name }) => name as string).filter((name) => !repeated.includes(name));
    const readers = { access: 'user', scope: 'fhir:read' } as const;
    add(`${FHIR}/${type}`, readers, async (request, _response, caller) => {
      const parameters = parseParameters(request.url, names, repeated);
      const page = parsePage(parameters);
      const { resources, total } = await search({ scheduling, caller, now: clock.now(), base }, parameters, page);
      return toBundle(base, type, queryOf(request), resources, { ...page, total });
    });
    add(`${FHIR}/${type}/:id`, readers, async (request, _response, caller) => {
      parseParameters(request.url, []);
      const id = String(request.params.id).toLowerCase();
      if (!ID.test(id)) fail('NOT_FOUND');
      return read({ scheduling, caller, now: clock.now(), base }, id);
    });
  }
  return router;
}

const queryOf = ({ url }: Request) => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
