import type { Route } from '../http/route.ts';

/** The name of the RPC, unless several routes call it. */
export const operationIdOf = ({ operation, rpc }: Pick<Route, 'operation' | 'rpc'>) => operation ?? rpc.localName;
