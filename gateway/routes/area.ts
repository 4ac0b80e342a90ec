// Completes the rows of an area.
import { getOption } from '@bufbuild/protobuf';
import { isScope, type Scope } from '@clinic/lib/formats/scopes.ts';
import { Access, access } from '@clinic/proto/common/v1/options_pb.js';
import { type ZodRawShape, z } from 'zod';
import type { Area, Route, RouteAccess, Row } from '../http/route.ts';
import { uuid } from './schemas.ts';

/**
 * `all` has the defaults of the rows; its `notFound` applies only to paths with a parameter. Throws for an RPC that no route may call, and for an
 * unknown scope.
 */
export function area<All extends Partial<Row> = object>({
  all,
  routes,
  ...rest
}: Omit<Area, 'routes'> & { all?: All; routes: (Omit<Row, keyof All> & Partial<Row>)[] }): Area {
  const complete = (row: Partial<Row>): Row => {
    const whole = { ...all, ...row } as Row;
    return whole.path.includes(':') ? whole : { ...whole, notFound: row.notFound };
  };
  return { ...rest, routes: routes.map((row) => toRoute(complete(row))) };
}

function toRoute({ params, query, body, cookies, raw, upload, scope, ...row }: Row): Route {
  const path = Object.fromEntries([...row.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, params?.[name] ?? uuid]));
  const request = { params: schemaOf(Object.keys(path).length > 0 ? path : undefined), query: schemaOf(query), body: schemaOf(body) };
  const access = accessOf(row);
  return {
    rate: 'api',
    status: row.creates ? 201 : 200,
    ...row,
    access,
    scope: access === 'user' ? scopeOf(scope, row) : undefined,
    request: { ...request, cookies: schemaOf(cookies), raw, upload },
  };
}

const schemaOf = (shape: ZodRawShape | undefined) => shape && z.object(shape);

function scopeOf(resource: Row['scope'], { method, path }: Pick<Row, 'method' | 'path'>): Scope | undefined {
  if (resource === 'none') return undefined;
  const scope = resource.includes(':') ? resource : `${resource}:${method === 'get' ? 'read' : 'write'}`;
  if (!isScope(scope)) throw new Error(`${method} ${path}: there is no scope ${scope}`);
  return scope;
}

const ACCESS: Partial<Record<Access, RouteAccess>> = {
  [Access.PUBLIC]: 'public',
  [Access.USER]: 'user',
  [Access.ADMIN]: 'admin',
  [Access.OPERATOR]: 'superadmin',
};

function accessOf({ method, path, rpc }: Pick<Row, 'method' | 'path' | 'rpc'>): RouteAccess {
  const allowed = getOption(rpc, access);
  const found = ACCESS[allowed];
  if (!found) throw new Error(`${method} ${path}: a route cannot call ${rpc.parent.typeName}.${rpc.name}, whose access is ${Access[allowed]}`);
  return found;
}
