export const peopleStatements: readonly string[] = [
  `create table users (
    id text primary key,
    name text not null,
    folded_name text not null unique,
    role text not null check (role in ('owner', 'admin', 'viewer', 'member')),
    disabled integer not null,
    password text not null,
    totp_secret text,
    totp_confirmed integer not null,
    totp_step integer not null,
    created_at_ms integer not null,
    created_by text not null,
    last_sign_in_at_ms integer not null,
    deleted_at_ms integer
  ) strict`,
  'create index users_by_name on users (folded_name, id) where deleted_at_ms is null',
  'create index users_by_age on users (created_at_ms, id) where deleted_at_ms is null',
  'create index users_by_sign_in on users (last_sign_in_at_ms, id) where deleted_at_ms is null',
  "create index users_owners on users (id) where role = 'owner' and disabled = 0 and deleted_at_ms is null",
  `create table user_groups (
    user_id text not null,
    group_name text not null,
    manager integer not null,
    primary key (user_id, group_name)
  ) strict, without rowid`,
  'create index user_groups_by_group on user_groups (group_name, user_id)',
  `create table recovery_codes (
    user_id text not null,
    digest text not null,
    primary key (user_id, digest)
  ) strict, without rowid`,
  `create table sessions (
    id text primary key,
    digest text not null unique,
    user_id text not null,
    created_at_ms integer not null,
    last_used_at_ms integer not null,
    expires_at_ms integer not null,
    fresh_until_ms integer not null,
    address text not null,
    user_agent text not null
  ) strict`,
  'create index sessions_by_user on sessions (user_id, created_at_ms)',
  'create index sessions_by_age on sessions (created_at_ms)',
  `create table tokens (
    id text primary key,
    digest text not null unique,
    hint text not null,
    name text not null,
    user_id text,
    role text,
    scopes text not null,
    created_at_ms integer not null,
    created_by text not null,
    expires_at_ms integer,
    last_used_at_ms integer,
    check ((user_id is null) = (role is not null))
  ) strict`,
  'create index tokens_by_user on tokens (user_id, created_at_ms)',
  'create index tokens_by_age on tokens (created_at_ms)',
  `create table links (
    id text primary key,
    digest text not null unique,
    type text not null check (type in ('owner', 'invitation', 'reset')),
    role text,
    groups text not null,
    name text,
    user_id text,
    created_at_ms integer not null,
    created_by text not null,
    expires_at_ms integer not null
  ) strict`,
  'create index links_by_user on links (user_id) where user_id is not null',
  `create table sign_in_failures (
    subject text primary key,
    failures integer not null,
    last_at_ms integer not null
  ) strict, without rowid`,
]

/**
 * Identities, authorization requests, and whether a session passed a second factor. Existing sessions have passed
 * every factor that was required.
 */
export const singleSignOnStatements: readonly string[] = [
  'alter table sessions add column second_factor integer not null default 1',
  `create table identities (
    user_id text primary key,
    issuer text not null,
    subject text not null,
    email text,
    linked_at_ms integer not null,
    unique (issuer, subject)
  ) strict, without rowid`,
  `create table authorizations (
    state_digest text primary key,
    browser_digest text not null,
    purpose text not null check (purpose in ('sign-in', 'accept', 'join', 'reauthenticate')),
    link_id text,
    session_id text,
    user_id text,
    redirect_uri text not null,
    return_to text not null,
    created_at_ms integer not null,
    expires_at_ms integer not null,
    check ((session_id is null) = (user_id is null))
  ) strict, without rowid`,
  'create index authorizations_by_age on authorizations (created_at_ms)',
]
