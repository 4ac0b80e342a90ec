// Changes of users and clinics.
import { expect } from '@jest/globals';
import { expectStatus } from '../api.ts';
import { freshEmail, PASSWORD, setUpMfa } from '../clinic.ts';
import { acknowledgement, type Changes, type Context, FILE, plain, servesImage, type Target } from './change.ts';

/** An id like those of the chat provider. */
const chatId = () => String(Math.floor(Math.random() * 1e15));

export async function identityChanges({ api, clinic, file, body, get, post, find, fresh }: Context): Promise<Changes> {
  const userOf = (id: string) =>
    find(
      get('/api/users').then(({ users }) => users),
      id,
    );
  const addUser = () => post('/api/users', { fullName: 'Carla Menjívar', email: freshEmail(), password: PASSWORD, phone: '+50370001234' });
  const user = async (): Promise<Target> => {
    const { id } = await addUser();
    return { params: { id }, read: () => userOf(id) };
  };
  /** A user who changes their own record. */
  const signedIn = async (): Promise<Target> => {
    const { id, email } = await addUser();
    const { access_token: token } = await body(200, api.post('/api/auth/login', { email, password: PASSWORD }));
    return { read: () => userOf(id), as: { token } };
  };
  const profile = plain({ name: 'Clínica Nueva', phone: '+50322229999', address: 'Calle 12', city: 'Apopa', timezone: 'America/Guatemala', currency: 'GTQ' });
  const otherNumber = chatId();

  return {
    'PUT /api/users/me/photo': { record: signedIn, fields: { [FILE]: file } },
    'PUT /api/users/me/password': {
      record: async () => {
        const target = await signedIn();
        await body(200, api.put('/api/users/me/pin', { pin: '246813', password: PASSWORD }, target.as)); // a new password removes it
        return target;
      },
      with: { currentPassword: PASSWORD, newPassword: 'una clave nueva' },
      fields: {
        currentPassword: { value: PASSWORD, shown: { has_pin: false }, answered: acknowledgement },
        newPassword: {
          value: 'otra clave nueva',
          shown: { has_pin: false },
          answered: acknowledgement,
          prove: async ({ read }) => {
            await expectStatus(200, api.post('/api/auth/login', { email: (await read()).email, password: 'otra clave nueva' }));
          },
        },
      },
    },
    'PUT /api/users/me/pin': {
      record: signedIn,
      with: { pin: '246813', password: PASSWORD },
      fields: {
        password: { value: PASSWORD, shown: { has_pin: true }, answered: acknowledgement },
        pin: {
          value: '246813',
          shown: { has_pin: true },
          answered: acknowledgement,
          prove: async ({ read }) => {
            await expectStatus(200, api.post('/api/auth/switch', { userId: (await read()).id, pin: '246813' }, clinic));
          },
        },
      },
    },
    'PATCH /api/users/:id': { record: user, fields: plain({ fullName: 'Carla Paz', phone: '+50370009999', licenseNumber: 'JVPO 4321', isActive: false }) },
    'PATCH /api/users/:id/role': { record: user, fields: plain({ appRole: 'doctor' }) },
    'PATCH /api/clinics/settings': {
      record: async () => {
        const target = await fresh('/api/clinics/settings')();
        await setUpMfa(api, target.as ?? clinic); // without a factor nothing could be read once one is required
        return target;
      },
      fields: {
        ...profile,
        ...plain({
          chat_phone_number_id: chatId(),
          chat_business_account_id: chatId(),
          chat_verify_token: 'palabra',
          bot_enabled: true,
          require_mfa_for_admins: true,
          cancellation_notice_hours: 24,
          cancellation_text: 'Avise un día antes',
          booking_no_show_limit: 3,
          booking_origins: ['https://www.example.com'],
        }),
        chat_access_token: { value: 'EAAG1234secret', shown: { chat_access_token: 'EAAG1234****' } },
      },
    },
    'PUT /api/clinics/profile': { record: fresh('/api/clinics/me'), fields: profile },
    'PUT /api/clinics/chat-config': {
      record: fresh('/api/clinics/settings'),
      fields: {
        phoneNumberId: { value: otherNumber, shown: { chat_phone_number_id: otherNumber }, answered: acknowledgement },
        businessAccountId: { value: '444', shown: { chat_business_account_id: '444' }, answered: acknowledgement },
        accessToken: { value: 'EAAG1234secret', shown: { chat_access_token: 'EAAG1234****' }, answered: acknowledgement },
        verifyToken: { value: 'palabra', shown: { chat_verify_token: 'palabra' }, answered: acknowledgement },
      },
    },
    'PUT /api/clinics/logo': {
      record: fresh('/api/clinics/settings'),
      fields: { [FILE]: { value: file.value, shown: { logo_url: expect.any(String) }, prove: servesImage('logo_url') } },
    },
    'PATCH /api/clinics/features': {
      record: fresh('/api/clinics/features'),
      fields: {
        features: { value: { analytics: false }, shown: { features: { analytics: false } } },
        guards: { value: { voids_need_admin: true }, shown: { guards: { voids_need_admin: true } } },
      },
    },
  };
}
