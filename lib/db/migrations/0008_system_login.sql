-- Whether the process logs in as the system role for work of the system; those of earlier releases switch to it from the request role.
alter table running_processes add column system_login boolean not null default false;
