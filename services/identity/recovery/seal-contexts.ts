// Where sealed values belong: each opens in its own row only.

export const requestContext = (id: string) => `recovery_requests/${id}/email`;
export const tokenContext = (clinicId: string, id: string) => `${clinicId}/password_recoveries/${id}/token`;
