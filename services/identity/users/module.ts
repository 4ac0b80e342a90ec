// The users of a clinic.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { UserService } from '@clinic/proto/identity/v1/user_pb.js';
import type { App } from '../app.ts';
import { createUser } from './create-user.ts';
import { getUser, listUsers } from './list-users.ts';
import { getPhoto, removePhoto, setPhoto } from './photo.ts';
import { updateUser, updateUserRole } from './update-user.ts';

export const users: Module<App> = {
  rpcs: [rpcs(UserService, { listUsers, getUser, createUser, updateUser, updateUserRole, setPhoto, removePhoto, getPhoto })],
  personal: [{ table: 'users', whole: true }],
};
