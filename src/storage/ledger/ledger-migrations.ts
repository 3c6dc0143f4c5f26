import type { Migration } from '../sqlite/migrations.ts'

/**
 * The ledger's tables.
 *
 * - `ledger` has a row for each attempt. The caller, the model and the other names of an attempt are written once, in
 *   `subjects`, by the numbers of their names; so are tags. 0 means no name.
 * - `intent_batches` has a row for each commit with intents, a JSON array, until all of them have their ledger rows.
 *   `open_intents` shows the intents without a ledger row.
 * - `windows` has the sum of each budget's window.
 * - Usage is added up by quarter of an hour, subject and tags. The last hours are in `open_cells`, a table row for
 *   each cell. Earlier hours are in one block for each hour and each day (UTC).
 * - `readable_ledger` is for people with a SQLite shell.
 */
export const ledgerMigrations: readonly Migration[] = [
  {
    name: 'ledger',
    statements: [
      'create table names (id integer primary key, name text not null unique) strict',
      `create table subjects (
        id integer primary key,
        key_id integer not null,
        key_name integer not null,
        user_id integer not null,
        group_name integer not null,
        model integer not null,
        channel integer not null,
        upstream_model integer not null,
        price_version integer not null,
        unique (key_id, model, channel, upstream_model, price_version, group_name, user_id, key_name)
      ) strict`,
      'create table tag_sets (id integer primary key, tags text not null unique) strict',
      `create table ledger (
        number integer primary key,
        id blob not null unique,
        request_id blob not null,
        attempt integer not null,
        subject integer not null,
        tags integer not null,
        state integer not null,
        flags integer not null,
        tier integer not null,
        ended_at_ms integer not null,
        duration_ms integer not null,
        fresh_input integer not null,
        cache_read integer not null,
        cache_write_short integer not null,
        cache_write_long integer not null,
        output integer not null,
        reasoning integer not null,
        input_audio integer not null,
        input_image integer not null,
        cache_read_audio integer not null,
        output_audio integer not null,
        output_image integer not null,
        accepted_prediction integer not null,
        rejected_prediction integer not null,
        cost integer not null,
        charged integer not null,
        tool_calls text,
        corrects blob,
        counted blob
      ) strict`,
      'create index ledger_requests on ledger (request_id)',
      `create view readable_ledger as select
        number,
        strftime('%Y-%m-%dT%H:%M:%fZ', ended_at_ms / 1000.0, 'unixepoch') as ended_at,
        lower(hex(request_id)) as request,
        attempt,
        (select name from names where id = subjects.key_id) as key_id,
        (select name from names where id = subjects.key_name) as key,
        (select name from names where id = subjects.user_id) as user,
        (select name from names where id = subjects.group_name) as "group",
        (select tag_sets.tags from tag_sets where tag_sets.id = ledger.tags) as tags,
        (select name from names where id = subjects.model) as model,
        (select name from names where id = subjects.channel) as channel,
        (select name from names where id = subjects.upstream_model) as upstream_model,
        (select name from names where id = subjects.price_version) as price_version,
        case state when 1 then 'settled' when 2 then 'estimated' when 3 then 'void' end as state,
        fresh_input, cache_read, cache_write_short, cache_write_long, output, reasoning,
        cost / 1e9 as cost_usd,
        charged / 1e9 as charged_usd
        from ledger join subjects on subjects.id = ledger.subject`,
      'create table intent_batches (number integer primary key, intents text not null) strict',
      'create table checkpoints (id blob primary key, output_tokens integer not null) strict, without rowid',
      `create view open_intents as select
        batches.number as batch,
        each.value as intent,
        unhex(each.value ->> 0) as id,
        unhex(each.value ->> 1) as request_id,
        each.value ->> 2 as attempt,
        each.value ->> 3 as subject,
        each.value ->> 4 as tags,
        each.value ->> 5 as started_at_ms,
        each.value ->> 6 as expires_at_ms,
        each.value ->> 7 as input_tokens,
        each.value ->> 8 as multiplier_ppm,
        each.value -> 9 as held,
        coalesce((select output_tokens from checkpoints where id = unhex(each.value ->> 0)), 0) as output_tokens
        from intent_batches as batches, json_each(batches.intents) as each
        where not exists (select 1 from ledger where ledger.id = unhex(each.value ->> 0))`,
      'create table counters (id integer primary key, name text not null unique) strict',
      `create table windows (
        id integer primary key,
        counter integer not null,
        start_ms integer not null,
        end_ms integer,
        spent integer not null,
        pruned integer not null default 0,
        unique (counter, start_ms)
      ) strict`,
      'create index windows_by_end on windows (end_ms)',
      `create table open_cells (
        slot integer not null,
        subject integer not null,
        tags integer not null,
        attempts integer not null,
        requests integer not null,
        failed integer not null,
        estimated integer not null,
        cost integer not null,
        charged integer not null,
        fresh_input integer not null,
        cache_read integer not null,
        cache_write_short integer not null,
        cache_write_long integer not null,
        output integer not null,
        reasoning integer not null,
        input_audio integer not null,
        input_image integer not null,
        cache_read_audio integer not null,
        output_audio integer not null,
        output_image integer not null,
        accepted_prediction integer not null,
        rejected_prediction integer not null,
        primary key (slot, subject, tags)
      ) strict, without rowid`,
      `create table tool_calls (
        slot integer not null,
        subject integer not null,
        tags integer not null,
        tool text not null,
        calls integer not null,
        primary key (slot, subject, tags, tool)
      ) strict, without rowid`,
      'create table hour_cells (hour integer primary key, cells blob not null) strict',
      'create table day_cells (day integer primary key, cells blob not null) strict',
      `create table hours (
        hour integer primary key,
        first_number integer not null,
        last_number integer not null,
        pruned_rows integer not null default 0,
        pruned_cost integer not null default 0,
        pruned_charged integer not null default 0
      ) strict`,
    ],
  },
  {
    name: 'corrections',
    // Many concurrent requests may learn the usage of an answer. Only one of them corrects its row.
    statements: ['create unique index ledger_corrects on ledger (corrects) where corrects is not null'],
  },
]
