// Registration, sign-in and sessions.
import { SessionService } from '@clinic/proto/identity/v1/session_pb.js';
import { z } from 'zod';
import { endedSession, refreshCookie } from '../custom/session.ts';
import type { Area } from '../route.ts';
import { email, maybe, newPassword, phone, text } from '../schemas.ts';

const { method } = SessionService;

export const auth: Area = {
  prefix: '/api/auth',
  tag: 'Sessions',
  about: 'A clinic registers with an invite code; its users sign in with e-mail and password.',
  routes: [
    {
      method: 'post',
      path: '/api/auth/register-clinic',
      rpc: method.registerClinic,
      access: 'public',
      rate: 'auth',
      summary: 'Register a clinic',
      request: {
        body: z.object({
          inviteCode: text(100),
          clinicName: text(200),
          clinicType: z.enum(['dental', 'medical', 'other']).default('dental'),
          adminName: text(200),
          email,
          password: newPassword,
          phone: maybe(phone),
          city: maybe(text(100)),
          timezone: maybe(text(64)),
        }),
      },
      status: 201,
      errors: ['INVALID_INVITE_CODE', 'EMAIL_TAKEN'],
      cookie: refreshCookie,
      example: {
        inviteCode: 'THE-CODE-YOU-RECEIVED',
        clinicName: 'Clínica Sonrisa',
        adminName: 'Ana Morales',
        email: 'ana@sonrisa.example',
        password: 'correct horse battery',
        city: 'San Salvador',
      },
    },
    {
      method: 'post',
      path: '/api/auth/login',
      rpc: method.login,
      access: 'public',
      rate: 'auth',
      summary: 'Sign in',
      request: { body: z.object({ email: z.string().trim().min(1).max(254), password: z.string().min(1).max(1024) }) },
      errors: ['INVALID_CREDENTIALS', 'USER_INACTIVE', 'CLINIC_SUSPENDED'],
      cookie: refreshCookie,
      example: { email: 'ana@sonrisa.example', password: 'correct horse battery' },
    },
    {
      method: 'post',
      path: '/api/auth/refresh',
      rpc: method.refreshSession,
      access: 'public',
      rate: 'auth',
      summary: 'Refresh the session',
      request: { cookies: z.object({ refresh_token: z.string().min(1).max(512) }) },
      errors: ['UNAUTHENTICATED', 'INVALID_REFRESH_TOKEN', 'USER_INACTIVE', 'CLINIC_SUSPENDED'],
      cookie: refreshCookie,
    },
    {
      method: 'post',
      path: '/api/auth/logout',
      rpc: method.logout,
      access: 'public',
      rate: 'auth',
      summary: 'Sign out',
      request: { cookies: z.object({ refresh_token: z.string().max(512).optional() }) },
      cookie: endedSession,
    },
    { method: 'get', path: '/api/auth/me', rpc: method.getMe, access: 'user', rate: 'api', summary: 'Who is signed in' },
  ],
};
