import { DemoRequestService } from '@clinic/proto/platform/v1/demo_request_pb.js';
import { z } from 'zod';
import { area } from './area.ts';
import { email, maybe, phone, text } from './schemas.ts';

export const demo = area({
  prefix: '/api/demo-requests',
  tag: 'Demo requests',
  about: 'Anyone may request a demo; an operator accepts or rejects it.',
  all: { scope: 'none' },
  routes: [
    {
      method: 'post',
      path: '/api/demo-requests',
      rpc: DemoRequestService.method.createDemoRequest,
      rate: 'demo',
      summary: 'Request a demo',
      body: {
        clinicName: text(200),
        contactName: text(200),
        email,
        phone: maybe(phone),
        city: maybe(text(100)),
        doctorsCount: z.int().min(1).max(10_000).nullish(),
        message: maybe(text(2000)),
      },
      creates: true,
      example: { clinicName: 'Clínica Sol', contactName: 'Rosa Díaz', email: 'rosa@sol.example', city: 'Santa Ana', doctorsCount: 3 },
    },
  ],
});
