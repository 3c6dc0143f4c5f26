import type { Command } from 'commander'
import { omitUndefined } from '../../kit/json/omit-undefined.ts'
import { addToList, readTagOption } from './option-values.ts'
import { readDayOrTime } from './read-time.ts'

/** Options that select whose requests are shown or counted, and for which time span. */
export interface RequestFilterOptions {
  readonly key?: string
  readonly user?: string
  readonly group?: string
  readonly model?: string
  readonly channel?: string
  readonly since?: string
  readonly until?: string
  readonly timeZone?: string
}

/** Filters that only the ledger has, in addition. */
export interface LedgerFilterOptions extends RequestFilterOptions {
  readonly upstreamModel?: string
  readonly tag?: readonly string[]
}

export function addRequestFilters(command: Command): Command {
  return command
    .option('--since <time>', 'ended since this day or time, or this long ago, such as 7d', readDayOrTime)
    .option('--until <time>', 'ended before this day or time', readDayOrTime)
    .option('--time-zone <zone>', 'by which days begin, such as Europe/Berlin (default UTC)')
    .option('--key <id|name>', 'of this key')
    .option('--user <user>', 'of this user')
    .option('--group <group>', 'of this group')
    .option('--model <name>', 'of this public model name')
    .option('--channel <name>', 'of this channel')
}

export function addLedgerFilters(command: Command): Command {
  return addRequestFilters(command)
    .option('--upstream-model <name>', "of this provider's name")
    .option('--tag <name=value>', 'with this tag; repeat for more', addToList)
}

/** Converts the filters to the admin API's form. */
export function readRequestFilters(options: RequestFilterOptions) {
  const { key, user, group, model, channel, since, until, timeZone } = options
  return omitUndefined({ key, user, group, model, channel, since, until, time_zone: timeZone })
}

/** Converts the filters of the ledger to the admin API's form. */
export function readLedgerFilters({ upstreamModel, tag, ...options }: LedgerFilterOptions) {
  const tags = tag?.map(writeTag).join(',')
  return omitUndefined({ ...readRequestFilters(options), upstream_model: upstreamModel, tags })
}

function writeTag(text: string): string {
  const [name, value] = readTagOption(text)
  return `${name}=${encodeURIComponent(value)}`
}
