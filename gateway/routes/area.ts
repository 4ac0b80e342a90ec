// Completes the rows of an area.
import { getOption } from '@bufbuild/protobuf';
import { Access, access } from '@clinic/proto/common/v1/options_pb.js';
import { type ZodRawShape, z } from 'zod';
import type { Area, Route, RouteAccess, Row } from '../http/route.ts';
import { uuid } from './schemas.ts';

/** `all` holds for each row that does not say otherwise. Throws for an RPC that no public route may call. */
export function area<All extends Partial<Row> = object>({
  all,
  routes,
  ...rest
}: Omit<Area, 'routes'> & { all?: All; routes: (Omit<Row, keyof All> & Partial<Row>)[] }): Area {
  return { ...rest, routes: routes.map((row) => toRoute({ ...all, ...row } as Row)) };
}

function toRoute({ params, query, body, cookies, raw, upload, ...row }: Row): Route {
  const path = Object.fromEntries([...row.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, params?.[name] ?? uuid]));
  const request = { params: schemaOf(Object.keys(path).length > 0 ? path : undefined), query: schemaOf(query), body: schemaOf(body) };
  return { rate: 'api', ...row, access: accessOf(row), request: { ...request, cookies: schemaOf(cookies), raw, upload } };
}

const schemaOf = (shape: ZodRawShape | undefined) => shape && z.object(shape);

const ACCESS: Partial<Record<Access, RouteAccess>> = {
  [Access.PUBLIC]: 'public',
  [Access.USER]: 'user',
  [Access.ADMIN]: 'admin',
  [Access.OPERATOR]: 'superadmin',
};

function accessOf({ method, path, rpc }: Row): RouteAccess {
  const allowed = getOption(rpc, access);
  const found = ACCESS[allowed];
  if (!found) throw new Error(`${method} ${path}: a route cannot call ${rpc.parent.typeName}.${rpc.name}, whose access is ${Access[allowed]}`);
  return found;
}
