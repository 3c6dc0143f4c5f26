import { peopleStatements, singleSignOnStatements } from './people-migration.ts'
import { remoteObjectStatements, remoteObjectTypeStatements } from './remote-object-migrations.ts'
import { alertStatements, certificationStatements, draftStatements } from './work-migrations.ts'

/** One migration of the tables. It never changes once it is released; a later migration corrects a mistake. */
export interface Migration {
  readonly name: string
  readonly statements: readonly string[]
}

/** The migrations in order. The position in the list, from 1, is the migration's number. */
export const migrations: readonly Migration[] = [
  {
    name: 'keys',
    statements: [
      `create table keys (
        id text primary key,
        name text not null,
        digest text not null unique,
        hint text not null,
        models text,
        group_name text,
        allow_ips text not null,
        expires_at_ms integer,
        disabled integer not null,
        revoked_at_ms integer,
        created_at_ms integer not null,
        origin text not null check (origin in ('made', 'bootstrap'))
      ) strict`,
      'create unique index keys_live_name on keys (name) where revoked_at_ms is null',
    ],
  },
  {
    name: 'config_versions',
    statements: [
      `create table config_versions (
        number integer primary key,
        created_at_ms integer not null,
        author text not null,
        address text not null,
        action text not null check (action in ('change', 'undo', 'restore')),
        comment text,
        restored_from integer,
        changes text not null,
        document text
      ) strict`,
    ],
  },
  {
    name: 'health',
    statements: [
      `create table health (
        id integer primary key check (id = 1),
        saved_at_ms integer not null,
        snapshot text not null
      ) strict`,
    ],
  },
  {
    name: 'audit',
    statements: [
      `create table audit (
        number integer primary key autoincrement,
        at_ms integer not null,
        author text not null,
        address text not null,
        action text not null,
        subject text not null,
        details text not null
      ) strict`,
      `insert into audit (at_ms, author, address, action, subject, details)
        select created_at_ms, author, address, 'config.' || action, cast(number as text), changes
        from config_versions order by number`,
    ],
  },
  {
    name: 'kept_answers',
    statements: [
      `create table kept_answers (
        key_id text not null,
        id text not null,
        asked_name text not null,
        public_name text not null,
        channel text not null,
        upstream_model text not null,
        credential_id text,
        kept_at_ms integer not null,
        primary key (key_id, id)
      ) strict, without rowid`,
      'create index kept_answers_age on kept_answers (kept_at_ms)',
    ],
  },
  {
    name: 'key_dry_run',
    statements: ['alter table keys add column dry_run integer not null default 0'],
  },
  {
    name: 'stored_responses',
    statements: [
      `create table data_keys (
        name text primary key,
        sealed text not null
      ) strict`,
      `create table stored_responses (
        key_id text not null,
        id text not null,
        previous_id text,
        links integer not null,
        asked_name text not null,
        created_at_ms integer not null,
        expires_at_ms integer not null,
        bytes integer not null,
        channel text,
        credential_id text,
        public_name text,
        upstream_model text,
        provider_id text,
        absent text check (absent in ('off', 'too-large', 'unfinished')),
        content blob,
        primary key (key_id, id)
      ) strict`,
      'create index stored_responses_age on stored_responses (expires_at_ms, bytes)',
      `create table stored_items (
        key_id text not null,
        item_id text not null,
        response_id text not null,
        primary key (key_id, item_id)
      ) strict, without rowid`,
      'create index stored_items_response on stored_items (key_id, response_id)',
      `insert into stored_responses (key_id, id, links, asked_name, created_at_ms, expires_at_ms, bytes,
          channel, credential_id, public_name, upstream_model, provider_id, absent)
        select key_id, id, 0, asked_name, kept_at_ms, kept_at_ms + 2592000000, 512,
          channel, credential_id, public_name, upstream_model, id, 'off'
        from kept_answers`,
      'drop table kept_answers',
    ],
  },
  {
    name: 'key_limits',
    statements: [
      'alter table keys add column user_name text',
      "alter table keys add column budgets text not null default '[]'",
      'alter table keys add column rate text',
      "alter table keys add column tags text not null default '{}'",
      'alter table keys add column caller_tags integer not null default 0',
      'alter table keys add column end_user_budget text',
    ],
  },
  {
    name: 'credits',
    statements: [
      `create table credit_grants (
        number integer primary key autoincrement,
        id text not null unique,
        scope_type text not null,
        scope_name text,
        scope_value text,
        amount integer not null,
        reason text not null,
        author text not null,
        at_ms integer not null,
        expires_at_ms integer,
        code_id text
      ) strict`,
      `create table budget_changes (
        number integer primary key autoincrement,
        id text not null unique,
        budget_id text not null,
        type text not null check (type in ('raise', 'reset')),
        amount integer not null,
        until_ms integer,
        counter text,
        window_start_ms integer,
        reason text not null,
        author text not null,
        at_ms integer not null
      ) strict`,
      `create table redemption_codes (
        number integer primary key autoincrement,
        id text not null unique,
        digest text not null unique,
        hint text not null,
        amount integer not null,
        reason text not null,
        author text not null,
        at_ms integer not null,
        expires_at_ms integer,
        credit_life_ms integer
      ) strict`,
      `create table code_ends (
        code_id text primary key,
        at_ms integer not null,
        author text not null,
        grant_id text
      ) strict, without rowid`,
    ],
  },
  {
    name: 'key_rotation',
    statements: [
      'alter table keys add column previous_digest text',
      'alter table keys add column previous_until_ms integer',
      'create unique index keys_previous_digest on keys (previous_digest) where previous_digest is not null',
      `create table key_uses (
        key_id text primary key,
        last_used_at_ms integer not null
      ) strict, without rowid`,
    ],
  },
  {
    name: 'idempotent_answers',
    statements: [
      `create table idempotent_answers (
        key_id text not null,
        id text not null,
        expires_at_ms integer not null,
        bytes integer not null,
        content blob not null,
        primary key (key_id, id)
      ) strict`,
      'create index idempotent_answers_expiry on idempotent_answers (expires_at_ms, bytes)',
    ],
  },
  { name: 'people', statements: peopleStatements },
  { name: 'response_charges', statements: ['alter table stored_responses add column charge text'] },
  {
    name: 'key_pages',
    // The orders in which lists of keys are paged.
    statements: [
      'create index keys_by_age on keys (created_at_ms, id)',
      'create index keys_by_name on keys (name, id)',
      'create index keys_by_user on keys (user_name) where user_name is not null',
      'create index keys_by_group on keys (group_name) where group_name is not null',
    ],
  },
  {
    name: 'audit_credential',
    statements: [
      "alter table audit add column credential text not null default ''",
      "alter table config_versions add column credential text not null default ''",
    ],
  },
  { name: 'alerts', statements: alertStatements },
  { name: 'certifications', statements: certificationStatements },
  { name: 'config_drafts', statements: draftStatements },
  { name: 'single_sign_on', statements: singleSignOnStatements },
  { name: 'remote_objects', statements: remoteObjectStatements },
  {
    name: 'key_passthrough',
    statements: ["alter table keys add column passthrough text not null default '[]'"],
  },
  { name: 'remote_object_types', statements: remoteObjectTypeStatements },
  {
    name: 'remote_object_provider_ids',
    statements: ['create index remote_objects_stored on remote_objects (provider_id)'],
  },
]
