import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { clearable, email, maybe, newPassword, pages, password, phone, picture, text } from './schemas.ts';

const { method } = UserService;

const role = z.enum(['admin', 'doctor', 'receptionist']);

export const users = area({
  prefix: '/api/users',
  tag: 'Users',
  about: 'The staff who sign in to a clinic. The plan limits the number of active users, not counting the one who registered the clinic.',
  all: { scope: 'none', notFound: 'User not found' },
  routes: [
    { method: 'get', path: '/api/users', rpc: method.listUsers, query: { ...pages } },
    {
      method: 'post',
      path: '/api/users',
      rpc: method.createUser,
      guards: ['staff_creation_needs_admin'],
      body: { fullName: text(200), email, password: newPassword.nullish(), appRole: maybe(role), phone: maybe(phone) },
      creates: true,
      errors: ['FORBIDDEN', 'USER_LIMIT_REACHED', 'EMAIL_TAKEN', 'LIMIT_CHECK_UNAVAILABLE'],
      example: { fullName: 'Carla Menjívar', email: 'carla@sonrisa.example', password: 'correct horse battery', appRole: 'receptionist' },
    },
    { method: 'put', path: '/api/users/me/photo', rpc: method.setPhoto, raw: picture },
    { method: 'delete', path: '/api/users/me/photo', rpc: method.removePhoto },
    {
      method: 'put',
      path: '/api/users/me/password',
      rpc: method.changePassword,
      rate: 'auth',
      withoutMfa: true,
      summary: "Change the caller's password",
      body: { currentPassword: password, newPassword },
      errors: ['INVALID_CREDENTIALS', 'RATE_LIMITED'],
      example: { currentPassword: 'correct horse battery', newPassword: 'another horse battery' },
    },
    {
      method: 'put',
      path: '/api/users/me/pin',
      rpc: method.setPin,
      feature: 'quick_switching',
      summary: "Set the caller's PIN",
      rate: 'auth',
      body: { pin: z.string().regex(/^\d{4,8}$/, 'must be 4 to 8 digits'), password },
      errors: ['INVALID_CREDENTIALS'],
      example: { pin: '246813', password: 'correct horse battery' },
    },
    { method: 'delete', path: '/api/users/me/pin', rpc: method.removePin, feature: 'quick_switching' },
    {
      method: 'post',
      path: '/api/users/me/mfa',
      rpc: method.beginMfa,
      withoutMfa: true,
      summary: "Start setting up the caller's second factor",
      body: { password: password.nullish() },
      errors: ['CONFLICT', 'SIGN_IN_REQUIRED', 'INVALID_CREDENTIALS'],
      example: { password: 'correct horse battery' },
    },
    {
      method: 'post',
      path: '/api/users/me/mfa/confirm',
      rpc: method.confirmMfa,
      rate: 'auth',
      withoutMfa: true,
      summary: "Turn on the caller's second factor",
      body: { code: text(32) },
      errors: ['INVALID_OTP', 'CONFLICT'],
      example: { code: '123456' },
    },
    {
      method: 'delete',
      path: '/api/users/me/mfa',
      rpc: method.removeMfa,
      rate: 'auth',
      summary: "Remove the caller's second factor",
      body: { password },
      errors: ['INVALID_CREDENTIALS'],
      example: { password: 'correct horse battery' },
    },
    { method: 'get', path: '/api/users/photos/:id', rpc: method.getPhoto, notFound: 'Photo not found' },
    {
      method: 'patch',
      path: '/api/users/:id',
      rpc: method.updateUser,
      roles: { allowed: ['admin'], self: 'id' },
      body: { fullName: text(200).optional(), phone: clearable(phone), licenseNumber: clearable(text(40)), isActive: z.boolean().optional() },
      errors: ['LAST_ADMIN', 'USER_LIMIT_REACHED', 'LIMIT_CHECK_UNAVAILABLE'],
      example: { fullName: 'Carla Menjívar de Paz', phone: '+50370001235' },
    },
    {
      method: 'patch',
      path: '/api/users/:id/role',
      rpc: method.updateUserRole,
      body: { appRole: role },
      errors: ['LAST_ADMIN', 'LIMIT_CHECK_UNAVAILABLE'],
      example: { appRole: 'admin' },
    },
  ],
});
