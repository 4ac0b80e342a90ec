// What dental needs: it has no settings besides those that all services share.

/** The services that it calls by RPC. */
export const dependencies = ['scheduling', 'identity', 'messaging'];

export const settings = {};
