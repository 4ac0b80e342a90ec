// The people of a clinic.
import { MAX_PICTURE_BYTES, PICTURE_TYPES } from '@clinic/lib/image/picture-limits.ts';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { z } from 'zod';
import type { Area } from '../http/route.ts';
import { clearable, email, limit, maybe, newPassword, page, phone, text, uuid } from './schemas.ts';

const { method } = UserService;

const role = z.enum(['admin', 'doctor', 'receptionist']);
const one = { params: z.object({ id: uuid }) };

/** What a picture may be; the service that draws it anew looks closer. */
export const picture = { types: PICTURE_TYPES, maxBytes: MAX_PICTURE_BYTES, field: 'content', typeField: 'content_type' };

export const users: Area = {
  prefix: '/api/users',
  tag: 'Users',
  about: 'The people who sign in to a clinic. The plan limits how many may be active besides the one who registered it.',
  routes: [
    {
      method: 'get',
      path: '/api/users',
      rpc: method.listUsers,
      access: 'user',
      rate: 'api',
      summary: 'List users',
      request: { query: z.object({ page, limit: limit() }) },
    },
    {
      method: 'post',
      path: '/api/users',
      rpc: method.createUser,
      access: 'user',
      rate: 'api',
      summary: 'Add a user',
      request: {
        body: z.object({ fullName: text(200), email, password: newPassword, appRole: role.default('receptionist'), phone: maybe(phone) }),
      },
      status: 201,
      creates: true,
      errors: ['FORBIDDEN', 'USER_LIMIT_REACHED', 'EMAIL_TAKEN', 'LIMIT_CHECK_UNAVAILABLE'],
      example: { fullName: 'Carla Menjívar', email: 'carla@sonrisa.example', password: 'correct horse battery', appRole: 'receptionist' },
    },
    {
      method: 'put',
      path: '/api/users/me/photo',
      rpc: method.setPhoto,
      access: 'user',
      rate: 'api',
      summary: 'Set my photo',
      request: { raw: picture },
    },
    { method: 'delete', path: '/api/users/me/photo', rpc: method.removePhoto, access: 'user', rate: 'api', summary: 'Remove my photo' },
    {
      method: 'put',
      path: '/api/users/me/pin',
      rpc: method.setPin,
      access: 'user',
      feature: 'quick_switching',
      rate: 'api',
      summary: 'Set my PIN',
      request: { body: z.object({ pin: z.string().regex(/^\d{4,8}$/, 'must be 4 to 8 digits') }) },
      example: { pin: '2468' },
    },
    {
      method: 'get',
      path: '/api/users/photos/:id',
      rpc: method.getPhoto,
      access: 'public',
      rate: 'api',
      summary: 'Show a photo',
      request: one,
      notFound: 'Photo not found',
      errors: ['NOT_FOUND'],
    },
    {
      method: 'patch',
      path: '/api/users/:id',
      rpc: method.updateUser,
      access: 'user',
      rate: 'api',
      summary: 'Change, deactivate or reactivate a user',
      request: { ...one, body: z.object({ fullName: text(200).optional(), phone: clearable(phone), isActive: z.boolean().optional() }) },
      notFound: 'User not found',
      errors: ['FORBIDDEN', 'NOT_FOUND', 'LAST_ADMIN', 'USER_LIMIT_REACHED', 'LIMIT_CHECK_UNAVAILABLE'],
      example: { fullName: 'Carla Menjívar de Paz', phone: '+50370001235' },
    },
    {
      method: 'patch',
      path: '/api/users/:id/role',
      rpc: method.updateUserRole,
      access: 'admin',
      rate: 'api',
      summary: 'Give a user another role',
      request: { ...one, body: z.object({ appRole: role }) },
      notFound: 'User not found',
      errors: ['NOT_FOUND', 'LAST_ADMIN', 'LIMIT_CHECK_UNAVAILABLE'],
      example: { appRole: 'admin' },
    },
  ],
};
