// Says in the error of a failed connection which PostgreSQL could not be reached.
import pg from 'pg';

/** Throws an error of connecting again. One that the server returned, for example that the database does not exist, does not change. */
export function rethrowUnreachable(error: NodeJS.ErrnoException, host: string, port: number | string): never {
  if (error instanceof pg.DatabaseError || !('code' in error || TIMEOUTS.includes(error.message))) throw error;
  error.code ??= 'ETIMEDOUT';
  error.message = `PostgreSQL at ${host}:${port} cannot be reached (${error.message || error.code}): check the address in its URL, that it runs, and that the network allows the connection`;
  throw error;
}

/** The driver's and the pool's own errors when the server does not answer, which have no code. */
const TIMEOUTS = ['timeout expired', 'Connection terminated due to connection timeout'];
