// Every RPC says who may call it, and every route lets in whom its RPC lets in: no door is open by forgetting.
import { globSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type DescMethod, type DescService, getOption } from '@bufbuild/protobuf';
import type { Route, RouteAccess } from '@clinic/gateway/http/route.ts';
import { Access, access } from '@clinic/proto/common/v1/options_pb.js';
import type { Fault } from './source.ts';

/** Every service of the generated contracts below `root`. */
export async function contracts(root: string): Promise<DescService[]> {
  const files = globSync('proto/gen/clinic/**/*_pb.js', { cwd: root });
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(path.join(root, file)).href) as Promise<Record<string, unknown>>));
  return modules.flatMap((module) => Object.values(module)).filter((value): value is DescService => (value as { kind?: string } | null)?.kind === 'service');
}

export function rpcsWithoutAccess(services: DescService[]): Fault[] {
  return services
    .flatMap((service): DescMethod[] => service.methods)
    .filter((method) => getOption(method, access) === Access.UNSPECIFIED)
    .map((method) => `${method.parent.typeName}.${method.name}: has no option (clinic.common.v1.access), so nobody can call it`);
}

const WANTED: Partial<Record<RouteAccess, Access[]>> = {
  public: [Access.PUBLIC],
  user: [Access.USER],
  // The gateway may be stricter than the contract, for a route that does more than another of the same RPC.
  admin: [Access.ADMIN, Access.USER],
  superadmin: [Access.OPERATOR],
};

export function routesAgainstContract(routes: Pick<Route, 'method' | 'path' | 'rpc' | 'access'>[]): Fault[] {
  return routes.flatMap(({ method, path: at, rpc, access: lets }) => {
    const name = `${method.toUpperCase()} ${at}`;
    const wanted = WANTED[lets];
    if (!wanted) return lets ? [] : [`${name}: says nothing of who may call it`];
    const contract = getOption(rpc, access);
    return wanted.includes(contract) ? [] : [`${name}: lets in ${lets}, but ${rpc.parent.typeName}.${rpc.name} asks for ${Access[contract]}`];
  });
}
