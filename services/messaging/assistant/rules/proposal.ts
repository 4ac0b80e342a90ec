// A proposal of the assistant. It contains everything that its execution needs, so that exactly what was shown is executed. Stored as JSON.
export type Proposal = { summary: string } & (
  | { kind: 'book'; doctorId: string; date: string; time: string; patientName: string; patientPhone: string; notes?: string | undefined }
  | { kind: 'move'; appointmentId: string; doctorId?: string | undefined; date: string; time: string }
  | { kind: 'cancel'; appointmentId: string; reason?: string | undefined }
  | { kind: 'message'; phone: string; text: string }
);
