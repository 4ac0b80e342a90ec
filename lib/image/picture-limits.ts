// Limits for uploaded pictures, enforced by lib/image/image.ts and documented by the gateway's routes.

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const;
export const MAX_PICTURE_BYTES = 2 * 1024 * 1024;
