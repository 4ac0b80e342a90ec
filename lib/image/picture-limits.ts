// What may be uploaded as a picture: said to clients by the gateway's rows, and held by lib/image/image.ts, which draws it anew.

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export const MAX_PICTURE_BYTES = 2 * 1024 * 1024;
