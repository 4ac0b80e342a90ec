-- Recall messages of the clinic wait until then, because the provider limits messages of its number for spam or violations of its policy.
alter table channels add column recalls_paused_until timestamptz;
