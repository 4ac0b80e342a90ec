// Doctors with their hours, vacations and photos.
import { type Module, rpcs } from '@clinic/lib/runtime/module.ts';
import { DoctorService } from '@clinic/proto/scheduling/v1/doctor_pb.js';
import { DoctorPhotoService } from '@clinic/proto/scheduling/v1/photo_pb.js';
import type { App } from '../app.ts';
import { getDoctorPhoto, removeDoctorPhoto, setDoctorPhoto } from './doctor-photos.ts';
import { getDoctor, listDoctors } from './list-doctors.ts';
import { createDoctor, deactivateDoctor, updateDoctor } from './manage-doctors.ts';
import { createVacation, deleteVacation, listVacations } from './manage-vacations.ts';

export const doctors: Module<App> = {
  rpcs: [
    rpcs(DoctorService, { createDoctor, listDoctors, getDoctor, updateDoctor, deactivateDoctor, listVacations, createVacation, deleteVacation }),
    rpcs(DoctorPhotoService, { setDoctorPhoto, removeDoctorPhoto, getDoctorPhoto }),
  ],
  personal: [
    { table: 'doctor_photos' },
    { table: 'doctor_vacations' },
    { table: 'doctor_breaks' },
    { table: 'doctor_working_hours' },
    { table: 'doctors', secret: ['feed_token_sealed'] },
  ],
};
