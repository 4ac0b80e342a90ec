// What platform needs: it has no settings besides those that all services share.

/** The services that it calls by RPC. */
export const dependencies = ['identity', 'billing', 'messaging'];

export const settings = {};
