import { LATENCY_CLASSES } from '../../request-log/latency-histogram.ts'
import { trafficFacets } from '../../request-log/traffic.ts'
import type { Migration } from '../sqlite/migrations.ts'

const classes = Array.from({ length: LATENCY_CLASSES }, (_unused, index) => String(index).padStart(2, '0'))

/** The columns that are summed, in the order of the counts of a request. */
export const trafficColumns = [
  'requests',
  'refused',
  'rate_limited',
  'failed',
  ...classes.map((index) => `first_${index}`),
  ...classes.map((index) => `total_${index}`),
]

/** The index of the first class of each histogram among the columns. */
export const FIRST_CONTENT_COLUMN = 4
export const TOTAL_COLUMN = FIRST_CONTENT_COLUMN + LATENCY_CLASSES

/** The lengths of time by which requests are counted. */
export const trafficUnits = { hour: 1, day: 2 } as const

/** Creates the tables of traffic counts. A name that a facet does not use is empty. */
export const trafficMigration: Migration = {
  name: 'traffic',
  statements: [
    `create table traffic_subjects (
      id integer primary key,
      facet integer not null,
      key_id text not null,
      user_name text not null,
      group_name text not null,
      model text not null,
      channel text not null,
      unique (facet, key_id, user_name, group_name, model, channel)
    ) strict`,
    `create table traffic (
      subject_id integer not null,
      unit integer not null,
      slot integer not null,
      ${trafficColumns.map((column) => `${column} integer not null`).join(', ')},
      primary key (subject_id, unit, slot)
    ) strict, without rowid`,
    'create table traffic_state (counted_id integer not null, pruned_slot integer not null) strict',
    'insert into traffic_state values (0, 0)',
  ],
}

const keyFacets = trafficFacets.flatMap((facet, index) => (facet.includes('key') ? [index] : [])).join(', ')

/**
 * Deletes the shapes that no row has. The newest shape of a key stays as long as there is traffic of the key, whose
 * name is only there: with a limit on rows, traffic is kept for longer than they are.
 */
export const deleteUnusedShapes = `delete from shapes
  where not exists (select 1 from reach where reach.shape_id = shapes.id) and (
    exists (select 1 from shapes as newer where newer.key_id = shapes.key_id and newer.id > shapes.id)
    or not exists (
      select 1 from traffic_subjects where facet in (${keyFacets}) and traffic_subjects.key_id = shapes.key_id))`
